// Reads the assumptions of workers and people's answers to them. It needs a store, but no engine.

import { omitUndefined } from '../../base/fields.ts';
import type { AssumptionText } from '../../definition/question/assumption.ts';
import type { Assumption } from '../../definition/question/assumption-record.ts';
import type { RunState } from '../../kernel/run-state.ts';
import type { Store } from '../../store/store.ts';
import { readValues } from '../values.ts';

/** An assumption of a worker, with its answer if there is one. */
export interface RunAssumption extends AssumptionText {
  readonly run: string;
  readonly id: string;
  readonly step: string;
  readonly path: string;
  readonly attempt: number;
  readonly at: number;
  /** The digest of the assumption, which proves what a person has seen. */
  readonly digest: string;
  readonly state: 'open' | 'confirmed' | 'differs';
  readonly answer?: {
    readonly actor: string;
    readonly at: number;
    readonly text: string;
    /** The answer differs, and the work that depended on it was not repeated, because the run had ended. */
    readonly unmet?: true;
  };
  /** The step where a fork that follows the answer would start. */
  readonly from: string;
  /** True if an answer must be signed with an enrolled key. */
  readonly signed: boolean;
}

/** Returns the assumptions of a checkpoint, with their texts. */
export async function readAssumptions(store: Pick<Store, 'values'>, state: RunState): Promise<readonly RunAssumption[]> {
  const { assumptions = [] } = state;
  if (assumptions.length === 0) return [];
  const read = await textsOf(store, assumptions);
  return assumptions.map((assumption) => {
    const { id, step, path, attempt, at, digest, answer, within } = assumption;
    const text = read(assumption);
    const kind = answer === undefined ? 'open' : answer.agrees ? 'confirmed' : 'differs';
    const shownAnswer = answer && {
      actor: answer.actor,
      at: answer.at,
      text: read.answer(assumption) ?? text.assumed,
      ...omitUndefined({ unmet: answer.unmet }),
    };
    return {
      run: state.id,
      id,
      step,
      path,
      attempt,
      at,
      digest,
      ...text,
      state: kind,
      ...omitUndefined({ answer: shownAnswer }),
      from: within ?? path,
      signed: state.signed === true,
    };
  });
}

/** Returns the text of an assumption, or with `answer` that of its answer. */
export interface AssumptionReader {
  (assumption: Assumption): AssumptionText;
  answer(assumption: Assumption): string | undefined;
}

/** Reads the texts of assumptions, and of the answers to them. */
export async function textsOf(store: Pick<Store, 'values'>, assumptions: readonly Assumption[]): Promise<AssumptionReader> {
  const value = await readValues(
    store,
    assumptions.flatMap(({ list, answer }) => [list, answer?.text]),
  );
  const text = ({ list, index }: Assumption): AssumptionText =>
    (value(list) as unknown as readonly AssumptionText[])[index] as AssumptionText;
  return Object.assign(text, {
    answer: ({ answer }: Assumption) => (answer?.text === undefined ? undefined : (value(answer.text) as string)),
  });
}
