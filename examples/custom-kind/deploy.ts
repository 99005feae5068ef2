// A custom step kind: it puts a version into a folder, once per key, and reports when another version is already there.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineStepKind } from '../../src/index.ts';

/** `use: deploy({ to: 'staging', version: '1.2.0' })`; its own outcome `busy` is a key of `next`. */
export const deploy = defineStepKind({
  kind: 'deploy',
  outcomes: ['busy'],
  // A repeated key has no second effect, so the step may run again after a crash.
  recovery: 'rerun',
  parse(config) {
    const { to, version } = config as { to?: unknown; version?: unknown };
    if (typeof to !== 'string' || typeof version !== 'string') throw new Error('`to` and `version` must be texts');
    return { to, version };
  },
  async run({ config: { to, version }, ctx, cwd }) {
    await mkdir(join(cwd, to), { recursive: true });
    const file = join(cwd, to, 'deployed.json');
    const found = await readFile(file, 'utf8').catch(() => undefined);
    const there = found === undefined ? undefined : (JSON.parse(found) as { key: string; version: string });
    if (there !== undefined && there.key !== ctx.idempotencyKey) return { outcome: 'busy', output: { version: there.version } };
    await writeFile(file, JSON.stringify({ key: ctx.idempotencyKey, version }));
    return { outcome: 'ok', output: { version } };
  },
});
