// Workflows for kills at random times: wide ones, and ones whose workers are of every kind and take their time. A kill
// at each of their writes would take hours; the reference workflows are for that.

import { createScriptedDriver } from '../../src/agents/scripted.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import { arg, step, workflow } from '../../src/index.ts';
import type { CrashCase } from '../../src/proof/crash/child.ts';

const items = (count: number): string[] => Array.from({ length: count }, (_, n) => `item-${n}`);

/** Takes between no time and 20 ms, the same time for the same item. */
async function takeTime(item: string): Promise<void> {
  const ms = (Number(/\d+/.exec(item)?.[0] ?? 0) * 7) % 21;
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Two hundred functions at once, each with a time and an effect of its own. */
const wide: CrashCase = {
  name: 'wide',
  workflow: (ledger) =>
    defineWorkflow({
      name: 'wide',
      params: { items: arg({ default: items(200) }) },
      steps: [
        {
          id: 'all',
          each: {
            items: 'params.items',
            step: {
              recovery: 'rerun',
              handler: async (ctx) => {
                await takeTime(ctx.item as string);
                return ledger.effect(ctx, { of: ctx.item as string });
              },
            },
          },
          next: 'sum',
        },
        { id: 'sum', handler: (ctx) => ledger.effect(ctx, { done: true }), next: null },
      ],
    }),
};

/** Scripted agents, programs and functions, in one flow; those that asked what became of them are answered. */
const workers: CrashCase = {
  name: 'workers',
  agents: {
    roles: { writer: { driver: 'scripted' } },
    drivers: {
      scripted: createScriptedDriver(async ({ prompt }) => {
        const item = /item-\d+/.exec(prompt)?.[0] ?? '';
        await takeTime(item);
        return [{ do: 'answer', output: { wrote: item } }];
      }),
    },
  },
  workflow: (ledger) =>
    workflow('workers', function* () {
      const wrote = yield* step('write').each(items(80), (item) =>
        step('one').agent({ agent: 'writer', prompt: `Write ${item}.`, recovery: 'rerun' }),
      );
      const ran = yield* step('run').each(
        items(6),
        (item) => step('one').command({ run: 'echo "$ITEM"', env: { ITEM: item }, recovery: 'rerun' }),
        { concurrency: 3 },
      );
      yield* step('ask').agent({ agent: 'writer', prompt: 'Write item-3.' });
      wrote.reverse();
      return yield* step('sum').task({
        action: ledger.effect<number>,
        args: (ctx) => [ctx, wrote.length + ran.length] as const,
      });
    }),
};

/** The agent that called does it all: one step, twelve at once, and one more. */
const attended: CrashCase = {
  name: 'attended',
  attended: true,
  workflow: () =>
    defineWorkflow({
      name: 'attended',
      params: { items: arg({ default: items(12) }) },
      steps: [
        { id: 'plan', agent: 'planner', prompt: 'Plan it.', next: 'all' },
        { id: 'all', each: { items: 'params.items', step: { agent: 'builder', prompt: 'Build it.' } }, next: 'check' },
        { id: 'check', agent: 'checker', prompt: 'Check it.', next: null },
      ],
    }),
};

/** What is killed at random times beside the reference workflows. */
export const wideWorkflows: readonly CrashCase[] = [wide, workers, attended];
