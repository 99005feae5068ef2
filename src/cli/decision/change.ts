// Owns the errors for a decision that comes too late: what changed since the person looked, or who decided before them
// and when. The run's log still has what was shown.

import { EngineError } from '../../base/error.ts';
import { present } from '../../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { humanWaitOf } from '../../kernel/activation.ts';
import { activationIn } from '../../kernel/event.ts';
import type { Store } from '../../store/store.ts';
import { type DecisionReport, readHistory } from '../run-report/history.ts';
import type { Shell } from '../shell.ts';
import { oneLine, plain } from '../terminal.ts';
import { agoText } from '../time.ts';
import type { ApprovalRef, PendingApproval } from './approvals.ts';
import { DIGEST_SHOWN, textOf } from './decision.ts';

const LINES_SHOWN = 20;

/** A shown value before and after a change; absent if it was not shown. */
interface Change {
  readonly name: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** Prints to stderr what changed since a digest was shown, and returns the error that rejects the decision. */
export async function contentChanged(
  shell: Shell,
  store: Store,
  seen: { readonly asked: PendingApproval; readonly digest: string },
): Promise<EngineError> {
  const { run, gate } = seen.asked;
  const before = await shownBefore(store, run, seen.digest);
  const changes = before === undefined ? [] : changesBetween(before, objectOf(gate.shown));
  for (const line of changes.flatMap((change) => changeLines(change))) shell.world.stderr.write(`${line}\n`);
  const what = before === undefined ? 'never had' : 'no longer has';
  const decided = await decisionOn(store, run, { gate: gate.step, digest: seen.digest });
  const note = await noteOn(store, run, gate.path);
  const since = decided === undefined ? (note === undefined ? '' : `: ${oneLine(note)}`) : `, which was decided: ${decisionText(decided)}`;
  return new EngineError(
    'CONTENT_CHANGED',
    `approval "${gate.step}" of run ${run} ${what} the content ${seen.digest.slice(0, DIGEST_SHOWN)}${since}; check the current content with "pawl inbox ${run}", then decide again`,
    { details: { run, gate: gate.path, digest: gate.digest, changes } },
  );
}

/** Why the approval was requested again, if something outside the run changed. */
async function noteOn(store: Store, run: string, path: string): Promise<string | undefined> {
  const events = (await store.events(run, 0)).flatMap((row) => row.events);
  const changed = events.findLast((event) => event.type === 'step.changed' && event.activation.path === path && event.note !== undefined);
  return changed?.type === 'step.changed' ? changed.note : undefined;
}

async function shownBefore(store: Store, run: string, digest: string): Promise<JsonObject | undefined> {
  const events = (await store.events(run, 0)).flatMap((row) => row.events);
  const then = events.map((event) => humanWaitOf(activationIn(event))).findLast((wait) => wait?.digest?.startsWith(digest));
  if (then === undefined) return undefined;
  if (then.shown === undefined) return {};
  return objectOf(JSON.parse((await store.values([then.shown.digest])).get(then.shown.digest) as string) as Json);
}

function objectOf(shown: Json): JsonObject {
  return isJsonObject(shown) ? shown : { shown };
}

function changesBetween(before: JsonObject, after: JsonObject): Change[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const [then, now] = [before[name], after[name]];
    if (JSON.stringify(then) === JSON.stringify(now)) return [];
    return [{ name, ...present({ before: then, after: now }) }];
  });
}

/** The removed and the added lines, without the common lines before and after them. */
function changeLines({ name, before, after }: Change): string[] {
  const [then, now] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < then.length && head < now.length && then[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < then.length - head && tail < now.length - head && then.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  return [
    `${oneLine(name)}, line ${head + 1}:`,
    ...marked('-', then.slice(head, then.length - tail)),
    ...marked('+', now.slice(head, now.length - tail)),
  ];
}

function linesOf(value: Json | undefined): string[] {
  return value === undefined ? [] : plain(textOf(value)).split('\n');
}

function marked(mark: string, lines: readonly string[]): string[] {
  const more = lines.length - LINES_SHOWN;
  return [...lines.slice(0, LINES_SHOWN).map((line) => `  ${mark} ${line}`), ...(more > 0 ? [`  ${mark} (${more} more lines)`] : [])];
}

/** The error for an approval that was already decided: by whom and when; undefined if it was not. */
export async function alreadyDecided(store: Store, run: string, ref: ApprovalRef): Promise<EngineError | undefined> {
  const recorded = await decisionOn(store, run, ref);
  const decided = recorded ?? (await decisionInMail(store, run, ref));
  if (decided === undefined) return undefined;
  const pending = recorded === undefined ? `; the run has not applied it yet: if no process drives the run, use "pawl resume ${run}"` : '';
  return new EngineError(
    'ALREADY_DECIDED',
    `approval "${decided.gate}" of run ${run} was already decided: ${decisionText(decided)}; the first decision counts${pending}`,
    { details: { run, ...decided } },
  );
}

/** A decision that is on disk and that the run has not applied yet. */
async function decisionInMail(store: Store, run: string, ref: ApprovalRef): Promise<DecisionReport | undefined> {
  for (const { input } of await store.inbox(run, 0)) {
    if (input.type !== 'decided' || input.digest !== ref.digest || input.path !== ref.gate) continue;
    const { path, option, actor, digest, text, at } = input;
    return { gate: path, path, option, input: text ?? null, actor, digest, at: new Date(at).toISOString(), signed: null };
  }
  return undefined;
}

/** The latest recorded decision on an approval. */
async function decisionOn(store: Store, run: string, ref: ApprovalRef): Promise<DecisionReport | undefined> {
  const { decisions } = await readHistory(store, run);
  return decisions.findLast(
    ({ gate, path, digest }) =>
      (ref.gate === undefined || ref.gate === gate || ref.gate === path) &&
      (ref.digest === undefined || digest?.startsWith(ref.digest) === true),
  );
}

function decisionText({ option, actor, at }: DecisionReport): string {
  return `"${option}" by ${actor}, ${agoText(Date.parse(at))} (${at})`;
}
