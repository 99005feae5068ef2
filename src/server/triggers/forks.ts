// Owns which forks count as the repository's own when something starts. Only what pushing to a fork causes is taken on its word:
// a pull request that is opened, reopened, ready for review or has a new head. It names no workflow, decides nothing, wakes no
// run and sees no secret; workflows are those of the served project, whatever the fork has changed in its files.

import type { ForgeEvent, PullRequestFacts } from '../../forge/forge.ts';

const PUSHED: readonly string[] = [
  ...['pull_request.opened', 'pull_request.reopened', 'pull_request.ready_for_review', 'pull_request.synchronize'],
];

/** Whether a pull request comes from a fork that the settings list, by its owner or as `owner/name`. */
export function isListedFork({ fork, headRepository }: PullRequestFacts, listed: readonly string[] = []): boolean {
  if (!fork || headRepository === undefined) return false;
  const name = headRepository.toLowerCase();
  const owner = name.split('/')[0];
  return listed.some((one) => one.toLowerCase() === (one.includes('/') ? name : owner));
}

/** Whether an event is what people of a listed fork cause by pushing to it. */
export function isOfFork({ event, actor }: ForgeEvent): boolean {
  return PUSHED.includes(event) && actor !== '' && !actor.endsWith('[bot]');
}
