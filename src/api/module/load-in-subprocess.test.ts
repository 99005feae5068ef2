import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import { readModuleGraph } from '../../authoring/discover/imports.ts';
import { checkWorkflows, discoverWorkflows } from '../discover.ts';
import { loadInSubprocess } from './load-in-subprocess.ts';

let folder: string;
beforeEach(() => {
  folder = tempFolder();
});

function write(path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const GOOD = `import { defineWorkflow } from 'pawl';
export default defineWorkflow({ name: 'good', params: { x: { type: 'string' } }, steps: { a: { command: 'true', next: null } } });
`;

test('a module answers with its definition, although it goes on running', async () => {
  const file = write('good.ts', `${GOOD}setInterval(() => undefined, 1000);\n`);
  expect(await loadInSubprocess(file)).toMatchObject({
    workflow: { definition: { name: 'good', params: { x: {} }, steps: [{ id: 'a' }] } },
  });
});

test('a module that does not end is ended, and one that takes too much memory', async () => {
  expect(await loadInSubprocess(write('loop.ts', 'for (;;);\n'), undefined, { timeoutMs: 1500 })).toEqual({
    failure: { code: 'MODULE_FAILED', message: 'it was not loaded within 1.5 seconds' },
  });
  const greedy = write('greedy.ts', 'const all: unknown[] = [];\nfor (;;) all.push(new Array(100_000).fill({}));\n');
  expect(await loadInSubprocess(greedy, undefined, { megabytes: 32 })).toEqual({
    failure: { code: 'MODULE_FAILED', message: 'it needed more than 32 MB of memory while it was loaded' },
  });
});

test('a file that is not what was checked is not run', async () => {
  const file = write('good.ts', GOOD);
  const checked = await readModuleGraph(file);
  write('good.ts', `${GOOD}// changed\n`);
  expect(await loadInSubprocess(file, checked)).toMatchObject({ failure: { code: 'NOT_TRUSTED' } });
});

test('checkWorkflows reports what only loading shows, and discoverWorkflows runs nothing', async () => {
  const file = write('bad.ts', GOOD.replace('next: null', "next: 'zz'"));
  write('good.ts', GOOD.replace("'good'", "'other'"));
  expect(await discoverWorkflows(folder)).toMatchObject({ workflows: [{ name: 'good' }, { name: 'other' }], problems: [] });
  expect(await checkWorkflows(folder)).toMatchObject({
    workflows: [{ name: 'other', params: ['x'], steps: ['a'] }],
    problems: [{ file, code: 'TARGET_UNKNOWN', line: 2 }],
  });
});
