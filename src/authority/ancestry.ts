// Owns who stands above this process: whether it was started, however indirectly, by a step of a run or by a coding
// agent. A shell of an agent is no place where a person decides, also when it has a terminal, and also when it hides
// its variables from what it starts: the processes above still have theirs.
//
// A step can also take the place of its own shell (`exec env -i …`), and then nothing above it has a variable. What is
// still above it is the process that drives its run: a pawl, told by its name, or whoever owns a run of the database.
//
// A process that was cut loose from its parents (a daemon) has nothing above it. Against that helps only a signature.

import { basename } from 'node:path';
import { MARK_VARIABLE, readCommand, readEnvironment, readProcess } from '../process/process-table.ts';

/** A process above this one, nearest first. */
export interface Ancestor {
  readonly pid: number;
  /** The names of its program: that of the file, and of the script where the file is an interpreter. */
  readonly programs: readonly string[];
  /** The variables it was started with; absent where they cannot be read. */
  readonly env?: Readonly<Record<string, string>>;
  /** True for a pawl that does something else than this process: what it starts are steps of runs. */
  readonly isPawl?: boolean;
  /** The runs it owns, as far as somebody has looked that up. */
  readonly drives?: readonly string[];
}

/** What stands above a process that a person does not decide below. */
export type Above =
  | { readonly what: 'run'; readonly run: string | undefined; readonly pid: number | undefined }
  | { readonly what: 'agent'; readonly name: string; readonly pid: number | undefined };

/** Variables that steps of a run are started with. */
const RUN_VARIABLES = ['PAWL_RUN', MARK_VARIABLE] as const;

/** Variables that coding agents set for the commands they run, and the agent each belongs to. */
const AGENT_VARIABLES: Readonly<Record<string, string>> = {
  CLAUDECODE: 'Claude Code',
  CLAUDE_CODE_SESSION_ID: 'Claude Code',
  CLAUDE_CODE_ENTRYPOINT: 'Claude Code',
  CODEX_SANDBOX: 'Codex',
  CODEX_SANDBOX_NETWORK_DISABLED: 'Codex',
  CODEX_THREAD_ID: 'Codex',
  GEMINI_CLI: 'Gemini CLI',
  OPENCODE: 'OpenCode',
  OPENCODE_CLIENT: 'OpenCode',
  CURSOR_AGENT: 'Cursor',
  AUGMENT_AGENT: 'Augment',
  CLINE_ACTIVE: 'Cline',
  GOOSE_TERMINAL: 'Goose',
  AI_AGENT: 'an agent',
};

/** Programs that are coding agents, by the name of their file or script. */
const AGENT_PROGRAMS: Readonly<Record<string, string>> = {
  claude: 'Claude Code',
  'claude-code': 'Claude Code',
  'claude-agent-acp': 'Claude Code',
  'claude-code-acp': 'Claude Code',
  codex: 'Codex',
  'codex-acp': 'Codex',
  gemini: 'Gemini CLI',
  'gemini-cli': 'Gemini CLI',
  opencode: 'OpenCode',
  'cursor-agent': 'Cursor',
  goose: 'Goose',
  aider: 'Aider',
  amp: 'Amp',
  crush: 'Crush',
  qwen: 'Qwen Code',
  copilot: 'GitHub Copilot',
};

const ANCESTORS_MAX = 64;

/** The processes above one, nearest first, as far as they can be seen. */
export function readAncestors(pid: number = process.pid): Ancestor[] {
  const found: Ancestor[] = [];
  const own = pawlArguments(readCommand(pid));
  for (let at = readProcess(pid)?.ppid ?? 0; at > 0 && found.length < ANCESTORS_MAX; at = readProcess(at)?.ppid ?? 0) {
    const env = readEnvironment(at);
    const words = readCommand(at);
    const does = pawlArguments(words);
    // An older Node starts the right one with the same words, and stays above it.
    const isPawl = does !== undefined && JSON.stringify(does) !== JSON.stringify(own);
    found.push({ pid: at, programs: programsOf(words), ...(env === undefined ? {} : { env }), ...(isPawl ? { isPawl } : {}) });
  }
  return found;
}

/** The ancestors, with the runs that each of them drives. */
export function withDrivers(
  ancestors: readonly Ancestor[],
  drivers: readonly { readonly pid: number; readonly run: string }[],
): readonly Ancestor[] {
  return ancestors.map((ancestor) => {
    const drives = drivers.filter(({ pid }) => pid === ancestor.pid).map(({ run }) => run);
    return drives.length === 0 ? ancestor : { ...ancestor, drives };
  });
}

/** The run or the agent that this process works for, judged by its own variables and by what stands above it. */
export function standsAbove(env: Readonly<Record<string, string | undefined>>, ancestors: readonly Ancestor[]): Above | undefined {
  const own = markedBy(env, undefined);
  if (own !== undefined) return own;
  for (const ancestor of ancestors) {
    const marked = ancestor.env === undefined ? undefined : markedBy(ancestor.env, ancestor.pid);
    if (marked !== undefined) return marked;
    const name = ancestor.programs.map((program) => AGENT_PROGRAMS[program]).find((known) => known !== undefined);
    if (name !== undefined) return { what: 'agent', name, pid: ancestor.pid };
    const [run] = ancestor.drives ?? [];
    if (run !== undefined || ancestor.isPawl === true) return { what: 'run', run, pid: ancestor.pid };
  }
  return undefined;
}

function markedBy(env: Readonly<Record<string, string | undefined>>, pid: number | undefined): Above | undefined {
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  if (RUN_VARIABLES.some(isSet)) return { what: 'run', run: env.PAWL_RUN, pid };
  const variable = Object.keys(AGENT_VARIABLES).find(isSet);
  return variable === undefined ? undefined : { what: 'agent', name: AGENT_VARIABLES[variable] as string, pid };
}

/** The program and, where that is an interpreter, its script: by file name, and by the package that a file belongs to. */
function programsOf(words: readonly string[]): string[] {
  return words.slice(0, SCRIPT_WORDS).flatMap((word) => {
    const [, inPackage] = /\/node_modules\/(?:@[^/]+\/)?([^/]+)\/[^/]/.exec(word) ?? [];
    return [basename(word).replace(/\.(?:[cm]?js|exe|py)$/, ''), ...(inPackage === undefined ? [] : [inPackage])];
  });
}

const SCRIPT_WORDS = 2;
const NODE = /^node(?:js)?(?:\.exe)?$/;

/** What a pawl was told to do; undefined for every other program, also one that was given a file of that name. */
function pawlArguments([program = '', ...rest]: readonly string[]): readonly string[] | undefined {
  if (!NODE.test(basename(program))) return programsOf([program]).includes('pawl') ? rest : undefined;
  const at = rest.findIndex((word) => !word.startsWith('-'));
  return at >= 0 && programsOf([rest[at] as string]).includes('pawl') ? rest.slice(at + 1) : undefined;
}
