// Owns the check of a step's contract when its work is done or reported: documents, changed files, the command, and a
// reviewer's verdicts. Faults go back to the agent as the error of its attempt.

import { omitUndefined } from '../../base/fields.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { citedPaths, contractFaults } from '../../definition/contract/contract-faults.ts';
import { commandLine, type StepContract } from '../../definition/contract/step-contract.ts';
import type { StepModel } from '../../definition/model.ts';
import type { OutcomeName } from '../../definition/outcome.ts';
import type { StepError } from '../../kernel/input.ts';
import { git } from '../../process/git.ts';
import type { CheckResult } from '../attempt.ts';
import { type CheckContext, checkTimeout, errorOf, notRunVerdict } from '../check.ts';
import { ownEntry } from '../services.ts';
import { type Job, stepError } from '../work.ts';
import { runProgram } from '../worker/program.ts';
import { acceptedDocuments, acceptedNow, contractOf, digestsOf, filesBefore, TextFiles } from './contract-files.ts';
import { reviewedNow, reviewFaults } from './review-round.ts';

/** The result of checking a contract. */
export interface ContractFindings {
  readonly evidence: JsonObject;
  readonly checks: readonly CheckResult[];
  /** Absent when all of it holds. */
  readonly error?: StepError;
  /** The accepted documents, for the run's data, if the contract holds. */
  readonly remember: JsonObject;
}

/** Whether the contract is checked for this outcome. A reject with a transition is finished work too. */
export function hasContract({ contract, reviewOf, next }: StepModel, outcome: OutcomeName): boolean {
  if (contract === undefined && reviewOf === undefined) return false;
  return outcome === 'ok' || next[outcome] !== undefined;
}

/** Checks the contract of a step. `output` is the report. */
export async function checkContract(job: Job, output: Json): Promise<ContractFindings> {
  const { request } = job;
  const contract = contractOf(request) ?? {};
  const texts = new TextFiles(job.runner.services.cwd);
  const accepted = await acceptedDocuments(job);
  const { reviewOf } = request.bound.model;
  await loadTexts(texts, contract, accepted.keys());
  const before = filesBefore(job);
  const found = contractFaults(contract, {
    read: texts.read,
    fileOf: texts.fileOf,
    before: (path) => ownEntry(before.documents, path),
    isWritten: await writtenFiles(job, contract, texts),
    accepted,
    changed: await changedFiles(job, contract),
  });
  const review = reviewOf === undefined ? [] : await reviewFaults(job, { reviewOf, output }, texts);
  // A command may take minutes; it is not run for work that is rejected anyway.
  const command = found.length + review.length > 0 ? undefined : await runContractCommand(job, contract);
  const faults = [...found, ...review, ...(command === undefined || command.passed === true ? [] : [commandFault(command)])];
  const checks = command === undefined ? [] : [command];
  const evidence = { contract: { passed: faults.length === 0, ...(faults.length === 0 ? {} : { faults }) } };
  const reviewed = reviewOf === undefined ? {} : await reviewedNow(job, reviewOf, texts);
  const remember = faults.length === 0 ? { ...acceptedNow(contract, request.bound.model.id, texts.read), ...reviewed } : {};
  return { evidence, checks, remember, ...(faults.length === 0 ? {} : { error: contractError(request.bound.model.id, faults) }) };
}

const FAULTS_SHOWN = 12;

function contractError(step: string, faults: readonly string[]): StepError {
  const more = faults.length > FAULTS_SHOWN ? [`- and ${faults.length - FAULTS_SHOWN} more`] : [];
  const list = [...faults.slice(0, FAULTS_SHOWN).map((fault) => `- ${fault}`), ...more].join('\n');
  return stepError('POSTCONDITION_FAILED', `step "${step}" is not done:\n${list}`, { reason: 'contract' });
}

async function loadTexts(texts: TextFiles, contract: StepContract, accepted: Iterable<string>): Promise<void> {
  const { documents = [] } = contract;
  const named = documents.flatMap(({ path, references = [] }) => [path, ...references.map(({ to }) => to)]);
  for (const path of [...named, ...accepted]) await texts.load(path);
  for (const path of citedPaths(contract, texts.read)) await texts.load(path);
}

/** Finds the cited files that were created in this step. Programs that save by renaming recreate files, so git is asked too. */
async function writtenFiles(job: Job, contract: StepContract, texts: TextFiles): Promise<(path: string) => boolean> {
  const { at } = filesBefore(job);
  const created = new Set<string>();
  for (const path of citedPaths(contract, texts.read).filter((cited) => texts.isNewer(cited, at)))
    if (!(await git(job.runner.services.cwd, ['cat-file', '-e', `HEAD:./${path}`])).ok) created.add(path);
  return (path) => created.has(path);
}

async function changedFiles(job: Job, { changes = [] }: StepContract): Promise<(pattern: string) => readonly string[]> {
  const before = filesBefore(job);
  const changed = new Map<string, readonly string[]>();
  for (const pattern of changes) {
    const now = await digestsOf(job, pattern);
    const files = ownEntry(before.files, pattern) ?? {};
    changed.set(
      pattern,
      [...now].flatMap(([path, digest]) => (ownEntry(files, path) === digest ? [] : [path])),
    );
  }
  return (pattern) => changed.get(pattern) ?? [];
}

const NO_CHECK = notRunVerdict('there is no check "command"');

/** The result of a contract's command, with the line that was run. */
interface CommandResult extends CheckResult {
  readonly config: { readonly check: 'command'; readonly run: string };
}

/** Runs the command of a contract as a gate would; undefined if there is none. */
async function runContractCommand(job: Job, { command }: StepContract): Promise<CommandResult | undefined> {
  const { runner, request } = job;
  const line = command === undefined ? undefined : commandLine(command, request.params);
  if (line === undefined) return undefined;
  const at = runner.services.now();
  const config = { check: 'command' as const, run: line };
  const verdict = (await runner.checks.command?.run(config, checkContextOf(job, at))) ?? NO_CHECK;
  const { passed, result } = verdict;
  return { type: 'command', config, passed, result, at, ...omitUndefined({ error: errorOf(verdict) }) };
}

function checkContextOf(job: Job, startedAt: number): CheckContext {
  const { runner, request } = job;
  const { cwd, now } = runner.services;
  const unsupported = (): never => {
    throw new Error('a contract only runs a command');
  };
  const { runId, params, signal, activation, bound } = request;
  const timeoutMs = checkTimeout(job, undefined);
  return {
    ...{ cwd, runId, step: bound.model.id, attempt: activation.attempt, params, signal, now, startedAt, forge: undefined },
    run: (program) => runProgram(runner, request, { ...program, ...(timeoutMs === undefined ? {} : { timeoutMs }), pipefail: true }),
    ask: unsupported,
    check: unsupported,
  };
}

function commandFault({ config, error }: CommandResult): string {
  return `the command \`${config.run}\` must exit with 0, but ${error ?? 'failed'}`;
}
