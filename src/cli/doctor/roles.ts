// Owns the checks of `pawl doctor` on the roles of a project: whether the program or package of each is installed and has
// its login or key. Starts nothing.

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { type NetworkSpec, networkOf } from '../../definition/network.ts';
import { networkSupport } from '../../process/network.ts';
import type { Project } from '../project.ts';
import { type RoleSettings, readRoleList, readRoles } from '../roles.ts';
import { type Check, fileProblem, okCheck, problem, warning } from './doctor.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The drivers that start a program: only its network access can be limited. */
const PROGRAM_DRIVERS: readonly string[] = ['acp', 'claude-code', 'codex', 'command'];

const PROGRAMS: Readonly<Record<string, string>> = { 'claude-code': 'claude', codex: 'codex' };

/** Checks the roles of a project. */
export async function checkRoles(project: Project, settings: RoleEnvironment, env: Environment): Promise<Check[]> {
  try {
    // Creates the drivers and drops them, to find invalid roles now instead of in the middle of a run.
    await readRoles(project, settings);
    const roles = await readRoleList(project, settings);
    if (roles.length === 0) return [okCheck('roles', 'no roles are defined')];
    return await Promise.all(
      roles.map(async (role) => {
        const { name, driver = 'attended', argv, model, permissions } = role;
        const missing = await missingFor(project, role, { settings, env });
        const facts = [driver, argv?.join(' '), model, unreadInstructions(project, role)].filter((fact) => fact !== undefined);
        const what = `role ${name}: ${facts.join(', ')}`;
        if (missing !== undefined) return warning('role', `${what}; ${missing.what}`, missing.hint);
        return permissions?.network === undefined ? okCheck('role', what) : networkCheck(what, driver, permissions.network);
      }),
    );
  } catch (error) {
    return [fileProblem('role', error, 'fix the role; no run that needs it can start')];
  }
}

type RoleEnvironment = RoleSettings & { readonly environment?: readonly string[] | undefined };
type RoleEntry = Awaited<ReturnType<typeof readRoleList>>[number];

const INSTRUCTIONS = ['CLAUDE.md', join('.claude', 'CLAUDE.md')];

/** A note if Claude Code does not read the instructions of the project. */
function unreadInstructions({ root }: Project, { driver, settingSources = ['user'] }: RoleEntry): string | undefined {
  const file = INSTRUCTIONS.find((name) => existsSync(join(root, name)));
  if (driver !== 'claude-code' || file === undefined || settingSources.includes('project')) return undefined;
  return `does not read ${file} ("setting_sources: [user, project]" reads it)`;
}

/** What is missing for the named roles to work: a program, a package, a login or a key. Only reads files and variables. */
export async function missingForRoles(
  project: Project,
  { settings, env, names }: RoleContext & { readonly names: ReadonlySet<string> },
): Promise<readonly string[]> {
  const roles = (await readRoleList(project, settings)).filter(({ name }) => names.has(name));
  const found = await Promise.all(
    roles.map(async (role) => {
      const missing = await missingFor(project, role, { settings, env });
      return missing === undefined ? [] : [`role "${role.name}" (${role.driver}): ${missing.what}; ${missing.hint}`];
    }),
  );
  return found.flat();
}

function networkCheck(what: string, driver: string, spec: NetworkSpec): Check {
  const { allow, required } = networkOf(spec);
  const hosts = `${what}, network: ${allow.length === 0 ? 'none' : allow.join(', ')}`;
  const support = networkSupport();
  const why = PROGRAM_DRIVERS.includes(driver)
    ? support.by === 'nothing'
      ? support.why
      : undefined
    : `the driver "${driver}" starts no program`;
  if (why === undefined) return okCheck('role', `${hosts} (enforced by ${support.by})`);
  const unenforced = `${hosts} (not enforced here: ${why})`;
  if (required === true) return problem('role', unenforced, 'it cannot be used here, because its network rule is required');
  return warning('role', unenforced, 'run it on Linux with user namespaces or bubblewrap');
}

interface RoleProblem {
  readonly what: string;
  readonly hint: string;
}

interface RoleContext {
  readonly settings: RoleEnvironment;
  readonly env: Environment;
}

async function missingFor({ root }: Project, role: RoleEntry, around: RoleContext): Promise<RoleProblem | undefined> {
  const { driver = 'attended', argv, model } = role;
  const { env } = around;
  if (driver === 'ai-sdk') {
    const { hasPackage, packagesOf } = await import('../../agents/ai-sdk/provider.ts');
    const absent = packagesOf(model).filter((name) => !hasPackage(root, name));
    if (absent.length > 0) return { what: `${absent.join(' and ')} cannot be found`, hint: `npm install ${absent.join(' ')}` };
    const provider = (model ?? '').split('/')[0] ?? '';
    const key = Object.hasOwn(PROVIDER_KEYS, provider) ? PROVIDER_KEYS[provider] : undefined;
    if (key === undefined || env[key] !== undefined) return undefined;
    return { what: `the variable ${key} is not set`, hint: `set ${key} to the API key of ${provider}` };
  }
  const program = argv?.[0] ?? PROGRAMS[driver];
  if (program !== undefined && !isInstalled(program, root, env))
    return { what: `the program "${program}" cannot be found`, hint: 'install it, or add it to the PATH' };
  return missingLogin(role, around);
}

/** What is missing for the login of a program: a file, or a variable that programs must inherit. */
function missingLogin({ driver = 'attended', env: variables = {} }: RoleEntry, { settings, env }: RoleContext): RoleProblem | undefined {
  const login = Object.hasOwn(LOGINS, driver) ? LOGINS[driver] : undefined;
  if (login !== undefined && Object.hasOwn(variables, login.key)) return undefined;
  // Elsewhere, programs keep their login in a keychain.
  if (login === undefined || process.platform !== 'linux' || existsSync(join(env.HOME ?? '', login.file))) return undefined;
  const isPassed = settings.environment?.some(
    (name) => name === login.key || (name.endsWith('*') && login.key.startsWith(name.slice(0, -1))),
  );
  if (env[login.key] !== undefined && isPassed === true) return undefined;
  const pass = `add ${login.key} to "environment" in the settings, which passes it on to programs`;
  if (env[login.key] !== undefined) return { what: `${login.key} is set, but not passed on to it`, hint: pass };
  return {
    what: `neither a login (~/${login.file}) nor ${login.key} was found`,
    hint: `log in with "${login.command}", or set ${login.key} and ${pass}`,
  };
}

const LOGINS: Readonly<Record<string, { readonly file: string; readonly key: string; readonly command: string }>> = {
  'claude-code': { file: '.claude/.credentials.json', key: 'ANTHROPIC_API_KEY', command: 'claude' },
  codex: { file: '.codex/auth.json', key: 'OPENAI_API_KEY', command: 'codex login' },
};

/** The variables in which providers of the AI SDK look for their key. */
const PROVIDER_KEYS: Readonly<Record<string, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
  groq: 'GROQ_API_KEY',
  mistral: 'MISTRAL_API_KEY',
  openai: 'OPENAI_API_KEY',
  xai: 'XAI_API_KEY',
};

function isInstalled(program: string, root: string, env: Environment): boolean {
  if (isAbsolute(program)) return isExecutable(program);
  if (/[\\/]/.test(program)) return isExecutable(join(root, program));
  const endings = process.platform === 'win32' ? (env.PATHEXT ?? '.EXE').split(';') : [''];
  return (env.PATH ?? '').split(delimiter).some((folder) => endings.some((ending) => isExecutable(join(folder, program + ending))));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
