// The commands that look at definitions.

import { type CommandSpec, SIGNING_OPTIONS, TOKEN_FILE } from '../command.ts';

/** The commands of this group. */
export const DEFINE: readonly CommandSpec[] = [
  {
    name: 'list',
    group: 'Define',
    summary: 'list the workflows of this project, without running any of their code',
    about:
      'Workflows lie in .pawl/workflows (and .squadron/workflows) as .yaml, .yml, .ts, .mts, .js or .mjs files, one per file, exported as default or as WORKFLOW. What is in a folder called lib is left out: it is for modules that workflows share. Files are read, never imported.',
    examples: [
      { line: 'pawl list', about: 'names, files and titles' },
      { line: 'pawl list --json', about: 'the same for programs; of .yaml files with parameters and step ids' },
    ],
    load: () => import('../commands/list.ts'),
  },
  {
    name: 'validate',
    group: 'Define',
    summary: 'check definitions',
    about:
      'Checks every workflow of the project, or the files that are named: syntax, names, steps, transitions, conditions, durations. Workflow files are data, and none of their code is run. A module is parsed; when its content is trusted (see "pawl trust"), it is also loaded, in a process of its own, and its definition is checked. At a terminal you are asked whether you trust it. Exits with 0 when nothing is wrong, 2 when something is, and 4 when modules are not trusted, so that only their syntax was checked.',
    args: [{ name: 'FILE', about: 'files to check instead of all', many: true, completes: 'file' }],
    options: [{ name: 'strict', about: 'warnings are errors too' }],
    examples: [
      { line: 'pawl validate', about: 'check all workflows of this project' },
      { line: 'pawl validate .pawl/workflows/review.ts --strict', about: 'check one file, and accept no warnings' },
    ],
    load: () => import('../commands/validate.ts'),
  },
  {
    name: 'graph',
    group: 'Define',
    summary: 'draw the transitions of a workflow, or of a run with where it stands',
    about:
      'A workflow is loaded to be drawn, so its module must be trusted (see "pawl trust"); the graph of a run comes from its ' +
      'database and runs no code. For a run the drawing says what is done, current, failed and ahead, how often each step was ' +
      'visited and which ways were taken. A flow has no graph before it runs: draw one of its runs.',
    args: [{ name: 'WORKFLOW', about: 'a workflow by its name or its file, or the id of a run', completes: 'workflow' }],
    options: [
      { name: 'format', value: 'FORMAT', about: 'how it is drawn (mermaid)', choices: ['mermaid', 'dot', 'json', 'svg'] },
      { name: 'run', value: 'RUN', about: 'draw this run', completes: 'run' },
      { name: 'out', short: 'o', value: 'FILE', about: 'write to a file instead of stdout', completes: 'file' },
    ],
    examples: [
      { line: 'pawl graph fix-bug', about: 'as Mermaid text, for a README' },
      { line: 'pawl graph fix-bug --format svg -o fix-bug.svg', about: 'as a picture' },
      { line: 'pawl graph --run 0198 --format svg -o run.svg', about: 'where a run stands' },
    ],
    load: () => import('../commands/graph.ts'),
  },
  {
    name: 'export',
    group: 'Define',
    summary: 'write a workflow as a workflow file',
    about:
      'A workflow is loaded to be written, so its content must be trusted (see "pawl trust"). What came from a workflow file reads ' +
      'back as the same definition. Of a module whatever is data can be written; a step that is a function is refused by its name, ' +
      'and a warning says where the file is read otherwise. A file that is there already is left alone.',
    args: [{ name: 'WORKFLOW', about: 'a workflow by its name or its file', required: true, completes: 'workflow' }],
    options: [
      { name: 'format', value: 'FORMAT', about: 'how it is written (yaml)', choices: ['yaml'] },
      { name: 'out', short: 'o', value: 'FILE', about: 'write to a new file instead of stdout', completes: 'file' },
    ],
    examples: [{ line: 'pawl export review --format yaml -o review.yaml', about: 'a module as a workflow file' }],
    load: () => import('../commands/export.ts'),
  },
  {
    name: 'trust',
    group: 'Define',
    summary: 'allow the present content of workflows to run',
    about:
      'Running a workflow runs its code, so a workflow is run only when you trust its content: the file and the local files it imports, as they are now. After a change you are asked again. Packages it imports are not part of it. What you trust is kept with your own state, never in the project.',
    args: [{ name: 'FILE', about: 'files instead of all workflows of the project', many: true, completes: 'file' }],
    options: [
      { name: 'yes', short: 'y', about: 'do not ask for confirmation at the terminal' },
      { name: 'folder', about: 'trust whatever lies in the project folder from now on, for projects of your own' },
      { name: 'revoke', about: 'trust these files no longer; without FILE, nothing of this project' },
      { name: 'list', about: 'show what is trusted, and what has changed since' },
      TOKEN_FILE,
      { name: 'sign', about: 'sign the present content, for machines where your key is enrolled (see "pawl identity")' },
      ...SIGNING_OPTIONS,
    ],
    examples: [
      { line: 'pawl trust .pawl/workflows/review.ts', about: 'look at one workflow and allow it' },
      { line: 'pawl trust --folder', about: 'a project of your own: never ask here again' },
      { line: 'pawl trust --list', about: 'what is trusted' },
      { line: 'pawl trust --sign', about: 'for CI: writes .pawl/signatures.json, to be committed' },
    ],
    load: () => import('../commands/trust.ts'),
  },
];
