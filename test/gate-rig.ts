// Owns what the tests of gate checks stand on: a gate with one check, run on a forge that answers as told or on a real local
// one, and the traits that a check declares.

import { afterEach, beforeEach } from 'vitest';
import type { JsonObject } from '../src/base/json.ts';
import type { CheckTraits } from '../src/definition/check.ts';
import type { CheckRun, ForgeAnswer, ForgeApproval } from '../src/forge/forge.ts';
import { REGISTRY } from '../src/kinds/registry.ts';
import { createAttemptRequest } from '../src/proof/attempt-request.ts';
import type { CheckCase } from '../src/proof/check-suite.ts';
import { openSample } from '../src/proof/forge-suite/stage.ts';
import type { AttemptResult } from '../src/steps/attempt.ts';
import type { ForgeFacts, ForgeSubject } from '../src/steps/forge/forge-facts.ts';
import { createAttemptRunner } from '../src/steps/runner.ts';
import { type LocalForgeStage, openLocalForgeStage } from './forge/local-stage.ts';

/** An answer of a forge. */
export const ok = <T>(value: T): Promise<ForgeAnswer<T>> => Promise.resolve({ result: 'ok', value });

/** A review of the head by somebody who may write. */
export function review(actor: string, state: ForgeApproval['state'] = 'approved', rest: Partial<ForgeApproval> = {}): ForgeApproval {
  return { actor, state, headSha: 'head', at: 1, permission: 'write', bot: false, ...rest };
}

/** Runs a gate with one check, with these facts or without a forge, and says what the forge was asked about. */
export function gateWith(check: JsonObject, facts?: Partial<ForgeFacts>): { result: Promise<AttemptResult>; subjects: ForgeSubject[] } {
  const none = { result: 'unavailable', message: 'the forge does not answer' } as const;
  const subjects: ForgeSubject[] = [];
  const forgeFacts = (subject: ForgeSubject): ForgeFacts => {
    subjects.push(subject);
    const groups = { maintainers: ['ann', 'bob'], security: ['eve', 'ann'] };
    return { groups, approvals: async () => none, checks: async () => none, ...facts };
  };
  const run = createAttemptRunner({ cwd: '.', now: () => 0, ...(facts === undefined ? {} : { forgeFacts }) }, REGISTRY);
  const request = createAttemptRequest({ kind: 'gate', config: { checks: [check] }, snapshot: { data: { pr_number: 7 } } });
  return { result: run(request), subjects };
}

/** For `describeCheck`: a forge with a pull request that has this review, this conclusion of CI, and is up to date or not. */
export function forgeCase(config: JsonObject, isGood: boolean): CheckCase {
  const conclusion: CheckRun['conclusion'] = isGood ? 'success' : 'failure';
  const facts: ForgeFacts = {
    groups: { maintainers: ['ann'] },
    approvals: () =>
      ok({ state: 'open', headSha: 'head', author: 'zoe', approvals: [review('ann', isGood ? 'approved' : 'changes_requested')] }),
    checks: () => ok({ headSha: 'head', checks: [{ name: 'test', status: 'completed', conclusion }] }),
    isUpToDate: () => ok({ headSha: 'head', baseBranch: 'main', isUpToDate: isGood }),
  };
  return { config, services: { forgeFacts: () => facts } };
}

/** A real local forge with two pull requests, the second of which the step `open-docs` opened. */
export interface GateStage {
  readonly stage: LocalForgeStage;
  readonly pr: number;
  readonly docs: number;
  /** The outcome of a gate with one check there; the whole result if it has none. */
  outcome(check: JsonObject, data?: JsonObject): Promise<unknown>;
}

/** Opens such a forge before each test of a file, and closes it afterwards. */
export function gateStage(): { readonly now: GateStage } {
  let opened: GateStage | undefined;
  beforeEach(async () => {
    const stage = await openLocalForgeStage();
    const pr = (await openSample(stage, 'feature')).number;
    const docs = (await openSample(stage, 'docs')).number;
    const numbers = { pr_number: pr, pr_numbers: { code: pr, 'open-docs': docs } };
    opened = {
      stage,
      pr,
      docs,
      async outcome(check, data = {}) {
        const run = createAttemptRunner({ cwd: '.', now: () => 0, forge: stage.forge, groups: {} }, REGISTRY);
        const request = createAttemptRequest({ kind: 'gate', config: { checks: [check] }, snapshot: { data: { ...numbers, ...data } } });
        const result = await run(request);
        return result.type === 'settled' ? result.outcome : result;
      },
    };
  });
  afterEach(() => opened?.stage.close());
  return {
    get now() {
      if (opened === undefined) throw new Error('the forge is open in tests only');
      return opened;
    },
  };
}

const TRAITS: readonly (keyof CheckTraits)[] = ['readsFiles', 'requiredAtMerge', 'checksWork', 'isApproval', 'independentOfRun'];

/** The traits that a check declares, apart from its reports. */
export function traitsIn(check: CheckTraits): Readonly<Record<string, unknown>> {
  return Object.fromEntries(TRAITS.flatMap((trait) => (check[trait] === undefined ? [] : [[trait, check[trait]]])));
}
