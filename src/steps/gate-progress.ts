// Owns the progress of a gate while some of its checks are pending: a passed check is not repeated while its subject is
// unchanged, and every state of a pending check is recorded.
//
// - A check of files counts for the tree that it read. After a change of the tree it runs again.
// - The state of a pull request is read every time, because an approval can be withdrawn.

import { digestJson } from '../base/digest.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { allChecks, type CheckModel } from '../definition/check.ts';
import { anyReadsFiles } from '../definition/landing.ts';
import type { CheckResult } from './attempt.ts';
import { type CheckVerdict, errorOf, whyUndecided } from './check.ts';
import { redactPlain } from './redaction.ts';
import { GATE_PROGRESS } from './run-records.ts';
import { ownEntry } from './services.ts';
import type { Job } from './work.ts';

/** A check with its verdict and time. */
export interface CheckRun {
  readonly config: CheckModel;
  readonly verdict: CheckVerdict;
  readonly at: number;
  /** The result of each run, if the check ran twice. */
  readonly runs?: readonly CheckRun[];
}

/** The results of a gate's checks while some are pending. */
export interface StoredProgress {
  readonly attempt: number;
  /** The tree that was checked; null if no check reads files. */
  readonly tree: string | null;
  readonly checks: readonly { readonly verdict: CheckVerdict; readonly at: number }[];
  /** The reasons why checks are pending. */
  readonly pending: string;
  /** The states of pending checks so far, for the record. */
  readonly seen: readonly CheckResult[];
}

const SEEN_MAX = 100;

/** The results of a gate's previous run, and what to store after the current one. */
export class GateProgress {
  readonly #job: Job;
  readonly #tree: string | null;
  readonly #last: StoredProgress | undefined;

  constructor(job: Job, tree: string | undefined) {
    this.#job = job;
    this.#tree = tree ?? null;
    const last = GATE_PROGRESS.of(job.request.activation.path).in(job.context.snapshot.data);
    this.#last = last?.attempt === job.request.activation.attempt ? last : undefined;
  }

  /** The earlier states of pending checks. */
  get seen(): readonly CheckResult[] {
    return this.#last?.seen ?? [];
  }

  /** The previous verdict of a check, if it passed and still counts. */
  passedBefore(config: CheckModel, index: number): CheckRun | undefined {
    const last = this.#last?.checks[index];
    if (last === undefined || last.verdict.passed !== true || this.#asksForge(config)) return undefined;
    if (anyReadsFiles(this.#job.runner, [config]) && (this.#tree === null || this.#last?.tree !== this.#tree)) return undefined;
    return { config, verdict: last.verdict, at: last.at };
  }

  #asksForge(config: CheckModel): boolean {
    return allChecks([config]).some(({ check }) => ownEntry(this.#job.runner.checks, check)?.needsPullRequest === true);
  }

  /** The data to store about this run of the checks; nothing if it equals the previous one. */
  dataToStore(runs: readonly (CheckRun & { readonly name: string; readonly record: CheckResult })[]): JsonObject | undefined {
    const before = this.#last?.checks ?? [];
    const checks = runs.map(({ verdict, at }, index) => {
      const last = before[index];
      return last !== undefined && isSame(last.verdict, verdict) ? last : { verdict, at };
    });
    const news = runs.filter(({ verdict }, index) => whyUndecided(verdict) === 'pending' && checks[index] !== before[index]);
    const open = runs.filter(({ verdict }) => whyUndecided(verdict) === 'pending');
    const pending = open.map(({ name, verdict }) => `${name}: ${errorOf(verdict)}`).join('; ');
    const seen = [...this.seen, ...news.map(({ record }) => record)].slice(-SEEN_MAX);
    const { activation } = this.#job.request;
    const look: StoredProgress = { attempt: activation.attempt, tree: this.#tree, checks, pending, seen };
    if (this.#last !== undefined && isSame(this.#last, look)) return undefined;
    return GATE_PROGRESS.of(activation.path).with(redactPlain(this.#job.runner.redactor, look));
  }

  /** The data that clears the stored results once the gate has its verdict. */
  clearedData(): JsonObject | undefined {
    return this.#last === undefined ? undefined : GATE_PROGRESS.of(this.#job.request.activation.path).removed();
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return digestJson(one as Json) === digestJson(other as Json);
}
