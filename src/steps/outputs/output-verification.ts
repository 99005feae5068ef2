// Owns the verification of a step's declared outputs: the baseline before the work, and the check afterwards. A step is `ok`
// if every required output was observed; the worker's report about them is kept as its claim.
//
// - Nothing runs if an output can never be created: a pattern that leads outside, a required comment without a forge.
// - Nothing is posted while any other output is missing, so that a retried step posts once. Pull requests come before
//   comments: opening one again finds the first, and they are more likely to be rejected.
// - The value of an output is observed. A field of the worker's answer with the same name is dropped.

import { omitUndefined, unlessEmpty } from '../../base/fields.ts';
import { isJsonObject, type Json, type JsonObject, toPlain } from '../../base/json.ts';
import { FORGE_OUTPUTS } from '../../definition/forge/forge-write.ts';
import { runsInOtherProcess } from '../../definition/kind.ts';
import { isFileOutput, patternRefusal } from '../../definition/output-pattern.ts';
import { PUBLIC_API } from '../../expr/filters.ts';
import { AttemptStopped } from '../abort.ts';
import { recordFilesBefore } from '../contracts/contract-files.ts';
import { publishWork } from '../forge/publishing.ts';
import { protectFiles } from '../protection/protection.ts';
import { CLAIM_ONLY, type Executor, type Job, stepError, type Work } from '../work.ts';
import { askToWrite, isStaged, type StagedDecision, stagedDecision } from '../writes/staging.ts';
import { type Baseline, newBaselines, openBaseline, takeDigests } from './baseline.ts';
import { isAtForge, type OutputDeclaration, outputsOf } from './declaration.ts';
import { checkEffect, effectKey } from './effect-output.ts';
import { findArtifact, findFiles } from './file-output.ts';
import { contractError, emptyValue, evidenceOf, missingFinding, type OutputFinding } from './finding.ts';
import {
  createAtForge,
  forgeFor,
  missingRequest,
  type OutputRequest,
  type PreparedOutput,
  prepareOutput,
  refused,
  requestedOutput,
} from './forge-output.ts';

type CompletedWork = Extract<Work, { readonly outcome: string }>;
type DeclaredOutputs = readonly OutputDeclaration[];

/** The fields in which a worker requests outputs; they are not part of the result. */
const REQUEST_FIELDS: ReadonlySet<string> = new Set([...FORGE_OUTPUTS, 'outputs']);

/** Runs the work of a step, and verifies its declared outputs. */
export async function runWithOutputs(job: Job, work: Executor): Promise<Work> {
  return await publishWork(job, await runAndVerify(job, work));
}

async function runAndVerify(job: Job, work: Executor): Promise<Work> {
  const { request } = job;
  const declared = outputsHere(job);
  if (declared.length === 0) return await protectFiles(job, work);
  const refusal = refusalOf(job, declared);
  if (refusal !== undefined) return refusal;
  const before = await openBaseline(job, declared);
  const decided = stagedDecision(job);
  if (decided !== undefined) return await decideStaged(job, declared, { before, decided });
  const done = await protectFiles(job, work);
  if ('error' in done || 'handed' in done || 'asks' in done) return done;
  const plain = { ...done, output: toPlain(done.output, `the output of step "${request.bound.model.id}"`) };
  if (done.outcome !== 'ok') return { ...done, output: withoutOutputs(plain.output, declared) };
  return await verifyOutputs(job, declared, { before, done: plain });
}

/** The baselines to record before the work begins, for the run's data. */
export async function baselinesBeforeWork(job: Job): Promise<JsonObject | undefined> {
  const declared = outputsOf(job.request.bound.model);
  const isRefused = declared.some((output) => isFileOutput(output) && patternRefusal(output.pattern) !== undefined);
  return unlessEmpty({ ...(isRefused ? undefined : await newBaselines(job, declared)), ...(await recordFilesBefore(job)) });
}

/** The outputs of the step here: without a forge, there is no implied pull request. */
function outputsHere({ runner, request }: Job): DeclaredOutputs {
  const hasForge = runner.services.forge !== undefined;
  return outputsOf(request.bound.model).filter(({ implied }) => hasForge || implied !== true);
}

function refusalOf(job: Job, declared: DeclaredOutputs): Work | undefined {
  for (const output of declared) {
    const why = isFileOutput(output) ? patternRefusal(output.pattern) : undefined;
    if (isFileOutput(output) && why !== undefined) {
      const subject = `the pattern "${output.pattern}" of the output "${output.name}" of step "${job.request.bound.model.id}" is rejected`;
      return { error: stepError('STEP_FAILED', `${subject}: ${why}; use one inside the workspace`, { retryable: false }) };
    }
    const place = !isAtForge(output) || !output.required ? undefined : forgeFor(job, output);
    if (place !== undefined && 'error' in place) return place;
  }
  return undefined;
}

/** Finished work, and the baseline from before it. */
interface FinishedWork {
  readonly before: Baseline;
  readonly done: CompletedWork & { readonly output: Json };
}

async function verifyOutputs(job: Job, declared: DeclaredOutputs, { before, done }: FinishedWork): Promise<Work> {
  const answer = isJsonObject(done.output) ? done.output : {};
  const found = new Map<OutputDeclaration, OutputFinding>(await findInWorkspace(job, declared, before));
  const wishes: OutputRequest[] = [];
  for (const output of declared.filter(isAtForge)) {
    const wanted = requestedOutput(output, answer, declared);
    const fault = missingRequest(output, wanted);
    if (fault !== undefined) found.set(output, fault);
    else if (wanted !== undefined || job.runner.services.forge !== undefined) wishes.push({ output, wanted });
    else found.set(output, missingFinding(output, 'no pull request was requested', 'request one'));
  }
  if ([...found.values()].every(({ problem }) => problem === undefined)) {
    const ready = await prepareAll(job, wishes, found);
    if ('error' in ready) return { ...recordOf(done), ...ready };
    const isBroken = [...found.values()].some(({ problem }) => problem !== undefined);
    const requests = ready.wishes.flatMap(({ request }) => request ?? []);
    if (!isBroken && requests.length > 0 && isStaged(job)) return askToWrite(job, done, requests);
    const failure = isBroken ? undefined : await createAll(job, ready.wishes, found);
    if (failure !== undefined) return { ...recordOf(done), ...failure };
  }
  return resultWithOutputs(job, done, inDeclaredOrder(declared, found));
}

interface StagedAnswer {
  readonly before: Baseline;
  readonly decided: StagedDecision;
}

/** Continues work after a person has decided about its writes: approved ones are written, the rest are not. */
async function decideStaged(job: Job, declared: DeclaredOutputs, { before, decided }: StagedAnswer): Promise<Work> {
  const { forget } = decided;
  const done = { ...decided.done, remember: { ...decided.done.remember, ...forget } };
  const found = new Map<OutputDeclaration, OutputFinding>(await findInWorkspace(job, declared, before));
  const isApproved = 'approved' in decided;
  const requests = new Map(isApproved ? decided.approved.map((request) => [request.name, request]) : []);
  const atForge = declared.filter(isAtForge);
  if (!isApproved) {
    for (const output of atForge) if (decided.names.includes(output.name)) found.set(output, refused(output, decided.refused));
  }
  const wishes = atForge.filter((output) => !found.has(output) && (requests.has(output.name) || output.type === 'pr'));
  for (const output of atForge)
    if (!found.has(output) && !wishes.includes(output)) found.set(output, missingFinding(output, 'none was requested', 'request one'));
  const failure = await createAll(
    job,
    wishes.map((output) => ({ output, request: requests.get(output.name) })),
    found,
  );
  // The decision stays valid until the writes are done, even if the forge is unreachable now.
  if (failure !== undefined) return { ...recordOf(decided.done), ...failure };
  return resultWithOutputs(job, done, inDeclaredOrder(declared, found));
}

/** Parses and cleans all requests before the first is written. */
async function prepareAll(
  job: Job,
  wishes: readonly OutputRequest[],
  found: Map<OutputDeclaration, OutputFinding>,
): Promise<{ readonly wishes: readonly PreparedOutput[] } | (Work & { readonly error: unknown })> {
  const ready: PreparedOutput[] = [];
  for (const wish of wishes) {
    const place = forgeFor(job, wish.output);
    if ('error' in place) return place;
    const prepared = await prepareOutput(job, place.forge, wish);
    if ('error' in prepared) return prepared;
    if ('seen' in prepared) found.set(wish.output, prepared);
    else ready.push(prepared);
  }
  return { wishes: ready };
}

async function findInWorkspace(job: Job, declared: DeclaredOutputs, before: Baseline): Promise<[OutputDeclaration, OutputFinding][]> {
  const { runner } = job;
  const since = job.request.bound.model.fresh === 'run' ? ('the run' as const) : ('the step' as const);
  const after = await takeDigests(
    job,
    declared.filter(({ type }) => type !== 'effect'),
  );
  const found: [OutputDeclaration, OutputFinding][] = [];
  for (const output of declared.filter(isFileOutput)) {
    const nothing = new Map<string, string>();
    const digests = { before: before.get(output.pattern) ?? nothing, after: after.get(output.pattern) ?? nothing };
    const change = { cwd: runner.services.cwd, ...digests, since };
    found.push([output, output.type === 'file' ? await findFiles(output, change) : await findArtifact(output, change)]);
  }
  for (const output of declared)
    if (output.type === 'effect') found.push([output, await checkEffect(job, output, before.get(effectKey(output)))]);
  return found;
}

async function createAll(
  job: Job,
  wishes: readonly PreparedOutput[],
  found: Map<OutputDeclaration, OutputFinding>,
): Promise<Work | undefined> {
  const isPr = ({ output }: PreparedOutput): boolean => output.type === 'pr';
  for (const wish of [...wishes.filter(isPr), ...wishes.filter((one) => !isPr(one))]) {
    if (job.request.signal.aborted) throw new AttemptStopped();
    const place = forgeFor(job, wish.output);
    if ('error' in place) return place;
    const made = await createAtForge(job, place.forge, wish);
    if ('error' in made) return made;
    found.set(wish.output, made);
    if (made.problem !== undefined) return undefined;
  }
  return undefined;
}

function inDeclaredOrder(declared: DeclaredOutputs, found: ReadonlyMap<OutputDeclaration, OutputFinding>): OutputFinding[] {
  return declared.flatMap((output) => found.get(output) ?? []);
}

function resultWithOutputs(job: Job, done: FinishedWork['done'], findings: readonly OutputFinding[]): Work {
  const { request } = job;
  const evidence = { ...done.evidence, outputs: evidenceOf(findings) };
  const error = contractError(request.bound.model.id, findings);
  if (error !== undefined)
    return { ...recordOf(done), claim: done.claim ?? done.output, evidence: { ...evidence, verdict: CLAIM_ONLY }, error };
  const values = Object.fromEntries(findings.map(({ output: { name }, value }) => [name, value]));
  const pr = findings.find(({ output, value }) => output.type === 'pr' && value !== null);
  const remember = { ...done.remember, ...Object.assign({}, ...findings.map((finding) => finding.remember)) };
  const rest = { ...done, ...omitUndefined({ remember: unlessEmpty(remember) }), evidence };
  // A function result that is not an object has no place for the values; they are in the evidence.
  if (!isAnswerOnlyClaim(job) && done.output !== null && !isJsonObject(done.output)) return rest;
  return {
    ...rest,
    output: {
      ...ownFields(
        done.output,
        findings.map(({ output }) => output),
      ),
      ...numberOf(pr),
      ...values,
      ...publicApi(findings),
    },
  };
}

/** Whether the worker's answer, except its outputs, is only a claim. */
function isAnswerOnlyClaim({ runner, request }: Job): boolean {
  return runsInOtherProcess(runner, request.bound.model.kind);
}

/** The number of the pull request, for the run's data. */
function numberOf(pr: OutputFinding | undefined): JsonObject {
  return pr === undefined ? {} : { pr_number: pr.value };
}

/** The output files with public declarations, under a reserved name. */
function publicApi(findings: readonly OutputFinding[]): JsonObject {
  const paths = new Set(findings.flatMap(({ publicPaths = [] }) => publicPaths));
  return paths.size === 0 ? {} : { [PUBLIC_API]: [...paths].sort() };
}

function recordOf({ outcome: _, output: __, ...rest }: CompletedWork): Omit<CompletedWork, 'outcome' | 'output'> {
  return rest;
}

/** The fields of a worker's answer that are neither requests nor claims about its outputs. */
function ownFields(answer: Json, declared: DeclaredOutputs): JsonObject {
  if (!isJsonObject(answer)) return {};
  const opensPr = declared.some(({ type }) => type === 'pr');
  const isOwn = (field: string): boolean => !REQUEST_FIELDS.has(field) && field !== PUBLIC_API && !(opensPr && field === 'pr_number');
  return Object.fromEntries(Object.entries(answer).filter(([field]) => isOwn(field)));
}

/** The answer of an unsuccessful worker, with every declared name set to null because reading a missing name is an error. */
function withoutOutputs(answer: Json, declared: DeclaredOutputs): Json {
  if (answer !== null && !isJsonObject(answer)) return answer;
  return { ...ownFields(answer, declared), ...Object.fromEntries(declared.map((output) => [output.name, emptyValue(output)])) };
}
