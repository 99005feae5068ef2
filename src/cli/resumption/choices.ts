// Owns the choices of a person for a run that stopped or a step of unknown outcome, each with its command. The kernel rejects
// any other choice.

import { shellWord } from '../../base/shell-word.ts';
import type { RunState } from '../../kernel/run-state.ts';

/** A choice of the person. */
export interface Choice {
  readonly key: 'retry' | 'extend' | 'accept' | 'goto' | 'cancel' | 'rerun' | 'done' | 'failed';
  readonly about: string;
  readonly command: string;
}

/** The choices after a run has halted. */
export function choicesAfterHalt(state: RunState): Choice[] {
  const { id, halt, form, undoing } = state;
  if (undoing !== undefined) return choicesWhileUndoing(state);
  const at = halt?.step === undefined ? 'it' : `"${halt.step}"`;
  const goTo: Choice = { key: 'goto', about: 'continue at another step', command: `pawl resume ${id} --to STEP` };
  const cancel: Choice = { key: 'cancel', about: 'cancel the run', command: `pawl cancel ${id}` };
  const jumps = form === 'graph' ? [goTo] : [];
  if (halt?.reason === 'exhausted')
    return [{ key: 'extend', about: 'allow one more iteration', command: `pawl resume ${id} --retry --extend 1` }, ...jumps, cancel];
  const accept: Choice = { key: 'accept', about: `accept ${at} as done, in your name`, command: `pawl resume ${id} --accept` };
  return [
    { key: 'retry', about: `try ${at} again, with the error as feedback`, command: `pawl resume ${id} --retry` },
    ...(halt?.path === undefined ? [] : [accept]),
    ...jumps,
    cancel,
  ];
}

/** The choices when undoing stopped; a run whose work was undone has none. */
function choicesWhileUndoing({ id, status }: RunState): Choice[] {
  if (status === 'failed') return [];
  return [
    { key: 'retry', about: 'try to undo it again', command: `pawl resume ${id} --retry` },
    { key: 'accept', about: 'it is undone, or need not be', command: `pawl resume ${id} --accept` },
    { key: 'cancel', about: 'end the run and leave the rest as it is', command: `pawl cancel ${id}` },
  ];
}

/** The choices for a step of unknown outcome. */
export function choicesForUnknown(run: string, path: string): Choice[] {
  const word = shellWord(path);
  return [
    { key: 'rerun', about: 'it did not take effect, or may safely run twice', command: `pawl resume ${run} --rerun ${word}` },
    { key: 'done', about: 'it succeeded', command: `pawl resume ${run} --done ${word}` },
    { key: 'failed', about: 'it failed', command: `pawl resume ${run} --failed ${word}` },
  ];
}
