// Owns runs to look at, made with the library in the database that commands are pointed to: a loop with evidence and a
// decision, a fan-out with failures, a parent with a child, an escalation, a flow.

import { join } from 'node:path';
import { defineWorkflow } from '../../src/compat/index.ts';
import { arg, createEngine, type Engine, step, workflow } from '../../src/index.ts';
import type { CliRig } from './rig.ts';

/** A loop: work that is claimed and not done, a gate that fails once, a person who sends it back once. */
const loop = defineWorkflow({
  name: 'fix-bug',
  title: 'Fix a bug',
  params: { issue: arg({ type: 'integer', default: 7 }) },
  steps: [
    { id: 'plan', handler: () => ({ plan: 'read, then write' }), next: 'fix' },
    {
      id: 'fix',
      handler: (ctx) => ({ done: true, round: (ctx.checkpoint.iterationCounts.fix ?? 0) + ctx.attempt }),
      contractRetries: 1,
      postconditions: [
        { name: 'claims-done', check: (ctx) => ctx.result.done === true, error: 'the work must be claimed' },
        { name: 'tests-green', check: (ctx) => ctx.attempt > 1 || ctx.path !== 'fix#1', error: '3 of 14 tests fail: parse, print, sum' },
      ],
      next: 'gate',
    },
    {
      id: 'gate',
      gate: { checks: ['test -d .', { check: 'command', name: 'lint', run: 'echo clean' }] },
      next: { ok: 'ask', fail: 'fix' },
    },
    {
      id: 'ask',
      human: {
        prompt: 'Ship the fix?',
        context: ['plan'],
        options: [
          { label: 'yes', nextStep: 'ship' },
          { label: 'no', nextStep: null },
          { label: 'rework', nextStep: 'fix', requiresInput: true },
        ],
      },
    },
    { id: 'ship', command: 'echo shipped; echo careful >&2', next: null },
  ],
});

/** A fan-out of which three items fail. */
const fan = defineWorkflow({
  name: 'fan',
  params: { list: arg({ default: Array.from({ length: 100 }, (_, n) => `item-${n}`) }) },
  steps: [
    {
      id: 'each',
      each: {
        items: 'params.list',
        concurrency: 10,
        step: {
          handler: (ctx) => {
            if (['item-4', 'item-40', 'item-77'].includes(ctx.item)) throw new Error(`${ctx.item} is broken`);
            return ctx.item;
          },
        },
      },
      next: 'end',
    },
    { id: 'end', handler: () => null, next: null },
  ],
});

const child = defineWorkflow({ name: 'small', steps: [{ id: 'one', handler: () => ({ small: true }), next: null }] });

/** A parent of one child, beside a branch that is skipped. */
const parent = defineWorkflow({
  name: 'big',
  steps: [
    { id: 'sub', workflow: child, input: {}, next: 'both' },
    {
      id: 'both',
      parallel: {
        branches: [
          { id: 'left', handler: () => 'L' },
          { id: 'right', condition: 'false', handler: () => 'R' },
        ],
      },
      next: null,
    },
  ],
});

/** A step that never succeeds: after its retries the run escalates. */
const broken = defineWorkflow({
  name: 'broken',
  steps: [
    {
      id: 'try',
      retry: { max: 2 },
      handler: () => {
        throw new Error('the disk \u001b[31mis\u001b[0m full\nand nobody cleans it');
      },
      next: 'after',
    },
    { id: 'after', handler: () => null, next: null },
  ],
});

/** Work that a person looks at before it counts. */
const guarded = defineWorkflow({
  name: 'guarded',
  steps: [{ id: 'write', handler: () => ({ text: 'hello' }), humanGate: { prompt: 'Good enough?', context: ['text'] }, next: null }],
});

/** Titles that try to be markup, quotes and lines of their own. */
const hostile = defineWorkflow({
  name: 'hostile',
  title: '</title><script>alert("1")</script>',
  steps: [
    { id: 'a', title: 'say "hi" \\ & <script>alert(1)</script>\nsecond line', handler: () => null, next: 'b' },
    { id: 'b', title: ']] --> end', handler: () => null, next: null },
  ],
});

/** A flow, whose steps are known as they come. */
const flow = workflow('stroll', {}, function* () {
  const first = yield* step('first').task(() => 1);
  const second = yield* step('second').task(() => first + 1);
  return { second };
});

/** The database of a rig's runs. */
export function dbOf(rig: CliRig): string {
  return join(rig.folder, 'runs.db');
}

/** An engine on that database; the caller closes it. */
export function openLibrary(rig: CliRig): Promise<Engine> {
  return createEngine({
    db: dbOf(rig),
    synchronous: 'NORMAL',
    cwd: rig.project,
    workflows: [loop, fan, parent, broken, guarded, hostile, flow],
  });
}

/** Starts a run under an id of the test's choice; resolves when it has ended or only waits. */
export async function settle(engine: Engine, name: string, id: string): Promise<string> {
  const run = await engine.start(name, {}, { id, origin: { actor: 'ann' } });
  await run.wait('idle');
  return run.id;
}
