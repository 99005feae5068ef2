// Owns the actions of `pawl forge`, one function for each: `issue create`, `pr show`, `review`, `check`, …

import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { EngineError } from '../../base/error.ts';
import { agoText } from '../../control/time-text.ts';
import type { CheckRun, ForgeAnswer } from '../../forge/forge.ts';
import type { LocalForge } from '../../forge/local/local-forge.ts';
import { type ParsedArgs, usageError } from '../command.ts';
import { requiredOption } from '../params.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';
import type { ActionEffect } from './right.ts';

interface ForgeCall {
  readonly shell: Shell;
  readonly args: ParsedArgs;
  readonly forge: LocalForge;
  readonly actor: string;
  /** The number of the issue or pull request; 0 if the action takes none. */
  readonly number: number;
}

/** A forge action. */
export interface ForgeAction {
  readonly options: readonly string[];
  /** Whether it takes the number of an issue or a pull request. */
  readonly numbered: boolean;
  /** Undefined for actions that only read. */
  readonly effect?: ActionEffect;
  readonly run: (call: ForgeCall) => Promise<void>;
}

const TEXT_OPTIONS = ['title', 'body', 'as'];
const DECISION_OPTIONS = ['as', 'head', 'token-file'];

/** All actions by their words on the command line. */
export const FORGE_ACTIONS: Readonly<Record<string, ForgeAction>> = {
  'issue list': { options: [], numbered: false, run: async (call) => list(call, 'issue') },
  'issue show': { options: [], numbered: true, run: showIssue },
  'issue create': { options: [...TEXT_OPTIONS, 'label'], numbered: false, effect: 'opens', run: createIssue },
  'issue close': { options: ['as'], numbered: true, effect: 'changes', run: closeIssue },
  'issue comment': { options: ['body', 'as'], numbered: true, effect: 'changes', run: addComment },
  'pr list': { options: [], numbered: false, run: async (call) => list(call, 'pr') },
  'pr show': { options: [], numbered: true, run: showPullRequest },
  'pr create': { options: [...TEXT_OPTIONS, 'head', 'base', 'draft', 'fork'], numbered: false, effect: 'opens', run: createPullRequest },
  'pr ready': { options: ['as'], numbered: true, effect: 'changes', run: (call) => change(call, 'markReady', 'is no longer a draft') },
  'pr close': { options: ['as'], numbered: true, effect: 'changes', run: (call) => change(call, 'closePullRequest', 'is closed') },
  'pr comment': { options: ['body', 'as'], numbered: true, effect: 'changes', run: addComment },
  review: { options: [...DECISION_OPTIONS, 'approve', 'request-changes'], numbered: true, effect: 'decides', run: review },
  check: { options: [...DECISION_OPTIONS, 'name', 'conclusion'], numbered: true, effect: 'decides', run: check },
  label: { options: ['add', 'remove', 'as'], numbered: true, effect: 'changes', run: label },
  notifications: { options: [], numbered: false, run: async (call) => listNotifications(call) },
};

function list({ shell, forge }: ForgeCall, kind: 'issue' | 'pr'): void {
  const items = forge.control.list(kind);
  shell.list(kind === 'issue' ? { issues: items } : { pullRequests: items }, items, {
    none: kind === 'issue' ? 'No issues. "pawl forge issue create --title TEXT" opens one.' : 'No pull requests.',
    columns: {
      NUMBER: ({ number }) => `#${number}`,
      STATE: ({ state }) => state,
      AUTHOR: ({ author }) => oneLine(author),
      TITLE: ({ title }) => oneLine(title),
    },
  });
}

async function showIssue({ shell, forge, number }: ForgeCall): Promise<void> {
  const [issue, comments] = [valueIn(await forge.issue(number)), valueIn(await forge.comments(number))];
  shell.result({ issue, comments }, () => [
    `#${number}  ${oneLine(issue.title)}`,
    `state   ${issue.state}, by ${oneLine(issue.author)}`,
    ...(issue.labels.length === 0 ? [] : [`labels  ${issue.labels.map(oneLine).join(', ')}`]),
    ...bodyLines(issue.body, comments),
  ]);
}

async function showPullRequest({ shell, forge, number }: ForgeCall): Promise<void> {
  const pullRequest = valueIn(await forge.pullRequest(number));
  const [approvals, checks] = [valueIn(await forge.approvals(number)), valueIn(await forge.checks(pullRequest.headSha))];
  const comments = valueIn(await forge.comments(number));
  const { title, author, state, draft, fork, headBranch, headSha, baseBranch, labels, body } = pullRequest;
  shell.result({ pullRequest, approvals, checks, comments }, () => [
    `#${number}  ${oneLine(title)}`,
    `state   ${state}${draft ? ', draft' : ''}, by ${oneLine(author)}`,
    `head    ${oneLine(headBranch)}${fork ? ' (in a fork)' : ''} at ${headSha}`,
    `base    ${oneLine(baseBranch)}`,
    ...(labels.length === 0 ? [] : [`labels  ${labels.map(oneLine).join(', ')}`]),
    ...approvals.map(({ actor, state: word }) => `review  ${oneLine(actor)}: ${word === 'approved' ? 'approved' : 'requests changes'}`),
    ...checks.map(({ name, status, conclusion }) => `check   ${oneLine(name)}: ${conclusion ?? status}`),
    ...bodyLines(body, comments),
  ]);
}

function bodyLines(body: string, comments: readonly { readonly author: string; readonly body: string }[]): string[] {
  const texts = comments.flatMap(({ author, body: text }) => ['', `${oneLine(author)}:`, ...text.trimEnd().split('\n').map(oneLine)]);
  return [...(body.trim() === '' ? [] : ['', ...body.trimEnd().split('\n').map(oneLine)]), ...texts];
}

async function createIssue({ shell, args, forge }: ForgeCall): Promise<void> {
  const request = {
    title: requiredOption(args, 'title', 'the title of the issue'),
    body: args.option('body') ?? '',
    labels: args.options('label'),
  };
  const { number } = valueIn(await forge.createIssue(request, newKey()));
  shell.result({ issue: valueIn(await forge.issue(number)) }, () => [
    `Issue #${number} is open.`,
    `Next: pawl run WORKFLOW --issue ${number}`,
  ]);
}

async function closeIssue({ shell, forge, number }: ForgeCall): Promise<void> {
  valueIn(await forge.closeIssue({ number }, newKey()));
  shell.result({ issue: valueIn(await forge.issue(number)) }, () => [`Issue #${number} is closed.`]);
}

async function addComment({ shell, args, forge, number }: ForgeCall): Promise<void> {
  const { id } = valueIn(await forge.comment({ number, body: requiredOption(args, 'body', 'the text of the comment') }, newKey()));
  shell.result({ comment: { id } }, () => [`Added comment ${id} to #${number}.`]);
}

async function createPullRequest({ shell, args, forge }: ForgeCall): Promise<void> {
  const base = args.option('base') ?? valueIn(await forge.repository()).defaultBranch;
  const head = requiredOption(args, 'head', 'the branch with the changes');
  const request = { title: args.option('title') ?? head, body: args.option('body') ?? '', head, base, draft: args.has('draft') };
  const fork = args.option('fork');
  const opened =
    fork === undefined
      ? await forge.openPullRequest(request, newKey())
      : await forge.control.openFromFork({ ...request, repository: resolve(shell.cwd, fork) });
  const { number } = valueIn(opened);
  const pullRequest = valueIn(await forge.pullRequest(number));
  shell.result({ pullRequest }, () => [`Pull request #${number} is open from "${oneLine(head)}" at ${pullRequest.headSha}.`]);
}

async function change({ shell, forge, number }: ForgeCall, how: 'markReady' | 'closePullRequest', result: string): Promise<void> {
  valueIn(forge.control[how](number));
  shell.result({ pullRequest: valueIn(await forge.pullRequest(number)) }, () => [`Pull request #${number} ${result}.`]);
}

async function review(call: ForgeCall): Promise<void> {
  const { shell, args, forge, actor, number } = call;
  const approves = args.has('approve');
  if (approves === args.has('request-changes')) throw usageError('a review needs either --approve or --request-changes');
  const state = approves ? 'approved' : 'changes_requested';
  const headSha = await reviewedHead(call);
  valueIn(await forge.control.review(number, { actor, state, head: headSha }));
  shell.result({ review: { pullRequest: number, actor, state, headSha } }, () => [
    `${oneLine(actor)} ${approves ? 'approves' : 'requests changes in'} pull request #${number} at ${headSha}.`,
    'Next: "pawl runs" shows the run that waits for it; "pawl resume RUN" continues it if no process drives it.',
  ]);
}

function listNotifications({ shell, forge }: ForgeCall): void {
  const sent = forge.control.notifications();
  const notifications = sent.map(({ at, ...rest }) => ({ at: new Date(at).toISOString(), ...rest }));
  shell.list({ notifications }, sent, {
    none: 'No notifications. Workflows send them with "notify".',
    columns: {
      SENT: ({ at }) => agoText(at),
      TO: ({ target, people }) => oneLine([target, ...people.filter((name) => name !== target)].join(', ')),
      ABOUT: ({ number }) => (number === undefined ? '' : `#${number}`),
      MESSAGE: ({ message }) => oneLine(message),
    },
    shrinks: { MESSAGE: 'text' },
  });
}

async function check(call: ForgeCall): Promise<void> {
  const { shell, args, forge, number } = call;
  const name = args.option('name') ?? 'ci';
  const conclusion = requiredOption(args, 'conclusion', 'the result of the check') as NonNullable<CheckRun['conclusion']> | 'pending';
  const headSha = await reviewedHead(call);
  const isPending = conclusion === 'pending';
  const checkRun: CheckRun = { name, status: isPending ? 'in_progress' : 'completed', conclusion: isPending ? null : conclusion };
  valueIn(await forge.control.check(headSha, checkRun));
  shell.result({ check: { pullRequest: number, headSha, ...checkRun } }, () => [
    `Check "${oneLine(name)}" of pull request #${number} at ${headSha}: ${conclusion}.`,
  ]);
}

/** The current head commit, which must be the one of --head. */
async function reviewedHead({ args, forge, number }: ForgeCall): Promise<string> {
  const { headSha } = valueIn(await forge.pullRequest(number));
  const seen = args.option('head')?.toLowerCase();
  if (seen === undefined) return headSha;
  if (!/^[0-9a-f]{12,64}$/.test(seen)) throw usageError(`--head must be at least 12 characters of a commit, not "${seen}"`);
  if (headSha.startsWith(seen)) return headSha;
  throw new EngineError('CONTENT_CHANGED', `the head of #${number} is ${headSha}, not ${seen}: it has changed since; review it again`);
}

async function label({ shell, args, forge, number }: ForgeCall): Promise<void> {
  const [add, remove] = [args.options('add'), args.options('remove')];
  if (add.length + remove.length === 0) throw usageError('a label is missing: use --add LABEL or --remove LABEL');
  if (remove.length > 0) valueIn(await forge.removeLabels({ number, labels: remove }, newKey()));
  const { labels } = valueIn(await forge.addLabels({ number, labels: add }, newKey()));
  shell.result({ number, labels }, () => [
    labels.length === 0 ? `#${number} has no labels.` : `#${number} has the labels ${labels.map(oneLine).join(', ')}.`,
  ]);
}

/** An idempotency key; a new one per call, so that a repeated command is executed again. */
function newKey(): string {
  return `cli/${randomUUID()}`;
}

function valueIn<T>(answer: ForgeAnswer<T>): T {
  if (answer.result === 'ok') return answer.value;
  const code = answer.result === 'unavailable' || answer.result === 'rate_limited' ? 'STORE_UNAVAILABLE' : 'USAGE';
  throw new EngineError(code, `the local forge rejected this: ${answer.message}`, { details: { result: answer.result } });
}
