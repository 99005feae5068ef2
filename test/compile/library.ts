// Owns a program of a library: it exports what the API returns, with no type written, and publishes its declarations. The
// compiler must be able to name every type in them.

/** The program. */
export const LIBRARY = `
import { all, arg, branch, createEngine, createScriptedDriver, defineCheck, defineStepKind, defineWorkflow, openSqliteStore, race, step, workflow } from 'pawl';
import * as compat from 'pawl/compat';
import { databaseContext, SafeDatabaseClient } from 'pawl/safe-db';
import { createServer } from 'pawl/server';
import { defineSkill, skillWorkflow } from 'pawl/skills';
import { generateInputs, hostileAgents, runHostile } from 'pawl/testing';

export const deploy = defineStepKind({
  kind: 'deploy',
  outcomes: ['busy'],
  parse: (config: { readonly to: string }) => config,
  run: () => ({ outcome: 'ok', output: { url: 'x' } }),
});
export const noTodo = defineCheck({
  name: 'no_todo',
  parse: (config: { readonly file: string }) => config,
  run: () => ({ passed: true, result: null }),
});
export const child = workflow('c', { params: { n: arg({ type: 'number', required: true }) } }, function* ({ n }) {
  return yield* step('a').task((m: number) => ({ m }), n);
});
export const w = defineWorkflow({
  name: 'w',
  steps: {
    a: { command: 'x', next: 'g' },
    g: { gate: { checks: [noTodo({ file: 'x' })] }, next: 'c' },
    c: { workflow: child, input: { n: 1 }, next: 'r' },
    r: { review: { subject: 's', reviewer: 'r', fixer: 'f' }, next: 'p' },
    p: { parallel: { branches: { x: { use: deploy({ to: 'x' }) } } }, next: null },
  },
});
export const engine = await createEngine({ workflows: [w], store: await openSqliteStore({ file: ':memory:' }) });
export const run = await engine.start(w);
export const view = await run.wait();
export const origin = view.origin;
export const evidence = view.steps.map((one) => one.evidence);
export const waits = view.waits.map((one) => ({ ...one }));
export const plan = await run.planUndo('a');
export const approvals = await run.approvals();
export const questions = (await run.approvals()).map((approval) => approval.question);
export const openQuestions = await run.questions();
export const files = await run.files({ step: 'a' });
export const log = run.log();
export const events = run.events();
export const store = engine.store;
export const heads = await engine.store.heads({ of: ['x'] });
export const definition = w.definition;
export const first = w.definition.steps[0];
export const compiled = w.compiled;
export const code = w.compiled.code;
export const call = step('x').command('y');
export const calls = step('x').each([1], (n) => step('y').task((m: number) => m, n));
export const group = all([call, step('z').delay('1s')]);
export const fastest = race([call]);
export const chosen = branch([[true, call]]);
export const builder = step('x');
export const driver = createScriptedDriver(() => []);
export const server = createServer(engine);
export const context = databaseContext({ db: new SafeDatabaseClient('x') });
export const skill = defineSkill({ name: 's', description: 'd', steps: [{ id: 'a', title: 'A', actions: ['x'] }] });
export const ofSkill = skillWorkflow(skill);
export const hostile = hostileAgents;
export const attacked = await runHostile(w);
export const generated = generateInputs(w);
export const listed = compat.defineWorkflow({ name: 'w', steps: [{ id: 'a', command: 'x', next: null }] });
export const parameter = arg({ type: 'string', required: true });
export const used = noTodo({ file: 'x' });
export const configured = deploy({ to: 'x' });
export function* helper(name: string) {
  return yield* step(name).command('x');
}
`;
