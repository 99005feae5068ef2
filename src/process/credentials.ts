// Hides logins of a forge from a program: variables, the credentials that git and gh find by themselves, and files in
// the user's home folder.
//
// CR1. Variables reach a program only by name (`environment.ts`). Git calls no helper, does not prompt and offers no SSH key;
//      gh and glab find no configuration.
// CR2. If the machine supports it, files with logins are hidden: the program runs in a mount namespace in which they are
//      empty, and which it has no right to change. The environment of this process and its ancestors in `/proc` is hidden
//      in the same way.
// CR3. Everything that could not be hidden is reported: a variable that is passed on, a file that is still readable, a token
//      in the configuration of the repository.
// CR4. In a job of GitHub Actions the files with which a step sets variables, the path and outputs of later steps are hidden
//      in the same way: later steps have the token of the job.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { covers, INHERITED_VARIABLES } from './environment.ts';
import { SHELL_NAME } from './not-run.ts';
import { readEnvironment, readProcess } from './process-table.ts';

/** The credentials to hide from a program. */
interface CredentialRules {
  /** The names of our variables that are passed on; the usual ones by default. */
  readonly inheritEnv?: readonly string[] | undefined;
  /** The working directory of the program. */
  readonly cwd: string;
  /** Files with secrets, in addition to the well-known ones. */
  readonly files?: readonly string[] | undefined;
  /** Variables of ours with secrets, in addition to the well-known ones. */
  readonly variables?: readonly string[] | undefined;
  /** Whether files are hidden. */
  readonly hides: boolean;
}

/** How credentials are hidden from a program, and those that are not. */
export interface CredentialGuard {
  readonly env: Readonly<Record<string, string>>;
  readonly wrap: (argv: readonly string[]) => readonly string[];
  /** What hides the files; null if they are not hidden. */
  readonly hiddenBy: 'namespace' | null;
  /** Descriptions of the known credentials that the program can still reach. */
  readonly left: readonly string[];
}

const TOKEN_VARIABLES = [
  ...['GITHUB_TOKEN', 'GH_TOKEN', 'GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN', 'GITHUB_PAT', 'GITLAB_TOKEN', 'GL_TOKEN'],
  ...['ACTIONS_RUNTIME_TOKEN', 'ACTIONS_ID_TOKEN_REQUEST_TOKEN', 'SSH_AUTH_SOCK', 'GIT_ASKPASS', 'SSH_ASKPASS', 'PAWL_TOKEN'],
];
const HOME_FILES = [
  ...['.netrc', '_netrc', '.git-credentials', '.config/git/credentials', '.config/gh', '.config/glab-cli', '.config/hub', '.ssh'],
];
const NO_CONFIG = '/nonexistent/pawl-no-login';
const SSH = 'ssh -F /dev/null -o BatchMode=yes -o IdentityAgent=none -o IdentitiesOnly=yes -o IdentityFile=/dev/null';
const GIT_ENV: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  GIT_SSH_COMMAND: SSH,
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'credential.helper',
  GIT_CONFIG_VALUE_0: '',
  GIT_CONFIG_KEY_1: 'http.extraHeader',
  GIT_CONFIG_VALUE_1: '',
  GH_CONFIG_DIR: NO_CONFIG,
  GLAB_CONFIG_DIR: NO_CONFIG,
};

// A folder is replaced by an empty one, a file by an empty file. The outer namespace owns the mounts; the inner one has the
// user's own id and no rights over them.
const HIDE = `uid=$1; gid=$2; shift 2
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mount -t tmpfs -o ro,mode=0555 none "$1" || exit 125; elif [ -e "$1" ]; then mount --bind /dev/null "$1" || exit 125; fi
  shift
done
exec unshare --user --map-user="$uid" --map-group="$gid" /bin/sh -c 'shift; exec "$@"' ${SHELL_NAME} "$@"`;
const ENTER = ['unshare', '--user', '--map-root-user', '--mount', '/bin/sh', '-c', HIDE, SHELL_NAME];
const PROBE_MS = 10_000;

let support: boolean | undefined;

/** Whether files can be hidden from programs on this machine; tested once. */
export function canHideFiles(): boolean {
  support ??= probe();
  return support;
}

function probe(): boolean {
  if (process.platform !== 'linux') return false;
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const [file = '', ...args] = [...ENTER, ...ids(), '/dev/shm', '--', '/bin/sh', '-c', '! touch /dev/shm/pawl-probe 2>/dev/null'];
  return spawnSync(file, args, { timeout: PROBE_MS, stdio: 'ignore' }).status === 0;
}

function ids(): string[] {
  return [process.getuid?.() ?? 0, process.getgid?.() ?? 0].map(String);
}

/** Creates the guard for one program. */
export function guardCredentials(rules: CredentialRules): CredentialGuard {
  const { inheritEnv = INHERITED_VARIABLES, files = [], variables = [] } = rules;
  const secretVariables = [...TOKEN_VARIABLES, ...variables];
  const passedOn = secretVariables.filter((name) => process.env[name] !== undefined && inheritEnv.some((pattern) => covers(pattern, name)));
  const home = homedir();
  const found = [...HOME_FILES.map((file) => join(home, file)), ...files.map((file) => resolve(file)), ...configsWithTokens(home)].filter(
    existsSync,
  );
  const commands = runnerFiles();
  const isHidden = rules.hides && canHideFiles();
  const repository = repositoryToken(rules.cwd);
  const left = [
    ...passedOn.map((name) => `the variable ${name} is passed on`),
    ...(isHidden ? [] : found.map((file) => `${file} can be read`)),
    ...(isHidden ? [] : commands.map((file) => `${file} can be written`)),
    ...(repository === undefined ? [] : [`${repository} holds a login`]),
  ];
  if (!isHidden) return { env: GIT_ENV, wrap: (argv) => argv, hiddenBy: null, left };
  const hidden = [...found, ...commands, ...processFilesWith(secretVariables)];
  return { env: GIT_ENV, wrap: (argv) => [...ENTER, ...ids(), ...hidden, '--', ...argv], hiddenBy: 'namespace', left };
}

const RUNNER_VARIABLES = ['GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_OUTPUT', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY'];
const RUNNER_FOLDER = '_runner_file_commands';

/** The files of the runner's commands, or their folder, which has those of later steps, too. */
function runnerFiles(): string[] {
  const files = RUNNER_VARIABLES.flatMap((name) => process.env[name] ?? []).filter((file) => file !== '' && existsSync(file));
  return [...new Set(files.map((file) => (basename(dirname(file)) === RUNNER_FOLDER ? dirname(file) : file)))];
}

const TOKEN_IN_CONFIG = /extraheader\s*=\s*\S|:\/\/[^\s/:@]+:[^\s/@]+@/i;

/** The user's configuration of git is hidden only if it contains a login, because name and e-mail address are needed. */
function configsWithTokens(home: string): string[] {
  return [join(home, '.gitconfig'), join(home, '.config/git/config')].filter((file) => TOKEN_IN_CONFIG.test(textOf(file)));
}

/** The configuration of the repository, if it contains a login: actions/checkout leaves one there. */
function repositoryToken(cwd: string): string | undefined {
  const config = join(cwd, '.git', 'config');
  return TOKEN_IN_CONFIG.test(textOf(config)) ? config : undefined;
}

function textOf(file: string): string {
  try {
    return statSync(file).isFile() ? readFileSync(file, 'utf8') : '';
  } catch {
    return '';
  }
}

/** The files in /proc with the environment and memory of this process, and of its ancestors that have a token. */
function processFilesWith(variables: readonly string[]): string[] {
  const found: string[] = [];
  for (let pid = process.pid; pid > 1; pid = readProcess(pid)?.ppid ?? 0) {
    const env = readEnvironment(pid) ?? {};
    // This process is always included: it may have secrets in variables with unknown names.
    if (pid === process.pid || variables.some((name) => Object.hasOwn(env, name)))
      found.push(...['environ', 'task', 'mem'].map((part) => `/proc/${pid}/${part}`));
  }
  return found;
}
