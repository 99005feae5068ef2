// Owns reading the last decision of a person at a question of the run.

import { isJsonObject } from '../base/json.ts';
import { JUDGED_TREES } from './run-records.ts';
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

/** Returns the last decision of a person at a step; undefined if nobody has decided. */
export async function decisionAt(job: Job, step: string): Promise<PersonDecision | undefined> {
  const { request, context } = job;
  const { results, data } = context.snapshot;
  const result = results[step];
  const question = request.workflow.definition.steps.find(({ id }) => id === step)?.question;
  if (question === undefined || !isJsonObject(result) || typeof result.option !== 'string') return undefined;
  const option = question.options.find(({ label }) => label === result.option);
  const tree = JUDGED_TREES.of(step).in(data)?.tree ?? undefined;
  const isStale = tree !== undefined && (await treeNow(job))?.id !== tree;
  return { option: result.option, actor: String(result.actor ?? ''), isApproval: option?.outcome === 'ok', isStale };
}
