// Converts the options for a stopped run, from flags or from a request, into choices of the engine: which options can be
// combined, and what each means.

import { EngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import type { Json } from '../base/json.ts';
import type { ResumeChoice } from '../engine/request/resume.ts';
import { type RunState, unknownAt } from '../kernel/run-state.ts';

/** The parts of a choice. */
export interface ChoiceParts {
  readonly retry?: boolean | undefined;
  readonly accept?: boolean | undefined;
  readonly to?: string | undefined;
  /** Paths of steps whose end is unknown, by how they are settled. */
  readonly rerun?: readonly string[] | undefined;
  readonly done?: readonly string[] | undefined;
  readonly failed?: readonly string[] | undefined;
  readonly output?: Json | undefined;
  readonly extend?: number | undefined;
  readonly note?: string | undefined;
}

const WAYS = ['retry', 'accept', 'to', 'rerun', 'done', 'failed'] as const;
/** Ways to settle steps of unknown outcome: each names its step, so there may be several. */
const SETTLES = ['rerun', 'done', 'failed'] as const;
type Way = (typeof WAYS)[number];

/** The choices from the parts: one way to continue, or one for each step of unknown outcome. `named` returns the name that a message shows for a part. */
export function choicesOf(parts: ChoiceParts, named: (part: keyof ChoiceParts) => string): readonly ResumeChoice[] {
  const ways = WAYS.filter((way) => isGiven(parts[way]));
  const [way, other] = ways;
  const settled = SETTLES.flatMap((how) => (parts[how] ?? []).map((path) => ({ how, path })));
  if (other !== undefined && !ways.every((way) => SETTLES.some((how) => how === way)))
    throw new EngineError('USAGE', `${named(way as Way)} and ${named(other)} cannot be combined; choose one`);
  const takes = (part: keyof ChoiceParts, allowed: readonly Way[]): void => {
    if (parts[part] !== undefined && (way === undefined || !allowed.includes(way)))
      throw new EngineError('USAGE', `${named(part)} is only valid with ${allowed.map(named).join(' or ')}`);
  };
  takes('output', ['accept', 'done']);
  takes('extend', ['retry']);
  takes('note', WAYS);
  if (parts.output !== undefined && settled.length > 1)
    throw new EngineError('USAGE', `${named('output')} is the result of one step; settle that step by itself`);
  const note = omitUndefined({ note: parts.note });
  const output = omitUndefined({ output: parts.output });
  if (way === 'retry') return [{ how: 'retry', ...note, ...omitUndefined({ extend: parts.extend }) }];
  if (way === 'accept') return [{ how: 'accept', ...note, ...output }];
  if (way === 'to') return [{ how: 'goto', step: parts.to ?? '', ...note }];
  return settled.map((choice) => ({ ...choice, ...note, ...output }));
}

function isGiven(part: ChoiceParts[Way]): boolean {
  return Array.isArray(part) ? part.length > 0 : part !== undefined && part !== false;
}

/** Throws for a wrong path. Choices are applied one after the other, so all paths are checked before the first is applied. */
export function assertUnknown(state: RunState, choice: ResumeChoice): void {
  if (!('path' in choice) || choice.path === undefined || unknownAt(state, choice.path).length > 0) return;
  const names = Object.values(state.live).flatMap(({ path, state: now }) => (now === 'unknown' ? [path] : []));
  throw new EngineError('WAIT_NOT_FOUND', `run ${state.id} has steps whose end is unknown; name one of them: ${names.join(', ')}`);
}

/** Throws if the run stopped at another step than the one a person named. */
export function assertStoppedAt({ id, halt }: RunState, step: string | undefined): void {
  if (step === undefined || halt === undefined || step === halt.step || step === halt.path) return;
  throw new EngineError(
    'STEP_UNKNOWN',
    `run ${id} stopped at "${halt.step ?? 'no step'}", not at "${step}"; "pawl resume ${id} --to ${step}" continues there, "pawl fork ${id} --from ${step}" starts a new run there`,
  );
}
