// Requests to runs, and names in workflows, that must not compile: each names a step, an answer, a signal or a parameter
// that its workflow does not have. The line with the mistake says in a comment what the compiler has to say there.

const RUN = `const w = defineWorkflow({
  name: 'w',
  params: { id: arg({ type: 'string', required: true }) },
  steps: {
    a: { handler: () => 1, next: 'ask' },
    ask: { human: { prompt: 'p', options: [{ label: 'yes' }, { label: 'no' }] }, next: { yes: 'wait', no: 'a' } },
    wait: { signal: 'go', next: 'both' },
    both: { parallel: { branches: { one: { command: 'x' }, two: { human: { prompt: 'p' } } } }, next: null },
  },
});
declare const engine: Engine;
const run = await engine.start(w, { id: 'x' });
`;
const PLAIN = `const w = defineWorkflow({ name: 'w', steps: { a: { command: 'x', next: null } } });
declare const engine: Engine;
const run = await engine.start(w);
`;

/** A request to a run of a workflow, and what the compiler has to say about it. */
const REQUESTS = `
a decision that no question offers | run.decide({ option: 'maybe', actor: 'ann' }) | '"maybe"' is not assignable
a decision without a person | run.decide({ option: 'yes' }) | Property 'actor' is missing
a decision at a step that is not there | run.decide({ option: 'yes', actor: 'ann', approval: 'aks' }) | '"aks"'
a decision in a fork that no question offers | (await run.fork({ from: 'ask', actor: 'ann' })).decide({ option: 'maybe', actor: 'ann' }) | '"maybe"'
a signal that no step waits for | run.signal('og') | '"og"' is not assignable to parameter of type '"go"'
a way on to a step that is not there | run.resume({ actor: 'ann', choice: { how: 'goto', step: 'zz' } }) | '"zz"' is not assignable
an unknown way on | run.resume({ actor: 'ann', choice: { how: 'again' } }) | '"again"'
a choice without a person | run.resume({ choice: { how: 'retry' } }) | 'actor' is missing
a fork at a step that is not there | run.fork({ from: 'zz', actor: 'ann' }) | '"zz"'
a fork with an unknown parameter | run.fork({ from: 'ask', params: { di: 'x' }, actor: 'ann' }) | 'di'
a fork with a wrong parameter | run.fork({ from: 'ask', params: { id: 5 }, actor: 'ann' }) | 'number'
a fork with the result of a step that is not there | run.fork({ from: 'ask', outputs: { zz: 1 }, actor: 'ann' }) | 'zz'
the plan of a fork at a step that is not there | run.planFork('zz') | '"zz"'
an undo to a step that is not there | run.undo({ to: 'zz', actor: 'ann' }) | '"zz"'
an undo without a person | run.undo({ to: 'a' }) | 'actor' is missing
the plan of an undo to a step that is not there | run.planUndo('zz') | '"zz"'
the files of a step that is not there | run.files({ step: 'zz' }) | '"zz"'
a report with a misspelt field | run.report({ token: 't', outcom: 'ok' }) | 'outcom'
a start at a step that is not there | engine.start(w, { id: 'x' }, { from: 'zz', origin: { actor: 'ann' } }) | '"zz"' is not assignable
a start in the middle without a person | engine.start(w, { id: 'x' }, { from: 'ask' }) | StartRunOptions
a start with the result of a step that is not there | engine.start(w, { id: 'x' }, { from: 'ask', outputs: { zz: 1 }, origin: { actor: 'ann' } }) | 'zz'
a look at a step that is not there | run.get().then(({ steps }) => steps.some(({ step: name }) => name === 'zz')) | no overlap
a look at the current step, which is not there | run.get().then(({ currentStep }) => currentStep === 'zz') | no overlap
a parameter of a run as a number | run.get().then(({ params }): number => params.id) | not assignable to type 'number'
an answer at a step that is not there | run.answer({ answers: ['x'], actor: 'ann', step: 'zz' }) | '"zz"' is not assignable
a way on at a path that is not there | run.resume({ actor: 'ann', choice: { how: 'rerun', path: 'zz#1' } }) | '"zz#1"' is not assignable
the instruction of a step that is not there | Promise.resolve(w.stepOutput('zz')) | '"zz"'
`;
const PLAIN_REQUESTS = `
a decision where nobody is asked | run.decide({ option: 'yes', actor: 'ann' }) | "no step of this workflow asks a person"
a signal where no step waits for one | run.signal('go') | "no step of this workflow waits for a signal"
`;

/** Workflows whose steps name a step that is not there, or that asks nobody. */
const STEPS = `
an approval of a step that is not there | a: { gate: { checks: [{ check: 'human_approved', step: 'aks' }] }, next: 'ask' }, | '"aks"' is not assignable to type '"ask"'
an approval of a step that asks nobody | a: { gate: { checks: [{ check: 'human_approved', step: 'a' }] }, next: 'ask' }, | '"a"' is not assignable to type '"ask"'
an approval of nothing | a: { gate: { checks: [{ check: 'human_approved' }] }, next: 'ask' }, | step
an approval with a misspelt field | a: { gate: { checks: [{ check: 'human_approved', step: 'ask', count: 2 }] }, next: 'ask' }, | 'count'
an approval inside another check of a step that is not there | a: { gate: { checks: [{ check: 'any_of', checks: [{ check: 'human_approved', step: 'aks' }] }] }, next: 'ask' }, | '"aks"'
an approval in a branch of a step that is not there | a: { parallel: { branches: { x: { gate: { checks: [{ check: 'human_approved', step: 'aks' }] } } } }, next: 'ask' }, | '"aks"'
`;

/** Steps of a flow with a mistake. */
const CALLS = `
a flow's command with neither a line nor words | step('a').command({ cwd: 'x' }) | CommandSpec
a flow's command with a line and words | step('a').command({ run: 'x', argv: ['y'] }) | not assignable
a flow's time limit in words | step('a').command('x').timeout('5 minutes') | TimeSpan
a flow's delay in words | step('a').delay('soon') | "soon"
a flow that finds out without a function | step('a').command('x').recovery('reconcile') | reconcile
a race of nobody | race([]) | a race needs at least one step
a flow's question with a misspelt field | step('a').human({ prompt: 'p', options: [{ label: 'a', requireInput: true }] }) | an option of a flow has no field "requireInput"
a flow's answer that leads to a step | step('a').human({ prompt: 'p', options: [{ label: 'a', nextStep: 'zz' }] }) | an option of a flow has no field "nextStep"
`;

function rows(table: string): readonly (readonly [name: string, text: string, words: string])[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', text = '', ...words] = line.split(' | ');
      return [name, text, words.join(' | ')];
    });
}

/** The programs, by the mistake in each. */
export const WRONG_REQUESTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(rows(REQUESTS).map(([name, text, words]) => [name, `${RUN}await ${text}; //! ${words}\n`])),
  ...Object.fromEntries(rows(PLAIN_REQUESTS).map(([name, text, words]) => [name, `${PLAIN}await ${text}; //! ${words}\n`])),
  ...Object.fromEntries(
    rows(CALLS).map(([name, text, words]) => [
      name,
      `import { race } from 'pawl';\nexport const w = workflow('w', function* () {\n  yield* ${text}; //! ${words}\n});\nexport type Race = typeof race;\n`,
    ]),
  ),
  ...Object.fromEntries(
    rows(STEPS).map(([name, text, words]) => [
      name,
      `export const w = defineWorkflow({
  name: 'w',
  steps: {
    ${text} //! ${words}
    ask: { human: { prompt: 'p' }, next: null },
  },
});
`,
    ]),
  ),
  'an answer that a question with a function does not have': `
const w = defineWorkflow({
  name: 'w',
  steps: { ask: { human: { prompt: (ctx) => ctx.runId, options: [{ label: 'yes' }, { label: 'no' }] }, next: { yes: null, no: 'ask' } } },
});
declare const engine: Engine;
await (await engine.start(w)).decide({ option: 'yse', actor: 'ann' }); //! '"yse"' is not assignable to type
`,
  'an answer that no question in a fan-out with a function has': `
const w = defineWorkflow({
  name: 'w',
  steps: { all: { each: { items: 'l', step: { human: { prompt: (ctx) => ctx.item, options: [{ label: 'yes' }] } } }, next: null } },
});
declare const engine: Engine;
await (await engine.start(w)).decide({ option: 'yse', actor: 'ann' }); //! '"yse"' is not assignable to type '"yes"'
`,
  'an approval where nobody is asked': `
export const w = defineWorkflow({
  name: 'w',
  steps: { a: { gate: { checks: [{ check: 'human_approved', step: 'b' }] }, next: 'b' }, b: { command: 'x', next: null } }, //! no step of this workflow asks a person
});
`,
  'a reaction at a step that is not there': `
export const w = defineWorkflow({
  name: 'w',
  onEvents: [{ event: 'issues.edited', do: 'invalidate_and_restart', step: 'zz' }], //! '"zz"' is not assignable to type '"a"'
  steps: { a: { command: 'x', next: null } },
});
`,
  'a reaction that goes back to no step': `
export const w = defineWorkflow({
  name: 'w',
  onEvents: [{ event: 'issues.edited', do: 'invalidate_and_restart' }], //! Property 'step' is missing
  steps: { a: { command: 'x', next: null } },
});
`,
  'a schedule with a parameter of another type': `
export const w = defineWorkflow({
  name: 'w',
  params: { n: arg({ type: 'number', required: true }) },
  trigger: { schedule: '@daily', params: { n: 'x' } }, //! Type 'string' is not assignable to type 'number'
  steps: { a: { command: 'x', next: null } },
});
`,
  'a schedule with a parameter that the workflow does not have': `
export const w = defineWorkflow({
  name: 'w',
  params: { n: arg({ type: 'number' }) },
  trigger: { schedule: '@daily', params: { m: 1 } }, //! 'm' does not exist
  steps: { a: { command: 'x', next: null } },
});
`,
  'a schedule without a parameter that the workflow needs': `
export const w = defineWorkflow({
  name: 'w',
  params: { n: arg({ type: 'number', required: true }) },
  trigger: { schedule: '@daily' }, //! Property 'params' is missing
  steps: { a: { command: 'x', next: null } },
});
`,
  'a kind of the application that reconciles': `
export const k = defineStepKind({
  kind: 'k',
  recovery: 'reconcile', //! Type '"reconcile"' is not assignable to type
  parse: (config: { n: number }) => config,
  run: () => ({ outcome: 'ok' }),
});
`,
  'an unknown reaction': `
export const w = defineWorkflow({
  name: 'w',
  onEvents: [{ event: 'issues.edited', do: 'restart', step: 'a' }], //! '"restart"'
  steps: { a: { command: 'x', next: null } },
});
`,
  'a list of runs with an unknown status': `
declare const engine: Engine;
export const runs = engine.list({ status: ['done'] }); //! '"done"'
`,
  'the output of a run in memory that may have failed': `
const w = defineWorkflow({ name: 'w', steps: { a: { handler: () => ({ size: 1 }), next: null } } });
export const size = (await w.run()).finalOutput.size; //! 'size' does not exist ## possibly 'null'
`,
  'evidence that no step has': `
import { StepFailed } from 'pawl';
export const codeOf = (error: StepFailed) => error.evidence?.proces; //! proces
`,
  'a date of a task, which is a text afterwards': `
export const w = workflow('w', function* () {
  const when = yield* step('a').task(() => new Date());
  return when.getTime(); //! 'getTime' does not exist on type 'string'
});`,
  'a map of a task, which cannot be recorded': `
export const w = workflow('w', function* () {
  const found = yield* step('a').task(() => ({ byName: new Map([['a', 1]]) }));
  return found.byName.get('a'); //! JSON has no functions, symbols, bigints, maps or sets
});`,
  'nothing from a task, which is null afterwards': `
export const w = workflow('w', function* () {
  const n: number | undefined = yield* step('a').task(() => [1].find((one) => one > 2)); //! 'null' is not assignable
  return n ?? 0;
});`,
  'a date of another step': `
export const w = defineWorkflow({
  name: 'w',
  steps: {
    a: { handler: () => ({ at: new Date() }), next: 'b' },
    b: { handler: (ctx) => ctx.results.a?.output.at.getTime() ?? 0, next: null }, //! 'getTime' does not exist on type 'string'
  },
});`,
  'a date of a child': `
const child = workflow('child', function* () {
  yield* step('a').command('x');
  return { at: new Date() };
});
export const w = workflow('w', function* () {
  return (yield* step('c').workflow(child)).at.getTime(); //! 'getTime' does not exist on type 'string'
});`,
  'a task without the arguments that its function needs': `
export const w = workflow('w', function* () {
  yield* step('a').task({ action: (n: number) => n + 1 }); //! Property 'args' is missing
});`,
  'a parameter of a run that is not there': `
const w = defineWorkflow({ name: 'w', params: { n: arg({ type: 'number' }) }, steps: { a: { command: 'x', next: null } } });
declare const engine: Engine;
const run = await engine.start(w);
export const m = (await run.get()).params.m; //! Property 'm' does not exist on type
`,
  'a flow that returns a step': `
export const w = workflow('w', function* () { //! a flow returns a step that it never ran
  yield* step('a').command('x');
  return step('b').command('x');
});`,
};
