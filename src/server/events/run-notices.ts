// Creates the notices of runs for the targets in the settings.

import { isEngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { RunEvent } from '../../kernel/event.ts';
import { cleanLine, cleanText } from '../../notify/clean-text.ts';
import { createCommandNotifier } from '../../notify/command.ts';
import type { Notice, Notifier } from '../../notify/notifier.ts';
import { createWebhookNotifier } from '../../notify/webhook.ts';
import { createDecideLink } from '../access/decide/link.ts';
import { handle, type ServerApp } from '../route.ts';
import type { Services } from '../services.ts';
import { clockOf, type EventSettings, type NoticeEvent, type NotificationTarget } from './event-settings.ts';
import { Notices } from './notices.ts';
import { EVENT_ROUTES } from './routes.ts';
import { type RunAlert, RunWatch } from './run-watch.ts';

const DEFAULT_EVENTS: readonly NoticeEvent[] = ['waiting', 'failed', 'escalated', 'warning'];
const TITLE_MAX = 150;
const TEXT_MAX = 600;
const NOTICES_SHOWN = 100;

/** Mounts the list of notices, and notifies people of what happens while the server runs. */
export function mountNotices(app: ServerApp, services: Services): void {
  const { database, engine, store, warn, events, repeats } = services;
  const clock = clockOf(events);
  const settings = Object.entries(events.notifications ?? {});
  const targets = new Map(settings.map(([name, target]) => [name, notifierOf(target, events)]));
  const complete = (notice: Notice, name: string): Promise<Notice> => withLink(services, notice, events.notifications?.[name]?.person);
  const notices = new Notices({ database, clock, targets, complete, warn });
  services.onClose(() => notices.close());
  handle({ app, repeats }, EVENT_ROUTES.notices, async () => ({ notices: notices.list(NOTICES_SHOWN) }));
  if (settings.length === 0) return;
  const notify = (alert: RunAlert): void => {
    const names = settings.filter(([, target]) => isFor(target, alert)).map(([name]) => name);
    const added = names.filter((name) => notices.add(name, alert.mark, noticeOf(alert)));
    if (added.length > 0) void notices.ring();
  };
  services.onClose(engine.onCommit(({ run, events: committed }) => void notifyWarnings(services, { run, committed, notify }).catch(warn)));
  const watch = new RunWatch({ engine, store, database, clock, notify, warn });
  services.onClose(() => watch.close());
  void notices.ring();
  void watch.ring();
}

interface CommittedEvents {
  readonly run: string;
  readonly committed: readonly RunEvent[];
  readonly notify: (alert: RunAlert) => void;
}

/** Notifies of runs that are near one of their circuit breakers. */
async function notifyWarnings({ store }: Services, { run: id, committed, notify }: CommittedEvents): Promise<void> {
  const warnings = committed.flatMap((event) => (event.type === 'run.changed' && event.change === 'warned' ? [event.message] : []));
  if (warnings.length === 0) return;
  const [run] = await store.list({ id });
  if (run !== undefined) for (const text of warnings) notify({ event: 'warning', run, mark: text, text });
}

function notifierOf({ webhook, shape, command }: NotificationTarget, { secret, allow = [], clock }: EventSettings): Notifier {
  if (command !== undefined) return createCommandNotifier(command);
  const url = async (): Promise<string> => {
    if (typeof webhook === 'string') return webhook;
    if (secret === undefined || webhook === undefined) throw new Error('the target has no URL');
    return secret(webhook.secret);
  };
  return createWebhookNotifier({
    url,
    allow,
    now: () => clockOf(omitUndefined({ clock })).now(),
    ...omitUndefined({ shape }),
  });
}

function isFor({ events = DEFAULT_EVENTS, workflows }: NotificationTarget, { event, run }: RunAlert): boolean {
  // The view of a run shows the results of its child runs; only a question in a child needs a notice now.
  if (run.parent !== undefined && event !== 'waiting') return false;
  return events.includes(event) && (workflows === undefined || workflows.includes(run.workflow));
}

/**
 * Adds the link to a notice. It is created when the notice is sent: a link that decides is a secret, of which the database
 * stores only the digest, and the server's address is not known before it listens.
 */
async function withLink(services: Services, notice: Notice, person: string | undefined): Promise<Notice> {
  const address = await services.knownAddress();
  if (address === undefined) return notice;
  const { run, path } = notice;
  const where = path === undefined ? '' : `?step=${encodeURIComponent(path)}`;
  const decide = person === undefined || !isDecision(notice) ? undefined : await decideLink(services, { run, approval: path, person });
  return { ...notice, link: decide ?? `${address}/runs/${run}${where}` };
}

/** The link with which a person decides; undefined if it is already decided, or if the person may not decide, which is logged. */
async function decideLink(
  services: Services,
  about: { run: string; approval: string | undefined; person: string },
): Promise<string | undefined> {
  const { database, now, store } = services;
  try {
    const linkServices = { access: { database, now }, store, addresses: services.addresses() };
    return (await createDecideLink(linkServices, { ...about, by: 'a notification' })).url;
  } catch (error) {
    if (!isEngineError(error) || error.code !== 'WAIT_NOT_FOUND') services.warn(error);
    return undefined;
  }
}

const isDecision = ({ event, command }: Notice): boolean => event === 'waiting' && command.startsWith('pawl decide ');

const TITLES: Readonly<Record<NoticeEvent, string>> = {
  waiting: 'waits for a decision',
  failed: 'failed',
  escalated: 'needs a person: it stopped',
  completed: 'completed',
  rejected: 'was rejected',
  cancelled: 'was cancelled',
  warning: 'is near a limit',
};

function noticeOf({ event, run, text, path, asks }: RunAlert) {
  const title = asks === 'answer' ? 'waits for an answer' : TITLES[event];
  const verb = asks === 'answer' ? 'answer' : asks === 'decision' ? 'decide' : 'show';
  return {
    event,
    run: run.id,
    workflow: run.workflow,
    title: cleanLine(`${run.workflow} ${title} (run ${run.id})`, TITLE_MAX),
    text: cleanText(text, TEXT_MAX),
    ...omitUndefined({ path }),
    command: `pawl ${verb} ${run.id}`,
  };
}
