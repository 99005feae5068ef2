// The attacks with tokens against an engine that takes everything: each of them notices that it got through.

import { expect, test } from 'vitest';
import type { OpenStep } from '../../engine/request/open-steps.ts';
import type { ReportVerdict } from '../../engine/request/reports.ts';
import { EngineError } from '../../index.ts';
import { forgeToken, reportOutOfOrder, reportTwice, skipStep, type TokenAttack, type TokenAttackContext } from './token-attacks.ts';

const openStep: OpenStep = {
  ...{ run: 'r', path: 'work#1', step: 'work', attempt: 1, token: 'secret-A', kind: 'agent' },
  ...{ parts: { body: '' }, prompt: '', role: 'dev', title: 'Work', mayAsk: false },
};

interface Answers {
  readonly report: () => ReportVerdict;
  readonly rows?: number;
}

/** A table at a run that answers so. */
function contextWith({ report, rows = 1 }: Answers): TokenAttackContext & { readonly tokens: string[] } {
  const tokens: string[] = [];
  const view = { steps: Array.from({ length: rows }, () => ({ path: 'work#1', step: 'work', attempt: 1 })) };
  const run = {
    report: async ({ token }: { readonly token: string }) => {
      tokens.push(token);
      return report();
    },
    get: async () => view,
    wait: async () => view,
  };
  return { run: run as unknown as TokenAttackContext['run'], step: openStep, result: 1, earlier: [{ ...openStep, token: 'old' }], tokens };
}

const taken: ReportVerdict = { accepted: true, repeated: false, step: 'work', path: 'work#1', attempt: 1 };
const refuse = (): never => {
  throw new EngineError('TOKEN_UNKNOWN', 'no');
};

test.each<[string, TokenAttack, number]>([
  ['forges', forgeToken, 5],
  ['skips', skipStep, 1],
  ['reorders', reportOutOfOrder, 1],
  ['repeats', reportTwice, 1],
])('the attack %s reports what was accepted, and nothing if everything was rejected', async (_name, attack, breaches) => {
  expect(await attack(contextWith({ report: () => taken }))).toHaveLength(breaches);
  expect(await attack(contextWith({ report: refuse }))).toEqual([]);
});

test('a repeated report that gets the same verdict and changes nothing is not a breach; one more row is', async () => {
  const report = () => ({ ...taken, repeated: true });
  expect(await reportTwice(contextWith({ report }))).toEqual([]);
  expect(await reportTwice(contextWith({ report, rows: 2 }))).toEqual(['the second report of step "work" counted']);
});

test('no forged token is the real one', async () => {
  const context = contextWith({ report: refuse });
  await forgeToken(context);
  expect(context.tokens).not.toContain(openStep.token);
});
