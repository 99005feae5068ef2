// Owns the one shape of transitions: whichever way it was written, what it leads to and after what.

import { parseDuration } from '../../../base/duration.ts';
import type { Json } from '../../../base/json.ts';
import type { YamlPath } from '../position/position.ts';
import type { WrittenStage } from '../schema/schema.ts';
import type { YamlBackoff, YamlEntry, YamlFrame, YamlNotify, YamlTarget, YamlTransition } from './document.ts';
import { TRANSITION_KEYS } from './document.ts';

type Written = NonNullable<WrittenStage['on_timeout']>;
type WrittenNotify = string | { readonly target: string; readonly message?: string | undefined };

/** The transitions of a stage, by the key they are written under. */
export function transitionsOf(stage: WrittenStage, path: YamlPath): YamlFrame['transitions'] {
  const fields: Readonly<Partial<Record<string, unknown>>> = stage;
  const found = TRANSITION_KEYS.flatMap((key) => {
    const written = fields[key] as Written | undefined;
    return written === undefined ? [] : [[key, transitionOf(written, [...path, key])] as const];
  });
  return Object.fromEntries(found);
}

/** A transition in the one shape. */
function transitionOf(written: Written, path: YamlPath): YamlTransition {
  if (typeof written === 'string') return { to: { stage: written, path }, context: [], path };
  const target = (key: 'then' | 'goto', stage: string | undefined): YamlTarget | undefined =>
    stage === undefined ? undefined : { stage, path: [...path, key] };
  if ('delay' in written) return { to: target('then', written.then), delayMs: parseDuration(written.delay, 'delay'), context: [], path };
  if ('goto' in written) {
    const context = entriesOf(written.context, [...path, 'context']);
    return { to: target('goto', written.goto), then: target('then', written.then), max: written.max_iterations, context, path };
  }
  if ('spawn' in written) return { to: target('then', written.then), spawn: written.spawn, context: [], path };
  const then = target('then', written.then);
  if ('retry' in written) return { then, retry: { max: written.retry, backoff: backoffOf(written.backoff) }, context: [], path };
  const notify = written.notify === undefined ? undefined : notifyOf(written.notify, [...path, 'notify']);
  if (!('extend' in written)) return { to: then, notify, context: [], path };
  return { then, notify, extend: { byMs: parseDuration(written.extend, 'extend'), max: written.max_extensions }, context: [], path };
}

/** Somebody who is told something, whichever way it was written. */
export function notifyOf(written: WrittenNotify, path: YamlPath): YamlNotify {
  return typeof written === 'string' ? { target: written, path } : { ...written, path };
}

/** Names and values in the order of the file. */
export function entriesOf(written: Readonly<Record<string, unknown>> | undefined, path: YamlPath): YamlEntry[] {
  return Object.entries(written ?? {}).map(([name, value]) => ({ name, value: value as Json, path: [...path, name] }));
}

function backoffOf(
  written: { readonly initial: string; readonly factor?: number | undefined; readonly max?: string | undefined } | undefined,
): YamlBackoff | undefined {
  if (written === undefined) return undefined;
  return { initialMs: parseDuration(written.initial, 'initial'), factor: written.factor, maxMs: msOf(written.max) };
}

/** A duration in milliseconds, if there is one. */
export function msOf(written: string | undefined): number | undefined {
  return written === undefined ? undefined : parseDuration(written, 'duration');
}
