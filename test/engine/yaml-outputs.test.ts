// Declared outputs of workflow files on the real engine: a run goes on when what was promised has been seen.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentRequest } from '../../src/agents/driver.ts';
import { createScriptedDriver, type ScriptedMove } from '../../src/agents/scripted.ts';
import { draftYaml } from '../../src/authoring/yaml/compile/compile.ts';
import { readYamlWorkflow } from '../../src/authoring/yaml/read/read.ts';
import type { CompiledWorkflow } from '../../src/definition/code.ts';
import type { EngineOptions } from '../../src/index.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { valueIn } from '../../src/proof/forge-suite/stage.ts';
import { type LocalForgeStage, openLocalForgeStage } from '../forge/local-stage.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
let asked: AgentRequest[];
beforeEach(() => {
  rig = createRig();
  asked = [];
});
afterEach(() => rig.close());

/** The workflow of a file with these lines below its head. */
function workflowOf(lines: string): CompiledWorkflow {
  const { document, problems } = readYamlWorkflow(`apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata:\n  name: w\n${lines}`, 'w.yaml', {
    compilers: REGISTRY,
  });
  if (document === undefined) throw new Error(JSON.stringify(problems));
  const { finish, problems: faults } = draftYaml(document, REGISTRY);
  if (finish === undefined) throw new Error(JSON.stringify(faults));
  return finish();
}

/** Runs a workflow to its end, with an agent that does this at each attempt of each step. */
async function play(lines: string, script: (request: AgentRequest) => readonly ScriptedMove[], options: EngineOptions = {}) {
  const workflow = workflowOf(lines);
  const driver = createScriptedDriver((request) => {
    asked.push(request);
    return script(request);
  });
  const roles = { dev: { driver: 'scripted' } };
  const engine = await rig.open({ workflows: [workflow], roles, drivers: { scripted: driver }, ...options });
  return await (await engine.start(workflow)).wait();
}

const IMPLEMENT = `
stages:
  - id: implement
    type: agent
    agent: dev
    outputs:
      - { name: tests, type: file, pattern: "tests/**/*.py", required: true }
`;

describe('an agent that claims without changing a file', () => {
  test('an agent that claims without changing a file is asked once more with the evidence, and the step is done when the file has changed', async () => {
    const view = await play(IMPLEMENT, ({ attempt }) =>
      attempt === 1
        ? [{ do: 'answer', output: { tests: ['tests/test_a.py'] } }]
        : [{ do: 'write', path: 'tests/test_a.py', text: 'x' }, { do: 'answer' }],
    );
    expect(view.status).toBe('completed');
    expect(asked.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(asked[1]?.feedback).toContain('no file matches "tests/**/*.py"');
    expect(asked[1]?.prompt).toContain('Previous attempt failed: no file matches');
    expect(view.steps.at(-1)).toMatchObject({ path: 'implement#1', outcome: 'ok', output: { tests: ['tests/test_a.py'] } });
    expect(view.steps.map(({ evidence }) => evidence)).toMatchObject([
      { outputs: [{ name: 'tests', type: 'file', passed: false }] },
      { outputs: [{ name: 'tests', type: 'file', passed: true }] },
    ]);
  });

  test('a second time escalates the run', async () => {
    const view = await play(IMPLEMENT, () => [{ do: 'answer', output: 'all tests written' }]);
    expect(view).toMatchObject({ status: 'escalated', error: expect.stringContaining('tests/**/*.py') });
    expect(asked).toHaveLength(2);
  });
});

describe('a command', () => {
  test('a command has the files that it changed as its output', async () => {
    writeFileSync(rig.path('kept.txt'), 'same');
    const view = await play(
      `
stages:
  - id: build
    type: command
    run: echo 1 > made.txt; echo same > kept.txt; printf same > kept.txt
    outputs: [{ name: files, type: file, pattern: "*.txt", required: true }]
  - { id: use, type: command, run: 'printf "%s" "$FILES" > used', env: { FILES: "files: {{ outputs.build.files }}" } }
`,
      () => [],
    );
    expect(view.status).toBe('completed');
    expect(readFileSync(rig.path('used'), 'utf8')).toBe('files: ["made.txt"]');
  });
});

describe('the first stages of a development workflow', () => {
  let stage: LocalForgeStage;
  beforeEach(async () => {
    stage = await openLocalForgeStage();
  });
  afterEach(() => stage.close());

  const STAGES = (issue: number) => `
context: { issue_number: ${issue} }
stages:
  - id: research
    type: agent
    agent: dev
    outputs: [{ name: implementation_plan, type: comment, required: true }]
  - id: implement
    type: agent
    agent: dev
    outputs:
      - { name: code_changes, type: file, pattern: "src/**/*.py" }
      - { name: tests, type: file, pattern: "tests/**/*.py", required: true }
  - id: test
    type: gate
    conditions:
      - check: command
        run: printf 'SF:src/foo.py\\nDA:1,1\\nend_of_record\\n' > lcov.info
      - { check: coverage, minimum: 80%, report: lcov.info }
  - id: pull_request
    type: agent
    agent: dev
    outputs: [{ name: pr_number, type: pr, required: true }]
  - id: show
    type: command
    run: printf '%s' "$SEEN" > seen.json
    env:
      SEEN: >-
        {"issue_number": {{ context.issue_number }}, "plan": "{{ context.outputs.research.implementation_plan }}",
        "research": {{ outputs.research }}, "implement": {{ outputs.implement }}, "test": {{ outputs.test }},
        "pull_request": {{ outputs.pull_request }}}
`;
  const MOVES: Readonly<Record<string, readonly ScriptedMove[]>> = {
    research: [{ do: 'answer', output: { comment: 'First the index, then the search.' } }],
    implement: [
      { do: 'write', path: 'src/foo.py', text: 'foo' },
      { do: 'write', path: 'src/bar.py', text: 'bar' },
      { do: 'write', path: 'tests/test_foo.py', text: 'test' },
    ],
    pull_request: [{ do: 'answer', output: { pr: { title: 'Add search', body: '', head: 'search' } } }],
  };

  test('the first stages of a development workflow leave the outputs that the design document shows', async () => {
    const { forge } = stage;
    const issue = valueIn(await forge.createIssue({ title: 'Add search', body: '', labels: [] }, 'k')).number;
    const { folder: cwd, git, commit } = await stage.clone();
    await git('checkout', '--quiet', '-b', 'search');
    await commit({ 'src/old.py': 'old' });
    const view = await play(STAGES(issue), ({ step }) => MOVES[step] ?? [], { forge, cwd });
    expect(view.status).toBe('completed');
    const [comment] = valueIn(await forge.comments(issue));
    const plan = `comment:${comment?.id}`;
    expect(comment?.body).toBe('First the index, then the search.');
    expect(JSON.parse(readFileSync(join(cwd, 'seen.json'), 'utf8'))).toMatchObject({
      issue_number: issue,
      plan,
      research: { implementation_plan: plan },
      implement: { code_changes: ['src/bar.py', 'src/foo.py'], tests: ['tests/test_foo.py'] },
      test: { passed: true, coverage: 100, duration: expect.stringMatching(/^[\d.]+(ms|s)$/) },
      pull_request: { pr_number: issue + 1 },
    });
    expect(view.steps.slice(0, 2).map(({ output }) => output)).toEqual([
      { implementation_plan: plan },
      { code_changes: ['src/bar.py', 'src/foo.py'], tests: ['tests/test_foo.py'] },
    ]);
    expect(valueIn(await forge.pullRequest(issue + 1))).toMatchObject({ state: 'open', headBranch: 'search' });
  });
});

describe('a file that an agent wrote during an earlier step', () => {
  const ahead = (fresh: string): string => `
stages:
  - { id: plan, type: agent, agent: dev, on_complete: write }
  - id: write
    type: agent
    agent: dev
    ${fresh}
    outputs: [{ name: page, type: file, pattern: "docs/*.md", required: true }]
`;
  const early = ({ step }: AgentRequest): readonly ScriptedMove[] =>
    step === 'plan' ? [{ do: 'write', path: 'docs/new.md', text: 'x' }] : [];

  test('a file that an agent wrote during an earlier step is no proof of the step, and the error names what the author can write', async () => {
    const view = await play(ahead(''), early);
    expect(view.status).toBe('escalated');
    expect(view.steps.at(-1)?.error).toContain('the author of the workflow can write "fresh: run" at the step');
  });

  test('a file that an agent wrote during an earlier step counts with fresh: run, if it was not there before the run', async () => {
    const view = await play(ahead('fresh: run'), early);
    expect([view.status, view.output]).toMatchObject(['completed', { page: ['docs/new.md'] }]);
    const again = await play(ahead('fresh: run'), () => []);
    expect(again.steps.at(-1)?.error).toContain('none changed since before the run');
  });
});
