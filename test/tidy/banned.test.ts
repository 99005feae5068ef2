import { describe, expect, test } from 'vitest';
import {
  addressViolations,
  kernelViolations,
  machinePathViolations,
  ownNameViolations,
  silencingViolations,
  unrunTestViolations,
} from './banned.ts';
import { parseSource } from './source.ts';

const KERNEL = 'src/kernel/sample.ts';

describe('the kernel', () => {
  test.each([
    'const now = Date.now();',
    'const now = new Date();',
    'const now = performance.now();',
    'const dice = Math.random();',
    "const dice = Math['random']();",
    'const id = crypto.randomUUID();',
    "import { hash } from 'node:crypto';",
    "import { readFileSync } from 'fs';",
    "import 'yaml';",
    'setTimeout(work, 1);',
    'setInterval(work, 1);',
    'queueMicrotask(work);',
    'const home = process.env.HOME;',
    'void fetch(address);',
    "console.log('x');",
    'const all = { Date };',
    'globalThis.x = 1;',
  ])('the kernel may not write %s', (text) => {
    expect(kernelViolations(parseSource(KERNEL, text))).not.toEqual([]);
    expect(kernelViolations(parseSource('src/engine/sample.ts', text))).toEqual([]);
    expect(kernelViolations(parseSource('src/kernel/sample.test.ts', text))).toEqual([]);
  });

  test('the kernel may use those words as names of members', () => {
    const text =
      "import type { Step } from '../definition/step.ts'; interface A { process: number }; const a = { process: 1 }; a.process = Math.max(1, 2);";
    expect(kernelViolations(parseSource(KERNEL, text))).toEqual([]);
  });
});

describe('silencing', () => {
  test.each([
    'const a = b as any;',
    'const a = <any>b;',
    '// @ts-ignore\nwork();',
    '// @ts-nocheck\nwork();',
    '/* FIXME later */',
    '// TODO tidy this',
  ])('silencing is refused: %s', (text) => {
    expect(silencingViolations(parseSource('src/base/sample.ts', text))).toHaveLength(1);
  });

  test('silencing is not seen in strings, casts to unknown, or a note with its issue', () => {
    const text = "const a = 'FIXME as any' as unknown; // TODO #12: tell the two apart\n// TODO(#7): and this";
    expect(silencingViolations(parseSource('src/base/sample.ts', text))).toEqual([]);
  });
});

describe('paths of steps', () => {
  test.each([
    "path.split('#')[0]",
    "path.replace(/#\\d+$/, '')",
    "path.replace(/#1$/, '')",
    "path.slice(0, path.indexOf('#'))",
    "step.path.includes('/')",
    "reference.step.split('/')",
    "own.slice(0, own.lastIndexOf('/'))",
    "id.split('.')",
    `name.startsWith(\`\${id}.\`)`,
    `path.startsWith(\`\${step}#\`)`,
    'name.slice(stage.id.length + 1)',
  ])('paths of steps are taken apart in one place: %s', (text) => {
    expect(addressViolations(parseSource('src/engine/sample.ts', text))).toHaveLength(1);
    expect(addressViolations(parseSource('src/definition/address.ts', text))).toEqual([]);
  });

  test.each(["pattern.split('/')", `file.startsWith(\`\${folder}/\`)`, "path.split('.')", "repository.split('/')"])(
    'are not confused with files and other names: %s',
    (text) => {
      expect(addressViolations(parseSource('src/engine/sample.ts', text))).toEqual([]);
    },
  );
});

describe('names of the engine in the data of a run', () => {
  const SPELLED = ["const PREFIX = '$tree:';", 'const key = `$look:gate`;', "data['$pushed']", 'data.$trigger'];

  test.each(SPELLED)('names of the engine in the data of a run are spelled in one place: %s', (text) => {
    expect(ownNameViolations(parseSource('src/engine/sample.ts', text))).toHaveLength(1);
    expect(ownNameViolations(parseSource('src/engine/sample.test.ts', text))).toEqual([]);
  });

  test('names of the engine in the data of a run are not confused with what others write so', () => {
    const text =
      "const names = ['$schema', '$ref', '$1']; sql(`json_extract(x, '$.steps')`); shell('$HOME'); const gone = { $omitted: 1 };";
    expect(ownNameViolations(parseSource('src/engine/sample.ts', text))).toEqual([]);
  });
});

describe('tests that do not run', () => {
  test.each(["test.only('x', f);", "it.skip('x', f);", "describe.skip('x', f);", "test.concurrent.only('x', f);", "test.todo('x');"])(
    'are refused: %s',
    (text) => {
      expect(unrunTestViolations(parseSource('src/base/sample.test.ts', text))).toHaveLength(1);
    },
  );

  test('tests that do not run are not confused with members of other things', () => {
    expect(unrunTestViolations(parseSource('src/base/sample.test.ts', "options.only; outcome.skip; test.each([1])('x', f);"))).toEqual([]);
  });
});

describe('paths of a machine', () => {
  test.each(['tmp/x', 'work', 'root/.config', 'home/me'])('are refused: %s', (path) => {
    const text = `const place = '/${path}';`;
    expect(machinePathViolations(parseSource('src/base/sample.ts', text))).toHaveLength(1);
  });

  test('paths of a machine are not confused with parts of other paths', () => {
    const text = "const places = ['src/work', 'a/tmp/b', '/workflows', '/homepage', 'https://example.com/tmp-x'];";
    expect(machinePathViolations(parseSource('src/base/sample.ts', text))).toEqual([]);
  });
});
