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
  'a pull request of a branch, and one that a template names': `
import { defineWorkflow } from 'pawl';

export const w = defineWorkflow({
  name: 'w',
  steps: {
    all: {
      parallel: {
        branches: {
          docs: { agent: 'dev', prompt: 'p', outputs: [{ type: 'pr', name: 'pr' }] },
          size: { handler: () => ({ size: 1 }), merges: ['size'] },
        },
      },
      next: 'check',
    },
    check: { gate: { checks: [{ check: 'ci_status', pr: 'docs' }, { check: 'any_of', checks: [{ check: 'pr_approval', from: 'x', pr: 'docs' }] }] }, next: 'land' },
    land: { forge: { action: 'merge_pr', pr: '{{ params.which }}' }, next: 'size' },
    size: { handler: () => ({ size: 1, note: 'x' }), merges: ['size'], next: null },
  },
});
`,
  'tasks with the arguments that their functions need': `
import { step, workflow } from 'pawl';

export const w = workflow('w', function* () {
  yield* step('a').task({ action: () => 1 });
  yield* step('b').task({ action: (n?: number) => n ?? 0 });
  yield* step('c').task({ action: (...all: number[]) => all, retry: 2 });
  yield* step('d').task({ action: (n: number) => n, args: [1] });
  yield* step('e').task({ action: (key: string, n?: number) => key + n, args: (ctx) => [ctx.idempotencyKey] });
});
`,
  'checks that were declared elsewhere': `
import { type CheckSpec, defineWorkflow } from 'pawl';

const checks: readonly CheckSpec[] = ['npm test', { check: 'file_exists', paths: ['x'] }];
declare const check: CheckSpec;
export const w = defineWorkflow({
  name: 'w',
  steps: { a: { gate: { checks }, next: 'b' }, b: { gate: { checks: [...checks, check, 'npm run lint'] }, next: null } },
});
`,
  'a function over any workflow, and the parameters of its run': `
import { type AnyWorkflow, arg, defineWorkflow, type Engine, type Json, type RunHandle, type RunView, type StartArguments, type Workflow } from 'pawl';

declare const engine: Engine;
async function outputOf<I, O>(workflow: Workflow<I, O>, input: NoInfer<I>): Promise<O | undefined> {
  const view = await (await engine.start(workflow, input)).wait();
  return view.status === 'completed' ? view.output : undefined;
}
async function started<W extends AnyWorkflow>(workflow: W, ...rest: StartArguments<W>) {
  return engine.start(workflow, ...rest);
}
const w = defineWorkflow({
  name: 'w',
  params: { n: arg({ type: 'number' }), mode: arg({ choices: ['a', 'b'], required: true }), any: arg({}) },
  steps: { a: { handler: () => ({ size: 1 }), next: null } },
});
export const size: number | undefined = (await outputOf(w, { mode: 'a' }))?.size;
const run = await started(w, { mode: 'a' });
export const plain: RunHandle = run;
const view = await run.get();
export const seen: RunView = view;
export const mode: 'a' | 'b' = view.params.mode;
export const json: Json = view.params;
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
    e: { handler: () => ['ok', ['a', 'b']], next: { ok: null, fail: 'a' } },
  },
});

interface Size {
  readonly size: number;
}
declare function note(text: string): void;
declare function measure(text: string): Promise<Size>;
export const untyped = defineWorkflow({
  name: 'untyped',
  steps: {
    a: { handler: (ctx) => note(ctx.runId), next: { ok: 'b', fail: 'a' } },
    b: { handler: async (ctx) => { await measure(ctx.runId); }, next: { ok: 'c', fail: 'a' } },
    c: { handler: (ctx) => measure(ctx.runId), next: { ok: 'd', fail: 'a' } },
    d: { handler: (ctx) => (ctx.attempt > 1 ? 'fail' : { length: 4 }), next: { ok: 'e', fail: 'a' } },
    e: { handler: async (ctx) => (ctx.attempt > 1 ? ['fail', 'why'] : ['ok', ['a', 'b']]), next: { ok: 'f', fail: 'a' } },
    f: { handler: (ctx) => [{ n: ctx.attempt }, 2], next: { ok: 'g', fail: 'a' } },
    g: { handler: (ctx) => { if (isDone) return; return ctx.attempt; }, next: { ok: 'h', fail: 'a' } },
    h: { handler: (ctx) => { throw new Error(ctx.runId); }, next: { ok: null, error: 'a' } },
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
