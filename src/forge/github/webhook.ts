// Reads the webhooks of a server from GitHub: their addresses, their events, and the failed deliveries.

import { type Connection, PAGE } from './client.ts';
import { appHeaders } from './login.ts';

/** A webhook at GitHub. */
export interface WebhookFacts {
  readonly address: string;
  readonly contentType: string;
  readonly active: boolean;
  /** The names of the events that it sends; `*` for all. Undefined for an App, whose events are among its permissions. */
  readonly events?: readonly string[];
  /** The last failed deliveries, newest first, without those that succeeded later. */
  readonly failed: readonly FailedDelivery[];
  /** How many of the last deliveries were checked. */
  readonly deliveries: number;
}

/** A failed delivery. */
interface FailedDelivery {
  readonly event: string;
  readonly at: string;
  /** The response of the server; 0 if there was none. */
  readonly code: number;
  readonly status: string;
}

interface Delivery {
  readonly guid: string;
  readonly delivered_at: string;
  readonly status: string;
  readonly status_code: number;
  readonly event: string;
}

/** Reads the webhooks that a login may see: of the App, or of the repository. */
export async function readWebhooks({ octokit, repo, login }: Connection): Promise<WebhookFacts[]> {
  const headers = appHeaders(login);
  if (headers !== undefined) {
    const { data: config } = await octokit.rest.apps.getWebhookConfigForApp({ headers });
    const { data: sent } = await octokit.rest.apps.listWebhookDeliveries({ headers, per_page: PAGE });
    return [{ active: (config.url ?? '') !== '', ...factsOf(config, sent) }];
  }
  const hooks = await octokit.paginate(octokit.rest.repos.listWebhooks, { ...repo, per_page: PAGE });
  return Promise.all(
    hooks.map(async ({ id, active, events, config }) => {
      const { data: sent } = await octokit.rest.repos.listWebhookDeliveries({ ...repo, hook_id: id, per_page: PAGE });
      return { active, events, ...factsOf(config, sent) };
    }),
  );
}

function factsOf(
  { url = '', content_type: contentType = 'form' }: { readonly url?: string; readonly content_type?: string },
  sent: readonly Delivery[],
): Omit<WebhookFacts, 'active' | 'events'> {
  const arrived = new Set(sent.filter(({ status_code }) => isSuccess(status_code)).map(({ guid }) => guid));
  const latest = new Map(sent.toReversed().map((delivery) => [delivery.guid, delivery]));
  const failed = [...latest.values()].filter(({ guid }) => !arrived.has(guid)).toReversed();
  return {
    address: url,
    contentType,
    deliveries: latest.size,
    failed: failed.map(({ event, delivered_at, status_code, status }) => ({ event, at: delivered_at, code: status_code, status })),
  };
}

function isSuccess(code: number): boolean {
  return code >= 200 && code < 300;
}
