// Owns steps that must not change the workspace (`mutatesCheckout: false`): the files before and after are compared, and a
// change fails the attempt. In a git checkout, ignored files may change; elsewhere every file counts except those of
// packages. A branch that runs in parallel works in a side checkout, which is discarded.

import { shortList } from '../../base/short-text.ts';
import { closeSideCheckout, filesChangedSince, openSideCheckout, snapshotWorkspace } from '../../process/side-checkout.ts';
import { checkoutOf } from '../../process/worktree.ts';
import type { AttemptRequest, AttemptResult } from '../attempt.ts';
import type { Attempt } from '../layers.ts';
import { digestMatching } from '../outputs/workspace-digest.ts';
import { type Job, stepError } from '../work.ts';

const FILES_NAMED = 10;

/** Runs an attempt that may not change files, and fails it if it did. */
export async function rejectFileChanges(job: Job, work: Attempt): Promise<AttemptResult> {
  const { runner, request } = job;
  const { cwd } = runner.services;
  const isInGit = (await checkoutOf(cwd)) !== undefined;
  if (request.group === undefined || !isInGit) {
    const changes = isInGit ? await gitChanges(cwd) : await fileChanges(cwd, request.signal);
    return withoutChanges(request, await work(job), await changes());
  }
  const checkout = await openSideCheckout(cwd);
  try {
    const result = await work({ ...job, runner: { ...runner, services: { ...runner.services, cwd: checkout.folder } } });
    return withoutChanges(request, result, await filesChangedSince(checkout.folder, checkout.base));
  } finally {
    await closeSideCheckout(checkout);
  }
}

async function gitChanges(cwd: string): Promise<() => Promise<readonly string[]>> {
  const before = await snapshotWorkspace(cwd);
  return () => filesChangedSince(cwd, before);
}

async function fileChanges(cwd: string, signal: AbortSignal): Promise<() => Promise<readonly string[]>> {
  const readDigests = () => digestMatching({ cwd, pattern: '**', signal });
  const before = await readDigests();
  return async () => {
    const after = await readDigests();
    return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path)).sort();
  };
}

function withoutChanges({ bound }: AttemptRequest, result: AttemptResult, files: readonly string[]): AttemptResult {
  if (files.length === 0 || result.type === 'observed') return result;
  const message = `step "${bound.model.id}" may not change files (mutates_checkout: false), but changed ${shortList(files, FILES_NAMED)}`;
  const evidence = { ...(result.evidence as object | undefined), changed: files.slice(0, FILES_NAMED) };
  const claim = result.type === 'settled' ? { claim: result.claim ?? result.output } : {};
  return {
    type: 'errored',
    error: stepError('CHECKOUT_CHANGED', message, { retryable: false }),
    evidence,
    ...claim,
    checks: result.checks,
  };
}
