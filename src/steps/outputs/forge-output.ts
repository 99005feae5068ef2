// Owns outputs that live at the forge: a worker asks for them in its answer, the engine makes them and reads them back.
// So no worker needs the right to write there, and what it says it posted is not believed.

import { present } from '../../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { performAction } from '../../forge/action.ts';
import { type Forge, type ForgeFailure, type Passing, passingOf } from '../../forge/forge.ts';
import { disarm } from '../../forge/outgoing-text.ts';
import type { StepError } from '../../kernel/input.ts';
import { outputRefusal } from '../permission.ts';
import { baseOf, type OwnPullRequest, openingOf, openPullRequest, ownPullRequest, rememberedOf, type Unpublished } from '../publishing.ts';
import { type Job, requestError, stepError } from '../work.ts';
import type { OutputDeclaration } from './declaration.ts';
import { kept, missing, type OutputFinding, wrong } from './finding.ts';

/** What came of making an output: how it was found, or trouble that is not the worker's. */
export type Made = OutputFinding | { readonly error: StepError };

/** An output to be made. A pull request without a wish of the worker is the one that is open from the run's branch. */
export interface Wish {
  readonly output: OutputDeclaration;
  readonly wanted: Json | undefined;
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
  const advice = adviceFor(output);
  // One may be open from the run's branch already.
  if (wanted === undefined && output.type === 'pr') return undefined;
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
  if (forge === undefined)
    return refuse('there is no forge here to make it at; configure one, such as "forge: { kind: local }" in .pawl/config.yaml');
  if (output.type === 'comment' && numberOf(context.snapshot.data) === undefined)
    return refuse('this run is about no issue and no pull request; give it issue_number or pr_number in its context');
  return { forge };
}

/** Makes an output at the forge, once per attempt, and reads it back. */
export async function makeAtForge(job: Job, forge: Forge, wish: Wish): Promise<Made> {
  return wish.output.type === 'pr' ? await makePullRequest(job, forge, wish) : await makeComment(job, forge, wish);
}

const NOUNS: Readonly<Partial<Record<OutputDeclaration['type'], string>>> = {
  comment: 'comment',
  pr: 'pull request',
};

function adviceFor({ name, type }: OutputDeclaration): string {
  const wish = type === 'pr' ? '{"title": …, "body": …}' : '"the text of the comment"';
  return `answer with JSON that has {"outputs": {${JSON.stringify(name)}: ${wish}}}`;
}

async function makeComment(job: Job, forge: Forge, { output, wanted }: Wish): Promise<Made> {
  const { data } = job.context.snapshot;
  const number = numberOf(data) as number;
  const message = masked(job, String(wanted));
  const scene = { subject: { issue: number }, key: keyOf(job, output) };
  const done = await performAction(forge, { name: 'comment', config: { message } }, scene);
  if (done.outcome !== 'ok') return notMade(job, output, { result: done.reason, message: done.error, ...present({ until: done.until }) });
  const id = isJsonObject(done.value) ? String(done.value.id) : '';
  const read = await forge.comments(number);
  if (read.result !== 'ok') return notMade(job, output, read);
  const found = read.value.find((comment) => comment.id === id);
  if (found?.body !== disarm(message)) return wrong(output, `comment ${id} on #${number} does not read back as it was posted`, 'ask again');
  return kept(output, `comment:${id}`, `comment ${id} on #${number}`);
}

async function makePullRequest(job: Job, forge: Forge, { output, wanted }: Wish): Promise<Made> {
  const asked = wanted === undefined ? undefined : readPullRequest(wanted);
  const own = await openAsAsked(job, forge, { output, asked });
  if (own === undefined) return missing(output, "no pull request was asked for, and none is open from the run's branch", adviceFor(output));
  if ('problem' in own) {
    if (own.mayPass) return unmade(job, output, { message: own.problem, ...own });
    const isUnasked = asked === undefined && (output.implied !== true || job.request.head === undefined);
    if (isUnasked) return missing(output, `no pull request was asked for, and ${own.problem}`, adviceFor(output));
    return wrong(output, `the pull request is refused: ${own.problem}`, 'fix it and ask again');
  }
  const { pr, branch } = own;
  const changes = await forge.changedFiles({ pr: pr.number });
  if (changes.result !== 'ok') return notMade(job, output, changes);
  const fault = faultOf(own) ?? (changes.value.length === 0 ? 'it changes no file' : undefined);
  if (fault !== undefined) return wrong(output, `pull request #${pr.number} is not as asked for: ${fault}`, 'fix it and ask again');
  const found = kept(output, pr.number, `pull request #${pr.number} is open from "${branch.name}" at ${pr.headSha}`);
  return { ...found, remember: rememberedOf(own) };
}

/** What a worker asked for: the text of the pull request, and, if it said so, from which branch and into which. */
interface AskedPullRequest {
  readonly title: string;
  readonly body: string;
  readonly head?: string;
  readonly base?: string;
}

async function openAsAsked(
  job: Job,
  forge: Forge,
  { output, asked }: { readonly output: OutputDeclaration; readonly asked: AskedPullRequest | undefined },
): Promise<OwnPullRequest | Unpublished | undefined> {
  if (asked === undefined) {
    return output.implied === true ? await openPullRequest(job, forge, await openingOf(job, forge)) : await ownPullRequest(job, forge);
  }
  const base = await baseOf(job, forge);
  if (typeof base !== 'string') return base;
  if (asked.base !== undefined && asked.base !== base)
    return { problem: `its base is "${asked.base}", and the work of this run is for "${base}"; leave the base out`, mayPass: false };
  const [title, body] = [masked(job, asked.title), masked(job, asked.body)];
  return await openPullRequest(job, forge, {
    title,
    body,
    key: keyOf(job, output),
    ...(asked.head === undefined ? {} : { head: asked.head }),
  });
}

function faultOf({ pr, branch }: OwnPullRequest): string | undefined {
  if (pr.state !== 'open') return `it is ${pr.state}`;
  return pr.headSha === branch.sha ? undefined : `its head is ${pr.headSha}, and the work of this run is at ${branch.sha}`;
}

function readPullRequest(wanted: Json): AskedPullRequest | undefined {
  if (!isJsonObject(wanted)) return undefined;
  const { title, body = '', head, base } = wanted;
  const isBranch = (name: Json | undefined): boolean => name === undefined || name === null || (typeof name === 'string' && name !== '');
  if (typeof title !== 'string' || title.trim() === '' || typeof body !== 'string' || !isBranch(head) || !isBranch(base)) return undefined;
  return { title, body, ...(typeof head === 'string' ? { head } : {}), ...(typeof base === 'string' ? { base } : {}) };
}

// A passing fault is an error of the attempt; anything else the worker can fix, so it is told.
type Failure = { readonly result: ForgeFailure['result'] | 'invalid'; readonly message: string; readonly until?: number };

function notMade(job: Job, output: OutputDeclaration, failure: Failure): Made {
  const passing = { message: failure.message, ...passingOf(failure) };
  return passing.mayPass ? unmade(job, output, passing) : wrong(output, failure.message, 'fix it and ask again');
}

function unmade(job: Job, output: OutputDeclaration, failure: Passing & { readonly message: string }): Made {
  const what = `the output "${output.name}" of step "${job.request.bound.model.id}"`;
  return { error: requestError('STEP_FAILED', `${what} could not be made at the forge: ${failure.message}`, failure) };
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
