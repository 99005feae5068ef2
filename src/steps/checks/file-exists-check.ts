// Owns the check `file_exists`: that files are there, inside the workspace.

import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { GateCheck } from './check.ts';

/** `{ paths }`: passes when all of them exist. Paths that lead out of the workspace are refused. */
export const fileExistsCheck: GateCheck = {
  name: 'file_exists',
  async run(config, { cwd }) {
    const paths = Array.isArray(config.paths) ? config.paths.map(String) : [];
    if (paths.length === 0) return { passed: null, result: null, error: 'it names no files; write paths: ["dist/index.js"]' };
    const root = await realpath(cwd);
    const missing: string[] = [];
    for (const path of paths) {
      const place = await locate(root, path);
      if (place === 'outside')
        return { passed: null, result: { path }, error: `"${path}" leads out of the workspace; name a path inside it` };
      if (place === 'missing') missing.push(path);
    }
    if (missing.length === 0) return { passed: true, result: { missing } };
    return { passed: false, result: { missing }, error: `missing: ${missing.join(', ')}` };
  },
};

async function locate(root: string, path: string): Promise<'inside' | 'outside' | 'missing'> {
  const target = resolve(root, path);
  if (isAbsolute(path) || isOutside(root, target)) return 'outside';
  try {
    return isOutside(root, await realpath(target)) ? 'outside' : 'inside';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
    throw error;
  }
}

function isOutside(root: string, target: string): boolean {
  const way = relative(root, target);
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}
