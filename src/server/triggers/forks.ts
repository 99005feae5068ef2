// Owns which forks may start workflows like the repository itself. Only events that pushing to such a fork causes count: a pull
// request is opened, reopened, ready for review or has a new head. They cannot name a workflow, decide anything, wake a run or
// see a secret. The workflows are those of the served project, whatever the fork has changed in its files.

import type { ForgeEvent, PullRequestFacts } from '../../forge/forge.ts';

const PUSH_EVENTS: readonly string[] = [
  ...['pull_request.opened', 'pull_request.reopened', 'pull_request.ready_for_review', 'pull_request.synchronize'],
];

/** Whether a pull request comes from a fork that the settings list, by its owner or as `owner/name`. */
export function isListedFork({ fork, headRepository }: PullRequestFacts, listed: readonly string[] = []): boolean {
  if (!fork || headRepository === undefined) return false;
  const { owner, name } = headRepository;
  const names = [owner, `${owner}/${name}`].map((one) => one.toLowerCase());
  return listed.some((one) => names.includes(one.toLowerCase()));
}

/** Whether a person caused an event by pushing to a fork. */
export function isForkPush({ event, actor }: ForgeEvent): boolean {
  return PUSH_EVENTS.includes(event) && actor !== undefined && !actor.endsWith('[bot]');
}
