// Describes in one line the activity of the engine in a run while an agent waits for it.

import { readRunTree } from '../engine/run-tree.ts';
import { isWorking } from '../engine/status.ts';
import { startTimeOf } from '../kernel/activation.ts';
import type { Store } from '../store/store.ts';

/** The attempt of a step that the engine is running or verifying. */
export interface RunningStep {
  readonly run: string;
  readonly path: string;
  readonly attempt: number;
}

const STEPS_SHOWN = 3;
const LINE_MAX = 160;

/** The activity of the engine in a run: `step "test" for 12 s: 40 tests passed`. `lastLine` reads a step's last output. */
export async function activityOf(
  store: Store,
  run: string,
  { now, lastLine }: { readonly now: number; readonly lastLine?: (step: RunningStep) => string | undefined },
): Promise<string> {
  const { runs } = await readRunTree(store, run);
  const working = runs.flatMap(({ state }) =>
    Object.values(state.live)
      .filter(isWorking)
      .map((activation) => ({ ...activation, run: state.id })),
  );
  const texts = working.slice(0, STEPS_SHOWN).map((activation) => {
    const seconds = Math.max(0, Math.round((now - (startTimeOf(activation) ?? activation.openedAt)) / 1000));
    const printed = lastLine?.(activation)?.trim() ?? '';
    const line = printed === '' ? '' : `: ${printed.replace(/\s+/g, ' ').slice(0, LINE_MAX).toWellFormed()}`;
    return `step "${activation.step}" ${activation.state === 'verifying' ? 'being verified' : 'running'} for ${seconds} s${line}`;
  });
  const more = working.length > STEPS_SHOWN ? [`${working.length - STEPS_SHOWN} more`] : [];
  return `Run ${run}: ${texts.length === 0 ? 'about to continue' : [...texts, ...more].join(', ')}`;
}
