// Owns definition files with one mistake each, as people make them. What `pawl validate` says about each is kept in
// `golden/validate`, to be read and judged as the person who made the mistake.

const HEAD = "import { defineWorkflow, Outcome } from 'pawl/compat';\n\n";

/** A graph around some steps, one step per line. */
function graph(steps: string, more = ''): string {
  const lines = steps
    .trim()
    .split('\n')
    .map((line) => `    ${line.trim()}`);
  return `${HEAD}export default defineWorkflow({\n  name: 'review',\n${more}  steps: [\n${lines.join('\n')}\n  ],\n});\n`;
}

/** Mistakes by what they are called. */
export const MISTAKES: Readonly<Record<string, string>> = {
  'target-misspelt': graph(`
    { id: 'implement', command: 'make', next: 'reveiw' },
    { id: 'review', human: { prompt: 'Good?' }, next: null },`),
  'field-misspelt': graph(`{ id: 'build', comand: 'make', next: null },`),
  'workflow-field-misspelt': graph(`{ id: 'build', command: 'make', next: null },`, "  desciption: 'Builds it.',\n"),
  'outcome-misspelt': graph(`
    { id: 'build', command: 'make', next: { ok: null, failed: 'mend' } },
    { id: 'mend', command: 'mend', next: null },`),
  'next-forgotten': graph(`
    { id: 'build', command: 'make' },
    { id: 'test', command: 'make test', next: null },`),
  'step-unreachable': graph(`
    { id: 'build', command: 'make', next: null },
    { id: 'test', command: 'make test', next: null },`),
  'id-twice': graph(`
    { id: 'build', command: 'make', next: 'test' },
    { id: 'test', command: 'make test', next: null },
    { id: 'build', command: 'make again', next: null },`),
  'id-reserved': graph(`{ id: 'complete', command: 'make', next: null },`),
  'no-end': graph(`
    { id: 'build', command: 'make', next: 'test' },
    { id: 'test', command: 'make test', next: 'build' },`),
  'bound-leads-back': graph(`
    { id: 'build', command: 'make', next: 'test' },
    { id: 'test', command: 'make test', next: { ok: null, fail: { to: 'build', maxIterations: 3, onExhausted: 'build' } } },`),
  'duration-wrong': graph(`{ id: 'build', command: 'make', timeout: '10 minuets', next: null },`),
  'retry-negative': graph(`{ id: 'build', command: 'make', retry: -1, next: null },`),
  'two-kinds': graph(`{ id: 'build', command: 'make', human: { prompt: 'Good?' }, next: null },`),
  'condition-syntax': graph(`
    { id: 'build', command: 'make', next: { condition: 'result.ok ===', onTrue: null, onFalse: 'mend' } },
    { id: 'mend', command: 'mend', next: null },`),
  'condition-root': graph(`
    { id: 'build', command: 'make', next: { condition: 'reslt.exitCode == 0', onTrue: null, onFalse: 'mend' } },
    { id: 'mend', command: 'mend', next: null },`),
  'join-too-many': graph(`
    {
      id: 'reviews',
      parallel: { join: 3, branches: [{ id: 'a', command: 'one' }, { id: 'b', command: 'two' }] },
      next: null,
    },`),
  'branch-as-target': graph(`
    { id: 'start', command: 'make', next: 'a' },
    { id: 'reviews', parallel: { branches: [{ id: 'a', command: 'one' }, { id: 'b', command: 'two' }] }, next: null },`),
  'option-target': graph(`
    { id: 'build', command: 'make', next: 'ask' },
    { id: 'ask', human: { prompt: 'Good?', options: [{ label: 'yes' }, { label: 'no', nextStep: 'biuld' }] }, next: null },`),
  'entry-unknown': graph(`{ id: 'build', command: 'make', next: null },`, "  entry: 'start',\n"),
  'param-contradicts': graph(
    `{ id: 'build', command: 'make', next: null },`,
    "  params: { tries: { type: 'integer', min: 5, max: 3, description: '' } },\n",
  ),
  'handler-text': graph(`{ id: 'build', handler: 'make', next: null },`),
  'check-missing': graph(`{ id: 'build', command: 'make', postconditions: [{ name: 'built', error: 'not built' }], next: null },`),
  'agent-field-alone': graph(`{ id: 'write', prompt: 'Write it.', next: null },`),
  'steps-empty': `${HEAD}export default defineWorkflow({ name: 'review', steps: [] });\n`,
  'several-at-once': graph(`
    { id: 'build', comand: 'make', timeout: '10 minuets', next: 'tset' },
    { id: 'test', command: 'make test', retry: 1.5, next: null },`),
  'name-missing': `${HEAD}export default defineWorkflow({\n  steps: [{ id: 'build', command: 'make', next: null }],\n});\n`,
  'name-computed': `${HEAD}export default defineWorkflow({\n  name: process.env.NAME ?? 'x',\n  steps: [{ id: 'build', command: 'make', next: null }],\n});\n`,
  'not-exported': `${HEAD}const review = defineWorkflow({ name: 'review', steps: [{ id: 'build', command: 'make', next: null }] });\n`,
  'exported-twice': `${HEAD}const steps = [{ id: 'build', command: 'make', next: null }];\nexport const WORKFLOW = defineWorkflow({ name: 'a', steps });\nexport default defineWorkflow({ name: 'b', steps });\n`,
  'plain-object': `export default { name: 'review', steps: [] };\n`,
  'import-forgotten': `export default defineWorkflow({ name: 'review', steps: [{ id: 'build', command: 'make', next: null }] });\n`,
  'made-by-a-function': `${HEAD}function make(name: string) {\n  return defineWorkflow({ name, steps: [{ id: 'build', command: 'make', next: null }] });\n}\n\nexport default make('review');\n`,
  'comma-forgotten': `${HEAD}export default defineWorkflow({\n  name: 'review'\n  steps: [{ id: 'build', command: 'make', next: null }],\n});\n`,
  'quote-forgotten': `${HEAD}export default defineWorkflow({\n  name: 'review,\n  steps: [],\n});\n`,
  'enum-used': `${HEAD}enum Step {\n  Build = 'build',\n}\n\nexport default defineWorkflow({ name: 'review', steps: [{ id: Step.Build, command: 'make', next: null }] });\n`,
  'flow-not-a-generator': `import { step, workflow } from 'pawl';\n\nexport default workflow('review', async function () {\n  await step('build').command('make');\n});\n`,
  'flow-name-twice': `import { step, workflow } from 'pawl';\n\nexport default workflow('review', function* () {\n  yield* step('build').command('make');\n  yield* step('build').command('make test');\n});\n`,
  'flow-reads-clock': `import { step, workflow } from 'pawl';\n\nexport default workflow('review', function* () {\n  const started = Date.now();\n  for (let i = 0; i < 3; i += 1) yield* step('try').command('make');\n  return started;\n});\n`,
  'steps-imported': `${HEAD}import { shared } from './lib/shared.ts';\n\nexport default defineWorkflow({\n  name: 'review',\n  steps: [...shared, { id: 'build', comand: 'make', next: 'publish' }],\n});\n`,
};
