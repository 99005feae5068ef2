// Finds the files that decide what a gate's command runs: the scripts of package.json for `npm test`, the Makefile
// for `make`, the file itself for `./check.sh`, the settings of test tools. A gate proves nothing if the work that it checks
// can rewrite these.
//
// A command line is parsed roughly, not as a shell does: unrecognised parts add no files, and for one file too many an author
// writes `may_change`. If a command hides which file it runs (`cat ci.sh | sh`), every file that it names counts.

import { posix } from 'node:path';
import { allChecks, type CheckModel, isBuiltIn } from '../../definition/check.ts';
import { INTERPRETERS, programName, SHELLS, startedProgram, withoutOptions } from '../../definition/validation/run-options.ts';
import { type SimpleCommand, simpleCommands } from '../../definition/validation/shell-words.ts';
import { hiddenScript } from '../../definition/validation/unseen-command.ts';
import type { ProgramSetting } from '../services.ts';
import { programOf } from '../worker/program.ts';
import { scriptIn } from './file-part.ts';
import { type MakeRule, readMakeFile, recipesOf, skippableTargets } from './make-rules.ts';
import type { Guard } from './protected-files.ts';
import { importedFiles, modulePlaces } from './script-imports.ts';
import { TOOL_FILES } from './tool-files.ts';

/** A command of a gate or of a validation: a line for the shell, or a list of words. */
export type GateCommand = Pick<ProgramSetting, 'run' | 'argv' | 'cwd' | 'env'>;

/** Reads a file of the workspace, by its path with slashes; undefined when there is none. */
export type ReadText = (path: string) => Promise<string | undefined>;

const DEPTH_MAX = 6;
const RULES_MAX = 10_000;
/** Programs that run the command in their arguments. */
const WRAPPERS: ReadonlySet<string> = new Set(
  `env exec time nice command cross-env xvfb-run npx bunx nyc c8 sudo timeout dotenv nohup setsid stdbuf ionice xargs corepack doas
  chronic unbuffer busybox tini dumb-init uvx`.split(/\s+/),
);
/** Programs that do so after a subcommand. */
const SUBCOMMAND_WRAPPERS: Readonly<Record<string, string>> = {
  ...{ uv: 'run', poetry: 'run', pipenv: 'run', hatch: 'run', pdm: 'run', coverage: 'run' },
  bundle: 'exec',
};
const PACKAGE_MANAGERS: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun']);
const RUN_WORDS: ReadonlySet<string> = new Set(['run', 'run-script', 'rum', 'urn']);
const TEST_WORDS: ReadonlySet<string> = new Set(['t', 'tst', 'it', 'cit', 'install-test', 'clean-install-test', 'sit']);
/** Options that are followed by the name of a package. */
const PACKAGE_FLAGS: Readonly<Record<string, readonly string[]>> = {
  npm: ['-w', '--workspace'],
  pnpm: ['-F', '--filter'],
  bun: ['-F', '--filter'],
};
const EXEC_WORDS: ReadonlySet<string> = new Set(['exec', 'x', 'dlx']);
const SOURCE_COMMANDS: ReadonlySet<string> = new Set(['source', '.']);
/** Programs whose arguments are not commands, even if they look like one. */
const READERS: ReadonlySet<string> = new Set('grep egrep fgrep rg ag echo printf sed awk test [ [[ which type cat ls'.split(' '));
const TESTS: ReadonlySet<string> = new Set(['test', '[', '[[']);
const SCRIPT_FILE = /\.(?:sh|py|[cm]?[jt]s|rb|pl|php)$/;
const MAKES: ReadonlySet<string> = new Set(['make', 'gmake']);
const MAKE_FILES = ['GNUmakefile', 'makefile', 'Makefile'];
/** Programs that run scripts of package.json by name. */
const SCRIPT_RUNNERS: ReadonlySet<string> = new Set(['npm-run-all', 'npm-run-all2', 'run-s', 'run-p', 'concurrently', 'wireit']);
const DIRECTORY_FLAGS: ReadonlySet<string> = new Set(['--prefix', '-C', '--dir', '--cwd', '--directory']);
const FILE_FLAGS: ReadonlySet<string> = new Set(
  `-f --file --makefile -c --config --rcfile --require -r --import --loader --experimental-loader --preload --env-file --init-file
  --project -p`.split(/\s+/),
);
/** Variables that name files which programs load before anything else. */
const LOADING_VARIABLES: ReadonlySet<string> = new Set(
  'NODE_OPTIONS BASH_ENV ENV LD_PRELOAD RUBYOPT PERL5OPT PYTEST_ADDOPTS PYTEST_PLUGINS PYTHONSTARTUP MAKEFILES MAKEFLAGS'.split(' '),
);
const ALL_PACKAGES: ReadonlySet<string> = new Set(['--workspaces', '-w', '--workspace', '-ws', '-r', '--recursive', '--filter', '-F']);

/** Returns guards for the files that decide what these commands run. */
export async function gateGuards(commands: readonly GateCommand[], read: ReadText): Promise<Guard[]> {
  const reading = new CommandReader(read);
  for (const command of commands) {
    const { run, argv, cwd = '', env = {} } = command;
    const place = { folder: posix.normalize(cwd === '' ? '.' : cwd), depth: 0 };
    const list = argv === undefined ? simpleCommands(run ?? '') : [{ words: argv }];
    for (const [name, value] of Object.entries(env)) reading.variable(name, value, place);
    await reading.follow(list, place);
    if (hiddenScript(command) !== undefined) await reading.everythingNamed(run ?? (argv ?? []).join(' '), list, place);
  }
  return reading.guards();
}

/** The commands among the checks of a gate. */
export function commandsIn(checks: readonly CheckModel[]): GateCommand[] {
  return allChecks(checks).flatMap((check) => (isBuiltIn(check, 'command') ? [programOf(check)] : []));
}

interface CommandLocation {
  /** Relative to the workspace, with slashes. */
  readonly folder: string;
  readonly depth: number;
}

class CommandReader {
  private readonly read: ReadText;
  private readonly found = new Map<string, Guard>();
  /** Scripts of package.json that are run, by the file. */
  private readonly scripts = new Map<string, Set<string>>();
  /** Files whose commands were followed. */
  private readonly entered = new Set<string>();

  constructor(read: ReadText) {
    this.read = read;
  }

  guards(): Guard[] {
    const packages = [...this.scripts].map(([pattern, names]): Guard => {
      return { pattern, part: { kind: 'scripts', names: [...names].sort() }, isClosed: !pattern.includes('*') };
    });
    return [...packages, ...this.found.values()];
  }

  async follow(commands: readonly SimpleCommand[], { folder, depth }: CommandLocation): Promise<void> {
    let here = folder;
    for (const { words } of commands) {
      for (const word of words) {
        const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? [];
        if (name !== undefined && value !== undefined) this.variable(name, value, { folder: here, depth });
      }
      if (words[0] === 'cd' || words[0] === 'pushd') here = posix.join(here, words[1] ?? '.');
      else await this.command(words, { folder: here, depth });
    }
  }

  /** Reads a variable that makes programs load files, or search programs and modules in folders of the workspace. */
  variable(name: string, value: string, place: CommandLocation): void {
    const folders = value.split(':').filter((folder) => folder !== '' && !/[$`*]/.test(folder));
    if (name === 'PYTHONPATH') for (const folder of folders) this.pythonModules(folder, place);
    if (name === 'PATH') for (const folder of folders) this.addClosed(place, `${folder}/*`);
    if (!LOADING_VARIABLES.has(name)) return;
    for (const word of value.split(/[\s=:]+/)) if (/^[\w./@-]+$/.test(word) && /[./]/.test(word)) this.addClosed(place, word);
  }

  /** Adds every file that a line names, and what it runs if it is a shell script. */
  async everythingNamed(line: string, commands: readonly SimpleCommand[], place: CommandLocation): Promise<void> {
    const folders = commands.flatMap(({ words }) =>
      words[0] === 'cd' && words[1] !== undefined ? [posix.join(place.folder, words[1])] : [],
    );
    // In `$PWD/ci.sh`, the part after the first slash is known.
    const words = line.split(/[\s"'`$();|&<>={}]+/).flatMap((word) => [word, word.slice(word.indexOf('/') + 1)]);
    for (const word of new Set(words))
      for (const folder of [place.folder, ...folders]) {
        const here = { ...place, folder };
        if (/^[\w.@+-]+\/[\w./@+*?-]*[*?][\w.@+*?-]*$/.test(word)) this.addClosed(here, word);
        if (!/^[\w./@+-]+$/.test(word) || isOutside(posix.join(folder, word)) || posix.isAbsolute(word)) continue;
        if ((await this.read(posix.join(folder, word))) !== undefined) await this.shellScript(word, here, true);
      }
    for (const { words } of commands.filter(({ words: [first] }) => first === 'find'))
      for (const folder of words.slice(1, 1 + words.slice(1).findIndex((word) => /^[-(!]/.test(word))))
        if (posix.join(place.folder, folder) !== '.') this.addClosed(place, `${folder}/**`);
  }

  /** Adds the files of a folder that Python would import instead of installed modules, and the plugins of pytest that it declares. */
  private pythonModules(folder: string, place: CommandLocation): void {
    for (const pattern of [`${folder}/*`, `${folder}/*/__init__.*`]) this.add(place, pattern, { isClosed: true, part: 'python-module' });
    const plugins = { kind: 'sections' as const, names: ['pytest11'] };
    this.add(place, `${folder}/*.{dist,egg}-info/entry_points.txt`, { isClosed: true, part: plugins });
  }

  private async command(words: readonly string[], place: CommandLocation): Promise<void> {
    const [first, ...rest] = withoutAssignments(words);
    if (first === undefined || place.depth > DEPTH_MAX) return;
    const name = programName(first);
    if (first.includes('/') || SCRIPT_FILE.test(first)) await this.executable(first, place);
    else this.addLocalProgram(name, place);
    for (const guard of TOOL_FILES[name] ?? []) this.add(place, guard.pattern, guard);
    // `test -f built.txt` only checks whether the file exists.
    if (!TESTS.has(name)) await this.optionFiles(rest, place);
    if (name === 'pytest' || name === 'py.test')
      for (const folder of ['.', ...rest.filter((word) => /^[\w./-]+$/.test(word) && !/^-|\.\w+$/.test(word))])
        this.pythonModules(folder, place);
    if (PACKAGE_MANAGERS.has(name)) await this.packageManager(name, rest, place);
    else if (MAKES.has(name)) await this.make(rest, place);
    else if (SCRIPT_RUNNERS.has(name))
      for (const word of rest.filter((one) => /^[\w:.-]+$/.test(one) && !one.startsWith('-')))
        await this.script(word.replace(/^npm:/, ''), place);
    else if (SHELLS.has(name) || INTERPRETERS.has(name) || SOURCE_COMMANDS.has(name)) return await this.interpreter(name, rest, place);
    else if (WRAPPERS.has(name) || Object.hasOwn(SUBCOMMAND_WRAPPERS, name)) await this.wrapped(name, rest, place);
    else if (!READERS.has(name)) await this.command(fromRunner(rest), { ...place, depth: place.depth + 1 });
    if (!READERS.has(name)) await this.quoted(rest, place);
  }

  /** A package may install the program that a script starts; one of the system in its place would be a replacement. */
  private addLocalProgram(name: string, place: CommandLocation): void {
    this.add(place, `node_modules/.bin/${name}`, { part: 'link', isClosed: SHELLS.has(name) || INTERPRETERS.has(name) || MAKES.has(name) });
  }

  /** Follows words that are command lines: `script -c "sh ci.sh"`, `concurrently "sh ci.sh"`. */
  private async quoted(words: readonly string[], { folder, depth }: CommandLocation): Promise<void> {
    for (const line of words.filter((word) => /\s/.test(word))) {
      const commands = simpleCommands(line);
      if (commands.some(({ words: [first = ''] }) => isRunner(first) || first.startsWith('./')))
        await this.follow(commands, { folder, depth: depth + 1 });
    }
  }

  /** Adds files that options name: `make -f ci.mk`, `vitest --config ci.ts`. */
  private async optionFiles(words: readonly string[], place: CommandLocation): Promise<void> {
    for (const [index, word] of words.entries()) {
      const [flag = '', value] = word.startsWith('--') && word.includes('=') ? word.split(/=(.*)/s) : [word, words[index + 1]];
      if (FILE_FLAGS.has(flag) && value !== undefined && /^[\w./@-]+\.\w+$|\//.test(value)) await this.importingScript(value, place);
    }
  }

  private async wrapped(name: string, words: readonly string[], place: CommandLocation): Promise<void> {
    const subcommand = SUBCOMMAND_WRAPPERS[name];
    if (subcommand !== undefined && words[0] !== subcommand) return;
    await this.command(startedProgram(name, subcommand === undefined ? words : words.slice(1)), { ...place, depth: place.depth + 1 });
  }

  private async interpreter(name: string, words: readonly string[], place: CommandLocation): Promise<void> {
    const deeper = { ...place, depth: place.depth + 1 };
    const line = SHELLS.has(name) ? lineOf(words) : undefined;
    if (line !== undefined) return await this.follow(simpleCommands(line), deeper);
    const script = name === 'node' ? words[words.indexOf('--run') + 1] : undefined;
    if (words.includes('--run') && script !== undefined) return await this.script(script, deeper);
    const [plain] = withoutOptions(name, words);
    const coded = words.findIndex((one) => one === '-m' || (one === '-c' && name === 'python'));
    const index = coded === -1 || (plain !== undefined && words.indexOf(plain) < coded) ? words.indexOf(plain ?? '') : coded;
    const word = words[index];
    if (name === 'python') this.pythonModules(word === undefined || word.startsWith('-') ? '.' : posix.dirname(word), place);
    if (word === '-m') return await this.module(words.slice(index + 1), deeper);
    if (word === undefined || word === '-c' || (name === 'deno' && word === 'test')) return;
    const file = name === 'deno' && word === 'run' ? withoutOptions(name, words.slice(index + 1))[0] : word;
    if (file === undefined) return;
    if (SHELLS.has(name) || SOURCE_COMMANDS.has(name)) await this.shellScript(file, place, true);
    else await this.importingScript(file, place);
  }

  /** Adds a script that is not a shell script, and its imports from the same folder. */
  private async importingScript(path: string, place: CommandLocation): Promise<void> {
    this.addClosed(place, path);
    const file = posix.join(place.folder, path);
    if (posix.isAbsolute(path) || isOutside(file) || /[*$`\0]/.test(file)) return;
    for (const imported of await importedFiles(file, this.read)) this.addClosed({ ...place, folder: '.' }, imported);
  }

  /** Adds the modules of `python -m NAME`: those in the current folder take precedence over installed ones. */
  private async module(words: readonly string[], place: CommandLocation): Promise<void> {
    const [name] = words;
    if (name !== undefined && /^\w+$/.test(name)) for (const path of [`${name}.py`, `${name}/**`]) this.addClosed(place, path);
    else for (const path of modulePlaces('.', name ?? '')) await this.importingScript(path, place);
    // `python -m unittest tests.parsing` names its tests as modules.
    if (name === 'unittest')
      for (const named of words.slice(1))
        for (const path of named.includes('.') ? modulePlaces('.', named) : []) this.addClosed(place, path);
    await this.command(words, place);
  }

  /** Adds a file that is run by its path, with what it runs or imports. */
  private async executable(path: string, place: CommandLocation): Promise<void> {
    await this.importingScript(path, place);
    await this.shellScript(path, place);
  }

  /** Adds a file that is run and, if it is a shell script, what it runs. */
  private async shellScript(path: string, place: CommandLocation, isShell = false): Promise<void> {
    this.addClosed(place, path);
    const text = await this.readOnce(place, path);
    if (text === undefined || !(isShell || /\.(?:ba|z|k)?sh$/.test(path) || /^#!.*\b(?:ba|da|z|k)?sh\b/.test(text))) return;
    await this.follow(simpleCommands(text.replaceAll(/^\s*#.*$|\s#\s.*$/gm, '')), { ...place, depth: place.depth + 1 });
  }

  /** Follows the recipes of the targets, in the Makefile and its includes. */
  private async make(words: readonly string[], place: CommandLocation): Promise<void> {
    const folder = folderOf(words, place);
    const here = { folder, depth: place.depth + 1 };
    for (const guard of TOOL_FILES.make ?? []) this.add(here, guard.pattern, guard);
    const rules: MakeRule[] = [];
    const named = words.flatMap((word, index) => {
      const [, value] = /^(?:-f|--(?:make)?file(?:=|$))(.*)$/s.exec(word) ?? [];
      return value === '' ? [words[index + 1] ?? ''] : (value ?? []);
    });
    const open = named.length === 0 ? [...MAKE_FILES] : named;
    for (let path = open.pop(); path !== undefined && rules.length < RULES_MAX; path = open.pop()) {
      if (!MAKE_FILES.includes(path)) this.addClosed(here, path);
      // The same file is read again for other targets.
      const read = readMakeFile((await this.readOnce(here, path, words.join(' '))) ?? '');
      rules.push(...read.rules);
      open.push(...read.includes);
    }
    const targets = words.filter((word, index) => /^[\w./-]+$/.test(word) && !word.startsWith('-') && !takesValue(words[index - 1]));
    for (const target of skippableTargets(rules, targets)) this.add(here, target, { part: 'name', isClosed: true });
    await this.follow(recipesOf(rules, targets).flatMap(simpleCommands), here);
  }

  /** Reads a file, unless its commands were followed already. */
  private async readOnce({ folder, depth }: CommandLocation, path: string, how = ''): Promise<string | undefined> {
    const file = posix.join(folder, path);
    if (depth > DEPTH_MAX || posix.isAbsolute(path) || isOutside(file) || /[*$`\0]/.test(file)) return undefined;
    const key = `${file} ${how}`;
    if (this.entered.has(key)) return undefined;
    this.entered.add(key);
    return await this.read(file);
  }

  private async packageManager(name: string, words: readonly string[], place: CommandLocation): Promise<void> {
    const folder = folderOf(words, place);
    const isValue = (before = ''): boolean => DIRECTORY_FLAGS.has(before) || (PACKAGE_FLAGS[name] ?? []).includes(before);
    const args = words.filter((word, index) => !word.startsWith('-') && !isValue(words[index - 1]));
    // `yarn workspace web test` is `yarn test` in another package.
    const isElsewhere = args[0] === 'workspace';
    const plain = isElsewhere ? args.slice(2) : args;
    const [first, second] = plain;
    const here = { folder, depth: place.depth + 1 };
    this.addClosed(here, '.npmrc');
    // Scripts start with a shell, and `node_modules/.bin` comes first in its PATH.
    for (const program of ['sh', 'node', name]) this.add(here, `node_modules/.bin/${program}`, { part: 'link', isClosed: true });
    for (const file of ['.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs', 'pnpm-workspace.yaml', 'bunfig.toml', 'turbo.json', 'nx.json'])
      this.addClosed(here, file);
    if (first === undefined) return;
    if (EXEC_WORDS.has(first)) return await this.command(plain.slice(1), here);
    const isBare = name !== 'npm' && !RUN_WORDS.has(first);
    const script = RUN_WORDS.has(first) ? second : TEST_WORDS.has(first) ? 'test' : first;
    if (script === undefined || (name === 'npm' && !RUN_WORDS.has(first) && !['test', 'start', 'stop', 'restart'].includes(script))) return;
    // `yarn vitest` runs a script of that name, or else the tool.
    if (isBare) await this.command(plain, { ...here, depth: here.depth + 1 });
    const isEverywhere = isElsewhere || words.some((word) => ALL_PACKAGES.has(word.split('=')[0] ?? ''));
    await this.script(script, here);
    if (isEverywhere) this.addScript('**/package.json', script);
  }

  /** Adds a script of package.json, and what it runs. */
  private async script(name: string, place: CommandLocation): Promise<void> {
    const file = posix.join(place.folder, 'package.json');
    if (isOutside(file) || this.scripts.get(file)?.has(name) === true) return;
    this.addScript(file, name);
    const text = (await this.read(file)) ?? '';
    for (const one of [`pre${name}`, name, `post${name}`]) {
      const line = scriptIn(text, one);
      if (line !== undefined) await this.follow(simpleCommands(line), { ...place, depth: place.depth + 1 });
    }
  }

  private addScript(file: string, script: string): void {
    this.scripts.set(file, (this.scripts.get(file) ?? new Set()).add(script));
  }

  private addClosed(place: CommandLocation, path: string): void {
    this.add(place, path, { isClosed: true });
  }

  private add({ folder }: CommandLocation, path: string, rest: Omit<Guard, 'pattern'>): void {
    const pattern = posix.join(folder, path);
    if (posix.isAbsolute(path) || isOutside(pattern) || /[$`\0]/.test(pattern)) return;
    this.found.set(`${pattern} ${JSON.stringify(rest.part ?? null)}`, { ...rest, pattern });
  }
}

function isOutside(path: string): boolean {
  return path === '..' || path.startsWith('../');
}

function folderOf(words: readonly string[], { folder }: CommandLocation): string {
  const at = words.findIndex((word) => DIRECTORY_FLAGS.has(word.split('=')[0] ?? ''));
  const [, value = words[at + 1] ?? '.'] = words[at]?.split(/=(.*)/s) ?? [];
  return at === -1 ? folder : posix.join(folder, value);
}

function takesValue(word: string | undefined): boolean {
  return word !== undefined && (DIRECTORY_FLAGS.has(word) || ['-f', '--file', '--makefile'].includes(word));
}

// The line of `bash -lc LINE`, also behind other options: `bash -euo pipefail -c LINE`.
function lineOf(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => /^-[a-zA-Z]*c$/.test(word));
  return at === -1 ? undefined : words.slice(at + 1).find((word) => !/^[-+]/.test(word));
}

function withoutAssignments(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  return start === -1 ? [] : words.slice(start);
}

/** Whether a word names a program that runs scripts. */
function isRunner(word: string): boolean {
  const name = programName(word);
  return SHELLS.has(name) || INTERPRETERS.has(name) || PACKAGE_MANAGERS.has(name) || MAKES.has(name);
}

/** The arguments of an unknown program from the first script runner on, which it may start. */
function fromRunner(words: readonly string[]): readonly string[] {
  const start = words.findIndex(isRunner);
  return start === -1 ? [] : words.slice(start);
}
