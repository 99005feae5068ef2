// Owns what GitHub says about the webhook of a server: where it sends events, which ones, and which it could not deliver.

import type { Connection } from './client.ts';
import { PAGE } from './client.ts';

/** A webhook as GitHub has it. */
export interface WebhookFacts {
  readonly address: string;
  readonly contentType: string;
  readonly active: boolean;
  /** The names of the events it sends; `*` for all. Undefined for that of an App, whose events are among its permissions. */
  readonly events?: readonly string[];
  /** The last deliveries that did not get through, newest first; one that was repeated with success is left out. */
  readonly failed: readonly FailedDelivery[];
  /** How many of the last deliveries were checked. */
  readonly deliveries: number;
}

/** A delivery that did not get through. */
export interface FailedDelivery {
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
  if (login.appToken !== undefined) {
    const headers = { authorization: `Bearer ${login.appToken()}` };
    const { data: config } = await octokit.rest.apps.getWebhookConfigForApp({ headers });
    const { data: sent } = await octokit.rest.apps.listWebhookDeliveries({ headers, per_page: PAGE });
    const active = (config.url ?? '') !== '';
    return [{ address: config.url ?? '', contentType: config.content_type ?? 'form', active, ...failuresIn(sent) }];
  }
  const hooks = await octokit.paginate(octokit.rest.repos.listWebhooks, { ...repo, per_page: PAGE });
  return Promise.all(
    hooks.map(async ({ id, active, events, config }) => {
      const { data: sent } = await octokit.rest.repos.listWebhookDeliveries({ ...repo, hook_id: id, per_page: PAGE });
      return { address: config.url ?? '', contentType: config.content_type ?? 'form', active, events, ...failuresIn(sent) };
    }),
  );
}

function failuresIn(sent: readonly Delivery[]): Pick<WebhookFacts, 'failed' | 'deliveries'> {
  const arrived = new Set(sent.filter(({ status_code }) => isSuccess(status_code)).map(({ guid }) => guid));
  const latest = new Map(sent.toReversed().map((one) => [one.guid, one]));
  const failed = [...latest.values()].filter(({ guid }) => !arrived.has(guid)).toReversed();
  return {
    deliveries: latest.size,
    failed: failed.map(({ event, delivered_at, status_code, status }) => ({ event, at: delivered_at, code: status_code, status })),
  };
}

function isSuccess(code: number): boolean {
  return code >= 200 && code < 300;
}
