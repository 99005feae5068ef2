import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findPublic } from './file-output.ts';

const cwd = mkdtempSync(join(tmpdir(), 'pawl-public-'));
afterAll(() => rmSync(cwd, { recursive: true }));

async function isPublic(name: string, text: string): Promise<boolean> {
  writeFileSync(join(cwd, name), text);
  return (await findPublic(cwd, [name])).length === 1;
}

describe('public files', () => {
  test.each([
    ['a.py', 'import os\n\ndef find(text):\n    return text\n'],
    ['a.py', 'class Index:\n    pass\n'],
    ['a.py', 'async def find():\n    pass\n'],
    ['a.py', 'x = 1\r\ndef find():\r\n    pass\r\n'],
    ['a.py', 'class Äpfel: pass\n'],
    ['a.pyi', 'def find() -> str: ...\n'],
    ['a.ts', 'const a = 1;\nexport { a };\n'],
    ['a.ts', 'export const a = 1;\n'],
    ['a.tsx', 'export default function View() {}\n'],
    ['a.mjs', "export* from './b.mjs';\n"],
    ['A.JS', 'export{a}\n'],
  ])('a file is public: %s with %j', async (name, text) => {
    expect(await isPublic(name, text)).toBe(true);
  });
});

describe('private files', () => {
  test.each([
    ['a.py', 'def _find(text):\n    return text\n'],
    ['a.py', 'class _Index:\n    def find(self):\n        pass\n'],
    ['a.py', 'default = 1\nclassy = 2\n# def find\n'],
    ['a.py', 'if True:\n    def find(): pass\n'],
    ['a.py', ''],
    ['a.ts', 'const a = 1;\n// export a\nexported = 1;\n'],
    ['a.md', 'def find(): pass\nexport const a = 1;\n'],
    ['Makefile', 'export PATH\n'],
  ])('a file is not public: %s with %j', async (name, text) => {
    expect(await isPublic(name, text)).toBe(false);
  });

  test('a file is not public if it is deleted or replaced by a link before it is read', async () => {
    writeFileSync(join(cwd, 'real.py'), 'def find(): pass\n');
    symlinkSync(join(cwd, 'real.py'), join(cwd, 'link.py'));
    expect(await findPublic(cwd, ['gone.py', 'link.py', 'real.py'])).toEqual(['real.py']);
  });
});
