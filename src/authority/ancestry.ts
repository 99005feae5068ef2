// Owns who stands above this process: whether it was started, however indirectly, by a step of a run or by a coding
// agent. A shell of an agent is no place where a person decides, also when it has a terminal, and also when it hides
// its variables from what it starts: the processes above still have theirs.
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
  for (let at = readProcess(pid)?.ppid ?? 0; at > 0 && found.length < ANCESTORS_MAX; at = readProcess(at)?.ppid ?? 0) {
    const env = readEnvironment(at);
    found.push({ pid: at, programs: programsOf(readCommand(at)), ...(env === undefined ? {} : { env }) });
  }
  return found;
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
