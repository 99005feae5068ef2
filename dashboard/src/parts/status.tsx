// Shows the status of a run or step: as the word of the command line, with a mark and a colour.

import { Mark, type Tone } from './icons.tsx';

const TONES: Readonly<Record<string, Tone>> = {
  completed: 'ok',
  ok: 'ok',
  overridden: 'odd',
  running: 'busy',
  verifying: 'busy',
  waiting: 'wait',
  paused: 'wait',
  escalated: 'bad',
  failed: 'bad',
  rejected: 'bad',
  error: 'bad',
  fail: 'bad',
  reject: 'bad',
  timeout: 'bad',
  unknown: 'odd',
  iterate: 'wait',
};

/** The tone of a status or outcome; `idle` for what has not begun or needs no attention. */
export function toneOf(status: string | null | undefined): Tone {
  return TONES[status ?? ''] ?? 'idle';
}

/** A status as a word with its mark. */
export function Status({ status, chip = false }: { readonly status: string; readonly chip?: boolean }) {
  const tone = toneOf(status);
  return (
    <span className={chip ? 'status chip' : 'status'} data-tone={tone}>
      <Mark tone={tone} />
      {status}
    </span>
  );
}
