// The commands for newcomers, and for workflow definitions.

import { type CommandSpec, inGroup, SIGNING_OPTIONS, STATUS_OPTION, TOKEN_FILE } from '../command.ts';
import { AGENT_FORMAT } from './attend.ts';

/** The commands for newcomers. */
export const START: readonly CommandSpec[] = inGroup('Start', [
  {
    name: 'demo',
    summary: 'watch the engine check what an agent claims',
    about:
      'Creates a small project with a bug in a temporary folder and runs a real workflow on it: a scripted agent, real tests as a gate, and a decision for you to make. It needs no API key, no account and no network. The project is kept, and the commands to look at it are printed.',
    options: [
      {
        name: 'keep',
        value: 'DIR',
        about: 'create the project and its database in this folder, which must be new or empty',
        completes: 'folder',
      },
      { name: 'no-pause', about: 'print without pauses for reading' },
    ],
    examples: [
      { line: 'pawl demo', about: 'about ten seconds, and one question for you' },
      { line: 'pawl demo --keep demo', about: 'keep the project in this folder' },
    ],
    load: () => import('../commands/demo.ts'),
  },
  {
    name: 'init',
    summary: 'write a first workflow and its settings into .pawl/',
    about:
      'Writes a workflow of five steps that runs as it is, a settings file, and type information for your editor. With --template it writes a workflow that works with issues and pull requests, its roles, settings for a forge, and a script that plays the agents until you configure real ones. Existing files are not changed.',
    args: [{ name: 'NAME', about: 'the name of the workflow (default: notes, or that of the template)' }],
    options: [
      { name: 'js', about: 'write JavaScript instead of TypeScript' },
      { name: 'yaml', about: 'write YAML instead of TypeScript; its first line names the schema for your editor' },
      {
        name: 'template',
        value: 'TEMPLATE',
        about: 'write a workflow for issues and pull requests',
        choices: ['review-pipeline', 'feature-development', 'bug-fix', 'security-sensitive', 'custom'],
      },
      { name: 'repo', value: 'OWNER/NAME', about: 'with --template: set it up for this repository at GitHub instead of a local forge' },
      {
        name: 'github-actions',
        about: 'write .github/workflows/pawl.yml, which runs Pawl on events of the repository without a server; alone, or with --template',
      },
      { name: 'claude', about: 'instead, set up Claude Code to work on runs: the command /pawl, the MCP server and hooks' },
      { name: 'codex', about: 'the same for Codex' },
      { name: 'gemini', about: 'the same for Gemini CLI' },
      { name: 'opencode', about: 'the same for OpenCode' },
      { name: 'yes', short: 'y', about: 'add what is missing to settings that exist, without asking' },
      { name: 'dry-run', about: 'only show which files would be written' },
    ],
    examples: [
      { line: 'pawl init', about: 'then: pawl run notes' },
      { line: 'pawl init release --js', about: 'a workflow with another name, in JavaScript' },
      { line: 'pawl init --yaml', about: 'the same workflow in YAML' },
      { line: 'pawl init --template bug-fix', about: 'from an issue to a merged pull request, on this machine' },
      { line: 'pawl init --template feature-development --repo octo/project', about: 'the same at GitHub' },
      { line: 'pawl init --template bug-fix --repo octo/project --github-actions', about: 'and without a server' },
      { line: 'pawl init --claude --codex', about: 'set up Claude Code and Codex to work on runs' },
      { line: 'pawl init --claude --dry-run', about: 'what would be written for Claude Code' },
    ],
    load: () => import('../commands/init.ts'),
  },
]);

/** The commands for workflow definitions. */
export const DEFINE: readonly CommandSpec[] = inGroup('Define', [
  {
    name: 'list',
    summary: "list the project's workflows, without running their code",
    about:
      'Workflows are files in .pawl/workflows (and .squadron/workflows) that end in .yaml, .yml, .ts, .mts, .js or .mjs. Each file has one workflow; a module exports it as default or as WORKFLOW. Folders named lib, for modules that workflows share, are skipped. Files are parsed, never imported. Skills are listed by name; see "pawl skill list".',
    options: [{ ...STATUS_OPTION, about: 'list runs with this status instead, as "pawl runs --status" does' }],
    examples: [
      { line: 'pawl list', about: 'names, files and titles' },
      { line: 'pawl list --json', about: 'for a program; .yaml files with parameters and step ids' },
    ],
    load: () => import('../commands/list.ts'),
  },
  {
    name: 'validate',
    summary: 'check workflows for errors',
    about:
      'Checks the syntax, names, steps, transitions, conditions and durations of every workflow in the project, or of the given files, whether the roles, groups, checks and workflows that they name exist, and the step kinds and gate checks in .pawl/kinds and .pawl/checks. Checking a workflow file (.yaml) runs no code, unless it names one of those. A module (.ts, .js) is parsed; if this version of it is trusted (see "pawl trust"), it is also loaded in a separate process, and its definition is checked. At a terminal you are asked whether to trust it. Exits with 0 when there are no errors, with 2 when there are, and with 4 when a module is not trusted, so that only its syntax was checked.',
    args: [{ name: 'FILE', about: 'check these files instead of all workflows', many: true, completes: 'file' }],
    options: [
      { name: 'strict', about: 'treat warnings as errors' },
      { name: 'hints', about: 'also show hints: advice that needs no change' },
      { name: 'schema', about: 'print the JSON Schema of workflow files, with the step kinds of this project' },
    ],
    examples: [
      { line: 'pawl validate', about: 'check all workflows of this project' },
      { line: 'pawl validate .pawl/workflows/review.ts --strict', about: 'check one file, and fail on warnings' },
      { line: 'pawl validate --schema > .pawl/workflow.schema.json', about: 'for an editor' },
    ],
    load: () => import('../commands/validate.ts'),
  },
  {
    name: 'lock',
    summary: 'lock workflows with everything they refer to, and check that nothing changed',
    about:
      'Writes a file next to each workflow (NAME.lock.json) with digests of the workflow, the code that it loads, the workflows that it starts, the files of its roles, the step kinds and checks of the project, the scripts that its commands name, and the settings of the project, and with the version of Pawl. Commit it. "pawl run --locked" and "pawl serve --locked" start a workflow only if none of that has changed. Warnings of "pawl validate" are errors here. With --check nothing is written: it exits with 1 when something differs, and says what.',
    args: [{ name: 'WORKFLOW', about: 'the name or file of a workflow (default: all)', many: true, completes: 'workflow' }],
    options: [{ name: 'check', about: 'compare with the lock files instead of writing them' }],
    examples: [
      { line: 'pawl lock', about: 'lock all workflows of this project' },
      { line: 'pawl lock --check', about: 'in CI: has anything changed since?' },
      { line: 'pawl lock fix-bug', about: 'after a review of what changed' },
    ],
    load: () => import('../commands/lock.ts'),
  },
  {
    name: 'graph',
    summary: 'draw the graph of a workflow, or of a run and its progress',
    about:
      'Drawing a workflow loads its module, which must be trusted (see "pawl trust"). The graph of a run comes from the database ' +
      'and runs no code; it shows which steps are done, current, failed and still to come, how often each was visited, and which ' +
      'transitions were taken. A flow has no graph before it runs: draw one of its runs.',
    args: [{ name: 'WORKFLOW', about: 'the name or file of a workflow, or the id of a run', completes: 'workflow' }],
    options: [
      {
        name: 'format',
        value: 'FORMAT',
        about: 'the output format (default: text on a terminal, else mermaid)',
        choices: ['text', 'mermaid', 'dot', 'json', 'svg'],
      },
      { name: 'run', value: 'RUN', about: 'draw this run', completes: 'run' },
      { name: 'out', short: 'o', value: 'FILE', about: 'write to a file instead of stdout', completes: 'file' },
    ],
    examples: [
      { line: 'pawl graph fix-bug', about: 'on a terminal: as a drawing' },
      { line: 'pawl graph fix-bug --format mermaid', about: 'as Mermaid text, for a README' },
      { line: 'pawl graph fix-bug --format svg -o fix-bug.svg', about: 'as an image' },
      { line: 'pawl graph --run 0198 --format svg -o run.svg', about: 'the progress of a run' },
    ],
    load: () => import('../commands/graph.ts'),
  },
  {
    name: 'prompt',
    summary: 'show the instructions an agent would get for a step',
    about:
      'Prints the whole text for the first visit of a step: where the agent is, the goal, what to do, what is checked, what not to touch and how to report. Nothing is started and no condition is checked. The workflow is loaded, so it must be trusted (see "pawl trust"). Expressions whose values only a run knows are printed as written; at later visits a run adds why the agent has to do the step again, with the evidence, and what people said. For an open step of a run, use "pawl next RUN".',
    args: [
      { name: 'WORKFLOW', about: 'the name or file of a workflow', required: true, completes: 'workflow' },
      { name: 'STEP', about: 'a step done by an agent, or GROUP/BRANCH (default: the only one)' },
    ],
    options: [
      { name: 'param', short: 'p', value: 'NAME=VALUE', about: 'a parameter of the workflow, or an argument of the step', many: true },
      { name: 'params', value: 'JSON', about: 'all of them as a JSON object, or @FILE' },
      { name: 'attended', about: 'as in an attended run: the agent that calls Pawl acts for roles without a driver' },
      AGENT_FORMAT,
    ],
    examples: [
      { line: 'pawl prompt fix-bug implement -p issue=7', about: 'the text for the agent of one step' },
      { line: 'pawl prompt fix-bug implement --attended --format xml', about: 'for an agent that does the steps itself' },
      { line: 'pawl prompt fix-bug implement --json | jq .bytes', about: 'how long it is' },
    ],
    load: () => import('../commands/prompt.ts'),
  },
  {
    name: 'test',
    summary: 'run generated tests for every step of the workflows',
    about:
      'Generates a test for every step with every combination of the values that its parameters and arguments can have, without sampling. Categories: import (the file loads and has one workflow), structure (what "pawl validate" checks), steps (each generated case: the real engine, in memory, starts a run at the step with these values, builds its text, and follows each of its outcomes to the step that the definition names), domain (values inside the bounds are accepted, values just outside are rejected). No agent, handler, command or request is run: a script replaces the work. Functions that build texts are called. Without names, all workflows and skills of the project are tested. They are loaded, so they must be trusted (see "pawl trust"). Exits with 0 when all tests pass and with 1 when one fails.',
    args: [
      {
        name: 'WORKFLOW',
        about: 'names or files of workflows, or names of skills (default: all of the project)',
        many: true,
        completes: 'workflow',
      },
    ],
    options: [
      {
        name: 'category',
        value: 'CATEGORY',
        about: 'only these tests; can be repeated',
        many: true,
        choices: ['import', 'structure', 'steps', 'domain'],
      },
      { name: 'filter', value: 'TEXT', about: 'only the test with this id, or, if there is none, those whose id contains this text' },
      {
        name: 'param',
        short: 'p',
        value: 'NAME=VALUE',
        about: 'test only this value of a parameter or argument; required if its values are unbounded',
        many: true,
      },
      { name: 'params', value: 'JSON', about: 'the values as a JSON object, or @FILE' },
      { name: 'junit', value: 'FILE', about: 'also write the results as a JUnit report', completes: 'file' },
      { name: 'subprocess', about: 'also run "pawl prompt" for each case of an agent in a separate process, and check its exit code' },
    ],
    examples: [
      { line: 'pawl test', about: 'all workflows of this project' },
      { line: 'pawl test fix-bug -p issue=7', about: 'one workflow; the issue can be any number, so name one' },
      { line: 'pawl test fix-bug --filter fix-bug/implement:issue=7', about: 'one case again' },
      { line: 'pawl test --category steps --junit report.xml', about: 'in CI' },
    ],
    load: () => import('../commands/test.ts'),
  },
  {
    name: 'export',
    summary: 'write a workflow as YAML',
    about:
      'Exporting a workflow loads it, so it must be trusted (see "pawl trust"). A workflow that came from YAML reads back as the ' +
      'same definition. A step that is a TypeScript function cannot be exported and is an error; a warning names anything that reads ' +
      'back differently. An existing file is not overwritten.',
    args: [{ name: 'WORKFLOW', about: 'the name or file of a workflow', required: true, completes: 'workflow' }],
    options: [
      { name: 'format', value: 'FORMAT', about: 'the output format (default: yaml)', choices: ['yaml'] },
      { name: 'out', short: 'o', value: 'FILE', about: 'write to a new file instead of stdout', completes: 'file' },
    ],
    examples: [{ line: 'pawl export review --format yaml -o review.yaml', about: 'convert a module to YAML' }],
    load: () => import('../commands/export.ts'),
  },
  {
    name: 'trust',
    summary: 'trust the current version of workflows',
    about:
      'Running a workflow runs its code, so Pawl only runs a workflow that you trust: the file and all code that it imports, installed packages included, in their current version. After a change you are asked again. What you trust is recorded in your own state folder, never in the project.',
    args: [{ name: 'FILE', about: "trust these files instead of all the project's workflows", many: true, completes: 'file' }],
    options: [
      { name: 'yes', short: 'y', about: 'do not ask for confirmation' },
      { name: 'folder', about: 'trust everything in the project folder from now on; for your own projects' },
      { name: 'revoke', about: 'stop trusting these files; without FILE, the whole project' },
      { name: 'list', about: 'show what is trusted, and what has changed since' },
      TOKEN_FILE,
      { name: 'sign', about: 'sign the current version, for machines where your key is enrolled (see "pawl identity")' },
      ...SIGNING_OPTIONS,
    ],
    examples: [
      { line: 'pawl trust .pawl/workflows/review.ts', about: 'review one workflow and trust it' },
      { line: 'pawl trust --folder', about: 'your own project: never ask here again' },
      { line: 'pawl trust --list', about: 'what is trusted' },
      { line: 'pawl trust --sign', about: 'for CI: writes .pawl/signatures.json, to be committed' },
    ],
    load: () => import('../commands/trust.ts'),
  },
]);
