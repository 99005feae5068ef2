// Owns webhooks as GitHub sends them: payloads in the documented shapes, of the GitHub of the tests, signed over the raw body.

import { createHmac, randomUUID } from 'node:crypto';
import type { GitHubState, Item } from './state.ts';

/** The secret that webhooks are signed with. */
export const HOOK_SECRET = 'a secret of the webhooks';

/** A webhook before it is sent. */
export interface Webhook {
  readonly event: string;
  readonly payload: Record<string, unknown>;
  readonly id?: string;
  readonly secret?: string;
  /** The body that is sent in place of the signed one. */
  readonly body?: string;
  readonly type?: string;
}

/** The request of a webhook. */
export function webhookRequest(url: string, { event, payload, id = randomUUID(), secret = HOOK_SECRET, body, type }: Webhook): Request {
  const text = JSON.stringify(payload);
  const headers = {
    'content-type': type ?? 'application/json',
    'x-github-event': event,
    'x-github-delivery': id,
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`,
  };
  return new Request(`${url}/hooks/github`, { method: 'POST', headers, body: body ?? text });
}

/** The payload about an issue or a pull request, with its sender. */
export function payloadFor(
  item: Item,
  { action, sender, ...more }: { readonly action: string; readonly sender: string } & Record<string, unknown>,
): Record<string, unknown> {
  return {
    action,
    ...(item.pull === undefined ? { issue: itemFor(item) } : { pull_request: { ...itemFor(item), ...pullFor(item) } }),
    repository: { id: 1, name: 'project', full_name: 'octo/project', default_branch: 'main' },
    sender: { login: sender, type: 'User' },
    ...more,
  };
}

function itemFor({ number, title, body, user, labels, assignees, milestone, open, updatedAt, createdAt }: Item) {
  const people = assignees.map((login) => ({ login, type: login.endsWith('[bot]') ? 'Bot' : 'User' }));
  return {
    ...{ number, title, body, state: open ? 'open' : 'closed', user: { login: user, type: 'User' } },
    ...{ labels: labels.map((name) => ({ name })), assignees: people, assignee: people[0] ?? null },
    ...{ milestone: milestone === null ? null : { title: milestone }, created_at: createdAt, updated_at: updatedAt },
  };
}

function pullFor({ pull }: Item) {
  return { head: { ref: pull?.head, sha: pull?.headSha }, base: { ref: pull?.base }, draft: pull?.draft, merged: pull?.merged };
}

/** Adds a label as a person does on the website, and returns the webhook that GitHub sends for it. */
export function labelItem(state: GitHubState, item: Item, { label, sender }: { readonly label: string; readonly sender: string }): Webhook {
  item.labels.push(label);
  state.record(item, 'labeled', { actor: sender, label });
  const event = item.pull === undefined ? 'issues' : 'pull_request';
  return { event, payload: payloadFor(item, { action: 'labeled', sender, label: { name: label } }) };
}
