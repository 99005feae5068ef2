// Owns what agents learn about a run's past: what went wrong and what people wrote since an agent last succeeded. The
// past of a run's ancestors counts as well: a gate of the parent may have sent the child back to work.

import type { Json } from '../base/json.ts';
import type { AnsweredAssumption, AssumptionText } from '../definition/question/assumption.ts';
import type { Ref } from '../kernel/activation.ts';
import type { RunState } from '../kernel/run-state.ts';
import type { PastSetback, RunPast } from '../steps/attempt.ts';
import type { Store } from '../store/store.ts';
import { refsOfAnswers } from './record.ts';
import { readValues } from './values.ts';

/** Reads the past of a run for its agents. */
export async function readPast(store: Store, run: RunState): Promise<RunPast> {
  const ancestors = run.parent === undefined ? [] : (await store.family(run.id)).ancestors;
  const above = await Promise.all(ancestors.map(async (id) => (await store.load(id)).state));
  // The topmost run comes first, so that what is nearest to the step comes last.
  const runs = [...above.reverse(), run];
  const refs = runs.flatMap((one) => [...(one.setbacks ?? []).map(({ output }) => output), ...refsOfAnswers(one)]);
  const read = await readValues(store, refs);
  const setbacks = runs.flatMap((one) =>
    (one.setbacks ?? []).map(
      ({ output, ...rest }): PastSetback => ({ ...rest, output: read(output), ...(one === run ? {} : { inParent: true }) }),
    ),
  );
  const answered = runs.flatMap((one) => answeredIn(one, read));
  return { setbacks, notes: runs.flatMap(({ notes = [] }) => notes), answered };
}

/** Returns the answered assumptions of a checkpoint, in the form that agents get. */
export function answeredIn(state: RunState, value: (ref: Ref) => Json): readonly AnsweredAssumption[] {
  return (state.assumptions ?? []).flatMap(({ list, index, step, answer }) => {
    if (answer === undefined) return [];
    const text = (value(list) as unknown as readonly AssumptionText[])[index] as AssumptionText;
    const { actor, agrees } = answer;
    return [{ ...text, step, actor, agrees, answer: answer.text === undefined ? text.assumed : (value(answer.text) as string) }];
  });
}
