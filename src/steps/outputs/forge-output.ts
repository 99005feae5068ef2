// Owns outputs that live at the forge: a worker asks for them in its answer, the engine makes them and reads them back.
// So no worker needs the right to write there, and what it says it posted is not believed.

import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { performAction } from '../../forge/action.ts';
import type { Forge, ForgeFailure, PullRequestFacts, PullRequestRequest } from '../../forge/forge.ts';
import { disarm } from '../../forge/outgoing-text.ts';
import type { StepError } from '../../kernel/input.ts';
import { outputRefusal } from '../permission.ts';
import { type Job, stepError } from '../work.ts';
import type { OutputDeclaration } from './declaration.ts';
import { kept, missing, type OutputFinding, wrong } from './finding.ts';

/** What came of making an output: how it was found, or trouble that is not the worker's. */
export type Made = OutputFinding | { readonly error: StepError };

/** An output that a worker has asked for. */
export interface Wish {
  readonly output: OutputDeclaration;
  readonly wanted: Json;
}

/** What a worker asked for under the name of an output, or by its type when that is the only one of its type. */
export function wishFor(output: OutputDeclaration, said: JsonObject, declared: readonly OutputDeclaration[]): Json | undefined {
  const { outputs } = said;
  const byName = isJsonObject(outputs) && Object.hasOwn(outputs, output.name) ? outputs[output.name] : undefined;
  const isOnly = declared.filter(({ type }) => type === output.type).length === 1;
  return byName ?? (isOnly ? said[output.type] : undefined) ?? undefined;
}

/** Looks at a wish before anything is done; undefined when it can be done. */
export function findFault(output: OutputDeclaration, wanted: Json | undefined): OutputFinding | undefined {
  const advice = ADVICE[output.type === 'pr' ? 'pr' : 'comment'](output.name);
  if (wanted === undefined) return missing(output, `no ${NOUNS[output.type]} was asked for`, advice);
  const isRight = output.type === 'pr' ? readPullRequest(wanted) !== undefined : typeof wanted === 'string' && wanted.trim() !== '';
  return isRight ? undefined : wrong(output, `what was asked for is no ${NOUNS[output.type]}`, advice);
}

/** The forge to make an output at, or why it can never be made here. */
export function forgeFor(job: Job, output: OutputDeclaration): { readonly forge: Forge } | { readonly error: StepError } {
  const { bench, request, context } = job;
  const { forge } = bench.services;
  const what = `the output "${output.name}" of step "${request.bound.model.id}" is a ${NOUNS[output.type]}`;
  const refuse = (why: string) => ({ error: stepError('COMMAND_NOT_RUN', `${what}, and ${why}`, { retryable: false }) });
  const refusal = outputRefusal(request.workflow.definition, output.type === 'pr' ? 'pr' : 'comment');
  if (refusal !== undefined) return refuse(refusal);
  if (forge === undefined) return refuse('there is no forge here to make it at; configure one');
  if (output.type === 'comment' && numberOf(context.snapshot.data) === undefined)
    return refuse('this run is about no issue and no pull request; give it issue_number or pr_number in its context');
  return { forge };
}

/** Makes an output at the forge, once per attempt, and reads it back. */
export async function makeAtForge(job: Job, forge: Forge, wish: Wish): Promise<Made> {
  return wish.output.type === 'pr' ? await makePullRequest(job, forge, wish) : await makeComment(job, forge, wish);
}

const NOUNS: Readonly<Record<OutputDeclaration['type'], string>> = {
  comment: 'comment',
  pr: 'pull request',
  file: 'file',
  artifact: 'file',
};

const ADVICE = {
  comment: (name: string): string => `answer with JSON that has {"outputs": {${JSON.stringify(name)}: "the text of the comment"}}`,
  pr: (name: string): string =>
    `answer with JSON that has {"outputs": {${JSON.stringify(name)}: {"title": …, "body": …, "head": "the branch"}}}`,
};

async function makeComment(job: Job, forge: Forge, { output, wanted }: Wish): Promise<Made> {
  const { data } = job.context.snapshot;
  const number = numberOf(data) as number;
  const message = masked(job, String(wanted));
  const scene = { subject: { issue: number }, key: keyOf(job, output) };
  const done = await performAction(forge, { name: 'comment', config: { message } }, scene);
  if (done.outcome !== 'ok') return notMade(job, output, { result: done.reason, message: done.error });
  const id = isJsonObject(done.value) ? String(done.value.id) : '';
  const read = await forge.comments(number);
  if (read.result !== 'ok') return notMade(job, output, read);
  const found = read.value.find((comment) => comment.id === id);
  if (found?.body !== disarm(message)) return wrong(output, `comment ${id} on #${number} does not read back as it was posted`, 'ask again');
  return kept(output, `comment:${id}`, `comment ${id} on #${number}`);
}

async function makePullRequest(job: Job, forge: Forge, { output, wanted }: Wish): Promise<Made> {
  const repository = await forge.repository();
  if (repository.result !== 'ok') return notMade(job, output, repository);
  const asked = { base: repository.value.defaultBranch, ...readPullRequest(wanted) } as PullRequestRequest;
  const request = { ...asked, title: disarm(masked(job, asked.title)), body: disarm(masked(job, asked.body)) };
  const done = await forge.openPullRequest(request, keyOf(job, output));
  if (done.result !== 'ok') return notMade(job, output, done);
  const { number } = done.value;
  const [read, changes] = [await forge.pullRequest(number), await forge.changedFiles({ pr: number })];
  if (read.result !== 'ok') return notMade(job, output, read);
  if (changes.result !== 'ok') return notMade(job, output, changes);
  const fault = faultOf(read.value, request) ?? (changes.value.length === 0 ? 'it changes no file' : undefined);
  if (fault !== undefined) return wrong(output, `pull request #${number} is not as asked for: ${fault}`, 'mend the branch and ask again');
  return kept(output, number, `pull request #${number} is open from "${request.head}" at ${read.value.headSha}`);
}

function faultOf({ state, headBranch, baseBranch, headSha }: PullRequestFacts, { head, base }: PullRequestRequest): string | undefined {
  if (state !== 'open') return `it is ${state}`;
  if (headBranch !== head || headSha === '') return `its head is "${headBranch}", not "${head}"`;
  return baseBranch === base ? undefined : `its base is "${baseBranch}", not "${base}"`;
}

function readPullRequest(wanted: Json): Omit<PullRequestRequest, 'base'> | PullRequestRequest | undefined {
  if (!isJsonObject(wanted)) return undefined;
  const { title, body = '', head, base } = wanted;
  if (typeof title !== 'string' || title.trim() === '' || typeof body !== 'string' || typeof head !== 'string' || head === '')
    return undefined;
  if (base === undefined || base === null) return { title, body, head };
  return typeof base === 'string' && base !== '' ? { title, body, head, base } : undefined;
}

// What may pass is an error of the attempt; anything else the worker can mend, so it hears of it.
function notMade(job: Job, output: OutputDeclaration, failure: { result: ForgeFailure['result'] | 'invalid'; message: string }): Made {
  const { result, message } = failure;
  if (result !== 'unavailable' && result !== 'rate_limited') return wrong(output, message, 'mend it and ask again');
  const what = `the output "${output.name}" of step "${job.request.bound.model.id}"`;
  return { error: stepError('STEP_FAILED', `${what} could not be made at the forge: ${message}`) };
}

// The issue comes first where a run has both: it is what the run was started for.
function numberOf({ issue_number: issue, pr_number: pr }: JsonObject): number | undefined {
  return [issue, pr].find((value): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value > 0);
}

function masked({ bench }: Job, text: string): string {
  return bench.redactor?.text(text) ?? text;
}

function keyOf({ context }: Job, { name }: OutputDeclaration): string {
  return `${context.idempotencyKey}/${name}`;
}
