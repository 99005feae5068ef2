// Owns which webhooks are too old to start something. GitHub's signature does not cover a time, and deliveries can be late, out
// of order, or replayed by somebody who saw one. So an event is compared with the current state of its subject.

import type { ForgeEvent, ForgeReader, IssueFacts, PullRequestFacts } from '../../forge/forge.ts';
import { clockOf } from '../events/event-settings.ts';
import type { EventServices } from '../events/events.ts';
import { valueIn } from './forge-unavailable.ts';

/** How old an event may be. GitHub itself redelivers only within days. */
const AGE_MAX_MS = 30 * 86_400_000;
/** The actions on a pull request after which it is open. */
const LIVE: ReadonlySet<string> = new Set(['opened', 'reopened', 'synchronize', 'ready_for_review']);

/** Why the event of a webhook is out of date; undefined if it is not. */
export async function staleReason(
  { services, settings }: { readonly services: Pick<EventServices, 'events'>; readonly settings: { readonly forge: ForgeReader } },
  event: ForgeEvent,
): Promise<string | undefined> {
  if (clockOf(services.events).now() - event.at > AGE_MAX_MS)
    return `it is from ${new Date(event.at).toISOString()}, which is too old; "pawl trigger" replays an event by hand`;
  const [, action = ''] = event.event.split('.');
  const isLabel = action === 'labeled' && event.label !== undefined;
  const isLive = event.event.startsWith('pull_request.') && LIVE.has(action);
  if (!isLabel && !isLive) return undefined;
  const subject = await subjectOf(settings.forge, event);
  // If it cannot be read, the code that acts on it decides.
  if (subject === undefined) return undefined;
  if (isLive && subject.state !== 'open') return `pull request #${event.pr} is now ${subject.state}`;
  if (isLabel && !subject.labels.includes(event.label ?? '')) return `the label "${event.label}" was removed meanwhile`;
  return undefined;
}

async function subjectOf(forge: ForgeReader, { issue, pr }: ForgeEvent): Promise<IssueFacts | PullRequestFacts | undefined> {
  if (pr === undefined && issue === undefined) return undefined;
  const found = pr === undefined ? await forge.issue(issue ?? 0) : await forge.pullRequest(pr);
  return found.result === 'not_found' ? undefined : valueIn<IssueFacts | PullRequestFacts>(found);
}
