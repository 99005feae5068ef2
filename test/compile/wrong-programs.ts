// Programs that must not compile: each has one mistake, and the line with it says in a comment what the compiler has to
// say there.

/** The programs, by the mistake in each. */
export const WRONG_PROGRAMS: Readonly<Record<string, string>> = {
  'an error hook that is not there': `
export const w = defineWorkflow({
  name: 'w',
  onError: 'reprot', //! '"reprot"'
  steps: { a: { command: 'x', next: null }, report: { command: 'x', side: true } },
});
`,
  'an error hook that is no side step': `
export const w = defineWorkflow({
  name: 'w',
  onError: 'a', //! '"a"'
  steps: { a: { command: 'x', next: null }, report: { command: 'x', side: true } },
});
`,
  'a beginning at a side step': `
export const w = defineWorkflow({
  name: 'w',
  entry: 'report', //! '"report"'
  steps: { a: { command: 'x', next: null }, report: { command: 'x', side: true } },
});
`,
  'a transition to a side step': `
export const w = defineWorkflow({
  name: 'w',
  steps: {
    a: { command: 'x', next: 'report' }, //! '"report"'
    report: { command: 'x', side: true },
  },
});
`,
  'a permission that is not there': `
export const w = defineWorkflow({
  name: 'w',
  permissions: { content: 'read' }, //! 'content'
  steps: { a: { command: 'x', next: null } },
});
`,
  'an unknown level of a permission': `
export const w = defineWorkflow({
  name: 'w',
  permissions: { contents: 'admin' }, //! "admin"
  steps: { a: { command: 'x', next: null } },
});
`,
  'facts that are a text': `
export const w = defineWorkflow({
  name: 'w',
  facts: 'labels', //! 'string'
  steps: { a: { command: 'x', next: null } },
});
`,
  'data that is a function': `
export const w = defineWorkflow({
  name: 'w',
  data: { a: () => 1 }, //! Type '() => number' is not assignable to type 'Json'
  steps: { a: { command: 'x', next: null } },
});
`,
  'a parameter that is not declared': `
export const w = defineWorkflow({
  name: 'w',
  params: { id: arg({ type: 'string', required: true }), mode: arg({ choices: ['quick', 'full'], default: 'full' }) },
  steps: {
    a: { handler: (ctx) => ctx.params.di, next: 'end' }, //! 'di'
    end: { command: 'x', next: null },
  },
});
`,
  'a parameter of another type': `
export const w = defineWorkflow({
  name: 'w',
  params: { id: arg({ type: 'string', required: true }), mode: arg({ choices: ['quick', 'full'], default: 'full' }) },
  steps: {
    a: { handler: (ctx) => ctx.params.id.toFixed(), next: 'end' }, //! 'toFixed'
    end: { command: 'x', next: null },
  },
});
`,
  'a choice that is not there': `
export const w = defineWorkflow({
  name: 'w',
  params: { id: arg({ type: 'string', required: true }), mode: arg({ choices: ['quick', 'full'], default: 'full' }) },
  steps: {
    a: { handler: (ctx) => ctx.params.mode === 'slow', next: 'end' }, //! no overlap
    end: { command: 'x', next: null },
  },
});
`,
  'what the application context lacks': `
export const w = defineWorkflow({
  name: 'w',
  context: () => ({ book: 'b' }),
  steps: {
    a: { handler: (ctx) => ctx.shelf, next: 'end' }, //! 'shelf'
    end: { command: 'x', next: null },
  },
});
`,
  'a field that a result lacks': `
export const w = defineWorkflow({
  name: 'w',
  steps: {
    a: { handler: (ctx) => ctx.results.made?.output.length, next: 'made' }, //! 'length'
    made: { handler: () => ({ size: 1 }), next: null },
  },
});
`,
  'an answer that nobody can give': `
export const w = defineWorkflow({
  name: 'w',
  steps: {
    a: { handler: (ctx) => ctx.results.ask?.output.option === 'maybe', next: 'ask' }, //! no overlap
    ask: { human: { prompt: 'p', options: [{ label: 'yes' }, { label: 'no' }] }, next: null },
  },
});
`,
  'a result that the schema does not have': `
export const w = defineWorkflow({
  name: 'w',
  steps: {
    a: { handler: (ctx) => ctx.results.sized?.output.length, next: 'sized' }, //! 'length'
    sized: { agent: 'dev', output: sizeSchema, next: null },
  },
});
`,
  'a list of steps': `
export const w = defineWorkflow({
  name: 'w',
  steps: [{ command: 'x', next: null }], //! write steps by id
});
`,
  'an entry that is no step': `
export const w = defineWorkflow({
  name: 'w',
  entry: 'strat', //! strat
  steps: { start: { command: 'x', next: null } },
});
`,
  'no name': `
export const w = defineWorkflow({ //! Property 'name' is missing
  steps: { a: { command: 'x', next: null } },
});
`,
  'no steps': `
export const w = defineWorkflow({ name: 'w' }); //! Property 'steps' is missing
`,
  'an unknown field of the workflow': `
export const w = defineWorkflow({
  name: 'w',
  descripton: 'x', //! descripton
  steps: { a: { command: 'x', next: null } },
});
`,
  'the other spelling of the name': `
export const w = defineWorkflow({
  name: 'w',
  type: 'w', //! 'type'
  steps: { a: { command: 'x', next: null } },
});
`,
  'the other spelling of the entry': `
export const w = defineWorkflow({
  name: 'w',
  initialStep: 'a', //! 'initialStep'
  steps: { a: { command: 'x', next: null } },
});
`,
  'a step twice': `
export const w = defineWorkflow({
  name: 'w',
  steps: {
    a: { command: 'x', next: null },
    a: { command: 'y', next: null }, //! multiple properties
  },
});
`,
  'parameters that are no arguments': `
export const w = defineWorkflow({
  name: 'w',
  params: { id: 'string' }, //! Type 'string' is not assignable to type 'Arg<
  steps: {
    a: { command: 'x', next: null },
  },
});
`,
  'a child without its input': `
const child = defineWorkflow({ name: 'c', params: { n: arg({ type: 'number', required: true }) }, steps: { a: { handler: () => ({ sum: 1 }), next: null } } });
export const w = defineWorkflow({
  name: 'w',
  steps: {
    a: { workflow: child, next: 'end' }, //! Property 'input' is missing
    end: { command: 'x', next: null },
  },
});
`,
  'a child with a wrong input': `
const child = defineWorkflow({ name: 'c', params: { n: arg({ type: 'number', required: true }) }, steps: { a: { handler: () => ({ sum: 1 }), next: null } } });
export const w = defineWorkflow({
  name: 'w',
  steps: {
    a: { workflow: child, input: { n: 'one' }, next: 'end' }, //! 'number'
    end: { command: 'x', next: null },
  },
});
`,
  'a child with an input it does not know': `
const child = defineWorkflow({ name: 'c', params: { n: arg({ type: 'number', required: true }) }, steps: { a: { handler: () => ({ sum: 1 }), next: null } } });
export const w = defineWorkflow({
  name: 'w',
  steps: {
    a: { workflow: child, input: { n: 1, m: 2 }, next: 'end' }, //! 'm'
    end: { command: 'x', next: null },
  },
});
`,
  'a child whose input is built wrongly': `
const child = defineWorkflow({ name: 'c', params: { n: arg({ type: 'number', required: true }) }, steps: { a: { handler: () => ({ sum: 1 }), next: null } } });
export const w = defineWorkflow({
  name: 'w',
  steps: {
    a: { workflow: child, input: () => ({ n: 'one' }), next: 'end' }, //! 'number'
    end: { command: 'x', next: null },
  },
});
`,
  'a child that is no workflow': `
const child = defineWorkflow({ name: 'c', params: { n: arg({ type: 'number', required: true }) }, steps: { a: { handler: () => ({ sum: 1 }), next: null } } });
export const w = defineWorkflow({
  name: 'w',
  steps: {
    a: { workflow: 5, next: 'end' }, //! Type 'number' is not assignable to type 'ChildWorkflow'
    end: { command: 'x', next: null },
  },
});
`,
  'a field that the output of a child lacks': `
const child = defineWorkflow({ name: 'c', params: { n: arg({ type: 'number', required: true }) }, steps: { a: { handler: () => ({ sum: 1 }), next: null } } });
export const w = defineWorkflow({
  name: 'w',
  steps: {
    a: { handler: (ctx) => ctx.results.kid?.output.total, next: 'kid' }, //! 'total'
    kid: { workflow: child, input: { n: 1 }, next: null },
  },
});
`,
  'a run without its parameters': `
const w = defineWorkflow({ name: 'w', params: { id: arg({ type: 'string', required: true }) }, steps: { a: { handler: () => ({ size: 1 }), next: null } } });
declare const engine: Engine;
export const run = engine.start(w); //! Expected 2-3 arguments, but got 1
`,
  'a run with a wrong parameter': `
const w = defineWorkflow({ name: 'w', params: { id: arg({ type: 'string', required: true }) }, steps: { a: { handler: () => ({ size: 1 }), next: null } } });
declare const engine: Engine;
export const run = engine.start(w, { id: 5 }); //! 'number'
`,
  'a run with a parameter it does not know': `
const w = defineWorkflow({ name: 'w', params: { id: arg({ type: 'string', required: true }) }, steps: { a: { handler: () => ({ size: 1 }), next: null } } });
declare const engine: Engine;
export const run = engine.start(w, { id: 'x', name: 'y' }); //! 'name'
`,
  'a run with a parameter where there are none': `
const w = defineWorkflow({ name: 'w', steps: { a: { command: 'x', next: null } } });
declare const engine: Engine;
export const run = engine.start(w, { id: 5 }); //! this workflow has no parameters
`,
  'an output that was not checked to be there': `
const w = defineWorkflow({ name: 'w', params: { id: arg({ type: 'string', required: true }) }, steps: { a: { handler: () => ({ size: 1 }), next: null } } });
declare const engine: Engine;
export const size = (await (await engine.start(w, { id: 'x' })).wait()).output.size; //! possibly 'null' ## Property 'size' does not exist
`,
  'a field that the output lacks': `
const w = defineWorkflow({ name: 'w', params: { id: arg({ type: 'string', required: true }) }, steps: { a: { handler: () => ({ size: 1 }), next: null } } });
declare const engine: Engine;
const view = await (await engine.start(w, { id: 'x' })).wait();
export const size = view.status === 'completed' ? view.output.length : 0; //! 'length'
`,
  'a run in memory with a wrong parameter': `
const w = defineWorkflow({ name: 'w', params: { id: arg({ type: 'string', required: true }) }, steps: { a: { handler: () => ({ size: 1 }), next: null } } });
declare const engine: Engine;
export const result = w.run({ id: 5 }); //! 'number'
`,
  'the id of a step where parameters go': `
const w = defineWorkflow({ name: 'w', params: { id: arg({ type: 'string', required: true }) }, steps: { a: { handler: () => ({ size: 1 }), next: null } } });
declare const engine: Engine;
export const said = w.run('a'); //! 'string'
`,
  'a cancellation without a person': `
const w = defineWorkflow({ name: 'w', params: { id: arg({ type: 'string', required: true }) }, steps: { a: { handler: () => ({ size: 1 }), next: null } } });
declare const engine: Engine;
export const view = (await engine.start(w, { id: 'x' })).cancel({ reason: 'x' }); //! CancelRequest
`,
  'a wait for what there is not': `
const w = defineWorkflow({ name: 'w', params: { id: arg({ type: 'string', required: true }) }, steps: { a: { handler: () => ({ size: 1 }), next: null } } });
declare const engine: Engine;
export const view = (await engine.start(w, { id: 'x' })).wait('done'); //! done
`,
  'a task with a wrong argument': `
export const w = workflow('w', { params: { id: arg({ type: 'string', required: true }) } }, function* ({ id }) {
  yield* step('a').task((n: number) => n, id); //! 'number'
  return id;
});
`,
  'a task with an argument too few': `
export const w = workflow('w', { params: { id: arg({ type: 'string', required: true }) } }, function* ({ id }) {
  yield* step('a').task((n: number) => n); //! Argument of type '(n: number) => number' is not assignable
  return id;
});
`,
  'a step of an unknown kind': `
export const w = workflow('w', { params: { id: arg({ type: 'string', required: true }) } }, function* ({ id }) {
  yield* step('a').python(() => 1); //! 'python'
  return id;
});
`,
  'the other name of a child': `
export const w = workflow('w', { params: { id: arg({ type: 'string', required: true }) } }, function* ({ id }) {
  yield* step('a').subworkflow('child'); //! 'subworkflow'
  return id;
});
`,
  'a child of a flow with a wrong input': `
const child = defineWorkflow({ name: 'c', params: { n: arg({ type: 'number', required: true }) }, steps: { a: { handler: () => ({ sum: 1 }), next: null } } });
export const w = workflow('w', { params: { id: arg({ type: 'string', required: true }) } }, function* ({ id }) {
  yield* step('a').workflow(child, { n: 'one' }); //! 'number'
  return id;
});
`,
  'a child of a flow without its input': `
const child = defineWorkflow({ name: 'c', params: { n: arg({ type: 'number', required: true }) }, steps: { a: { handler: () => ({ sum: 1 }), next: null } } });
export const w = workflow('w', { params: { id: arg({ type: 'string', required: true }) } }, function* ({ id }) {
  yield* step('a').workflow(child); //! Expected 2-3 arguments, but got 1
  return id;
});
`,
  'an answer that a flow never sees': `
export const w = workflow('w', { params: { id: arg({ type: 'string', required: true }) } }, function* ({ id }) {
  const { option } = yield* step('a').human({ prompt: 'p', options: ['yes', 'no'] });
  if (option === 'maybe') return id; //! no overlap
  return id;
});
`,
  'a misspelt check of a flow': `
export const w = workflow('w', {}, function* () {
  yield* step('a').gate({ checks: [{ check: 'comand' }] }); //! Type '"comand"' is not assignable
});
`,
  'a misspelt check of a flow, with its fields': `
export const w = workflow('w', {}, function* () {
  yield* step('a').gate({ checks: [{ check: 'comand', run: 'x' }] }); //! Did you mean '"command"'?
});
`,
  'a misspelt check inside another of a flow': `
export const w = workflow('w', {}, function* () {
  yield* step('a').gate({ checks: ['x', { check: 'any_of', checks: [{ check: 'comand', run: 'x' }] }] }); //! Did you mean '"command"'?
});
`,
  'a check of a flow without its field': `
export const w = workflow('w', {}, function* () {
  yield* step('a').gate({ checks: [{ check: 'file_exists' }] }); //! Property 'paths' is missing
});
`,
  'a misspelt check in a list of steps': `
import { defineWorkflow as defineList } from 'pawl/compat';
export const w = defineList({
  name: 'w',
  steps: [{ id: 'a', gate: { checks: [{ check: 'comand', run: 'x' }] }, next: null }], //! Did you mean '"command"'?
});
`,
  'a misspelt field of a check of a flow': `
export const w = workflow('w', {}, function* () {
  yield* step('a').gate({ checks: ['npm test', { check: 'command', runn: 'x' }] }); //! 'runn'
});
`,
  'a misspelt action of a flow': `
export const w = workflow('w', {}, function* () {
  yield* step('a').action({ action: 'merge_prr' }); //! '"merge_prr"'
});
`,
  'an unknown field of an agent': `
export const w = workflow('w', { params: { id: arg({ type: 'string', required: true }) } }, function* ({ id }) {
  yield* step('a').agent({ agent: 'dev', promt: 'x' }); //! 'promt'
  return id;
});
`,
  'a parameter that a flow does not have': `
export const w = workflow('w', { params: { id: arg({ type: 'string' }) } }, function* ({ name }) { //! 'name'
  return name;
});
`,
  'an argument with an unknown field': `
export const a = arg({ type: 'string', requred: true }); //! a parameter has no such field
`,
  'an argument of an unknown type': `
export const a = arg({ type: 'text' }); //! text
`,
  'an outcome that a kind of the application does not declare': `
const deploy = defineStepKind({ kind: 'deploy', outcomes: ['drifted'], parse: (config) => config as { to: string }, run: () => ({ outcome: 'ok', output: { url: 'x' } }) });
export const w = defineWorkflow({
  name: 'w',
  steps: {
    a: { use: deploy({ to: 'x' }), next: { ok: 'end', drfted: 'a' } }, //! declare it in "outcomes" of defineStepKind
    end: { command: 'x', next: null },
  },
});
`,
  'an outcome of a kind of the application that declares none': `
const deploy = defineStepKind({ kind: 'deploy', parse: (config) => config as { to: string }, run: () => ({ outcome: 'ok' }) });
export const w = defineWorkflow({
  name: 'w',
  steps: {
    a: { use: deploy({ to: 'x' }), next: { ok: 'end', drifted: 'a' } }, //! declare it in "outcomes" of defineStepKind
    end: { command: 'x', next: null },
  },
});
`,
  'a result of a kind of the application with an outcome that it does not declare': `
export const deploy = defineStepKind({
  kind: 'deploy',
  outcomes: ['drifted'],
  parse: (config) => config as { to: string },
  run: () => ({ outcome: 'drfted' }), //! Did you mean '"drifted"'?
});
`,
  'a wrong configuration of a kind of the application': `
const deploy = defineStepKind({ kind: 'deploy', outcomes: ['drifted'], parse: (config) => config as { to: string }, run: () => ({ outcome: 'ok', output: { url: 'x' } }) });
export const w = defineWorkflow({ name: 'w', steps: { a: { use: deploy({ too: 'x' }), next: null } } }); //! 'too'
`,
  'a kind of the application without its configuration': `
const deploy = defineStepKind({ kind: 'deploy', outcomes: ['drifted'], parse: (config) => config as { to: string }, run: () => ({ outcome: 'ok', output: { url: 'x' } }) });
export const w = defineWorkflow({ name: 'w', steps: { a: { use: deploy, next: null } } }); //! 'config'
`,
  'a field that the result of a kind of the application lacks': `
const deploy = defineStepKind({ kind: 'deploy', outcomes: ['drifted'], parse: (config) => config as { to: string }, run: () => ({ outcome: 'ok', output: { url: 'x' } }) });
export const w = defineWorkflow({
  name: 'w',
  steps: {
    a: { use: deploy({ to: 'x' }), next: 'end' },
    end: { handler: (ctx) => ctx.results.a?.output.link, next: null }, //! 'link'
  },
});
`,
  'an outcome that no route has': `
export const w = defineWorkflow({
  name: 'w',
  steps: {
    a: { agent: 'dev', route: { outcomes: ['more'], choose: () => ({ outcome: 'more', output: null }) }, next: { ok: 'end', mroe: 'a' } }, //! "agent" steps have no outcome
    end: { command: 'x', next: null },
  },
});
`,
  'a misspelt prompt of a question with options': `
export function* asks() {
  yield* step('a').human({ prmpt: 'p', options: ['a', 'b'] }); //! 'prmpt' does not exist
}
`,
  'a default of another type': `
export const a = arg({ type: 'number', default: 'x' }); //! the default does not have the type of the parameter
`,
  'a default that is no number, with bounds': `
export const a = arg({ min: 1, default: 'x' }); //! the default does not have the type of the parameter
`,
  'a default that is none of the choices': `
export const a = arg({ choices: ['quick', 'full'], default: 'slow' }); //! the default is not one of the choices
`,
  'choices of another type': `
export const a = arg({ type: 'number', choices: ['quick', 'full'] }); //! the choices do not have the type of the parameter
`,
  'a minimum of a text': `
export const a = arg({ type: 'string', min: 1 }); //! only numbers have a minimum and a maximum
`,
  'what a schema does not accept': `
import * as z from 'zod';
const deploy = defineStepKind({ kind: 'deploy', parse: z.object({ to: z.string(), n: z.number().default(1) }), run: () => ({ outcome: 'ok' }) });
export const w = [deploy({ to: 'x' }), deploy({ to: 'x', n: '1' })]; //! Type 'string' is not assignable to type 'number'
`,
  'a decision that the workflow of a found run does not have': `
const flow = defineWorkflow({
  name: 'w',
  steps: { ask: { human: { prompt: 'x', options: [{ label: 'yes' }, { label: 'no' }] }, next: { yes: null, no: null } } },
});
export const decide = (engine: Engine) => engine.run(flow, 'id').decide({ option: 'yse', actor: 'ann' }); //! Type '"yse"' is not assignable to type
`,
};
