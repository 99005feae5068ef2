// Owns `pawl hook pre-tool-use`: called before a tool call of an agent. It denies changing a protected file of an open step
// or a file of Pawl, deciding for the person, and reviewing one's own work. The reason says what to do instead.
//
// - It does nothing in a session without an open run.
// - If the hook fails, the call goes ahead: `pawl hook` never exits with the code that blocks. The engine checks protected
//   files and rights anyway; the hook only prevents a lost attempt.

import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { readAttendedRun, sourceOfFile, stepName } from '../../attended/attended-run.ts';
import { workIn } from '../../attended/submission.ts';
import { RIGHTS, requiredRightsOf, SCOPES } from '../../authority/rights.ts';
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
import { withSessionStore } from './session-run.ts';
import { programName, type ShellCall } from './shell-commands.ts';
import { toolCallOf } from './tool-call.ts';

/** The warning if the hook fails. */
export const failureText = 'the tool call was not checked, because the run of this session could not be read';

/** Answers the hook. */
export async function answer(shell: Shell, input: Json): Promise<object | undefined> {
  if (!isJsonObject(input) || !isSessionId(input.session_id))
    throw new EngineError('USAGE', 'stdin must be the input of a hook that is called before a tool, with a "session_id"');
  const { runs } = readSession(shell, input.session_id);
  if (runs.length === 0) return undefined;
  const tool = typeof input.tool_name === 'string' ? input.tool_name : '';
  const { calls, files, removed } = toolCallOf(tool, isJsonObject(input.tool_input ?? null) ? (input.tool_input as JsonObject) : {});
  const review = await ownReviewDenial(shell, input, { calls, runs });
  if (review !== undefined) return denial(input.hook_event_name, review);
  if (calls.length === 0 && files.length === 0) return undefined;
  const cwd = typeof input.cwd === 'string' ? input.cwd : shell.cwd;
  const open = (await Promise.all(runs.map((run) => openRuns(run, cwd)))).flat();
  const [first] = open;
  if (first === undefined) return undefined;
  const changed = [
    ...files.map((file) => absolute(cwd, file)),
    ...removed.flatMap((folder) => protectedBelow(absolute(cwd, folder), open)),
  ];
  const reason = decisionDenial(calls, first.id) ?? firstDefined(changed, (file) => fileDenial(shell, { file, open, runs }));
  return reason === undefined ? undefined : denial(input.hook_event_name, reason);
}

function denial(event: Json | undefined, reason: string): object {
  if (event === 'BeforeTool') return { decision: 'deny', reason };
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: reason } };
}

/** A run of the session that has not ended, with the protected files of its open steps. */
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

async function openRuns(entry: SessionRun, cwd: string): Promise<readonly OpenRun[]> {
  const open = await withSessionStore(entry, async (store) => {
    const { runs } = await readRunTree(store, entry.run);
    return Promise.all(runs.map((one) => openRun(store, one, cwd)));
  });
  return open ?? [];
}

async function openRun(store: Store, { state, definition }: TreeRun, cwd: string): Promise<OpenRun> {
  const { origin } = await store.load(state.id);
  const around = origin.file === undefined ? [] : projectsAround(dirname(origin.file));
  const root = origin.workspace ?? around[0]?.root ?? projectsAround(cwd)[0]?.root ?? cwd;
  const live = Object.values(state.live);
  const stored = await store.data(
    state.id,
    live.map(({ path }) => PROTECTED.of(path).key),
  );
  return {
    id: state.id,
    root: realPath(root) ?? root,
    steps: live.flatMap(({ path, step }) => {
      const record = PROTECTED.of(path);
      return openStep(definition, step, record.read(stored.get(record.key)));
    }),
  };
}

function openStep(definition: Definition, name: string, stored: ProtectedFiles | undefined): OpenStep[] {
  if (stored === undefined) return [];
  const { files, guards } = stored;
  return [{ id: stepName(name), files: new Set(Object.keys(files)), guards, mayChange: modelNamed(definition, name)?.mayChange ?? [] }];
}

function firstDefined<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The path with links followed, as far as it exists. */
function absolute(cwd: string, file: string): string {
  const path = resolve(cwd, file);
  for (let folder = path, rest = ''; ; rest = join(basename(folder), rest), folder = dirname(folder)) {
    const real = realPath(folder);
    if (real !== undefined && existsSync(folder)) return rest === '' ? real : join(real, rest);
    if (folder === dirname(folder)) return path;
  }
}

function fileDenial(
  shell: Shell,
  { file, open, runs }: { readonly file: string; readonly open: readonly OpenRun[]; readonly runs: readonly SessionRun[] },
): string | undefined {
  const state = stateHome(shell);
  if (isBelow(file, realPath(state) ?? state) || runs.some(({ db }) => file.startsWith(realPath(db) ?? db)))
    return `"${file}" belongs to Pawl, which keeps the runs and what people trusted there. Do not change it; use the pawl_* tools instead.`;
  return firstDefined(open, ({ id: run, root, steps }) => {
    const path = relative(root, file).split(sep).join('/');
    const step = path.startsWith('../') ? undefined : steps.find((one) => isProtected(path, one));
    if (step === undefined) return undefined;
    return (
      `"${path}" is protected while step "${step.id}" of run ${run} is open: if it changes, the attempt does not count. ` +
      'Do the work without changing it. If that is impossible, report the failure with pawl_report (failure: why), so that the person can allow the change.'
    );
  });
}

function protectedBelow(folder: string, open: readonly OpenRun[]): readonly string[] {
  return open.flatMap(({ root, steps }) =>
    steps.flatMap(({ files }) => [...files].map((file) => join(root, file)).filter((file) => isBelow(file, folder) && existsSync(file))),
  );
}

function isBelow(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}${sep}`);
}

// A file of which only a part is protected is left to the engine, which compares it after the work.
function isProtected(path: string, { files, guards, mayChange }: OpenStep): boolean {
  if (mayChange.some((pattern) => matches(path, pattern))) return false;
  return guards.some(
    ({ pattern, part, isClosed }) => part === undefined && (isClosed === true || files.has(path)) && matches(path, pattern),
  );
}

/** Programs that only start another one. */
const LAUNCHERS: ReadonlySet<string> = new Set(['npx', 'pnpx', 'bunx', 'npm', 'pnpm', 'yarn', 'bun', 'exec', 'dlx', 'x', 'node', 'tsx']);
const PAWL = /^pawl(?:\.(?:js|cmd|exe))?(?:@.+)?$/;
/** Commands that check the right themselves, so that the table of rights does not have them. */
const DECIDING_COMMANDS: ReadonlySet<string> = new Set(['trust', 'token create', 'identity create', 'identity enrol', 'identity revoke']);
/** Common options whose value is the next word. */
const OPTIONS_WITH_VALUE: ReadonlySet<string> = new Set(
  COMMON_OPTIONS.flatMap(({ name, short, value }) =>
    value === undefined ? [] : [`--${name}`, ...(short === undefined ? [] : [`-${short}`])],
  ),
);
const FORGE_DECIDING_OPTIONS: readonly string[] = ['approve', 'request-changes', 'conclusion'];

function decisionDenial(calls: readonly ShellCall[], run: string): string | undefined {
  const decision = firstDefined(calls, ({ words }) => decidingCommand(words));
  if (decision === undefined) return undefined;
  return (
    `"pawl ${decision}" is a decision of the person you work for, so do not run it. ` +
    `Tell them what the run waits for and that they can decide it with "pawl ${decision}"; "pawl inbox" lists what waits for them. ` +
    `To go on with your own work, call pawl_next (or "pawl next ${run}").`
  );
}

/** The command of Pawl in a call, if only a person may give it. */
function decidingCommand(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => PAWL.test(programName(word)));
  const isStart = (word: string): boolean => LAUNCHERS.has(programName(word)) || word.startsWith('-');
  if (at === -1 || !words.slice(0, at).every(isStart)) return undefined;
  const rest = words.slice(at + 1);
  const verbAt = rest.findIndex((word, index) => Object.hasOwn(RIGHTS, word) && !OPTIONS_WITH_VALUE.has(rest[index - 1] ?? ''));
  const verb = rest[verbAt];
  if (verb === undefined || asksForHelp(rest)) return undefined;
  const options = rest.flatMap((word) => (word.startsWith('--') ? [word.slice(2).split('=')[0] as string] : []));
  // Options and their values may stand before the action.
  const actions = rest.slice(verbAt + 1).filter((word) => Object.hasOwn(RIGHTS[verb]?.actions ?? {}, word));
  const named = [verb, ...actions.map((action) => `${verb} ${action}`)].find((one) => DECIDING_COMMANDS.has(one));
  if (named !== undefined && !options.includes('list')) return named;
  const forge = verb === 'forge' ? options.find((option) => FORGE_DECIDING_OPTIONS.includes(option)) : undefined;
  if (forge !== undefined) return `forge --${forge}`;
  const demands = [undefined, ...actions].flatMap((action) =>
    requiredRightsOf(verb, { options, action }).map(({ on, demand }) => ({
      demand,
      on: action === undefined || on !== verb ? on : `${on} ${action}`,
    })),
  );
  return demands.find(({ demand }) => SCOPES.some((scope) => scope === demand))?.on;
}

/** Whether a command only prints its help. After an option or "--" the word may be a value. */
function asksForHelp(words: readonly string[]): boolean {
  return words.some(
    (word, index) =>
      (word === '--help' || word === '-h') && !words.slice(0, index).includes('--') && words[index - 1]?.startsWith('-') !== true,
  );
}

/**
 * Why a call is denied, if the main agent would review its own work with it. Claude Code passes the id of a sub-agent to a hook,
 * and none for the main agent. Other programs do not identify the caller, so nothing is denied there.
 */
async function ownReviewDenial(
  { env }: Pick<Shell, 'env'>,
  input: JsonObject,
  { calls, runs }: { readonly calls: readonly ShellCall[]; readonly runs: readonly SessionRun[] },
): Promise<string | undefined> {
  if (input.hook_event_name !== 'PreToolUse' || input.agent_id !== undefined || env.PAWL_AGENT !== undefined) return undefined;
  const tokens = tokensIn(input, calls);
  if (tokens.length === 0) return undefined;
  for (const entry of runs) {
    const open = await withSessionStore(entry, async (store) => workIn(await readAttendedRun(sourceOfFile(store, entry.db), entry.run)));
    const review = open?.find(({ token, dispatch }) => dispatch?.fresh === true && tokens.includes(token));
    if (review !== undefined)
      return (
        `step "${review.step}" reviews work of this session, so an agent that did none of that work must do it: start a new sub-agent with the prompt ` +
        `that "pawl next ${entry.run}" (or pawl_next) prints, and have it run this command.`
      );
  }
  return undefined;
}

function tokensIn({ tool_input: args }: JsonObject, calls: readonly ShellCall[]): string[] {
  const given = args !== undefined && isJsonObject(args) && typeof args.token === 'string' ? [args.token] : [];
  const typed = calls.flatMap(({ words }) =>
    words.flatMap((word, index) =>
      word.startsWith('--token=') ? [word.slice('--token='.length)] : word === '--token' ? [words[index + 1] ?? ''] : [],
    ),
  );
  return [...given, ...typed].filter((token) => token !== '');
}
