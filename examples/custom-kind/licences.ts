// A custom gate check: every package of the lockfile must have an allowed licence. Gates in TypeScript call it; gates in
// YAML name it, and then it is passed to the engine: `checks: { licences }`.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineCheck } from '../../src/index.ts';

interface Lockfile {
  readonly packages?: Readonly<Record<string, { readonly license?: string }>>;
}

/** `{ check: licences, allow: [MIT] }`. */
export const licences = defineCheck({
  name: 'licences',
  parse(fields) {
    const { allow } = fields as { allow?: unknown };
    if (!Array.isArray(allow) || !allow.every((one) => typeof one === 'string')) throw new Error('`allow` must be a list of licences');
    return { allow: allow as readonly string[] };
  },
  async run({ allow }, { cwd }) {
    const { packages = {} } = JSON.parse(await readFile(join(cwd, 'package-lock.json'), 'utf8')) as Lockfile;
    const wrong = Object.entries(packages).flatMap(([name, { license = 'none' }]) =>
      allow.includes(license) ? [] : [`${name}: ${license}`],
    );
    if (wrong.length === 0) return { passed: true, result: { packages: Object.keys(packages).length } };
    return { passed: false, result: { wrong }, error: `not allowed: ${wrong.join(', ')}` };
  },
});
