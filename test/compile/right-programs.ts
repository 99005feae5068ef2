// Programs that must compile, with the types that they rely on spelled out.

/** The programs, by what they show. */
export const RIGHT: Readonly<Record<string, string>> = {
  'functions of the context': `
import { arg, defineWorkflow } from 'pawl';

export const built = defineWorkflow({
  name: 'built',
  params: { title: arg({ type: 'string', required: true }), n: arg({ type: 'integer', default: 1 }) },
  context: () => ({ host: 'x' }),
  steps: {
    plan: { handler: () => ({ areas: ['a'] }), next: 'run' },
    run: {
      command: ['make'],
      env: { TITLE: (ctx) => ctx.params.title, N: (ctx) => ctx.params.n, FIXED: 'x', AREAS: (ctx) => ctx.results.plan?.output.areas.join() ?? '' },
      cwd: (ctx) => ctx.params.title,
      next: 'whole',
    },
    whole: { command: 'make', env: async (ctx) => ({ TITLE: ctx.params.title, HOST: ctx.host }), next: 'ask' },
    ask: { agent: 'dev', prompt: (ctx) => \`Write \${ctx.params.title} on \${ctx.host}\`, action: async (ctx) => ctx.stepId, next: 'text' },
    text: { generate: 'dev', prompt: (ctx) => ctx.params.title, next: 'human' },
    human: {
      human: { prompt: (ctx) => \`Merge \${ctx.params.title}?\`, options: [{ label: 'yes' }, { label: 'no' }] },
      next: { yes: 'hook', no: 'plan' },
    },
    hook: {
      webhook: {
        request: {
          url: (ctx) => \`https://\${ctx.host}\`,
          headers: { A: (ctx) => ctx.params.n },
          body: { title: (ctx) => ctx.params.title, list: [(ctx) => ctx.params.n, 2] },
        },
      },
      next: 'gate',
    },
    gate: {
      gate: {
        checks: [
          { check: 'command', run: 'x', env: { T: (ctx) => ctx.params.title } },
          { check: 'webhook', url: (ctx) => ctx.params.title, body: (ctx) => ({ n: ctx.params.n }) },
          { check: 'any_of', checks: [{ check: 'command', run: 'y', env: (ctx) => ({ T: ctx.params.title }) }] },
        ],
      },
      next: 'say',
    },
    say: { forge: { action: 'comment', message: (ctx) => \`Done: \${ctx.params.title}\` }, next: 'open' },
    open: { forge: { action: 'create_issue', title: (ctx) => ctx.params.title, labels: ['a', (ctx) => ctx.params.title] }, next: 'each' },
    each: { each: { items: 'areas', step: { agent: 'dev', prompt: (ctx) => \`\${ctx.item} of \${ctx.params.title}\` } }, next: null },
  },
});
`,
  'groups with functions of an untyped context': `
import { arg, defineWorkflow, type Engine } from 'pawl';

declare const engine: Engine;
const child = defineWorkflow({
  name: 'child',
  params: { n: arg({ type: 'number', required: true }) },
  steps: { add: { handler: () => ({ sum: 1 }), next: null } },
});

const groups = defineWorkflow({
  name: 'groups',
  steps: {
    many: { each: { items: 'l', step: { workflow: child, input: (ctx) => ({ n: ctx.item }) } }, next: 'both' },
    both: {
      parallel: {
        branches: {
          sub: { workflow: child, input: { n: 5 } },
          count: { handler: (ctx) => ctx.attempt },
          say: { forge: { action: 'comment', message: 'x' } },
          tell: { forge: { action: 'comment', message: (ctx) => ctx.runId } },
          write: { actions: ['Write it.'] },
          ask: { human: { prompt: 'p', options: [{ label: 'yes' }, { label: 'no' }] } },
          wait: { signal: 'go' },
        },
      },
      next: 'functions',
    },
    functions: {
      parallel: {
        branches: {
          count: { handler: (ctx) => ctx.attempt, undo: (ctx) => ctx.undoes?.runId },
          ask: { human: { prompt: (ctx) => ctx.runId } },
          look: { webhook: { request: { url: (ctx) => ctx.runId } } },
          lint: { validate: { onFailure: { handler: (ctx) => ctx.attempt } } },
          write: { actions: (_, { visit }) => [\`Visit \${visit}\`.trim()] },
        },
      },
      next: 'each',
    },
    each: { each: { items: 'l', step: { human: { prompt: (ctx) => ctx.item, options: [{ label: 'go' }] } } }, next: null },
  },
});
const run = await engine.start(groups);
await run.decide({ option: 'yes', actor: 'ann' });
await run.decide({ option: 'approve', actor: 'ann' });
await run.decide({ option: 'go', actor: 'ann' });
await run.signal('go');
await run.files({ step: 'functions#1/count#1' });
`,
  'every kind of step': `
import { arg, defineWorkflow } from 'pawl';

const child = defineWorkflow({
  name: 'child',
  params: { n: arg({ type: 'number', required: true }) },
  steps: { add: { handler: () => ({ sum: 1 }), next: null } },
});

export const all = defineWorkflow({
  name: 'all',
  title: 'All',
  description: 'Every kind of step',
  version: '1',
  limits: { maxIterations: 5 },
  budget: { tokens: 1000 },
  protected: ['test/**'],
  entry: 'draft',
  steps: {
    draft: {
      title: 'Draft',
      command: ['make', 'draft'],
      env: { A: '1' },
      cwd: 'docs',
      timeout: '1h30m',
      retry: { max: 2, on: ['error'], backoff: { initial: '1s' } },
      recovery: 'rerun',
      postconditions: [{ name: 'n', check: (ctx) => ctx.result.length > 0, error: 'e' }],
      next: 'check',
    },
    check: {
      gate: {
        checks: [
          'npm test',
          { check: 'command', argv: ['npm', 'test'], timeout: '30s' },
          { check: 'any_of', checks: [{ check: 'file_exists', paths: ['x'] }, { check: 'coverage', minimum: '80%' }] },
        ],
      },
      next: { ok: 'ask', fail: { to: 'draft', maxIterations: 3, onExhausted: 'escalate' }, _default: 'fail' },
    },
    ask: { human: { prompt: 'p', options: [{ label: 'go', nextStep: 'poll' }, { label: 'back', nextStep: 'draft', requiresInput: true }] } },
    again: { human: { prompt: 'p' }, next: { approve: 'poll', reject: 'draft' } },
    poll: { delay: { duration: '1h', poll: { interval: '10s', condition: (ctx) => ctx.attempt > 1 } }, next: 'sub' },
    sub: { workflow: child, input: { n: 1 }, next: 'built' },
    built: { workflow: child, input: (ctx) => ({ n: ctx.attempt }), next: 'named' },
    named: { workflow: 'by-name', next: 'fan' },
    fan: { each: { items: 'areas', step: { handler: (ctx) => ctx.item.name }, concurrency: 2 }, next: { ok: 'par', reject_all: 'draft' } },
    par: {
      parallel: { branches: { a: { handler: (ctx) => ctx.attempt }, b: { gate: { checks: [{ check: 'file_exists', paths: ['x'] }] } } }, join: 1 },
      next: 'val',
    },
    val: { validate: { stages: ['lint'], onFailure: { agent: 'dev', prompt: 'fix' } }, next: 'agent' },
    agent: { agent: 'dev', prompt: 'p', context: (ctx) => ({ run: ctx.runId }), supportsQuestions: true, next: 'write' },
    write: { generate: 'writer', context: { a: 1 }, next: 'wait' },
    wait: { signal: 'go', next: 'hook' },
    hook: { webhook: { request: { url: 'https://x' }, expect: { status: 200 } }, next: 'plain' },
    plain: { actions: ['Do it.'], next: { condition: 'params.x', onTrue: 'forge', onFalse: 'draft' } },
    forge: { forge: { action: 'merge_pr', method: 'squash' }, condition: 'true', next: { ok: null, conflict: 'draft', stale_head: 'draft' } },
  },
});
`,
  'everything that a workflow file can say': `
import { defineWorkflow } from 'pawl';

declare const db: { order(key: string): Promise<{ readonly id: number } | undefined> };

export const all = defineWorkflow({
  name: 'all',
  permissions: { contents: 'write', pull_requests: 'read' },
  data: { reviewer: '{{ params.who }}' },
  facts: ['issue_number', 'labels'],
  onError: 'report',
  entry: 'write',
  steps: {
    write: {
      agent: 'dev',
      prompt: 'Write {{ reviewer }}',
      templates: true,
      seesContext: true,
      continueSession: true,
      outputs: [
        { name: 'code', type: 'file', pattern: 'src/**', required: true },
        { name: 'pr', type: 'pr' },
        { name: 'order', type: 'effect', find: (ctx) => db.order(ctx.idempotencyKey) },
      ],
      fresh: 'activation',
      merges: ['pr_number'],
      timeout: '1h',
      extend: { by: '30m', max: 2, onExtend: 'late' },
      next: { ok: 'count', fail: { to: 'write', maxIterations: 2, context: { why: '{{ result }}' } } },
    },
    count: { handler: () => ({ n: 1 }), merges: false, outputs: [{ name: 'o', type: 'artifact', pattern: 'out.txt' }], next: null },
    late: { forge: { action: 'notify', target: 'dev', message: 'late' }, side: true },
    report: { forge: { action: 'notify', target: 'dev', message: 'failed' }, side: true, next: 'late' },
  },
});
`,
  'results, parameters and the output have their types': `
import { arg, defineWorkflow, type Engine, type OutputSchema } from 'pawl';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_: Same<A, B>): void {}
declare const sized: OutputSchema<{ readonly size: number }>;
declare const engine: Engine;

const typed = defineWorkflow({
  name: 'typed',
  params: { id: arg({ type: 'string', required: true }), mode: arg({ choices: ['quick', 'full'], default: 'full' }), note: arg({ type: 'string' }) },
  context: () => ({ book: 'b' }),
  steps: {
    make: { handler: () => ({ pages: 3 }), next: 'ask' },
    ask: { human: { prompt: 'p', options: [{ label: 'yes' }, { label: 'no' }] }, next: { yes: 'measure', no: 'make' } },
    measure: { agent: 'dev', prompt: 'p', output: sized, next: 'end' },
    end: {
      handler: (ctx) => {
        same<typeof ctx.params, { readonly id: string; readonly mode: 'quick' | 'full'; readonly note: string | undefined }>(true);
        same<typeof ctx.book, string>(true);
        const pages: number | undefined = ctx.results.make?.output.pages;
        const option: 'yes' | 'no' | undefined = ctx.results.ask?.output.option;
        const size: number | undefined = ctx.results.measure?.output.size;
        return ['ok', { size: (size ?? 0) + (pages ?? 0) + (option === 'yes' ? 1 : 0) }];
      },
      output: sized,
      next: null,
    },
  },
});

await using other = engine;
const run = await engine.start(typed, { id: 'x' });
const view = await run.wait();
if (view.status === 'completed') same<typeof view.output, { readonly size: number }>(true);
await run.decide({ option: 'yes', actor: 'ann' });
await other.run(run.id).cancel({ actor: 'ann' });
await engine.start(typed, { id: 'x', mode: 'quick' }, { id: 'run-1' });
await engine.start('typed', { anything: 1 });
await engine.start(defineWorkflow({ name: 'none', steps: { a: { command: 'x', next: null } } }));
`,
  'requests with the names of a workflow, and with any where it is not known': `
import { defineWorkflow, type Engine, type RunHandle, step, type Workflow, workflow } from 'pawl';

declare const engine: Engine;
const w = defineWorkflow({
  name: 'w',
  onEvents: [{ event: 'issues.edited', do: 'invalidate_and_restart', step: 'a' }],
  steps: {
    a: { handler: () => 1, next: 'ask' },
    ask: { human: { prompt: 'p', options: [{ label: 'yes' }, { label: 'no' }] }, next: { yes: 'check', no: 'a' } },
    check: { gate: { checks: [{ check: 'human_approved', step: 'ask' }] }, next: 'wait' },
    wait: { signal: 'go', next: 'both' },
    both: { parallel: { branches: { one: { command: 'x' }, two: { human: { prompt: 'p' } } } }, next: null },
  },
});
const run = await engine.start(w, {}, { from: 'ask', outputs: { a: 1 }, origin: { actor: 'ann' } });
await run.decide({ option: 'yes', actor: 'ann', approval: 'ask#2' });
await run.decide({ option: 'approve', actor: 'ann', approval: 'both#1/two#1' });
await run.signal('go', { payload: 1 });
await run.resume({ actor: 'ann', choice: { how: 'goto', step: 'both' } });
await run.undo({ to: 'one', actor: 'ann' });
await run.files({ step: 'both#1/one#1' });
await (await run.fork({ from: 'ask#1', actor: 'ann' })).decide({ option: 'no', actor: 'ann' });
await engine.run(run.id).decide({ option: 'anything', actor: 'ann' });
export const found: RunHandle<unknown> = run;

// Questions and steps that the types cannot see may have any name.
const labels: readonly string[] = ['yes', 'no'];
const unseen = defineWorkflow({
  name: 'unseen',
  steps: {
    ask: { human: { prompt: (ctx) => ctx.runId, options: labels.map((label) => ({ label })) }, next: { yes: null, no: 'ask' } },
    each: { each: { items: 'x', step: { agent: 'dev', prompt: (ctx) => String(ctx.item) } }, next: null },
  },
});
const other = await engine.start(unseen);
await other.decide({ option: 'yes', actor: 'ann' });
await other.files({ step: 'item-1' });

const flow = workflow('flow', function* () {
  yield* step('ask').human({ prompt: 'p', options: ['yes', 'no'] });
});
const flowing = await engine.start(flow, {}, { from: 'ask', outputs: { before: 1 }, origin: { actor: 'ann' } });
await flowing.decide({ option: 'yes', actor: 'ann' });
await flowing.signal('anything');

export async function startAny(any: Workflow): Promise<RunHandle> {
  await engine.start(any, {}, { from: 'anything', origin: { actor: 'ann' } });
  return engine.start(any, { id: 1 });
}
`,
  'options and requests whose values may be undefined': `
import { createEngine, defineWorkflow } from 'pawl';

const w = defineWorkflow({ name: 'w', steps: { ask: { human: { prompt: 'p' }, next: { approve: null, reject: null } } } });
declare const maybe: string | undefined;
const engine = await createEngine({ db: maybe, cwd: maybe, repository: maybe, workflows: [w], limits: { global: undefined } });
const run = await engine.start(w);
await run.decide({ option: 'approve', actor: 'ann', input: maybe, digest: maybe });
await run.cancel({ actor: 'ann', reason: maybe });
await run.answer({ answers: ['x'], actor: 'ann', step: undefined });
await run.resume({ actor: 'ann', choice: { how: 'retry', note: maybe } });
await run.fork({ from: 'ask', actor: 'ann', params: undefined });
export const id = run.id;
`,
  'a flow with a child': `
import { all, arg, race, step, StepFailed, workflow } from 'pawl';

const child = workflow('child', { params: { n: arg({ type: 'number', required: true }) } }, function* ({ n }) {
  return yield* step('add').task((m: number) => m + 1, n);
});

export const parent = workflow('parent', function* () {
  const sum: number = yield* step('child').workflow(child, { n: 1 });
  const [a, b]: [number, string] = yield* all([step('a').task(() => 1), step('b').task(() => 'x')]);
  const { option } = yield* step('ask').human({ prompt: 'p', options: ['yes', 'no'] });
  const first: number | string = yield* race([step('c').task(() => 1), step('d').task(() => 'x')]);
  try {
    yield* step('gate').gate({ checks: ['npm test'] });
  } catch (error) {
    if (error instanceof StepFailed) {
      const { evidence } = error;
      const red = evidence?.checks?.filter(({ passed }) => passed === false).map(({ name }) => name) ?? [];
      return { failed: error.step, code: evidence?.process?.exitCode ?? null, red, members: Object.keys(evidence?.members ?? {}) };
    }
  }
  return { sum, a, b, option, first };
});
`,
  'outcomes of kinds of the application and of routes': `
import { defineStepKind, defineWorkflow, type CustomKind, type ConfiguredKind } from 'pawl';

const deploy = defineStepKind({ kind: 'deploy', outcomes: ['drifted'], parse: (config) => config as { to: string }, run: () => ({ outcome: 'ok', output: { url: 'x' } }) });
const plain: CustomKind<{ readonly to: string }> = deploy;
declare const anything: ConfiguredKind;

export const w = defineWorkflow({
  name: 'w',
  steps: {
    a: { use: deploy({ to: 'x' }), next: { ok: 'b', drifted: { to: 'a', maxIterations: 2 }, fail: 'b' } },
    b: { use: plain({ to: 'x' }), next: { ok: 'c', drifted: 'a' } },
    c: { use: anything, next: { ok: 'd', whatever: 'a' } },
    d: { agent: 'dev', route: { outcomes: ['more'], choose: () => ({ outcome: 'more', output: null }) }, next: { ok: 'e', more: 'a' } },
    e: {
      agent: 'dev',
      route: { outcomes: ['more'], choose: (done) => ({ outcome: done.visit < 3 ? 'more' : 'ok', output: done.output }) },
      next: { ok: null, more: 'a' },
    },
  },
});
`,
  'checks of a project': `
import { defineWorkflow } from 'pawl';

declare module 'pawl' {
  interface Checks {
    license: { readonly allow: readonly string[] };
  }
}

export const w = defineWorkflow({
  name: 'w',
  steps: { a: { gate: { checks: [{ check: 'license', allow: ['MIT'] }] }, next: null } },
});
`,
  'the other spellings': `
import { arg, createEngine } from 'pawl';
import { defineWorkflow, Outcome, StepDef, step, Workflow } from 'pawl/compat';
import { createVirtualClock } from 'pawl/testing';

export const listed = defineWorkflow<{ readonly book: string }>({
  type: 'w1',
  name: 'W1',
  initialStep: 'a',
  steps: [{ name: 'a', command: 'x', preconditions: [{ name: 'n', check: (ctx) => ctx.book !== '', error: 'e' }], next: null }],
});
export const named = defineWorkflow({
  name: 'named',
  params: { id: arg({ type: 'string', required: true }) },
  steps: [{ id: 'a', handler: (ctx) => ({ id: ctx.workflowParams.id.length, n: ctx.stepState.n }), next: null }],
});
export const given = new Workflow('skill', StepDef({ id: 'a', next: { [Outcome.OK]: null } }), { params: { n: arg({ min: 1 }) } });
export const title: string = given.run('a').title;
export const engine = await createEngine({ workflows: [listed, given], clock: createVirtualClock() });
export const call = step('a').subworkflow('child', { n: 1 });
await engine.start(listed, {});
`,
  'custom kinds and checks with a schema, any names of fields, and the handle of a found run': `
import { createEngine, defineCheck, defineStepKind, defineWorkflow, step, workflow } from 'pawl';
import * as z from 'zod';

const schema = z.object({ to: z.string(), retries: z.number().default(3), tag: z.string().transform((tag) => tag.length).optional() });
const deploy = defineStepKind({
  kind: 'deploy',
  parse: schema,
  run: ({ config: { to, retries, tag } }) => ({ outcome: 'ok', output: { url: to, left: retries - (tag ?? 0) } }),
});
const has = defineCheck({
  name: 'has',
  parse: z.object({ name: z.string(), timeoutMs: z.string().default('soon'), check: z.boolean().optional() }),
  run: ({ name, timeoutMs }) => ({ passed: name.length + timeoutMs.length > 0, result: null, error: 'both are empty' }),
});
const counted = defineCheck({
  name: 'counted',
  parse: (written: { n?: number }) => ({ n: written.n ?? 1 }),
  run: ({ n }) => ({ passed: n > 1, result: null, error: 'too few' }),
});

export const graph = defineWorkflow({
  name: 'graph',
  steps: {
    look: {
      gate: { checks: [has({ name: 'zod' }), { ...counted({}), timeout: '1m' }, { check: 'any_of', checks: [has({ name: 'x' })] }] },
      next: { ok: 'ship', fail: 'fail' },
    },
    ship: { use: deploy({ to: 'x', tag: 'four' }), next: null },
  },
});
export const flow = workflow('flow', function* () {
  yield* step('look').gate({ checks: [has({ name: 'zod' }), counted({ n: 2 })] });
  const { left } = yield* step('ship').use(deploy, { to: 'x' });
  return left satisfies number;
});
export async function outputs(id: string) {
  const engine = await createEngine({ workflows: [graph, flow] });
  const [ofFlow, ofGraph, named] = [await engine.run(flow, id).get(), await engine.run(graph, id).get(), await engine.run('flow', id).get()];
  if (ofFlow.status !== 'completed' || ofGraph.status !== 'completed') return named.output;
  return (ofFlow.output satisfies number) + (ofGraph.output.left satisfies number);
}
`,
};
