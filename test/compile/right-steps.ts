// Programs that must compile, about the parts of a step: arguments, return values, undos and durations.

/** The programs, by what they show. */
export const RIGHT_STEPS: Readonly<Record<string, string>> = {
  'arguments, instructions and functions of any context': `
import { arg, defineWorkflow, type StepContext } from 'pawl';

async function build(ctx: StepContext) {
  return { key: ctx.idempotencyKey, before: ctx.results.check?.output };
}
const isFirst = (ctx: StepContext): boolean => ctx.attempt === 1;
const remove = (ctx: StepContext): string | undefined => ctx.undoes?.runId;
interface Size {
  readonly size: number;
}

export const w = defineWorkflow({
  name: 'w',
  params: { topic: arg({ type: 'string', required: true }) },
  context: () => ({ book: 'b' }),
  steps: {
    count: {
      args: { iteration: arg({ min: 1, default: 1 }), who: arg({ type: 'string' }) },
      handler: (ctx) => ctx.args.iteration + 1 + (ctx.args.who ?? '').length + ctx.book.length + ctx.params.topic.length,
      postconditions: [{ name: 'n', check: (ctx) => ctx.args.iteration > 0, error: 'e' }],
      next: 'write',
    },
    write: { actions: (params, { visit }) => [params.topic.toUpperCase() + visit], next: 'all' },
    all: { each: { items: 'l', step: { args: { n: arg({ default: 1 }) }, handler: (ctx) => ctx.args.n + 1 } }, next: 'size' },
    size: { handler: (): Size => ({ size: 1 }), next: 'check' },
    check: { gate: { checks: ['npm test'] }, next: 'build' },
    build: { handler: build, preconditions: [{ name: 'n', check: isFirst, error: 'e' }], undo: remove, next: 'last' },
    last: { command: 'x', next: null },
  },
});
`,
  'a result of a function with an untyped context, by its schema (docs/guides/data-flow.md)': `
import { defineWorkflow, type Engine } from 'pawl';
import * as z from 'zod';

const measure = defineWorkflow({
  name: 'measure',
  context: (run: { readonly runId: string }) => ({ tag: run.runId }),
  steps: {
    measure: { handler: (ctx) => ({ size: ctx.attempt }), output: z.object({ size: z.number() }), next: 'double' },
    double: { handler: (ctx) => (ctx.results.measure?.output.size ?? 0) * 2 + ctx.tag.length, output: z.number(), next: null },
  },
});
export async function size(engine: Engine): Promise<number> {
  const view = await (await engine.start(measure)).wait();
  return view.status === 'completed' ? view.output : 0;
}
`,
  durations: `
import { defineWorkflow, parseDuration } from 'pawl';

declare const config: { readonly timeout: string };
export const w = defineWorkflow({
  name: 'w',
  steps: {
    a: { command: 'x', timeout: '1d2h30m', next: 'b' },
    b: { command: 'x', timeout: parseDuration(config.timeout, 'timeout of the settings'), next: 'c' },
    c: { delay: '1w2d3h', next: 'd' },
    d: { delay: '1.5h', next: null },
  },
});
`,
  'undos, reconciliations, reactions and schedules': `
import { arg, defineWorkflow } from 'pawl';

export const w = defineWorkflow({
  name: 'w',
  params: { n: arg({ type: 'number', required: true }), m: arg({ type: 'string' }) },
  trigger: { schedule: '@daily', catchUp: 'all', params: { n: 1 } },
  onEvents: [
    { event: 'issues.edited', do: 'invalidate_and_restart', step: 'a' },
    { event: 'issues.closed', do: 'cancel' },
    { event: 'issues.labeled', do: 'wake_agent', step: 'b' },
  ],
  steps: {
    a: { command: 'x', undo: { command: 'y', timeout: '5m' }, next: 'b' },
    b: { command: 'x', undo: { handler: (ctx) => ctx.undoes?.runId }, next: 'c' },
    c: { command: 'x', undo: { title: 'x', recovery: 'rerun', handler: (ctx) => ctx.undoes?.runId }, next: 'd' },
    d: { command: 'x', undo: (ctx) => ctx.undoes?.runId, next: 'e' },
    e: { command: 'x', undo: { forge: { action: 'close_issue', issue: '{{ result.n }}' } }, next: 'f' },
    f: { handler: () => 1, recovery: 'reconcile', reconcile: async (ctx) => ctx.idempotencyKey.length > 3, next: null },
  },
});
export const onCommand = defineWorkflow({ name: 'x', trigger: { command: 'go' }, steps: { a: { command: 'x', next: null } } });
`,
  'what handlers may return where next names outcomes': `
import { defineWorkflow, type Engine } from 'pawl';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_: Same<A, B>): void {}
declare const engine: Engine;
declare const pair: readonly [string, { n: number }];
declare const isDone: boolean;

export const returns = defineWorkflow({
  name: 'returns',
  steps: {
    a: { handler: () => ['fail', { n: 1 }], next: { ok: 'b', fail: 'a' } },
    b: { handler: () => ['x', { n: 1 }] as const, next: { to: 'c', maxIterations: 3 } },
    c: { handler: () => pair, next: { ok: 'd', fail: 'a' } },
    d: { handler: () => (isDone ? 'fail' : { n: 1 }), next: { ok: 'e', fail: 'a' } },
    e: { handler: () => ['a', 'b'], next: { ok: null, fail: 'a' } },
  },
});

const skipped = defineWorkflow({ name: 'w', steps: { a: { handler: () => ({ n: 2 }), condition: 'params.go', next: null } } });
const one = await (await engine.start(skipped)).wait();
if (one.status === 'completed') same<typeof one.output, { n: number } | null>(true);
const failed = defineWorkflow({ name: 'w', steps: { a: { handler: () => ({ n: 2 }), next: { ok: null, error: null } } } });
const two = await (await engine.start(failed)).wait();
if (two.status === 'completed') same<typeof two.output, { n: number } | null>(true);
const retried = defineWorkflow({ name: 'w', steps: { a: { handler: () => ({ n: 2 }), next: { ok: null, error: { to: 'a', maxIterations: 2 } } } } });
const three = await (await engine.start(retried)).wait();
if (three.status === 'completed') same<typeof three.output, { n: number }>(true);
`,
};
