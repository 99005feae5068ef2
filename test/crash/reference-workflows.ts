// The workflows that are killed. Between them they have every way a step can be recovered (`ask`, `reconcile`, `rerun`)
// and every way a run can wait. Each step has one effect, written into the ledger under its key.

import { defineWorkflow, type GraphContext } from '../../src/compat/index.ts';
import { all, arg, step, workflow } from '../../src/index.ts';
import type { CrashCase } from '../../src/proof/crash/child.ts';
import type { Ledger } from '../../src/proof/crash/ledger.ts';

const ITEMS = Array.from({ length: 100 }, (_, n) => `item-${n}`);

/** Steps one after the other; a crash asks what became of them. One of them fails the first time. */
const linear: CrashCase = {
  name: 'linear',
  workflow: (ledger) =>
    defineWorkflow({
      name: 'linear',
      steps: [
        { id: 'fetch', handler: (ctx) => ledger.effect(ctx, { fetched: 3 }), next: 'build' },
        { id: 'build', retry: 1, handler: (ctx) => buildSecondTime(ledger, ctx), next: 'publish' },
        {
          id: 'publish',
          handler: (ctx) => ledger.effect(ctx, { published: `${ctx.checkpoint.fetched}-${ctx.checkpoint.built}` }),
          next: null,
        },
      ],
    }),
};

async function buildSecondTime(ledger: Ledger, ctx: GraphContext): Promise<{ built: number }> {
  if (ctx.attempt > 1) return ledger.effect(ctx, { built: ctx.attempt });
  await ledger.append({ at: 'begun', key: ctx.idempotencyKey });
  throw new Error('the first build always fails');
}

/** Three rounds of a bounded loop; a crash looks into the ledger and goes on from what it finds. */
const loop: CrashCase = {
  name: 'loop',
  workflow: (ledger) =>
    defineWorkflow({
      name: 'loop',
      steps: [
        {
          id: 'work',
          recovery: 'reconcile',
          reconcile: (ctx) => ledger.found(ctx),
          handler: (ctx) => ledger.effect(ctx, { round: Number(ctx.stepState.round ?? 0) + 1 }),
          next: 'check',
        },
        {
          id: 'check',
          recovery: 'reconcile',
          reconcile: (ctx) => ledger.found(ctx),
          handler: (ctx) => ledger.effect(ctx, { verdict: Number(ctx.stepState.round) >= 3 ? 'approved' : 'again' }),
          next: { condition: 'result.verdict === "approved"', onTrue: null, onFalse: 'work', maxIterations: 5 },
        },
      ],
    }),
};

/** Two programs and a person at once, then what they agreed on. */
const approval: CrashCase = {
  name: 'approval',
  workflow: (ledger) =>
    defineWorkflow({
      name: 'approval',
      steps: [
        { id: 'draft', recovery: 'rerun', handler: (ctx) => ledger.effect(ctx, { draft: 'text' }), next: 'review' },
        {
          id: 'review',
          parallel: {
            branches: [
              { id: 'lint', recovery: 'rerun', handler: (ctx) => ledger.effect(ctx, { lint: 'clean' }) },
              { id: 'tests', handler: (ctx) => ledger.effect(ctx, { tests: 'green' }) },
              { id: 'person', human: { prompt: 'Is the draft good?', show: ['draft'] } },
            ],
            join: 'all',
          },
          next: 'sign-off',
        },
        {
          id: 'sign-off',
          human: {
            prompt: 'Publish?',
            options: [
              { label: 'publish', nextStep: 'publish' },
              { label: 'drop', nextStep: null },
            ],
          },
          next: 'publish',
        },
        { id: 'publish', handler: (ctx) => ledger.effect(ctx, { published: true }), next: null },
      ],
    }),
  answers: { 'sign-off': 'publish' },
};

/** A hundred pieces of work, sixteen at once. */
const fanOut: CrashCase = {
  name: 'fan-out',
  workflow: (ledger) =>
    defineWorkflow({
      name: 'fan-out',
      params: { items: arg({ default: ITEMS }) },
      steps: [
        {
          id: 'all',
          each: {
            items: 'params.items',
            concurrency: 16,
            step: { recovery: 'rerun', handler: (ctx) => ledger.effect(ctx, { of: String(ctx.item) }) },
          },
          next: 'sum',
        },
        { id: 'sum', handler: (ctx) => ledger.effect(ctx, { done: true }), next: null },
      ],
    }),
};

/** A run that starts another one, which asks a person, and uses what it brings. */
const child: CrashCase = {
  name: 'child',
  workflow: (ledger) =>
    defineWorkflow({
      name: 'child',
      steps: [
        { id: 'plan', handler: (ctx) => ledger.effect(ctx, { size: 2 }), next: 'deliver' },
        { id: 'deliver', workflow: delivery(ledger), input: (ctx: GraphContext) => ({ size: ctx.stepState.size }), next: 'tell' },
        {
          id: 'tell',
          recovery: 'rerun',
          handler: (ctx) => ledger.effect(ctx, { told: ctx.checkpoint.results.deliver ?? null }),
          next: null,
        },
      ],
    }),
};

function delivery(ledger: Ledger) {
  return defineWorkflow({
    name: 'delivery',
    params: { size: arg({ default: 0 }) },
    steps: [
      { id: 'pack', handler: (ctx) => ledger.effect(ctx, { packed: ctx.workflowParams.size }), next: 'agree' },
      { id: 'agree', human: { prompt: 'Send it?', show: ['packed'] }, next: { ok: 'send', reject: 'reject' } },
      { id: 'send', recovery: 'rerun', handler: (ctx) => ledger.effect(ctx, { sent: true }), next: null },
    ],
  });
}

/** A generator: results feed later steps, a failure is caught, two at once, a person, time, and another run. */
const generator: CrashCase = {
  name: 'generator',
  workflow: (ledger) => {
    const effect = (output: number, recovery: 'ask' | 'rerun' = 'ask') => ({
      action: ledger.effect<number>,
      args: (ctx: Parameters<Ledger['effect']>[0]) => [ctx, output] as const,
      recovery,
    });
    return workflow('generator', function* () {
      const first = yield* step('first').task(effect(1));
      const [left, right] = yield* all([step('left').task(effect(first + 1)), step('right').task(effect(first + 2, 'rerun'))]);
      let caught = '';
      try {
        yield* step('bad').task({ action: () => Promise.reject(new Error('no luck')), recovery: 'rerun' });
      } catch (error) {
        caught = (error as Error).message;
      }
      yield* step('breath').delay('5ms');
      const { option } = yield* step('ask').human({ prompt: 'On?', options: ['approve', 'stop'] });
      const sent = yield* step('deliver').workflow(delivery(ledger), { size: left + right });
      return { sum: yield* step('sum').task(effect(left + right)), caught, option, sent };
    });
  },
};

/** The six reference workflows. */
export const referenceWorkflows: readonly CrashCase[] = [linear, loop, approval, fanOut, child, generator];
