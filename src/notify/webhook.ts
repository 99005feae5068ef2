// Sends notifications as webhooks: plain JSON, and the formats of Slack, Teams and Discord. Hosts are checked in the same
// way as those of webhook steps.

import { omitUndefined } from '../base/fields.ts';
import { resumeTime } from '../base/retry-after.ts';
import { requestGuarded, type WebAnswer } from '../steps/web/request.ts';
import type { Notice, NoticeOutcome, Notifier } from './notifier.ts';

/** The shape of a webhook's body. */
export type NoticeShape = 'json' | 'slack' | 'teams' | 'discord';

interface WebhookOptions {
  /** Reads the URL, which often is a secret. */
  readonly url: () => Promise<string>;
  readonly shape?: NoticeShape;
  /** Hosts that may be reached although they are not public. */
  readonly allow?: readonly string[];
  readonly now: () => number;
}

const TIMEOUT_MS = 10_000;

/** Creates a notifier that posts to a webhook. */
export function createWebhookNotifier({ url, shape = 'json', allow = [], now }: WebhookOptions): Notifier {
  return {
    send: async (notice, signal) => {
      let target: string;
      try {
        target = await url();
      } catch (error) {
        return { kind: 'failed', message: (error as Error).message };
      }
      const headers = { 'content-type': 'application/json', 'idempotency-key': notice.id };
      const body = JSON.stringify(BODIES[shape](notice));
      return outcomeOf(await requestGuarded({ url: target, method: 'POST', headers, body, allow, timeoutMs: TIMEOUT_MS, signal }), now());
    },
  };
}

/** Failures before a connection was made, so nothing was sent. */
const NEVER_SENT = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT/;

function outcomeOf(answer: WebAnswer, now: number): NoticeOutcome {
  if (answer.kind === 'refused') return { kind: 'failed', message: answer.message, isFinal: true };
  if (answer.kind === 'failed') {
    const isUnsent = answer.reason === 'tls' || (answer.reason === 'connection' && NEVER_SENT.test(answer.message));
    return { kind: isUnsent ? 'failed' : 'unknown', message: answer.message };
  }
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return { kind: 'sent' };
  const message = `the server responded with status ${status}`;
  if (status !== 408 && status !== 425 && status !== 429 && status < 500) return { kind: 'failed', message, isFinal: true };
  const resumeAt = resumeTime(headers, now);
  return { kind: 'failed', message, ...omitUndefined({ resumeAt }) };
}

const BODIES: Readonly<Record<NoticeShape, (notice: Notice) => unknown>> = {
  json: (notice) => notice,
  slack: (notice) => ({ text: slackText(notice) }),
  discord: (notice) => ({ content: plainText(notice).slice(0, DISCORD_MAX), allowed_mentions: { parse: [] } }),
  teams: (notice) => ({
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: cardOf(notice) }],
  }),
};

const DISCORD_MAX = 2000;

/** Slack reads `<…>` as a link or a mention, in any text. */
function slackText({ title, text, link, command }: Notice): string {
  const safe = (part: string): string => part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const where = link === undefined ? `\`${safe(command)}\`` : `<${link}|Open>`;
  return [`*${safe(title)}*`, safe(text), where].filter((part) => part !== '').join('\n');
}

function plainText({ title, text, link, command }: Notice): string {
  return [title, text, link ?? command].filter((part) => part !== '').join('\n');
}

function cardOf({ title, text, link, command }: Notice) {
  const line = (content: string, more: object = {}) => ({ type: 'TextBlock', text: content, wrap: true, ...more });
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [line(title, { weight: 'Bolder' }), ...(text === '' ? [] : [line(text)]), ...(link === undefined ? [line(command)] : [])],
    actions: link === undefined ? [] : [{ type: 'Action.OpenUrl', title: 'Open', url: link }],
  };
}
