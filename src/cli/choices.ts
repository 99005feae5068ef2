// Owns the ways on for a run that stopped and for a step whose end is unknown: what a person may choose, and the command
// of each choice. The kernel refuses anything else.

import type { RunState } from '../kernel/run-state.ts';

/** One way on. */
export interface WayOn {
  readonly key: 'retry' | 'extend' | 'accept' | 'goto' | 'cancel' | 'rerun' | 'done' | 'failed';
  readonly about: string;
  readonly command: string;
}

/** The ways on from a halt. */
export function waysFromHalt(state: RunState): WayOn[] {
  const { id, halt, form } = state;
  const at = halt?.step === undefined ? 'it' : `"${halt.step}"`;
  const goTo: WayOn = { key: 'goto', about: 'go on at another step', command: `pawl resume ${id} --to STEP` };
  const cancel: WayOn = { key: 'cancel', about: 'give the run up', command: `pawl cancel ${id}` };
  const jumps = form === 'graph' ? [goTo] : [];
  if (halt?.reason === 'exhausted')
    return [{ key: 'extend', about: 'allow one more iteration', command: `pawl resume ${id} --retry --extend 1` }, ...jumps, cancel];
  const accept: WayOn = { key: 'accept', about: `take ${at} as done, in your name`, command: `pawl resume ${id} --accept` };
  return [
    { key: 'retry', about: `try ${at} again, with what went wrong as feedback`, command: `pawl resume ${id} --retry` },
    ...(halt?.path === undefined ? [] : [accept]),
    ...jumps,
    cancel,
  ];
}

/** The ways on for a step that may have run. */
export function waysFromUnknown(run: string, path: string): WayOn[] {
  const word = /^[\w#/.-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
  return [
    { key: 'rerun', about: 'it did not take effect, or may take effect twice', command: `pawl resume ${run} --rerun ${word}` },
    { key: 'done', about: 'it took effect', command: `pawl resume ${run} --done ${word}` },
    { key: 'failed', about: 'it failed', command: `pawl resume ${run} --failed ${word}` },
  ];
}
