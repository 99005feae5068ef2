// Owns the real programs that tests drive: npm installs what a lockfile of this folder names, once for each lockfile,
// outside the modules of the project. Where that does not work, the reason is given and the tests say it.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Where the programs are, or why they are not. */
export type Installed = { readonly modules: string } | { readonly missing: string };

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/pawl-programs');
const INSTALL_LIMIT_MS = 300_000;
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=1', '--fetch-timeout=60000'];

/** Installs what the package.json and the lockfile in a folder name, unless that was done before. */
export async function installPrograms(folder: string): Promise<Installed> {
  const lock = readFileSync(join(folder, 'package-lock.json'));
  const home = join(CACHE, createHash('sha256').update(lock).digest('hex').slice(0, 16));
  if (!existsSync(home)) {
    mkdirSync(CACHE, { recursive: true });
    const draft = mkdtempSync(`${home}-`);
    try {
      for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(folder, file), join(draft, file));
      await promisify(execFile)('npm', ['ci', ...QUIET], { cwd: draft, timeout: INSTALL_LIMIT_MS });
      renameSync(draft, home);
    } catch (thrown) {
      rmSync(draft, { recursive: true, force: true });
      if (!existsSync(home)) return { missing: String(thrown).slice(0, 500) };
    }
  }
  return { modules: join(home, 'node_modules') };
}
