// Owns the limits on writes at the forge for the workers of a run. Writes are counted from the forge's own record of
// actions, so the count is right for every attempt, also after a crash.

import { createWorkQueue } from '../../base/work-queue.ts';
import { WRITE_OF, type WriteKind, writesMax } from '../../definition/forge/forge-write.ts';
import type { Forge, ForgeFailure } from '../../forge/forge.ts';
import type { Job } from '../work.ts';
import { type WriteRequest, writeKey, writePrefix } from './write-request.ts';

const KIND_OF_ACTION: Readonly<Record<string, WriteKind>> = {
  comment: 'comments',
  openPullRequest: 'pull_requests',
  addLabels: 'labels',
  removeLabels: 'labels',
  createIssue: 'issues',
  submitReview: 'reviews',
  replyToDiscussion: 'discussions',
};

/** Why a request would exceed a limit; undefined if it may be written, or was written already. */
export async function limitRefusal(job: Job, forge: Forge, request: WriteRequest): Promise<string | undefined | ForgeFailure> {
  const kind = WRITE_OF[request.write.type];
  const { definition } = job.request.workflow;
  const max = writesMax(kind, definition.writes, job.runner.services.writes?.limits);
  const ownKey = writeKey(job, request);
  const done = await forge.done(writePrefix(job.request.runId));
  if (done.result !== 'ok') return done;
  const others = done.value.filter(({ action, key }) => KIND_OF_ACTION[action] === kind && !key.startsWith(ownKey));
  if (others.length + changesOf(request) <= max) return undefined;
  const words = kind.replace('_', ' ');
  return `the workers of this run may write at most ${max} ${words}, and ${others.length} already exist; raise "writes: { ${kind}: … }" in the workflow or the project's settings`;
}

/** Labels that are added and removed are two changes. */
function changesOf({ write }: WriteRequest): number {
  return write.type === 'label' ? Number(write.add.length > 0) + Number(write.remove.length > 0) : 1;
}

/** Runs the writes of a run one at a time, so that parallel branches do not exceed a limit together. */
export const oneWriteAtATime = createWorkQueue();
