// Branches that would write the same files work in checkouts of their own, and what they changed comes together.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScriptedDriver } from '../../src/agents/scripted.ts';
import { checkYaml } from '../../src/authoring/yaml/check/check.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import type { CompiledWorkflow } from '../../src/definition/code.ts';
import { all, type Engine, step, workflow } from '../../src/index.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { createRepository, git } from '../git.ts';
import { createLatch, createRig, type Rig } from './rig.ts';

let rig: Rig;
let project: string;
beforeEach(() => {
  rig = createRig();
  project = rig.path('project');
  createRepository(project, { text: 'one\ntwo\nthree\nfour\nfive\n' });
});
afterEach(() => rig.close());

const parallel = (...branches: readonly string[]): CompiledWorkflow => parallelStage('', branches);

function parallelStage(more: string, branches: readonly string[]): CompiledWorkflow {
  const lines = branches.map((branch) => `      - { ${branch} }`).join('\n');
  const text = `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: both }\nstages:\n  - id: both\n    type: parallel\n${more}    branches:\n${lines}\n`;
  const { compiled, errors } = checkYaml('both.yaml', text, REGISTRY);
  if (compiled === undefined) throw new Error(JSON.stringify(errors));
  return compiled;
}

async function run(definition: CompiledWorkflow) {
  const engine = await rig.open({ cwd: project });
  return (await engine.start(definition)).wait();
}

const SED = (from: string, to: string): string => `type: command, run: "pwd > $PAWL_STEP.where; sed -i s/${from}/${to}/ text"`;

test('two branches change one file in different places, each in its own checkout, and both changes are merged', async () => {
  const view = await run(
    parallel(`id: a, ${SED('one', 'ONE')}, writes: [text, "*.where"]`, `id: b, ${SED('five', 'FIVE')}, writes: [text, "*.where"]`),
  );
  expect([view.status, readFileSync(join(project, 'text'), 'utf8')]).toEqual(['completed', 'ONE\ntwo\nthree\nfour\nFIVE\n']);
  const folders = ['a', 'b'].map((name) => readFileSync(join(project, `${name}.where`), 'utf8').trim());
  expect(new Set([...folders, project]).size).toBe(3);
  expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(1);
});

test('the later of two branches that contradict each other is a conflict that names the file, and is not merged', async () => {
  const view = await run(parallel(`id: a, ${SED('one', 'A')}, writes: [text]`, `id: b, ${SED('one', 'B')}, writes: [text]`));
  const branches = view.steps.filter(({ path }) => path.startsWith('both#1/'));
  expect(branches.map(({ outcome }) => outcome).sort()).toEqual(['conflict', 'ok']);
  expect(branches.find(({ outcome }) => outcome === 'conflict')?.output).toMatchObject({ files: ['text'] });
  expect(readFileSync(join(project, 'text'), 'utf8')).toMatch(/^[AB]\ntwo\n/);
  expect(view.status).not.toBe('completed');
});

test('branches that write different files, or declare none, work in place', async () => {
  const where = 'type: command, run: "pwd > $PAWL_STEP.where"';
  await run(parallel(`id: a, ${where}, writes: ["a.*"]`, `id: b, ${where}, writes: ["b.*"]`, `id: c, ${where}`));
  expect(['a', 'b', 'c'].map((name) => readFileSync(join(project, `${name}.where`), 'utf8').trim())).toEqual([project, project, project]);
});

test('nothing of a failed branch is merged', async () => {
  const view = await run(
    parallel(
      `id: a, type: command, run: "echo broken > text; false", writes: [text]`,
      `id: b, ${SED('two', 'TWO')}, writes: [text, "*.where"]`,
    ),
  );
  expect([view.status, readFileSync(join(project, 'text'), 'utf8')]).toEqual(['escalated', 'one\nTWO\nthree\nfour\nfive\n']);
});

test('nothing of an agent that reports a failure or a rejection is merged', async () => {
  const agent = (id: string) => `id: ${id}, agent: dev, action: ${id}, writes: ["*.md"]`;
  const engine = await rig.open({
    cwd: project,
    roles: { dev: { driver: 'scripted' } },
    drivers: {
      scripted: createScriptedDriver(({ step: id }) => [
        { do: 'write', path: `${id}.md`, text: id },
        { do: 'answer', success: id !== 'a', ...(id === 'b' ? { verdict: 'reject' } : {}) },
      ]),
    },
  });
  const view = await (await engine.start(parallel(agent('a'), agent('b'), agent('c')))).wait();
  expect(Object.fromEntries(view.steps.map(({ path, outcome }) => [path, outcome]))).toMatchObject({
    'both#1/a': 'fail',
    'both#1/b': 'reject',
    'both#1/c': 'ok',
  });
  expect(['a.md', 'b.md', 'c.md'].map((name) => existsSync(join(project, name)))).toEqual([false, false, true]);
});

test('agents work in their own checkouts as well, and their outputs are looked for there', async () => {
  const agent = (id: string) =>
    `id: ${id}, agent: dev, action: ${id}, writes: ["*.md"], outputs: [{ name: ${id}_page, type: file, pattern: "*.md", required: true }]`;
  const engine = await rig.open({
    cwd: project,
    roles: { dev: { driver: 'scripted' } },
    drivers: { scripted: createScriptedDriver(({ step: id }) => [{ do: 'write', path: `${id}.md`, text: id }, { do: 'answer' }]) },
  });
  const view = await (await engine.start(parallel(agent('a'), agent('b')))).wait();
  expect(view.status).toBe('completed');
  const outputs = Object.fromEntries(view.steps.map(({ path, output }) => [path, output]));
  expect(outputs).toMatchObject({ 'both#1/a': { a_page: ['a.md'] }, 'both#1/b': { b_page: ['b.md'] } });
  expect(['a.md', 'b.md'].map((name) => readFileSync(join(project, name), 'utf8'))).toEqual(['a', 'b']);
});

test('a pattern that leads out of the workspace is refused at its position', () => {
  expect(() => parallel(`id: a, ${SED('one', 'A')}, writes: ["../x"]`, `id: b, ${SED('one', 'B')}`)).toThrow(/leads out of the workspace/);
});

describe('agents that write the same files at the same time', () => {
  /** Agents that each change another line of one file, and meet before they write: in one folder, one change would be lost. */
  async function runAgents(definition: Parameters<Engine['start']>[0]) {
    const folders = new Set<string>();
    const both = createLatch();
    const driver = createScriptedDriver(async ({ cwd, context, step: name }) => {
      const text = readFileSync(join(cwd, 'text'), 'utf8');
      folders.add(cwd);
      if (folders.size === 2 || cwd === project) both.open();
      await both.promise;
      const word = typeof context.word === 'string' ? context.word : name;
      writeFileSync(join(cwd, 'text'), text.replace(word, word.toUpperCase()));
      return [];
    });
    const engine = await rig.open({ cwd: project, roles: { dev: { driver: 'scripted' } }, drivers: { scripted: driver } });
    const view = await (await engine.start(definition)).wait('idle');
    return { view, folders };
  }

  test('branches of a workflow file that declare the same files as outputs get their own checkouts', async () => {
    const branch = (id: string): string => `id: ${id}, type: agent, agent: dev, outputs: [{ name: ${id}_code, type: file, pattern: text }]`;
    const { view, folders } = await runAgents(parallel(branch('one'), branch('five')));
    expect([view.status, readFileSync(join(project, 'text'), 'utf8')]).toEqual(['completed', 'ONE\ntwo\nthree\nfour\nFIVE\n']);
    expect(folders.has(project)).toBe(false);
  });

  test('branches of a flow that write the same files get their own checkouts', async () => {
    const flow = workflow('flowing', function* () {
      yield* all([
        step('one').agent({ agent: 'dev', prompt: 'Write.', writes: ['text'] }),
        step('five').agent({ agent: 'dev', prompt: 'Write.', writes: ['text'] }),
      ]);
    });
    const { view, folders } = await runAgents(flow);
    expect([view.status, readFileSync(join(project, 'text'), 'utf8')]).toEqual(['completed', 'ONE\ntwo\nthree\nfour\nFIVE\n']);
    expect(folders.has(project)).toBe(false);
  });

  test('items of a fan-out that write the same files get their own checkouts', async () => {
    const fanned = defineWorkflow({
      name: 'fanned',
      steps: [
        {
          id: 'all',
          each: {
            items: 'words',
            step: { agent: 'dev', prompt: 'Write.', writes: ['text'], context: ({ item }: { item?: unknown }) => ({ word: item }) },
          },
          next: null,
        },
      ],
      params: { words: { description: 'the words', type: 'json', required: false, default: ['one', 'five'] } },
    });
    const { view, folders } = await runAgents(fanned);
    expect([view.status, readFileSync(join(project, 'text'), 'utf8')]).toEqual(['completed', 'ONE\ntwo\nthree\nfour\nFIVE\n']);
    expect(folders.has(project)).toBe(false);
  });

  describe('and that say nothing about files', () => {
    const silent = (id: string): string => `id: ${id}, type: agent, agent: dev`;
    const inTypeScript = defineWorkflow({
      name: 'silent',
      steps: [{ id: 'both', parallel: { branches: ['one', 'five'].map((id) => ({ id, agent: 'dev', prompt: 'Write.' })) }, next: null }],
    });
    const overItems = defineWorkflow({
      name: 'fanned',
      steps: [
        {
          id: 'all',
          each: { items: 'words', step: { agent: 'dev', prompt: 'Write.', context: ({ item }: { item?: unknown }) => ({ word: item }) } },
          next: null,
        },
      ],
      params: { words: { description: 'the words', type: 'json', required: false, default: ['one', 'five'] } },
    });
    const inFlow = workflow('flowing', function* () {
      yield* all(['one', 'five'].map((id) => step(id).agent({ agent: 'dev', prompt: 'Write.' })));
    });
    test.each([
      ['in a workflow file', parallel(silent('one'), silent('five'))],
      ['beside one that does', parallel(silent('one'), `${silent('five')}, writes: [text]`)],
      ['in a graph', inTypeScript],
      ['in a flow', inFlow],
      ['in a fan-out over a list', overItems],
    ])('agents that declare no files, %s, work in their own checkouts', async (_, definition) => {
      const { view, folders } = await runAgents(definition);
      expect([view.status, readFileSync(join(project, 'text'), 'utf8')]).toEqual(['completed', 'ONE\ntwo\nthree\nfour\nFIVE\n']);
      expect(folders.has(project)).toBe(false);
    });

    const where = async (
      definition: Parameters<Engine['start']>[0],
      permissions?: { readonly allow: readonly ['read'] },
    ): Promise<string[]> => {
      const folders: string[] = [];
      const driver = createScriptedDriver(({ cwd }) => {
        folders.push(cwd);
        return [{ do: 'answer', verdict: 'approve' }];
      });
      const dev = { driver: 'scripted', ...(permissions === undefined ? {} : { permissions }) };
      const engine = await rig.open({ cwd: project, roles: { dev }, drivers: { scripted: driver } });
      expect((await (await engine.start(definition)).wait()).status).toBe('completed');
      return [...new Set(folders)];
    };

    test('agents that declare no files stay in the workspace when their role may not change files, when they review, or work one by one', async () => {
      const review = parallelStage('    on_any_reject: escalate\n', [silent('a'), silent('b')]);
      expect(await where(inTypeScript, { allow: ['read'] })).toEqual([project]);
      expect(await where(review)).toEqual([project]);
      expect(await where(parallel(`${silent('a')}, writes: []`, silent('b')))).toEqual([project]);
    });
  });
});
