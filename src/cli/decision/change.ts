// Owns what a person is told who decides about something that is no longer asked: what changed since they looked, or
// who decided before them, and when. The log of the run still has what was shown.

import { EngineError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { humanWaitOf } from '../../kernel/activation.ts';
import { activationIn } from '../../kernel/event.ts';
import type { Store } from '../../store/store.ts';
import type { Shell } from '../shell.ts';
import { readHistory, type StoryDecision } from '../story/history.ts';
import { oneLine, plain } from '../terminal.ts';
import { agoText } from '../time.ts';
import type { Named, PendingApproval } from './approvals.ts';
import { DIGEST_SHOWN, textOf } from './decision.ts';

const LINES_SHOWN = 20;

/** A value that is shown otherwise than before; absent: it was not shown. */
interface Change {
  readonly name: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** Tells on stderr what changed since a digest was shown, and gives the error that refuses the decision. */
export async function contentChanged(
  shell: Shell,
  store: Store,
  seen: { readonly asked: PendingApproval; readonly digest: string },
): Promise<EngineError> {
  const { run, gate } = seen.asked;
  const before = await shownThen(store, run, seen.digest);
  const changes = before === undefined ? [] : changesBetween(before, objectOf(gate.shown));
  for (const line of changes.flatMap((change) => changeLines(change))) shell.world.stderr.write(`${line}\n`);
  const what = before === undefined ? 'never showed' : 'no longer shows';
  const decided = await decisionOn(store, run, { gate: gate.step, digest: seen.digest });
  const note = await noteOn(store, run, gate.path);
  const since = decided === undefined ? (note === undefined ? '' : `: ${oneLine(note)}`) : `, which was decided: ${toldDecision(decided)}`;
  return new EngineError(
    'CONTENT_CHANGED',
    `gate "${gate.step}" of run ${run} ${what} the content ${seen.digest.slice(0, DIGEST_SHOWN)}${since}; look again with "pawl inbox ${run}" and decide on what it shows now`,
    { details: { run, gate: gate.path, digest: gate.digest, changes } },
  );
}

/** Why the question was put anew, where things outside of the run have changed. */
async function noteOn(store: Store, run: string, path: string): Promise<string | undefined> {
  const events = (await store.events(run, 0)).flatMap((row) => row.events);
  const changed = events.findLast((event) => event.type === 'step.changed' && event.activation.path === path && event.note !== undefined);
  return changed?.type === 'step.changed' ? changed.note : undefined;
}

async function shownThen(store: Store, run: string, digest: string): Promise<JsonObject | undefined> {
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
    return [{ name, ...(then === undefined ? {} : { before: then }), ...(now === undefined ? {} : { after: now }) }];
  });
}

/** The lines that went and those that came, between those that are the same at both ends. */
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

/** The error for a question that is closed: who decided it and when; nothing when nobody did. */
export async function alreadyDecided(store: Store, run: string, named: Named): Promise<EngineError | undefined> {
  const taken = await decisionOn(store, run, named);
  const decided = taken ?? (await decisionInMail(store, run, named));
  if (decided === undefined) return undefined;
  const pending = taken === undefined ? `; the run has not taken it yet: if no process drives the run, "pawl resume ${run}" does` : '';
  return new EngineError(
    'ALREADY_DECIDED',
    `gate "${decided.gate}" of run ${run} was decided: ${toldDecision(decided)}; the first decision counts${pending}`,
    { details: { run, ...decided } },
  );
}

/** A decision that is on disk and that no owner of the run has taken yet. */
async function decisionInMail(store: Store, run: string, named: Named): Promise<StoryDecision | undefined> {
  for (const { input } of await store.inbox(run, 0)) {
    if (input.type !== 'decided' || input.digest !== named.digest || input.path !== named.gate) continue;
    const { path, option, actor, digest, text, at } = input;
    return { gate: path, path, option, input: text ?? null, actor, digest, at: new Date(at).toISOString(), signed: null };
  }
  return undefined;
}

/** The latest decision at a gate, about what a digest names. */
async function decisionOn(store: Store, run: string, named: Named): Promise<StoryDecision | undefined> {
  const { decisions } = await readHistory(store, run);
  return decisions.findLast(
    ({ gate, path, digest }) =>
      (named.gate === undefined || named.gate === gate || named.gate === path) &&
      (named.digest === undefined || digest?.startsWith(named.digest) === true),
  );
}

function toldDecision({ option, actor, at }: StoryDecision): string {
  return `"${option}" by ${actor}, ${agoText(Date.parse(at))} (${at})`;
}
