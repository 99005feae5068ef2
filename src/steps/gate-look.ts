// Owns what a gate keeps from one look to the next while some of its checks are pending: a check that passed is not made
// again while what it judged is the same, and the record has every state that a pending check was seen in.
//
// - A check that looks at files counts for the tree it saw. After a change of the tree it is made again.
// - What the forge says of a pull request is asked at every look: an approval can be taken back.

import { digestJson } from '../base/digest.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { allChecks, type CheckModel } from '../definition/check.ts';
import { judgesFiles } from '../definition/landing.ts';
import { lookKey } from '../definition/pending-gate.ts';
import type { CheckResult } from './attempt.ts';
import type { CheckVerdict } from './check.ts';
import { redactJson } from './redaction.ts';
import { entryOf } from './services.ts';
import type { Job } from './work.ts';

/** A check with its verdict and the time of it. */
export interface CheckRun {
  readonly config: CheckModel;
  readonly verdict: CheckVerdict;
  readonly at: number;
  /** What the check itself found each time, if it ran twice. */
  readonly looks?: readonly CheckRun[];
}

interface StoredLook {
  readonly attempt: number;
  /** The tree that was judged; null where no check looks at files. */
  readonly tree: string | null;
  readonly checks: readonly { readonly verdict: CheckVerdict; readonly at: number }[];
  /** What the pending checks wait for. */
  readonly pending: string;
  /** The states of pending checks so far, for the record. */
  readonly seen: readonly CheckResult[];
}

const SEEN_MAX = 100;

/** One look of a gate, with what the look before found. */
export class GateLook {
  readonly #job: Job;
  readonly #tree: string | null;
  readonly #last: StoredLook | undefined;

  constructor(job: Job, tree: string | undefined) {
    this.#job = job;
    this.#tree = tree === undefined || tree === '' ? null : tree;
    const last = job.context.snapshot.data[lookKey(job.request.activation.path)] as unknown as StoredLook | null | undefined;
    this.#last = last?.attempt === job.request.activation.attempt ? last : undefined;
  }

  /** The states of pending checks that earlier looks saw. */
  get seen(): readonly CheckResult[] {
    return this.#last?.seen ?? [];
  }

  /** The verdict of the look before, if it passed and still counts. */
  passedBefore(config: CheckModel, index: number): CheckRun | undefined {
    const last = this.#last?.checks[index];
    if (last === undefined || last.verdict.passed !== true || this.#asksForge(config)) return undefined;
    if (judgesFiles(this.#job.bench, [config]) && (this.#tree === null || this.#last?.tree !== this.#tree)) return undefined;
    return { config, verdict: last.verdict, at: last.at };
  }

  #asksForge(config: CheckModel): boolean {
    return allChecks([config]).some(({ check }) => entryOf(this.#job.bench.checks, check)?.needsPullRequest === true);
  }

  /** What the run keeps of this look; nothing if it found what the look before found. */
  kept(runs: readonly (CheckRun & { readonly name: string; readonly record: CheckResult })[]): JsonObject | undefined {
    const before = this.#last?.checks ?? [];
    const checks = runs.map(({ verdict, at }, index) => {
      const last = before[index];
      return last !== undefined && isSame(last.verdict, verdict) ? last : { verdict, at };
    });
    const news = runs.filter(({ verdict }, index) => verdict.pending === true && checks[index] !== before[index]);
    const open = runs.filter(({ verdict }) => verdict.pending === true);
    const pending = open.map(({ name, verdict }) => `${name}: ${verdict.error ?? 'no verdict yet'}`).join('; ');
    const seen = [...this.seen, ...news.map(({ record }) => record)].slice(-SEEN_MAX);
    const { activation } = this.#job.request;
    const look: StoredLook = { attempt: activation.attempt, tree: this.#tree, checks, pending, seen };
    if (this.#last !== undefined && isSame(this.#last, look)) return undefined;
    return { [lookKey(activation.path)]: redactJson(this.#job.bench.redactor, look as unknown as Json) };
  }

  /** What the run keeps when the gate has its verdict: no look. */
  done(): JsonObject | undefined {
    return this.#last === undefined ? undefined : { [lookKey(this.#job.request.activation.path)]: null };
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return digestJson(one as Json) === digestJson(other as Json);
}
