// Checks whether the text of a command shows which files it runs. If another command, a variable or a pipe decides
// that, the files cannot be found in the text, and the author has to name them.

import { INTERPRETERS, programName, SHELLS, startedProgram, withoutOptions } from './run-options.ts';
import { type SimpleCommand, simpleCommands } from './shell-words.ts';

/** A command of a gate. */
interface GivenCommand {
  readonly run?: string;
  readonly argv?: readonly string[];
}

/** Programs that run the command after them. */
const WRAPPERS: ReadonlySet<string> = new Set('env exec time nice command sudo timeout nohup setsid stdbuf ionice builtin'.split(' '));
/** Options of interpreters whose value is not a script. */
const CODE_FLAGS: ReadonlySet<string> = new Set([
  '-e',
  '-c',
  '-m',
  '-p',
  '-r',
  '--eval',
  '--print',
  '--test',
  '--run',
  '--check',
  '--version',
]);
/** Variables with folders in which an interpreter looks for what a script imports. */
const FOLDERS: ReadonlySet<string> = new Set(['NODE_PATH', 'RUBYLIB', 'PERL5LIB', 'CLASSPATH', 'GOPATH']);
const DEPTH_MAX = 4;

/** Why the text of a command does not show which files it runs; undefined if it does. */
export function hiddenScript({ run, argv }: GivenCommand): string | undefined {
  return hiddenIn(argv === undefined ? simpleCommands(run ?? '') : [{ words: argv }], 0);
}

function hiddenIn(commands: readonly SimpleCommand[], depth: number): string | undefined {
  for (const command of commands) {
    const why = hiddenBy(command, depth);
    if (why !== undefined) return why;
  }
  return undefined;
}

function hiddenBy({ words, isPiped = false }: SimpleCommand, depth: number): string | undefined {
  const folder = words.find((word) => FOLDERS.has(/^(\w+)=(?!\/)/.exec(word)?.[1] ?? ''));
  if (folder !== undefined) return `${folder} lets scripts import files from there`;
  const start = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  const [first, ...rest] = start === -1 ? [] : words.slice(start);
  if (first === undefined || depth > DEPTH_MAX) return undefined;
  const name = programName(first);
  if (isUnknown(first)) return `"${first}" is only known to the shell`;
  if (name === 'xargs' || name === 'parallel')
    return runsFiles(startedProgram(name, rest)) ? `${name} is given the files by another command` : undefined;
  if (name === 'find') return hiddenByFind(rest);
  if (WRAPPERS.has(name)) return hiddenBy({ words: startedProgram(name, rest), isPiped }, depth + 1);
  if (name === 'eval')
    return rest.some(isUnknown) ? 'eval runs a text that only the shell knows' : hiddenIn(simpleCommands(rest.join(' ')), depth + 1);
  if (name === '.' || name === 'source')
    return rest[0] !== undefined && isUnknown(rest[0]) ? `"${rest[0]}" is only known to the shell` : undefined;
  const line = SHELLS.has(name) ? rest[rest.findIndex((word) => /^-[a-zA-Z]*c$/.test(word)) + 1] : undefined;
  if (line !== undefined && rest.some((word) => /^-[a-zA-Z]*c$/.test(word))) return hiddenIn(simpleCommands(line), depth + 1);
  return SHELLS.has(name) || INTERPRETERS.has(name) ? hiddenByInterpreter(name, rest, isPiped) : undefined;
}

function hiddenByInterpreter(name: string, words: readonly string[], isPiped: boolean): string | undefined {
  const isInline = words.some((word) => CODE_FLAGS.has(word.split('=')[0] ?? ''));
  const [script] = withoutOptions(name, words);
  if (script !== undefined && isUnknown(script) && !isInline) return `"${script}" is only known to the shell`;
  const readsInput = (script === undefined && !isInline) || words.includes('-') || (SHELLS.has(name) && words.includes('-s'));
  return readsInput && isPiped ? `${name} runs the output of another command` : undefined;
}

function hiddenByFind(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => /^-(?:exec|execdir|ok|okdir)$/.test(word));
  return at !== -1 && runsFiles(words.slice(at + 1)) ? 'find decides which files are run' : undefined;
}

/** Whether a command that is given files runs them. */
function runsFiles([first]: readonly string[]): boolean {
  if (first === undefined) return false;
  const name = programName(first);
  return first === '{}' || isUnknown(first) || SHELLS.has(name) || INTERPRETERS.has(name) || name === 'env';
}

function isUnknown(word: string): boolean {
  return /[$`]/.test(word);
}
