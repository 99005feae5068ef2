// Reports how an approval changed since a person saw it: which shown values changed, why it was requested again, who
// decided it, and the errors about it. The earlier content is read from the run's log. Only reads the store.

import { EngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { shortLine } from '../base/short-text.ts';
import { withoutVisits } from '../definition/address.ts';
import { activationIn } from '../engine/event-facts.ts';
import type { OpenApproval } from '../engine/request/approvals.ts';
import { humanWaitOf } from '../kernel/activation.ts';
import type { RunEvent } from '../kernel/event.ts';
import type { Store } from '../store/store.ts';
import type { ApprovalRef, PendingApproval } from './approvals.ts';
import { readHistory } from './history.ts';
import type { DecisionReport } from './schema/run.ts';
import { agoText } from './time-text.ts';

const NOTE_MAX = 500;
/** How much of a digest a message shows. */
const DIGEST_SHOWN = 12;

/** A shown value before and after a change; absent if it was not shown. */
export interface ShownChange {
  readonly name: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** What changed since a digest was shown. */
export interface ApprovalChange {
  /** False if the approval never had this content. */
  readonly isKnown: boolean;
  readonly changes: readonly ShownChange[];
  /** Why it was requested again, if something outside the run changed. */
  readonly note?: string;
}

/** Compares the content with a digest, or with a prefix of it, with the current content of the approval. */
export async function changeSince(
  store: Store,
  run: string,
  seen: { readonly approval: OpenApproval; readonly digest: string },
): Promise<ApprovalChange> {
  const { approval, digest } = seen;
  const events = (await store.events(run, 0)).flatMap((row) => row.events);
  const before = await shownBefore(store, events, digest);
  const changed = events.findLast(
    (event) => event.type === 'step.changed' && event.activation.path === approval.path && event.note !== undefined,
  );
  const note = changed?.type === 'step.changed' ? changed.note : undefined;
  const changes = before === undefined ? [] : changesBetween(before, shownValues(approval.shown));
  return { isKnown: before !== undefined, changes, ...omitUndefined({ note }) };
}

/** The shown values by name. */
export function shownValues(shown: Json): JsonObject {
  return isJsonObject(shown) ? shown : { shown };
}

/** The latest recorded decision on an approval. */
export async function decisionOn(store: Store, run: string, ref: ApprovalRef): Promise<DecisionReport | undefined> {
  const { decisions } = await readHistory(store, run);
  return decisions.findLast(
    ({ step, path, digest }) =>
      (ref.approval === undefined || ref.approval === step || ref.approval === path) &&
      (ref.digest === undefined || digest?.startsWith(ref.digest) === true),
  );
}

async function shownBefore(store: Store, events: readonly RunEvent[], digest: string): Promise<JsonObject | undefined> {
  const then = events.map((event) => humanWaitOf(activationIn(event))).findLast((wait) => wait?.digest?.startsWith(digest));
  if (then === undefined) return undefined;
  if (then.shown === undefined) return {};
  return shownValues(JSON.parse((await store.values([then.shown.digest])).get(then.shown.digest) as string) as Json);
}

function changesBetween(before: JsonObject, after: JsonObject): ShownChange[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const [then, now] = [before[name], after[name]];
    if (JSON.stringify(then) === JSON.stringify(now)) return [];
    return [{ name, ...omitUndefined({ before: then, after: now }) }];
  });
}

/** The error that rejects a decision on content that changed since a digest was shown; its details say what changed. */
export async function contentChanged(
  store: Store,
  seen: { readonly asked: PendingApproval; readonly digest: string },
): Promise<EngineError> {
  const { run, approval } = seen.asked;
  const { isKnown, changes, note } = await changeSince(store, run, { approval, digest: seen.digest });
  const verb = isKnown ? 'no longer has' : 'never had';
  const decided = await decisionOn(store, run, { approval: approval.step, digest: seen.digest });
  const since =
    decided === undefined ? (note === undefined ? '' : `: ${shortLine(note, NOTE_MAX)}`) : `, which was decided: ${decisionText(decided)}`;
  return new EngineError(
    'CONTENT_CHANGED',
    `approval "${approval.step}" of run ${run} ${verb} the content ${seen.digest.slice(0, DIGEST_SHOWN)}${since}; check the current content with "pawl inbox ${run}", then decide again`,
    { details: { run, approval: approval.path, digest: approval.digest, changes } },
  );
}

/** The error for an approval that was already decided: by whom and when; undefined if it was not. */
export async function alreadyDecided(store: Store, run: string, ref: ApprovalRef): Promise<EngineError | undefined> {
  const recorded = await decisionOn(store, run, ref);
  const decided = recorded ?? (await decisionInMail(store, run, ref));
  if (decided === undefined) return undefined;
  const pending = recorded === undefined ? `; the run has not applied it yet: if no process drives the run, use "pawl resume ${run}"` : '';
  return new EngineError(
    'ALREADY_DECIDED',
    `approval "${decided.step}" of run ${run} was already decided: ${decisionText(decided)}; the first decision counts${pending}`,
    { details: { run, ...decided } },
  );
}

/** A stored decision that the run has not applied yet. */
async function decisionInMail(store: Store, run: string, ref: ApprovalRef): Promise<DecisionReport | undefined> {
  for (const { input } of await store.inbox(run, 0)) {
    if (input.type !== 'decided' || input.digest !== ref.digest || input.path !== ref.approval) continue;
    const { path, option, actor, digest, text, at } = input;
    return { step: withoutVisits(path), path, option, input: text ?? null, actor, digest, at: new Date(at).toISOString(), signed: null };
  }
  return undefined;
}

function decisionText({ option, actor, at }: DecisionReport): string {
  return `"${option}" by ${actor}, ${agoText(Date.parse(at))} (${at})`;
}
