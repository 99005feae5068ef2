// Owns outputs at the forge: a worker requests them in its answer, the engine creates them and reads them back. So workers
// need no write access, and their claims about posts are not trusted. The writes of a run are limited, and counted from the
// forge's own record of actions, so the count is right for every attempt, also after a crash.

import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { createWorkQueue } from '../../base/work-queue.ts';
import { WRITE_OF, type WriteKind, writesMax } from '../../definition/forge/forge-write.ts';
import { type Forge, type ForgeAnswer, type ForgeFailure, type RetryHint, retryHintOf } from '../../forge/forge.ts';
import type { StepError } from '../../kernel/input.ts';
import {
  baseOf,
  defaultPullRequest,
  openPullRequest,
  type PublishFailure,
  pullRequestData,
  type RunPullRequest,
  runPullRequest,
} from '../forge/publishing.ts';
import { type Job, requestError, stepError } from '../work.ts';
import { outputRefusal } from '../worker/permission.ts';
import {
  type ForgeWrite,
  parseWriteRequest,
  targetNumber,
  type WriteRequest,
  writeKey,
  writePrefix,
  writeTargets,
} from '../writes/write-request.ts';
import type { OutputDeclaration } from './declaration.ts';
import { invalidFinding, missingFinding, type OutputFinding, producedFinding } from './finding.ts';

/** The result of creating an output: a finding, or an error that is not the worker's fault. */
export type CreatedOutput = OutputFinding | { readonly error: StepError };

/** An output to create. Without a request, a pull request is the one that is open from the run's branch. */
export interface OutputRequest {
  readonly output: OutputDeclaration;
  readonly wanted: Json | undefined;
}

/** An output to create, with its cleaned request. */
export interface PreparedOutput {
  readonly output: OutputDeclaration;
  readonly request: WriteRequest | undefined;
}

/** The worker's request under the name of an output, or under its type if no other output has that type. */
export function requestedOutput(output: OutputDeclaration, answer: JsonObject, declared: readonly OutputDeclaration[]): Json | undefined {
  const { outputs } = answer;
  const byName = isJsonObject(outputs) && Object.hasOwn(outputs, output.name) ? outputs[output.name] : undefined;
  const isOnly = declared.filter(({ type }) => type === output.type).length === 1;
  return byName ?? (isOnly ? answer[output.type] : undefined) ?? undefined;
}

/** Returns a finding if an output was not requested. */
export function missingRequest(output: OutputDeclaration, wanted: Json | undefined): OutputFinding | undefined {
  // A pull request may already be open from the run's branch.
  if (wanted !== undefined || output.type === 'pr') return undefined;
  return missingFinding(output, `no ${NOUNS[output.type]} was requested`, adviceFor(output));
}

/** Returns the forge for an output, or why the output can never be created here. */
export function forgeFor(job: Job, output: OutputDeclaration): { readonly forge: Forge } | { readonly error: StepError } {
  const { runner, request, context } = job;
  const { forge } = runner.services;
  const noun = NOUNS[output.type] ?? '';
  const subject = `the output "${output.name}" of step "${request.bound.model.id}" is ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
  const refuse = (why: string) => ({ error: stepError('COMMAND_NOT_RUN', `${subject}, and ${why}`, { retryable: false }) });
  const refusal = outputRefusal(request.workflow.definition, output);
  if (refusal !== undefined) return refuse(refusal);
  if (forge === undefined) return refuse('no forge is configured; set one up, such as "forge: { kind: local }" in .pawl/config.yaml');
  const needsPlace = output.type !== 'pr' && output.type !== 'issue';
  if (needsPlace && targetNumber(output, writeTargets(context.snapshot.data)) === undefined)
    return refuse(NO_TARGET[output.type] ?? NO_ISSUE);
  return { forge };
}

const NO_ISSUE = 'this run is not about an issue or a pull request; give it issue_number or pr_number in its context';
const NO_TARGET: Readonly<Record<string, string>> = {
  review: 'this run has no pull request to review; give it pr_number in its context',
  discussion: 'this run is not about a discussion; give it discussion_number in its context',
};

/** Parses and cleans a worker's request; returns a finding if it is rejected. */
export async function prepareOutput(job: Job, forge: Forge, { output, wanted }: OutputRequest): Promise<PreparedOutput | CreatedOutput> {
  if (wanted === undefined) return { output, request: undefined };
  const repository = await forge.repository();
  if (repository.result !== 'ok') return failureFinding(job, output, repository);
  const rules = omitUndefined({ repositoryUrl: repository.value.url, hosts: job.runner.services.writes?.links });
  const request = parseWriteRequest(job, { output, wanted }, { place: writeTargets(job.context.snapshot.data), rules });
  if ('refused' in request) {
    const noun = NOUNS[output.type] ?? '';
    return invalidFinding(output, `the requested ${noun} cannot be written: ${request.refused}`, adviceFor(output));
  }
  return { output, request };
}

/** Creates an output at the forge, once per content, and reads it back. */
export async function createAtForge(job: Job, forge: Forge, { output, request }: PreparedOutput): Promise<CreatedOutput> {
  return await oneWriteAtATime(job.request.runId, async () => {
    const refusal = request === undefined ? undefined : await limitRefusal(job, forge, request);
    if (typeof refusal === 'object') return failureFinding(job, output, refusal);
    if (refusal !== undefined) return refused(output, refusal);
    const created =
      output.type === 'pr' ? await createPullRequest(job, forge, { output, request }) : await write(job, forge, { output, request });
    return 'error' in created || request === undefined || request.changes.length === 0 ? created : { ...created, changes: request.changes };
  });
}

/** A write that was rejected for a reason that the worker cannot change. It is an error only if the output is required. */
export function refused(output: OutputDeclaration, why: string): OutputFinding {
  return { ...missingFinding(output, `it was not written: ${why}`, 'continue without it'), refused: why };
}

const NOUNS: Readonly<Partial<Record<OutputDeclaration['type'], string>>> = {
  comment: 'comment',
  pr: 'pull request',
  label: 'change of labels',
  issue: 'issue',
  review: 'review',
  discussion: 'reply in a discussion',
};

const REQUEST_SHAPES: Readonly<Partial<Record<OutputDeclaration['type'], string>>> = {
  comment: '"the text of the comment"',
  pr: '{"title": …, "body": …}',
  label: '["a label"]',
  issue: '{"title": …, "body": …}',
  review: '{"body": …, "comments": [{"path": …, "line": …, "body": …}]}',
  discussion: '"the text of the reply"',
};

function adviceFor({ name, type }: OutputDeclaration): string {
  return `answer with JSON that has {"outputs": {${JSON.stringify(name)}: ${REQUEST_SHAPES[type]}}}`;
}

async function write(job: Job, forge: Forge, { output, request }: PreparedOutput): Promise<CreatedOutput> {
  if (request === undefined) return missingFinding(output, 'none was requested', adviceFor(output));
  const written = await perform(forge, request.write, writeKey(job, request));
  if ('result' in written) return failureFinding(job, output, written);
  return 'differs' in written
    ? invalidFinding(output, written.differs, 'request it again')
    : { ...producedFinding(output, written.value, written.seen), ...omitUndefined({ remember: written.remember }) };
}

type WriteResult =
  | { readonly value: Json; readonly seen: string; readonly remember?: JsonObject }
  | { readonly differs: string }
  | ForgeFailure;

async function perform(forge: Forge, write: Exclude<ForgeWrite, { type: 'pr' }> | ForgeWrite, key: string): Promise<WriteResult> {
  switch (write.type) {
    case 'comment': {
      const posted = await forge.comment(write, key);
      return posted.result === 'ok'
        ? await readBack(forge.comments(write.number), { ...write, id: posted.value.id, on: `#${write.number}` })
        : posted;
    }
    case 'discussion': {
      const posted = await forge.replyToDiscussion(write, key);
      const on = `discussion #${write.number}`;
      return posted.result === 'ok' ? await readBack(forge.discussionReplies(write.number), { ...write, id: posted.value.id, on }) : posted;
    }
    case 'label':
      return await changeLabels(forge, write, key);
    case 'issue': {
      const { title, body, labels } = write;
      const made = await forge.createIssue({ title, body, labels }, key);
      return made.result === 'ok' ? { value: made.value.number, seen: `issue #${made.value.number}` } : made;
    }
    case 'review': {
      const pr = await forge.pullRequest(write.number);
      if (pr.result !== 'ok') return pr;
      const { number, body, comments } = write;
      const made = await forge.submitReview({ number, head: pr.value.headSha, state: 'commented', body, comments }, key);
      const lines = comments.length === 0 ? '' : ` with ${comments.length} comments on lines`;
      return made.result === 'ok' ? { value: `review:${made.value.id}`, seen: `review ${made.value.id} of #${number}${lines}` } : made;
    }
    case 'pr':
      throw new Error('a pull request is opened by createPullRequest');
  }
}

interface PostedText {
  readonly id: string;
  readonly body: string;
  readonly on: string;
  readonly type: string;
}

async function readBack(
  reading: Promise<ForgeAnswer<readonly { readonly id: string; readonly body: string }[]>>,
  { id, body, on, type }: PostedText,
): Promise<WriteResult> {
  const read = await reading;
  if (read.result !== 'ok') return read;
  const noun = type === 'comment' ? 'comment' : 'reply';
  if (read.value.find((posted) => posted.id === id)?.body !== body)
    return { differs: `${noun} ${id} on ${on} differs from what was posted` };
  return { value: `${type}:${id}`, seen: `${noun} ${id} on ${on}` };
}

async function changeLabels(forge: Forge, { number, add, remove }: ForgeWrite & { type: 'label' }, key: string): Promise<WriteResult> {
  let labels: readonly string[] = [];
  for (const [how, names] of [['removeLabels', remove] as const, ['addLabels', add] as const]) {
    if (names.length === 0) continue;
    const changed = await forge[how]({ number, labels: names }, `${key}/${how}`);
    if (changed.result !== 'ok') return changed;
    labels = changed.value.labels;
  }
  return { value: [...labels], seen: `the labels of #${number} are ${labels.join(', ') || 'none'}`, remember: { labels: [...labels] } };
}

async function createPullRequest(job: Job, forge: Forge, { output, request }: PreparedOutput): Promise<CreatedOutput> {
  const asked = request?.write.type === 'pr' ? request.write : undefined;
  const own = await openRequested(job, forge, { output, request });
  if (own === undefined)
    return missingFinding(output, "no pull request was requested, and none is open from the run's branch", adviceFor(output));
  if ('problem' in own) {
    if (own.isTransient) return temporaryFailure(job, output, { message: own.problem, ...own });
    const isUnasked = asked === undefined && (output.implied !== true || job.request.head === undefined);
    if (isUnasked) return missingFinding(output, `no pull request was requested, and ${own.problem}`, adviceFor(output));
    return invalidFinding(output, `the pull request is rejected: ${own.problem}`, 'fix it and request it again');
  }
  const { pr, branch } = own;
  const changes = await forge.changedFiles({ pr: pr.number });
  if (changes.result !== 'ok') return failureFinding(job, output, changes);
  const fault = faultOf(own) ?? (changes.value.length === 0 ? 'it changes no file' : undefined);
  if (fault !== undefined)
    return invalidFinding(output, `pull request #${pr.number} is not as requested: ${fault}`, 'fix it and request it again');
  const found = producedFinding(output, pr.number, `pull request #${pr.number} is open from "${branch.name}" at ${pr.headSha}`);
  return { ...found, remember: pullRequestData(own, job) };
}

async function openRequested(
  job: Job,
  forge: Forge,
  { output, request }: PreparedOutput,
): Promise<RunPullRequest | PublishFailure | undefined> {
  const asked = request?.write;
  if (request === undefined || asked?.type !== 'pr') {
    return output.implied === true
      ? await openPullRequest(job, forge, await defaultPullRequest(job, forge))
      : await runPullRequest(job, forge);
  }
  const base = await baseOf(job, forge);
  if (typeof base !== 'string') return base;
  if (asked.base !== undefined && asked.base !== base)
    return {
      problem: `the requested base is "${asked.base}", but the work of this run is for "${base}"; leave the base out`,
      isTransient: false,
    };
  const { title, body, head } = asked;
  return await openPullRequest(job, forge, { title, body, key: writeKey(job, request), ...omitUndefined({ head }) });
}

function faultOf({ pr, branch }: RunPullRequest): string | undefined {
  if (pr.state !== 'open') return `it is ${pr.state}`;
  return pr.headSha === branch.sha ? undefined : `its head is ${pr.headSha}, and the work of this run is at ${branch.sha}`;
}

// A temporary failure is an error of the attempt; any other is reported to the worker, which can fix it.
type Failure = { readonly result: ForgeFailure['result'] | 'invalid'; readonly message: string; readonly until?: number };

function failureFinding(job: Job, output: OutputDeclaration, failure: Failure): CreatedOutput {
  const hint = { message: failure.message, ...retryHintOf(failure) };
  return hint.isTransient ? temporaryFailure(job, output, hint) : invalidFinding(output, failure.message, 'fix it and request it again');
}

function temporaryFailure(job: Job, output: OutputDeclaration, failure: RetryHint & { readonly message: string }): CreatedOutput {
  const subject = `the output "${output.name}" of step "${job.request.bound.model.id}"`;
  return { error: requestError('STEP_FAILED', `${subject} could not be created at the forge: ${failure.message}`, failure) };
}

const KIND_OF_ACTION: Readonly<Record<string, WriteKind>> = {
  comment: 'comments',
  openPullRequest: 'pull_requests',
  addLabels: 'labels',
  removeLabels: 'labels',
  createIssue: 'issues',
  submitReview: 'reviews',
  replyToDiscussion: 'discussions',
};

/** Why a request would exceed a limit; undefined if it may be written, or was written already. */
async function limitRefusal(job: Job, forge: Forge, request: WriteRequest): Promise<string | undefined | ForgeFailure> {
  const kind = WRITE_OF[request.write.type];
  const { definition } = job.request.workflow;
  const max = writesMax(kind, definition.writes, job.runner.services.writes?.limits);
  const ownKey = writeKey(job, request);
  const done = await forge.done(writePrefix(job.request.runId));
  if (done.result !== 'ok') return done;
  const others = done.value.filter(({ action, key }) => KIND_OF_ACTION[action] === kind && !key.startsWith(ownKey));
  if (others.length + changesOf(request) <= max) return undefined;
  const words = kind.replace('_', ' ');
  return `the workers of this run may write at most ${max} ${words}, and ${others.length} already exist; raise "writes: { ${kind}: … }" in the workflow or the project's settings`;
}

/** Labels that are added and removed are two changes. */
function changesOf({ write }: WriteRequest): number {
  return write.type === 'label' ? Number(write.add.length > 0) + Number(write.remove.length > 0) : 1;
}

/** Runs the writes of a run one at a time, so that parallel branches do not exceed a limit together. */
const oneWriteAtATime = createWorkQueue();
