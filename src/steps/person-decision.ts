// Reads the last decision of a person at a question of the run, from the run's log: text of a worker never counts
// as one.

import { EngineError } from '../base/error.ts';
import type { Definition } from '../definition/model.ts';
import { isBefore } from '../definition/validation/rework.ts';
import type { RecordedDecision } from './attempt.ts';
import { TREE_VERDICTS } from './run-records.ts';
import type { Job } from './work.ts';
import { treeNow } from './workspace/workspace-tree.ts';

/** A person's decision at a question. */
export interface PersonDecision {
  readonly option: string;
  readonly actor: string;
  /** Whether the option lets the work pass. */
  readonly isApproval: boolean;
  /** Whether the files have changed since. */
  readonly isStale: boolean;
}

/** Returns the last decision of a person at a step; undefined if no one has decided. */
export async function decisionAt(job: Job, step: string): Promise<PersonDecision | undefined> {
  const { request, context } = job;
  const { definition } = request.workflow;
  const decided = await request.decisionAt?.(step);
  if (decided === undefined) return undefined;
  const { option, actor } = decided;
  const approved = TREE_VERDICTS.of(step).in(context.snapshot.data)?.tree ?? undefined;
  const isApproval = letsPass(definition, step, decided);
  const tree = approved === undefined && definition.form !== 'flow' ? undefined : (await treeNow(job))?.id;
  // A flow ties its questions to the files only after its first gate.
  if (isApproval && approved === undefined && tree !== undefined) {
    const message = `it is not known which files ${actor} approved at "${step}"; in a flow, ask after a gate that checks them`;
    throw new EngineError('STEP_FAILED', message);
  }
  return { option, actor, isApproval, isStale: approved !== undefined && tree !== approved };
}

/** An option of a graph can also send the work back, or end the run. */
function letsPass(definition: Definition, step: string, { option, outcome }: RecordedDecision): boolean {
  const to = definition.steps.find(({ id }) => id === step)?.question?.options.find(({ label }) => label === option)?.to;
  if (outcome !== 'ok' || to === undefined) return outcome === 'ok';
  return 'step' in to ? !isBefore(definition, to.step, step) : to.end === 'complete';
}
