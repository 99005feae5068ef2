// Finds out whether this process was started, directly or indirectly, by a step of a run or by a coding agent. An agent's
// shell may not decide, even if it has a terminal, and even if it hides its variables from its children: its parent processes
// still have them.
//
// A step can also replace its own shell (`exec env -i …`), so that no parent has the variables. Then the process that drives
// the run is still a parent: a pawl process, recognised by its name, or the owner of a run in the database.
//
// A daemon has no parent processes. Only signatures protect against that.

import { basename } from 'node:path';
import { omitUndefined } from '../base/fields.ts';
import { MARK_VARIABLE, readCommand, readEnvironment, readProcess } from '../process/process-table.ts';

/** A parent process, nearest first. */
export interface Ancestor {
  readonly pid: number;
  /** The names of its program: of the file and, if that is an interpreter, of the script. */
  readonly programs: readonly string[];
  /** The variables it was started with; absent if they cannot be read. */
  readonly env?: Readonly<Record<string, string>>;
  /** True for a pawl process with arguments that differ from ours: it started a step of a run. */
  readonly isPawl?: boolean;
  /** The runs it owns, if they are known. */
  readonly drives?: readonly string[];
}

/** The step of a run, or the agent, that started this process. */
export type AutomatedParent =
  | { readonly is: 'run'; readonly run: string | undefined; readonly pid: number | undefined }
  | { readonly is: 'agent'; readonly name: string; readonly pid: number | undefined };

/** Variables that Pawl sets for steps. */
const RUN_VARIABLES = ['PAWL_RUN', MARK_VARIABLE] as const;

/** The coding agents: the variables they set for the commands they run, and the names of their programs or scripts. */
const AGENTS: readonly { readonly name: string; readonly sets?: readonly string[]; readonly programs?: readonly string[] }[] = [
  { name: 'Claude Code', sets: ['CLAUDECODE', 'CLAUDE_CODE_SESSION_ID', 'CLAUDE_CODE_ENTRYPOINT'] },
  { name: 'Claude Code', programs: ['claude', 'claude-code', 'claude-agent-acp', 'claude-code-acp'] },
  { name: 'Codex', sets: ['CODEX_SANDBOX', 'CODEX_SANDBOX_NETWORK_DISABLED', 'CODEX_THREAD_ID'], programs: ['codex', 'codex-acp'] },
  { name: 'Gemini CLI', sets: ['GEMINI_CLI'], programs: ['gemini', 'gemini-cli'] },
  { name: 'OpenCode', sets: ['OPENCODE', 'OPENCODE_CLIENT'], programs: ['opencode'] },
  { name: 'Cursor', sets: ['CURSOR_AGENT'], programs: ['cursor-agent'] },
  { name: 'Augment', sets: ['AUGMENT_AGENT'] },
  { name: 'Cline', sets: ['CLINE_ACTIVE'] },
  { name: 'Goose', sets: ['GOOSE_TERMINAL'], programs: ['goose'] },
  { name: 'Aider', programs: ['aider'] },
  { name: 'Amp', programs: ['amp'] },
  { name: 'Crush', programs: ['crush'] },
  { name: 'Qwen Code', programs: ['qwen'] },
  { name: 'GitHub Copilot', programs: ['copilot'] },
  { name: 'an agent', sets: ['AI_AGENT', 'PAWL_AGENT'] },
];

const ANCESTORS_MAX = 64;

/** The parent processes, nearest first, as far as they are visible. */
export function readAncestors(pid: number = process.pid): Ancestor[] {
  const ancestors: Ancestor[] = [];
  const own = pawlArguments(readCommand(pid));
  for (let at = readProcess(pid)?.ppid ?? 0; at > 0 && ancestors.length < ANCESTORS_MAX; at = readProcess(at)?.ppid ?? 0) {
    const env = readEnvironment(at);
    const argv = readCommand(at);
    const args = pawlArguments(argv);
    // The launcher in an older Node starts the right Node with the same arguments and stays its parent.
    const isPawl = args !== undefined && JSON.stringify(args) !== JSON.stringify(own);
    ancestors.push({ pid: at, programs: programsOf(argv), ...omitUndefined({ env, isPawl: isPawl || undefined }) });
  }
  return ancestors;
}

/** The ancestors, each with the runs that it drives. */
export function withDrivers(
  ancestors: readonly Ancestor[],
  drivers: readonly { readonly pid: number; readonly run: string }[],
): readonly Ancestor[] {
  return ancestors.map((ancestor) => {
    const drives = drivers.filter(({ pid }) => pid === ancestor.pid).map(({ run }) => run);
    return drives.length === 0 ? ancestor : { ...ancestor, drives };
  });
}

/** The run or agent that started this process, according to its own variables and its parent processes. */
export function findAutomatedParent(
  env: Readonly<Record<string, string | undefined>>,
  ancestors: readonly Ancestor[],
): AutomatedParent | undefined {
  const own = markedBy(env, undefined);
  if (own !== undefined) return own;
  for (const ancestor of ancestors) {
    const marked = ancestor.env === undefined ? undefined : markedBy(ancestor.env, ancestor.pid);
    if (marked !== undefined) return marked;
    const agent = agentOf(ancestor);
    if (agent !== undefined) return { is: 'agent', name: agent.name, pid: ancestor.pid };
    const [run] = ancestor.drives ?? [];
    if (run !== undefined || ancestor.isPawl === true) return { is: 'run', run, pid: ancestor.pid };
  }
  return undefined;
}

/**
 * The process of the coding agent that started a process: the nearest parent with the name of an agent's program, or else the
 * nearest one of another session, because an agent passes the id of its session to its child processes.
 */
export function findAgentProcess(
  pid: number,
  env: Readonly<Record<string, string | undefined>> = readEnvironment(pid) ?? {},
  ancestors: readonly Ancestor[] = readAncestors(pid),
): number | undefined {
  const named = ancestors.find((ancestor) => agentOf(ancestor) !== undefined);
  const session = env.CLAUDE_CODE_SESSION_ID;
  return (named ?? ancestors.find(({ env: other }) => session === undefined || other?.CLAUDE_CODE_SESSION_ID !== session))?.pid;
}

function agentOf(ancestor: Ancestor): (typeof AGENTS)[number] | undefined {
  return AGENTS.find(({ programs = [] }) => programs.some((program) => ancestor.programs.includes(program)));
}

function markedBy(env: Readonly<Record<string, string | undefined>>, pid: number | undefined): AutomatedParent | undefined {
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  if (RUN_VARIABLES.some(isSet)) return { is: 'run', run: env.PAWL_RUN, pid };
  const agent = AGENTS.find(({ sets = [] }) => sets.some(isSet));
  return agent === undefined ? undefined : { is: 'agent', name: agent.name, pid };
}

/** The names of the program and of a script that it interprets: of the file, and of the package that the file belongs to. */
function programsOf(argv: readonly string[]): string[] {
  return argv.slice(0, SCRIPT_WORDS).flatMap((word) => {
    const [, inPackage] = /\/node_modules\/(?:@[^/]+\/)?([^/]+)\/[^/]/.exec(word) ?? [];
    return [basename(word).replace(/\.(?:[cm]?js|exe|py)$/, ''), ...(inPackage === undefined ? [] : [inPackage])];
  });
}

const SCRIPT_WORDS = 2;
const NODE = /^node(?:js)?(?:\.exe)?$/;

/** The arguments of a pawl process; undefined for other programs, even with a file named pawl as an argument. */
function pawlArguments([program = '', ...rest]: readonly string[]): readonly string[] | undefined {
  if (!NODE.test(basename(program))) return programsOf([program]).includes('pawl') ? rest : undefined;
  const at = rest.findIndex((word) => !word.startsWith('-'));
  return at >= 0 && programsOf([rest[at] as string]).includes('pawl') ? rest.slice(at + 1) : undefined;
}
