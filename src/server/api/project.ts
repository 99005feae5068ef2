// Owns the routes about the project as a whole: the inbox, the workflows, agent usage, the health of the server, and the
// settings that are safe to show.

import type { WaitingQuestions } from '../../attended/questions.ts';
import { NO_VERDICT } from '../../attended/wait-words.ts';
import type { DeepReadonly } from '../../base/deep-readonly.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { isSamePerson } from '../../base/person.ts';
import {
  type Approval,
  type FullInbox,
  OPEN_STATUSES,
  openAssumptions,
  type PendingGate,
  readInbox,
  type StuckRun,
} from '../../control/inbox.ts';
import { readApprovalDiff } from '../../control/run/diff.ts';
import { bounded } from '../../control/step-detail.ts';
import { targetName } from '../../definition/describe.ts';
import { isDriven } from '../../process/owner.ts';
import type { Store, UsageBucket } from '../../store/store.ts';
import type { Caller } from '../caller.ts';
import type { InboxItem } from '../contract.ts';
import { handle, type ServerApp } from '../route.ts';
import type { Services } from '../services.ts';
import { API_ROUTES } from './routes.ts';
import { iso, timeOf } from './times.ts';

const INBOX_MAX = 500;
const EVIDENCE_MAX = 8;
/** How many approvals have a diff, and how long it may be. */
const DIFFS_MAX = 20;
const DIFF_BYTES = 64 * 1024;
const QUEUE_MAX = 200;
const DAY_MS = 86_400_000;
const BUCKETS = { day: DAY_MS, hour: DAY_MS / 24 } as const;
const USAGE_DAYS = 30;

/** Mounts the routes. */
export function mountProject(app: ServerApp, services: Services): void {
  const { project, store, repeats } = services;
  const target = { app, repeats };
  const startedAt = iso(services.now());
  handle(target, API_ROUTES.inbox, ({ caller }) => inboxFor(services, caller));
  handle(target, API_ROUTES.workflows, async (_) => project.workflows());
  handle(target, API_ROUTES.workflow, ({ param }) => project.workflow(param('name')));
  handle(target, API_ROUTES.usage, async ({ query: { since, until, bucket, workflow } }) => {
    const end = timeOf(until, 'until') ?? services.now();
    const span = { since: timeOf(since, 'since') ?? end - USAGE_DAYS * DAY_MS, until: end, bucketMs: BUCKETS[bucket] };
    return { buckets: (await store.usageOver({ ...span, ...omitUndefined({ workflow }) })).map(bucketOf) };
  });
  handle(target, API_ROUTES.settings, async (_) => ({ settings: (await project.settings()) as JsonObject }));
  handle(target, API_ROUTES.health, async (_) => {
    const [checks, slots, closed] = await Promise.all([project.checks(), store.slots(QUEUE_MAX), store.closedAccounts(services.now())]);
    return {
      ok: checks.every(({ status }) => status === 'ok'),
      checks: services.paths.messages(checks as unknown as Json) as unknown as typeof checks,
      server: { version: services.version, startedAt, rssBytes: process.memoryUsage.rss(), streams: services.streams.count },
      owners: await ownersOf(services),
      queue: slots.map(({ isHeld, ...slot }) => ({ ...slot, held: isHeld })),
      accounts: closed.map(({ account, until, why }) => ({ account, until: iso(until), why })),
    };
  });
}

async function ownersOf({ store, engine }: Services) {
  const counts = Map.groupBy(await store.heads({ of: 'owned' }), ({ owner = '' }) => owner);
  return [...counts].map(([owner, runs]) => ({ owner, runs: runs.length, isAlive: isDriven(owner), isThis: owner === engine.owner }));
}

function bucketOf({ at, role, costUsd, ms, ...rest }: UsageBucket) {
  const isUnknown = rest.attempts > 0 && rest.unknownCost === rest.attempts;
  return { ...rest, at: iso(at), role: role ?? null, cost: isUnknown ? null : costUsd, durationMs: ms };
}

/** The inbox, oldest first; each item with the data that a person needs to decide. */
async function inboxFor(services: Services, caller: Caller) {
  const { store } = services;
  const runs = await store.list({ status: OPEN_STATUSES, mayAsk: true, limit: INBOX_MAX + 1 });
  const ids = runs.filter(({ damaged }) => damaged === undefined).map(({ id }) => id);
  const inbox = { ...(await readInbox(store, ids.slice(0, INBOX_MAX), false)), assumptions: await openAssumptions(store, undefined) };
  const items = await Promise.all(itemsOf(inbox, caller).map((item) => withEvidence(store, item)));
  const sorted = items.sort((a, b) => (a.since < b.since ? -1 : 1));
  const diffs = await diffsOf(services, sorted);
  return {
    items: sorted.map((item) => (item.kind === 'approval' ? { ...item, ...diffs.get(item.run) } : item)),
    assumptions: inbox.assumptions,
    truncated: ids.length > INBOX_MAX,
  };
}

type Item = DeepReadonly<InboxItem>;
type ItemOf<Kind extends Item['kind']> = Extract<Item, { readonly kind: Kind }>;

function itemsOf({ approvals, questions, stuck, pending }: FullInbox, caller: Caller): Item[] {
  return [
    ...approvals.map((asked) => approvalItem(asked, caller)),
    ...questions.map((asked) => questionItem(asked, caller)),
    ...stuck.map((run) => stuckItem(run, caller)),
    ...pending.map(pendingItem),
  ];
}

function approvalItem({ run, workflow, approval, command }: Approval, caller: Caller): ItemOf<'approval'> {
  const { path, step, question, votes = [], posted, due } = approval;
  const { prompt, from, count = 1 } = question;
  const hasVoted = votes.some(({ actor }) => isSamePerson(actor, caller.name));
  return {
    ...{ kind: 'approval', run, workflow, path, step, prompt, command },
    options: question.options.map(({ label, outcome, to, requiresInput }) => ({
      label,
      outcome,
      next: to === undefined ? null : targetName(to),
      requiresInput,
    })),
    ...{
      shown: approval.shown,
      subjects: approval.subjects ?? null,
      digest: approval.digest,
      since: iso(approval.since),
      signed: approval.signed,
    },
    ...{ due: due === undefined ? null : iso(due), from: from ?? null, count, approvals: votes, decided: posted ?? null, evidence: [] },
    mine: caller.scopes.has('decide') && posted === undefined && mayDecide(caller, from) && !hasVoted,
  };
}

function questionItem({ run, workflow, path, step, questions, digest, since, signed }: WaitingQuestions, caller: Caller): Item {
  return {
    ...{ kind: 'question', run, workflow, path, step, prompt: questions[0]?.question ?? '', questions, digest, since: iso(since), signed },
    ...{ mine: caller.scopes.has('decide'), command: `pawl answer ${run}` },
  };
}

function stuckItem({ run, workflow, wait, command }: StuckRun, caller: Caller): Item {
  return {
    ...{ kind: 'stuck', run, workflow, path: wait.path ?? null, step: wait.step ?? null, since: iso(wait.since), command },
    ...{ prompt: wait.kind === 'escalation' ? wait.message : NO_RECORD, mine: caller.scopes.has('decide') },
  };
}

function pendingItem({ run, workflow, wait }: PendingGate): Item {
  const { path, step, since, due, message = NO_VERDICT } = wait;
  return {
    ...{ kind: 'checks', run, workflow, path, step, prompt: message, since: iso(since), mine: false },
    ...{ due: due === undefined ? null : iso(due), command: `pawl resume ${run}` },
  };
}

const NO_RECORD = 'a crash left no record of how this step ended';

type ShownDiff = Pick<ItemOf<'approval'>, 'diff' | 'diffTruncated'>;

/** The diffs of the oldest approvals, by run. */
async function diffsOf({ engine, warn }: Services, items: readonly Item[]): Promise<ReadonlyMap<string, ShownDiff>> {
  const runs = new Set(items.filter(({ kind }) => kind === 'approval').map(({ run }) => run));
  const diffs = new Map<string, ShownDiff>();
  // One after the other: each may start git.
  for (const run of [...runs].slice(0, DIFFS_MAX)) {
    const diff = await readApprovalDiff(engine, run, DIFF_BYTES).catch(warn);
    if (diff) diffs.set(run, { diff: diff.text, ...(diff.truncated ? { diffTruncated: true } : {}) });
  }
  return diffs;
}

/** Whether a question is for this person. The engine checks it again when they decide. */
function mayDecide({ groups }: Caller, from: readonly string[] | undefined): boolean {
  return from === undefined || from.some((group) => groups.includes(group));
}

/** Adds the evidence and the claims of the latest steps. */
async function withEvidence(store: Store, item: Item): Promise<Item> {
  if (item.kind !== 'approval') return item;
  const rows = (await store.latest(item.run)).filter(({ evidence }) => evidence !== undefined).slice(-EVIDENCE_MAX);
  const read = async (ref: (typeof rows)[number]['evidence']): Promise<Json> => {
    const value = await bounded(store, ref);
    return value === null
      ? null
      : value.truncated
        ? { $omitted: { bytes: value.bytes, digest: value.digest } }
        : (JSON.parse(value.text) as Json);
  };
  const evidence = rows.map(async ({ path, step, outcome, evidence: seen, claim }) => ({
    ...{ path, step, outcome: outcome ?? null },
    ...{ evidence: await read(seen), claim: await read(claim) },
  }));
  return { ...item, evidence: await Promise.all(evidence) };
}
