// Takes the decisions of people at the forge about questions of runs, if the workflow waits for an event there: a review, a
// dismissed review, a comment or a label.
//
// FD1. Only people with write permission who are in the groups of the question can decide. Programs decide nothing, and
//      neither does what the engine wrote itself.
// FD2. An approving review counts for the current head of the pull request, also if it is older than the question.
// FD3. An event cannot decide a question that requires a signature: it has none.
// FD4. An event that a person replays manually decides nothing: they can write anything into its payload.
// FD5. An event from before the current content of a question does not decide it, however late it is delivered.

import { isEngineError, messageOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { isSamePerson } from '../../base/person.ts';
import { type ApprovalOptionModel, stepsWithin } from '../../definition/model.ts';
import { startIn } from '../../definition/trigger/start-command.ts';
import type { OpenApproval } from '../../engine/request/approvals.ts';
import type { Forge } from '../../forge/forge.ts';
import { humanWaitOf } from '../../kernel/activation.ts';
import type { Store } from '../../store/store.ts';
import { isTemporary, type StoredDelivery } from '../events/deliveries.ts';
import { valueIn } from './forge-unavailable.ts';
import { isWrittenByPerson } from './named-start.ts';
import { DefinitionCache, isAbout, type OpenRun, openRunOf, openRunsAbout, subjectOfEvent } from './open-runs.ts';
import { isOwnEvent } from './own-action.ts';
import { actorRefusal, type ReactionParts, type ReactionResult } from './reactions.ts';
import { type ReceivedEvent, sourceOf, textIn } from './received-event.ts';

/** Whether a question of a run can be decided at the forge. */
export const ASKS_AT_FORGE = new DefinitionCache(({ steps, form }) =>
  // The questions of a flow are known only at run time.
  form === 'flow' ? true : steps.flatMap(stepsWithin).some(({ question }) => question?.forge !== undefined),
);

/** A person's vote at the forge. */
interface Vote {
  readonly actor: string;
  readonly approves: boolean;
  readonly text?: string;
  /** When it was given; undefined for a review, which may be older than the question (FD2). */
  readonly at?: number;
}

/** Decides the questions that wait for an event. */
export async function decideByEvent(
  { services: { engine }, settings: { forge } }: ReactionParts,
  delivery: Pick<StoredDelivery, 'headers'>,
  received: ReceivedEvent,
): Promise<ReactionResult> {
  const runs: string[] = [];
  const reasons: string[] = [];
  const about = await subjectOfEvent(forge, received.event);
  for (const { id, origin } of await openRunsAbout(engine.store, about, { mayAsk: true })) {
    if (!(await ASKS_AT_FORGE.get(engine.store, id))) continue;
    const run = await openRunOf(engine.store, { id, origin });
    if (!isAbout(run, about)) continue;
    for (const approval of await engine.run(id).approvals()) {
      const vote = voteIn(received, approval);
      if (vote === undefined || (await isOwnEvent(forge, received.event, run))) continue;
      const refusal = replayRefusal(delivery) ?? (await refusalOf(forge, received, vote));
      const problem = refusal ?? (await decide({ engine, forge, run: id, approval, vote }));
      if (problem === undefined) runs.push(id);
      else reasons.push(`it does not decide "${approval.step}" of run ${id}: ${problem}`);
    }
  }
  return { runs, reasons };
}

/** Decides a question that waits for a review with the reviews that its pull request already has (FD2). */
export async function decideByReviews(
  { services: { engine }, settings: { forge } }: ReactionParts,
  run: OpenRun,
  approval: OpenApproval,
): Promise<void> {
  if (approval.question.forge?.waitFor !== 'approval') return;
  for (const pr of run.prs) {
    const reviews = await forge.approvals(pr);
    if (reviews.result !== 'ok') continue;
    for (const { actor, state, bot, permission } of reviews.value) {
      if (bot || (permission !== 'write' && permission !== 'admin')) continue;
      await decide({ engine, forge, run: run.id, approval, vote: { actor, approves: state === 'approved' } });
    }
  }
}

/** The vote of an event on a question; undefined if it has none. Nobody has no vote. */
function voteIn(
  { event: { event, actor, label, at }, payload }: ReceivedEvent,
  { question: { forge: asked } }: OpenApproval,
): Vote | undefined {
  if (actor === undefined) return undefined;
  switch (asked?.waitFor) {
    case 'approval': {
      const state = textIn(payload.review, 'state')?.toLowerCase();
      if (event !== 'pull_request_review.submitted' || (state !== 'approved' && state !== 'changes_requested')) return undefined;
      return { actor, approves: state === 'approved', ...omitUndefined({ text: textIn(payload.review, 'body') }) };
    }
    case 'comment':
      if (event !== 'issue_comment.created' || !isAnswer(payload.comment)) return undefined;
      return { actor, approves: true, at, ...omitUndefined({ text: textIn(payload.comment, 'body') }) };
    case 'label':
      return event.endsWith('.labeled') && label === asked.label ? { actor, approves: true, at } : undefined;
    case 'dismiss':
      return event === 'pull_request_review.dismissed' ? { actor, approves: true, at } : undefined;
    default:
      return undefined;
  }
}

/** Whether a comment is an answer: a person wrote it, it was not edited, and it is no command. */
function isAnswer(comment: Json | undefined): boolean {
  if (!isJsonObject(comment) || !isWrittenByPerson(comment)) return false;
  const body = textIn(comment, 'body') ?? '';
  return startIn(body) === undefined && !/^\s*(?:\/pawl\b|@\S+\s+workflow:)/m.test(body);
}

/** Why a delivery decides nothing (FD4). */
function replayRefusal(delivery: Pick<StoredDelivery, 'headers'>): string | undefined {
  return sourceOf(delivery) === 'manual' ? 'it was replayed by hand; use "pawl decide"' : undefined;
}

/** Why a vote does not count (FD1, FD2). */
async function refusalOf(forge: Forge, received: ReceivedEvent, { actor, approves }: Vote): Promise<string | undefined> {
  const refusal = await actorRefusal(forge, received);
  if (refusal !== undefined) return refusal;
  const { event } = received;
  if (event.event !== 'pull_request_review.submitted' || event.pr === undefined) return undefined;
  const reviews = valueIn(await forge.approvals(event.pr));
  const state = approves ? 'approved' : 'changes_requested';
  const review = reviews.find((candidate) => isSamePerson(candidate.actor, actor) && candidate.state === state);
  if (review === undefined) return 'the review is not about the current head';
  if (review.bot) return `"${actor}" is a program`;
  return review.permission === 'write' || review.permission === 'admin' ? undefined : `"${actor}" has no write permission`;
}

interface DecisionAtForge {
  readonly engine: ReactionParts['services']['engine'];
  readonly forge: Forge;
  readonly run: string;
  readonly approval: OpenApproval;
  readonly vote: Vote;
}

const ROUNDS_MAX = 2;
/** Forges report times in whole seconds. */
const SECOND_MS = 1000;

/** Decides a question; returns why that was not possible. If its content changes meanwhile, a review decides it as it is now. */
async function decide({ engine, forge, run, approval: { path }, vote }: DecisionAtForge): Promise<string | undefined> {
  for (let round = 1; ; round += 1) {
    const approval = (await engine.run(run).approvals()).find((candidate) => candidate.path === path);
    const option = approval === undefined ? undefined : optionFor(approval.question.options, vote);
    if (approval === undefined) return undefined;
    // The time of the vote is by the clock of the forge, that of the question by ours.
    const at = vote.at === undefined ? undefined : vote.at - (forge.aheadMs?.() ?? 0);
    if (vote.at !== undefined && at !== undefined && at + SECOND_MS <= (await askedAt(engine.store, run, approval)))
      return `it is from ${new Date(vote.at).toISOString()}, before the question had its current content; repeat it`;
    if (option === undefined) return `the question has no option for ${vote.approves ? 'an approval' : 'a rejection'}`;
    const input = option.requiresInput ? (vote.text ?? 'decided at the forge') : vote.text;
    try {
      await engine
        .run(run)
        .decide({ approval: path, option: option.label, actor: vote.actor, digest: approval.digest, ...omitUndefined({ input }) });
      return undefined;
    } catch (error) {
      if (!isEngineError(error)) throw error;
      if (error.code === 'CONTENT_CHANGED' && round < ROUNDS_MAX) continue;
      if (isTemporary(error)) throw error;
      return messageOf(error);
    }
  }
}

/** When a question got its current content: when it was asked, or when its subjects changed last. */
async function askedAt(store: Store, run: string, { path, digest, since }: OpenApproval): Promise<number> {
  let [at, before]: [number, string | undefined] = [since, undefined];
  for (const event of (await store.events(run, 0)).flatMap((row) => row.events)) {
    if (event.type !== 'step.changed' || event.activation.path !== path) continue;
    const now = humanWaitOf(event.activation)?.digest;
    if (now === digest && now !== before) ({ at } = event);
    before = now;
  }
  return at;
}

function optionFor(options: readonly ApprovalOptionModel[], { approves }: Vote): ApprovalOptionModel | undefined {
  return options.find(({ outcome, to }) =>
    approves ? outcome === 'ok' && (to === undefined || !('end' in to) || to.end === 'complete') : outcome !== 'ok',
  );
}
