// A step kind of the project: it publishes a version into a folder. Workflow files write `type: publish`.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineStepKind } from 'pawl';

/** `with: { version: "1.2.0" }`; if the version is published already, the outcome is `taken`. */
export const publish = defineStepKind({
  kind: 'publish',
  outcomes: ['taken'],
  parse(config) {
    const { version } = config as { version?: unknown };
    if (typeof version !== 'string') throw new Error('`version` must be a text');
    return { version };
  },
  run({ config: { version }, cwd }) {
    const file = join(cwd, 'published', `${version}.txt`);
    if (existsSync(file)) return { outcome: 'taken' };
    mkdirSync(join(cwd, 'published'), { recursive: true });
    writeFileSync(file, `version ${version}\n`);
    return { outcome: 'ok', output: { file: `published/${version}.txt` } };
  },
});
