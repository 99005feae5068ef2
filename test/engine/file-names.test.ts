// Files with awkward names: outputs, gates, subjects of a question and protected paths see each of them, as it is named.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createScriptedDriver } from '../../src/agents/scripted.ts';
import { createRepository } from '../git.ts';
import { defineWorkflow } from './library.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
let project: string;
beforeEach(() => {
  rig = createRig();
  project = rig.path('project');
});
afterEach(() => rig.close());

const NAMES = [
  'two\nlines',
  `quotes"'\``,
  'emoji 😀.md',
  'caf\u00e9', // one character
  'cafe\u0301', // the same to a reader, in two characters
  'x'.repeat(255),
  'trailing.',
  '-rf',
  ' space ',
  'back\\slash',
  '$(touch pwned)',
  '[a]*?{b,c}',
  '#hash',
];

const writing = defineWorkflow({
  name: 'writing',
  protected: ['kept/**'],
  steps: [
    {
      id: 'write',
      agent: 'writer',
      prompt: 'Write.',
      outputs: [{ name: 'files', type: 'file', pattern: 'out/*', required: true }],
      next: 'check',
    },
    { id: 'check', gate: { checks: ['test "$(ls out | wc -l)" -ge 13'] }, next: 'ask' },
    { id: 'ask', human: { prompt: 'Good?', subjects: { files: ['out/*'] } }, next: null },
  ],
});

function put(folder: string, name: string, text: string): void {
  mkdirSync(join(project, folder), { recursive: true });
  writeFileSync(join(project, folder, name), text);
}

async function open(isChanged = false) {
  const driver = createScriptedDriver(() => {
    for (const name of NAMES) put('out', name, `of ${name}`);
    if (isChanged) put('kept', 'two\nlines', 'changed');
    return [];
  });
  return rig.open({ workflows: [writing], cwd: project, roles: { writer: { driver: 'scripted' } }, drivers: { scripted: driver } });
}

test.each(['a repository', 'a plain folder'])('each is an output and a subject of the question, in %s', async (place) => {
  mkdirSync(project);
  for (const name of NAMES) put('kept', name, 'kept');
  if (place === 'a repository') createRepository(project, {});
  const engine = await open();
  const run = await engine.start(writing);
  const view = await run.wait('idle');
  expect([view.status, view.steps.map(({ path, outcome }) => `${path} ${outcome ?? ''}`)]).toEqual([
    'waiting',
    ['write#1 ok', 'check#1 ok', 'ask#1 '],
  ]);
  expect(view.steps[0]?.output).toEqual({ files: NAMES.map((name) => `out/${name}`).sort() });
  for (const name of ['two\nlines', 'cafe\u0301']) {
    put('out', name, 'changed while the question waits');
    await expect(engine.run(run.id).decide({ option: 'approve', actor: 'ann' })).rejects.toMatchObject({ code: 'CONTENT_CHANGED' });
    await engine.run(run.id).wait('idle');
  }
  await engine.run(run.id).decide({ option: 'approve', actor: 'ann' });
  expect((await run.wait()).status).toBe('completed');
});

test('a protected file that an agent changes is named', async () => {
  mkdirSync(project);
  for (const name of NAMES) put('kept', name, 'kept');
  createRepository(project, {});
  const engine = await open(true);
  const view = await (await engine.start(writing)).wait('idle');
  expect([view.status, view.error]).toEqual(['escalated', expect.stringMatching(/kept\/two.lines/s)]);
});
