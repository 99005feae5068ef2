// Owns finding public declarations in output files. They are searched when the output is recorded, because the file may
// change later.
//
// The text is not parsed: a declaration inside a multi-line string or comment counts. So there can be false positives, but
// no false negatives.

import { extname, join } from 'node:path';
import { openFile } from '../workspace/workspace-file.ts';

const BYTES_MAX = 4 << 20;

/** A name at the margin that is not marked as private. */
const PYTHON = /^(?:async[ \t]+)?(?:def|class)[ \t]+(?!_)\p{L}/mu;
const SCRIPT = /^[ \t]*export(?![\w$])/m;

const DECLARATIONS: Readonly<Record<string, RegExp>> = {
  '.py': PYTHON,
  '.pyi': PYTHON,
  ...Object.fromEntries(['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'].map((extension) => [extension, SCRIPT])),
};

/** Returns the files with public declarations. */
export async function findPublic(cwd: string, paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const declaration = DECLARATIONS[extname(path).toLowerCase()];
    if (declaration === undefined) continue;
    if (declaration.test(await beginningOf(join(cwd, path)))) found.push(path);
  }
  return found;
}

async function beginningOf(path: string): Promise<string> {
  await using handle = await openFile(path);
  const chunks: Buffer[] = [];
  if (handle === undefined) return '';
  for await (const chunk of handle.createReadStream({ autoClose: false, end: BYTES_MAX - 1 })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8').replaceAll('\r\n', '\n');
}
