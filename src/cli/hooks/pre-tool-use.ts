// Owns `pawl hook pre-tool-use`: called before a tool call of an agent. It denies what would cost the attempt: a change of
// a file that is protected in an open step of the session's runs, or of Pawl's own files, a command that decides for the
// person, and a review of its own work. The reason says what to do instead.
//
// - It is silent in a session without an open run, and about everything else.
// - If anything fails here, the call goes ahead: `pawl hook` never exits with the code that blocks. The engine itself
//   checks protected files and rights; this only says it before an attempt is lost.

import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { stepName } from '../../attended/attended-run.ts';
import { demandsOf, RIGHTS, SCOPES } from '../../authority/rights.ts';
import { EngineError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { modelNamed } from '../../definition/address.ts';
import type { Definition } from '../../definition/model.ts';
import { readRunTree, type TreeRun } from '../../engine/run-tree.ts';
import type { Guard, ProtectedFiles } from '../../steps/protection/protected-files.ts';
import { PROTECTED } from '../../steps/run-records.ts';
import { matches } from '../../steps/workspace/glob.ts';
import type { Store } from '../../store/store.ts';
import { isSessionId, readSession, type SessionRun } from '../agent-session.ts';
import { COMMON_OPTIONS } from '../command.ts';
import { projectsAround, realPath, stateHome } from '../project.ts';
import type { Shell } from '../shell.ts';
import { ownReview } from './fresh-review.ts';
import { withSessionStore } from './session-run.ts';
import { programName, type ShellCall } from './shell-commands.ts';
import { toolCallOf } from './tool-call.ts';

/** What the hook failed to do, when it fails. */
export const failing = 'the tool call was not checked, because the run of this session could not be read';

/** Answers the hook. */
export async function answer(shell: Shell, asked: Json): Promise<object | undefined> {
  if (!isJsonObject(asked) || !isSessionId(asked.session_id))
    throw new EngineError('USAGE', 'stdin must be the input of a hook that is called before a tool, with a "session_id"');
  const { runs } = readSession(shell, asked.session_id);
  if (runs.length === 0) return undefined;
  const tool = typeof asked.tool_name === 'string' ? asked.tool_name : '';
  const { calls, files, removed } = toolCallOf(tool, isJsonObject(asked.tool_input ?? null) ? (asked.tool_input as JsonObject) : {});
  const review = await ownReview(shell, asked, { calls, runs });
  if (review !== undefined) return denial(asked.hook_event_name, review);
  if (calls.length === 0 && files.length === 0) return undefined;
  const cwd = typeof asked.cwd === 'string' ? asked.cwd : shell.cwd;
  const open = (await Promise.all(runs.map((run) => openRuns(run, cwd)))).flat();
  const [first] = open;
  if (first === undefined) return undefined;
  const reason =
    decisionIn(calls, first.id) ??
    firstFault(files, (file) => fileFault(shell, { file: absolute(cwd, file), open, runs })) ??
    firstFault(
      removed.flatMap((folder) => protectedBelow(absolute(cwd, folder), open)),
      (file) => fileFault(shell, { file, open, runs }),
    );
  return reason === undefined ? undefined : denial(asked.hook_event_name, reason);
}

/** The answer as each program expects it. */
function denial(event: Json | undefined, reason: string): object {
  if (event === 'BeforeTool') return { decision: 'deny', reason };
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: reason } };
}

/** A run of the session that has not ended, with what is protected in each of its open steps. */
interface OpenRun {
  readonly id: string;
  readonly root: string;
  readonly steps: readonly OpenStep[];
}

interface OpenStep {
  readonly id: string;
  readonly files: ReadonlySet<string>;
  readonly guards: readonly Guard[];
  readonly mayChange: readonly string[];
}

async function openRuns(of: SessionRun, cwd: string): Promise<readonly OpenRun[]> {
  const open = await withSessionStore(of, async (store) => {
    const { runs } = await readRunTree(store, of.run);
    return Promise.all(runs.map((one) => openRun(store, one, cwd)));
  });
  return open ?? [];
}

async function openRun(store: Store, { state, definition }: TreeRun, cwd: string): Promise<OpenRun> {
  const { origin } = await store.load(state.id);
  const around = origin.file === undefined ? [] : projectsAround(dirname(origin.file));
  const root = origin.workspace ?? around[0]?.root ?? projectsAround(cwd)[0]?.root ?? cwd;
  const live = Object.values(state.live);
  const kept = await store.data(
    state.id,
    live.map(({ path }) => PROTECTED.of(path).key),
  );
  return {
    id: state.id,
    root: realPath(root) ?? root,
    steps: live.flatMap(({ path, step }) => {
      const record = PROTECTED.of(path);
      return openStep(definition, step, record.read(kept.get(record.key)));
    }),
  };
}

function openStep(definition: Definition, name: string, kept: ProtectedFiles | undefined): OpenStep[] {
  if (kept === undefined) return [];
  const { files, guards } = kept;
  return [{ id: stepName(name), files: new Set(Object.keys(files)), guards, mayChange: modelNamed(definition, name)?.mayChange ?? [] }];
}

function firstFault<T>(items: readonly T[], faultOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The file that a path leads to, as far as it exists. */
function absolute(cwd: string, file: string): string {
  const path = resolve(cwd, file);
  for (let folder = path, rest = ''; ; rest = join(basename(folder), rest), folder = dirname(folder)) {
    const real = realPath(folder);
    if (real !== undefined && existsSync(folder)) return rest === '' ? real : join(real, rest);
    if (folder === dirname(folder)) return path;
  }
}

function fileFault(
  shell: Shell,
  { file, open, runs }: { readonly file: string; readonly open: readonly OpenRun[]; readonly runs: readonly SessionRun[] },
): string | undefined {
  const state = stateHome(shell);
  if (isBelow(file, realPath(state) ?? state) || runs.some(({ db }) => file.startsWith(realPath(db) ?? db)))
    return `"${file}" belongs to Pawl, which keeps the runs and what people trusted there. Do not change it; use the pawl_* tools instead.`;
  return firstFault(open, ({ id: run, root, steps }) => {
    const path = relative(root, file).split(sep).join('/');
    const step = path.startsWith('../') ? undefined : steps.find((one) => isProtected(path, one));
    if (step === undefined) return undefined;
    return (
      `"${path}" is protected while step "${step.id}" of run ${run} is open: if it changes, the attempt does not count. ` +
      'Do the work without changing it. If that is impossible, report the failure with pawl_report (failure: why), so that the person can allow the change.'
    );
  });
}

/** The protected files in a folder that is there. */
function protectedBelow(folder: string, open: readonly OpenRun[]): readonly string[] {
  return open.flatMap(({ root, steps }) =>
    steps.flatMap(({ files }) => [...files].map((file) => join(root, file)).filter((file) => isBelow(file, folder) && existsSync(file))),
  );
}

function isBelow(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}${sep}`);
}

// Of some files only a part counts, which only the engine can compare after the work.
function isProtected(path: string, { files, guards, mayChange }: OpenStep): boolean {
  if (mayChange.some((pattern) => matches(path, pattern))) return false;
  return guards.some(
    ({ pattern, part, isClosed }) => part === undefined && (isClosed === true || files.has(path)) && matches(path, pattern),
  );
}

/** Words before a program that only start it. */
const STARTERS: ReadonlySet<string> = new Set(['npx', 'pnpx', 'bunx', 'npm', 'pnpm', 'yarn', 'bun', 'exec', 'dlx', 'x', 'node', 'tsx']);
const PAWL = /^pawl(?:\.(?:js|cmd|exe))?(?:@.+)?$/;
/** What a command checks by itself, and an agent has no use for. */
const DECIDES: ReadonlySet<string> = new Set(['trust', 'token create', 'identity create', 'identity enrol', 'identity revoke']);
/** Options of every command whose value is the next word. */
const TAKES_VALUE: ReadonlySet<string> = new Set(
  COMMON_OPTIONS.flatMap(({ name, short, value }) =>
    value === undefined ? [] : [`--${name}`, ...(short === undefined ? [] : [`-${short}`])],
  ),
);
const FORGE_DECIDES: readonly string[] = ['approve', 'request-changes', 'conclusion'];

function decisionIn(calls: readonly ShellCall[], run: string): string | undefined {
  const decision = firstFault(calls, ({ words }) => decidingCommand(words));
  if (decision === undefined) return undefined;
  return (
    `"pawl ${decision}" is a decision of the person you work for, so do not run it. ` +
    `Tell them what the run waits for and that they can decide it with "pawl ${decision}"; "pawl inbox" lists what waits for them. ` +
    `To go on with your own work, call pawl_next (or "pawl next ${run}").`
  );
}

/** The command of Pawl in a call that only a person may give, if it is one. */
function decidingCommand(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => PAWL.test(programName(word)));
  const isStart = (word: string): boolean => STARTERS.has(programName(word)) || word.startsWith('-');
  if (at === -1 || !words.slice(0, at).every(isStart)) return undefined;
  const rest = words.slice(at + 1);
  const verbAt = rest.findIndex((word, index) => Object.hasOwn(RIGHTS, word) && !TAKES_VALUE.has(rest[index - 1] ?? ''));
  const verb = rest[verbAt];
  if (verb === undefined || asksForHelp(rest)) return undefined;
  const options = rest.flatMap((word) => (word.startsWith('--') ? [word.slice(2).split('=')[0] as string] : []));
  // Options and their values may stand before the action.
  const actions = rest.slice(verbAt + 1).filter((word) => Object.hasOwn(RIGHTS[verb]?.actions ?? {}, word));
  const named = [verb, ...actions.map((action) => `${verb} ${action}`)].find((one) => DECIDES.has(one));
  if (named !== undefined && !options.includes('list')) return named;
  const forge = verb === 'forge' ? options.find((option) => FORGE_DECIDES.includes(option)) : undefined;
  if (forge !== undefined) return `forge --${forge}`;
  const demands = [undefined, ...actions].flatMap((action) =>
    demandsOf(verb, { options, action }).map(({ on, demand }) => ({
      demand,
      on: action === undefined || on !== verb ? on : `${on} ${action}`,
    })),
  );
  return demands.find(({ demand }) => SCOPES.some((scope) => scope === demand))?.on;
}

/** Whether a command only prints its help. Behind an option or "--" it may be a value. */
function asksForHelp(words: readonly string[]): boolean {
  return words.some(
    (word, index) =>
      (word === '--help' || word === '-h') && !words.slice(0, index).includes('--') && words[index - 1]?.startsWith('-') !== true,
  );
}
