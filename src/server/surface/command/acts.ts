// Carries out commands. It uses the same functions and the same checks of rights as the command line and the API.

import { parseAnswer, readQuestions } from '../../../attended/questions.ts';
import { waitName } from '../../../attended/wait-words.ts';
import { isOthersRun, type RightRequest, rightOf } from '../../../authority/right.ts';
import { isEngineError } from '../../../base/error.ts';
import { omitUndefined } from '../../../base/fields.ts';
import { isSamePerson } from '../../../base/person.ts';
import { decisionOn } from '../../../control/approval-change.ts';
import { type PendingApproval, pendingApprovals } from '../../../control/approvals.ts';
import { assertStoppedAt } from '../../../control/resume-choice.ts';
import { startedText, starterOf } from '../../../control/starter.ts';
import { optionFor } from '../../../control/verdict-option.ts';
import { isFinal, isHalted, type RunStatus } from '../../../definition/run-status.ts';
import { type RunTree, readRunTree } from '../../../engine/run-tree.ts';
import { statusOf } from '../../../engine/status.ts';
import type { PullRequestFacts } from '../../../forge/forge.ts';
import type { Store } from '../../../store/store.ts';
import { valueIn } from '../../triggers/forge-unavailable.ts';
import { areShownWhole } from '../decision-lines.ts';
import { type RunRow, RunRows } from '../run/rows.ts';
import type { CommandParts, ReceivedCommand } from './handler.ts';
import type { CommandRows, CommandTarget } from './rows.ts';

/** The result of a command. `unsupported`: it needs something that a comment cannot have, such as a signature. */
export type CommandResult =
  | { readonly outcome: 'done'; readonly run: string; readonly reason?: string }
  | { readonly outcome: 'refused' | 'unsupported'; readonly reason: string };

/** Carries a command out. */
export async function actOnCommand(parts: CommandParts, rows: CommandRows, received: ReceivedCommand): Promise<CommandResult> {
  const context: CommandContext = { ...parts, ...received, store: parts.engine.store, rows, places: new RunRows(parts.database) };
  const earlier = await earlierResult(context);
  if (earlier !== undefined) return earlier;
  switch (received.command.verb) {
    case 'approve':
    case 'reject':
      return decide(context, received.command.verb);
    case 'answer':
      return answer(context);
    case 'retry':
      return retry(context);
    case 'cancel':
      return cancel(context);
    case 'status':
      return status(context);
  }
}

interface CommandContext extends CommandParts, ReceivedCommand {
  readonly store: Store;
  readonly rows: CommandRows;
  readonly places: RunRows;
}

function refused(reason: string): CommandResult {
  return { outcome: 'refused', reason };
}

/** The result of a command that an earlier server carried out before it died (CM4). */
async function earlierResult({ rows, comment, store, caller }: CommandContext): Promise<CommandResult | undefined> {
  const { outcome, target } = rows.get(comment.id) ?? {};
  if (outcome !== 'started' || target === undefined) return undefined;
  const decided = await decisionOn(store, target.run, { approval: target.approval, digest: target.digest });
  return decided !== undefined && isSamePerson(decided.actor, caller.name) ? { outcome: 'done', run: target.run } : undefined;
}

/** What a command can be about: a question of a run, or the run itself. */
interface Candidate {
  readonly row: RunRow;
  readonly run: string;
  readonly path?: string;
  readonly step?: string;
  readonly digest?: string;
}

function candidateOf<T extends { readonly run: string }>(
  row: RunRow,
  asked: T,
  { path, step, digest }: Readonly<Record<'path' | 'step' | 'digest', string>>,
) {
  return { row, asked, run: asked.run, path, step, digest };
}

const ID_MIN = 6;
const DIGEST_MIN = 8;

/** Whether a word of a command names a candidate. */
function isNamed(word: string, { row, run, path, step, digest }: Candidate): boolean {
  const isRun = word.length >= ID_MIN && (run.startsWith(word) || row.run.startsWith(word));
  const isDigest = digest !== undefined && word.length >= DIGEST_MIN && digest.startsWith(word);
  return isRun || isDigest || word === path || word === step;
}

/** How messages describe the candidates of a command, after "nothing here …" and "2 runs or steps here …". */
interface CandidateText {
  readonly one: string;
  readonly many: string;
}

/** The one candidate that all words name; otherwise why there is none. */
function pick<T extends Candidate>(
  { command, places, number }: CommandContext,
  candidates: readonly T[],
  { one, many }: CandidateText,
): T | CommandResult {
  const named = candidates.filter((candidate) => command.words.every((word) => isNamed(word, candidate)));
  const [only, ...others] = named;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined)
    return refused(
      `${named.length} runs or steps here ${many}; name one: ${named.map(({ run, step }) => [run, step].filter((word) => word !== undefined).join(' ')).join(', ')}`,
    );
  const moved = places.movedFrom(number).find(({ pr }) => pr !== number);
  if (moved !== undefined && candidates.length === 0)
    return refused(`run ${moved.run} continues at pull request ${moved.pr}; write the command there`);
  if (candidates.length === 0) return refused(`nothing here ${one}`);
  return refused(`nothing with this name here ${one}; if the content has changed, the comment of the run has the new command`);
}

function isResult(value: Candidate | CommandResult): value is CommandResult {
  return 'outcome' in value;
}

/** Collects what the runs of this issue or pull request have. Deleted runs are skipped. */
async function gather<T>({ places, number }: CommandContext, read: (row: RunRow) => Promise<readonly T[]>): Promise<T[]> {
  const found = await Promise.all(
    places.at(number).map((row) =>
      read(row).catch((error: unknown) => {
        if (isEngineError(error) && error.code === 'RUN_NOT_FOUND') return [];
        throw error;
      }),
    ),
  );
  return found.flat();
}

interface ShownTarget {
  readonly target: CommandTarget;
  readonly pull: PullRequestFacts | undefined;
}

/** CM3: the content that the comment of the run showed before the command was written, if it is still current. */
async function shownTarget(
  context: CommandContext,
  { row, run, path, digest }: Candidate & { path: string; digest: string },
): Promise<ShownTarget | CommandResult> {
  const { forge, places, comment, number } = context;
  const pull = row.pr === undefined ? undefined : valueIn(await forge.pullRequest(row.pr));
  const head = pull?.headSha ?? null;
  const again = (why: string): CommandResult => {
    places.markStale(number);
    return refused(`${why}; read the comment of the run, then write the command again`);
  };
  const shown = row.shown.find((question) => question.run === run && question.path === path && question.digest === digest);
  if (shown === undefined) return again('the content to decide about has not been shown here yet');
  if (shown.head !== head) return again(`commits were pushed since: the head is ${head?.slice(0, 12) ?? 'gone'} now`);
  if (comment.at <= shown.at) return again('the command was written before this content was shown');
  return { target: { run, approval: path, digest, head }, pull };
}

function mayDo({ caller, command }: CommandContext, demand: RightRequest['demand'], about?: string): string {
  return rightOf(caller, { demand, on: `/pawl ${command.verb}`, ...omitUndefined({ about }) }).actor;
}

async function decide(context: CommandContext, verdict: 'approve' | 'reject'): Promise<CommandResult> {
  const { engine, store, rows, comment, command, settings } = context;
  const actor = mayDo(context, 'decide');
  const waiting = await gather(context, async (row) =>
    (await pendingApprovals(store, row.run)).map((asked) => candidateOf(row, asked, asked.approval)),
  );
  const found = pick(context, waiting, { one: 'waits for a decision', many: 'wait for a decision' });
  if (isResult(found)) return found;
  const { approval } = found.asked;
  if (approval.signed) return needsSignature(found.asked);
  const seen = await shownTarget(context, found);
  if ('outcome' in seen) return seen;
  if (verdict === 'approve' && !settings.selfApproval && seen.pull !== undefined && isSamePerson(seen.pull.author, comment.author))
    return refused('the author of the pull request cannot approve it here; another person must approve it (forge.self_approval)');
  const { label } = optionFor(verdict, approval, (await store.load(found.run)).definition);
  rows.begin(comment.id, seen.target);
  const input = command.texts.length === 0 ? undefined : command.texts.join('\n');
  await engine
    .run(found.run)
    .decide({ option: label, actor, approval: approval.path, digest: approval.digest, ...omitUndefined({ input }) });
  return { outcome: 'done', run: found.run };
}

function needsSignature({ run, approval }: PendingApproval): CommandResult {
  const reason = `the decision at ${approval.step} must be signed, and a comment cannot be: use "pawl decide ${run} --approval ${approval.path}" at a terminal, or the dashboard`;
  return { outcome: 'unsupported', reason };
}

async function answer(context: CommandContext): Promise<CommandResult> {
  const { engine, store, rows, comment, command } = context;
  const actor = mayDo(context, 'decide');
  const waiting = await gather(context, async (row) =>
    (await readQuestions(store, row.run)).map((asked) => candidateOf(row, asked, asked)),
  );
  const found = pick(context, waiting, { one: 'waits for an answer', many: 'wait for an answer' });
  if (isResult(found)) return found;
  const { questions } = found.asked;
  if (!areShownWhole({ questions }))
    return refused(
      `the questions of ${found.step} are too long for a comment; read and answer them with "pawl answer ${found.run}", or in the dashboard`,
    );
  if (command.texts.length !== questions.length)
    return refused(
      `${found.step} asks ${questions.length} questions; answers given: ${command.texts.length}; put each answer after " -- "`,
    );
  const seen = await shownTarget(context, found);
  if ('outcome' in seen) return seen;
  rows.begin(comment.id, seen.target);
  const answers = questions.map((question, index) => parseAnswer(question, command.texts[index] ?? ''));
  await engine.run(found.run).answer({ answers, actor, step: found.path });
  return { outcome: 'done', run: found.run };
}

/** The runs of this issue or pull request, with the status in the kernel, which is `running` also for runs that wait. */
async function runsAt(context: CommandContext): Promise<(Candidate & { readonly status: RunStatus })[]> {
  return gather(context, async (row) => {
    const { state } = await context.store.load(row.run);
    return [{ row, run: row.run, status: state.status, ...omitUndefined({ step: state.halt?.step, path: state.halt?.path }) }];
  });
}

async function retry(context: CommandContext): Promise<CommandResult> {
  const { engine, store, command } = context;
  const actor = mayDo(context, 'override');
  const stopped = (await runsAt(context)).filter(({ status }) => status === 'failed' || status === 'escalated');
  const found = pick(context, stopped, { one: 'can be retried', many: 'can be retried' });
  if (isResult(found)) return found;
  assertStoppedAt((await store.load(found.run)).state, found.step);
  const note = command.texts[0];
  await engine.run(found.run).resume({ actor, choice: { how: 'retry', ...omitUndefined({ note }) } });
  return { outcome: 'done', run: found.run };
}

async function cancel(context: CommandContext): Promise<CommandResult> {
  const { engine, store, caller, command } = context;
  const open = (await runsAt(context)).filter(({ status }) => !isFinal(status));
  const found = pick(context, open, { one: 'can be cancelled', many: 'can be cancelled' });
  if (isResult(found)) return found;
  const starter = await starterOf(store, found.run);
  const actor = isOthersRun(caller, starter) ? mayDo(context, 'override', startedText(starter)) : mayDo(context, 'steer');
  await engine.run(found.run).cancel({ actor, ...omitUndefined({ reason: command.texts[0] }) });
  return { outcome: 'done', run: found.run };
}

async function status(context: CommandContext): Promise<CommandResult> {
  const { places, number, store } = context;
  const runs = await runsAt(context);
  places.markStale(number);
  const [first] = runs;
  const [moved] = places.movedFrom(number);
  if (first === undefined && moved !== undefined) return refused(`run ${moved.run} continues at pull request ${moved.pr}; ask there`);
  if (first === undefined) return refused('no run has a comment here');
  // Open runs come first, since a long reply is truncated.
  const sorted = [...runs.filter((run) => !isFinal(run.status)), ...runs.filter((run) => isFinal(run.status))];
  const lines = await Promise.all(sorted.map(async ({ run }) => `Run ${run}: ${statusText(await readRunTree(store, run))}.`));
  return { outcome: 'done', run: sorted[0]?.run ?? first.run, reason: lines.join(' ') };
}

/** The status of a run that users see, and what it waits for. */
function statusText({ root, waits }: RunTree): string {
  const is = statusOf(root);
  if (isHalted(is) && root.halt !== undefined) return `${is} at ${root.halt.step ?? 'its start'}: ${root.halt.message.replace(/\.$/, '')}`;
  const texts =
    is === 'waiting' ? waits.map(({ wait: { kind, step } }) => `for ${waitName(kind)}${step === undefined ? '' : ` at ${step}`}`) : [];
  return [is, texts.join(', ')].filter((text) => text !== '').join(' ');
}
