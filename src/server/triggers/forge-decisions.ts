// Owns how people decide questions of runs at the forge, where a workflow lets an event there do that: a review, a comment,
// a label, or that a review is dismissed.
//
// FD1. Only a person counts who has write permission, and who is in the groups of the question. A program decides nothing,
//      and neither does what the engine wrote itself.
// FD2. An approving review counts for the head that the pull request has now. It counts also if it was there first.
// FD3. Under signed decisions an event decides nothing: it has no signature.
// FD4. What somebody replays by hand decides nothing: its payload says whatever they wrote into it.
// FD5. An event from before the current form of a question does not decide it, however late it is delivered.

import { isEngineError, messageOf } from '../../base/error.ts';
import { present } from '../../base/fields.ts';
import { isJsonObject } from '../../base/json.ts';
import { isSamePerson } from '../../base/person.ts';
import { type ApprovalOptionModel, stepsWithin } from '../../definition/model.ts';
import { startIn } from '../../definition/start-command.ts';
import type { OpenApproval } from '../../engine/approvals.ts';
import type { Forge } from '../../forge/forge.ts';
import { humanWaitOf } from '../../kernel/activation.ts';
import type { Store } from '../../store/store.ts';
import type { StoredDelivery } from '../events/deliveries.ts';
import { valueIn } from './forge-unavailable.ts';
import { type ForgeOccasion, wayOf } from './occasion.ts';
import { FrozenWith, isAbout, type OpenRun, openRunOf, openRunsAbout, subjectOfEvent } from './open-runs.ts';
import { isOwnEvent } from './own-event.ts';
import type { Reacted, ReactionParts } from './reactions.ts';

/** Whether some question of a run has a part at the forge. */
export const ASKS_AT_FORGE = new FrozenWith(({ steps, form }) =>
  // Which questions a flow asks is known only as it runs.
  form === 'flow' ? true : steps.flatMap(stepsWithin).some(({ gate }) => gate?.forge !== undefined),
);

/** A person's vote at the forge. */
interface Word {
  readonly actor: string;
  readonly approves: boolean;
  readonly text?: string;
  /** When it was said; undefined for a review, which counts also if it was there first. */
  readonly at?: number;
}

/** Has an event decide the questions that wait for it. */
export async function decideByEvent(
  { services: { engine }, settings: { forge } }: ReactionParts,
  delivery: Pick<StoredDelivery, 'headers'>,
  occasion: ForgeOccasion,
): Promise<Reacted> {
  const runs: string[] = [];
  const reasons: string[] = [];
  const about = await subjectOfEvent(forge, occasion.event);
  for (const { id, origin } of await openRunsAbout(engine.store, about, { mayAsk: true })) {
    if (!(await ASKS_AT_FORGE.of(engine.store, id))) continue;
    const run = await openRunOf(engine.store, { id, origin });
    if (!isAbout(run, about)) continue;
    for (const gate of await engine.run(id).approvals()) {
      const word = wordIn(occasion, gate);
      if (word === undefined || (await isOwnEvent(forge, occasion.event, run))) continue;
      const refusal = replayRefusal(delivery) ?? (await refusalOf(forge, occasion, word));
      const problem = refusal ?? (await decide({ engine, forge, run: id, gate, word }));
      if (problem === undefined) runs.push(id);
      else reasons.push(`it does not decide "${gate.step}" of run ${id}: ${problem}`);
    }
  }
  return { runs, reasons };
}

/** Has the reviews that a pull request has already decide a question that waits for one (FD2). */
export async function decideByReviews(
  { services: { engine }, settings: { forge } }: ReactionParts,
  run: OpenRun,
  gate: OpenApproval,
): Promise<void> {
  if (gate.question.forge?.waitFor !== 'approval') return;
  for (const pr of run.prs) {
    const reviews = await forge.approvals(pr);
    if (reviews.result !== 'ok') continue;
    for (const { actor, state, bot, permission } of reviews.value) {
      if (bot || (permission !== 'write' && permission !== 'admin')) continue;
      await decide({ engine, forge, run: run.id, gate, word: { actor, approves: state === 'approved' } });
    }
  }
}

/** What an event says about a question; undefined if it says nothing. */
function wordIn(
  { event: { event, actor, label, at }, payload }: ForgeOccasion,
  { question: { forge: asked } }: OpenApproval,
): Word | undefined {
  const body = (value: unknown): string | undefined =>
    isJsonObject(value as never) ? textOf((value as { body?: unknown }).body) : undefined;
  switch (asked?.waitFor) {
    case 'approval': {
      const state = isJsonObject(payload.review) ? textOf(payload.review.state)?.toLowerCase() : undefined;
      if (event !== 'pull_request_review.submitted' || (state !== 'approved' && state !== 'changes_requested')) return undefined;
      return { actor, approves: state === 'approved', ...present({ text: body(payload.review) }) };
    }
    case 'comment':
      if (event !== 'issue_comment.created' || !isWritten(payload.comment)) return undefined;
      return { actor, approves: true, at, ...present({ text: body(payload.comment) }) };
    case 'label':
      return event.endsWith('.labeled') && label === asked.label ? { actor, approves: true, at } : undefined;
    case 'dismiss':
      return event === 'pull_request_review.dismissed' ? { actor, approves: true, at } : undefined;
    default:
      return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Whether a comment was written by a person, and not changed since. */
function isWritten(comment: unknown): boolean {
  const written = isJsonObject(comment as never) ? (comment as { edited?: unknown; user?: unknown; body?: unknown }) : {};
  const isProgram = isJsonObject(written.user as never) && (written.user as { type?: unknown }).type === 'Bot';
  // What Pawl wrote under a person's login has its mark, and a command asks for something else.
  const body = String(written.body ?? '');
  if (isProgram || written.edited === true || startIn(body) !== undefined) return false;
  return !/<!-- pawl:|^\s*(?:\/pawl\b|@\S+\s+workflow:)/m.test(body);
}

/** Why a delivery decides nothing (FD4). */
function replayRefusal(delivery: Pick<StoredDelivery, 'headers'>): string | undefined {
  return wayOf(delivery) === 'hand' ? 'it was replayed by hand; use "pawl decide"' : undefined;
}

/** Why somebody's vote does not count (FD1, FD2). */
async function refusalOf(forge: Forge, { event, payload }: ForgeOccasion, { actor, approves }: Word): Promise<string | undefined> {
  const sender = isJsonObject(payload.sender) ? payload.sender : {};
  if (actor === '' || sender.type === 'Bot' || actor.endsWith('[bot]')) return `"${actor}" is a program`;
  const found = await forge.permission(actor);
  const permission = found.result === 'not_found' ? 'none' : valueIn(found);
  if (permission !== 'write' && permission !== 'admin') return `"${actor}" has no write permission (permission: ${permission})`;
  if (event.event !== 'pull_request_review.submitted' || event.pr === undefined) return undefined;
  const reviews = valueIn(await forge.approvals(event.pr));
  const state = approves ? 'approved' : 'changes_requested';
  const review = reviews.find((one) => isSamePerson(one.actor, actor) && one.state === state);
  if (review === undefined) return 'the review is not of the current head';
  if (review.bot) return `"${actor}" is a program`;
  return review.permission === 'write' || review.permission === 'admin' ? undefined : `"${actor}" has no write permission`;
}

interface DecisionAtForge {
  readonly engine: ReactionParts['services']['engine'];
  readonly forge: Forge;
  readonly run: string;
  readonly gate: OpenApproval;
  readonly word: Word;
}

const ROUNDS_MAX = 2;
/** Forges report times in whole seconds. */
const SECOND_MS = 1000;

/** Decides a question; returns why that was not possible. A review decides a question that was asked again meanwhile as it is now. */
async function decide({ engine, forge, run, gate: { path }, word }: DecisionAtForge): Promise<string | undefined> {
  for (let round = 1; ; round += 1) {
    const gate = (await engine.run(run).approvals()).find((one) => one.path === path);
    const option = gate === undefined ? undefined : optionFor(gate.question.options, word);
    if (gate === undefined) return undefined;
    // The forge tells when it was said by its own clock, and the question was asked by ours.
    const at = word.at === undefined ? undefined : word.at - (forge.aheadMs?.() ?? 0);
    if (word.at !== undefined && at !== undefined && at + SECOND_MS <= (await askedAt(engine.store, run, gate)))
      return `it is from ${new Date(word.at).toISOString()}, before the question was asked as it is now; say it again`;
    if (option === undefined) return `it has no option for ${word.approves ? 'an approval' : 'a rejection'}`;
    const input = option.requiresInput ? (word.text ?? 'decided at the forge') : word.text;
    try {
      await engine.run(run).decide({ approval: path, option: option.label, actor: word.actor, digest: gate.digest, ...present({ input }) });
      return undefined;
    } catch (error) {
      if (!isEngineError(error)) throw error;
      if (error.code === 'CONTENT_CHANGED' && round < ROUNDS_MAX) continue;
      if (error.code === 'STORE_UNAVAILABLE' || error.code === 'RUN_LOCKED' || error.code === 'ENGINE_CLOSED') throw error;
      return messageOf(error);
    }
  }
}

/** When a question was asked as it is now: first, or again because what it is about had changed. */
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

function optionFor(options: readonly ApprovalOptionModel[], { approves }: Word): ApprovalOptionModel | undefined {
  return options.find(({ outcome, to }) =>
    approves ? outcome === 'ok' && (to === undefined || !('end' in to) || to.end === 'complete') : outcome !== 'ok',
  );
}
