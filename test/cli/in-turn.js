// Runs commands one after the other in one process, in the place where it was started: those that PAWL_WORDS lists as JSON.
// What each printed is followed by its exit code in a line of its own. A process per command takes ten times as long.

import { createRequire } from 'node:module';
import { join } from 'node:path';

const { PAWL_BUNDLE = '', PAWL_WORDS = '[]' } = process.env;
delete process.env.PAWL_WORDS;
/** @type {{ runCommandLine: typeof import('../../src/cli/main.ts').runCommandLine }} */
const { runCommandLine } = createRequire(import.meta.url)(join(PAWL_BUNDLE, 'cli', 'main.cjs'));
const { stdin, stdout, stderr, env } = process;
// Each command listens to the streams, and none stops: its process would end.
for (const stream of [stdout, stderr]) stream.setMaxListeners(0);
for (const words of /** @type {string[][]} */ (JSON.parse(PAWL_WORDS))) {
  const code = await runCommandLine({ stdin, stdout, stderr, env, cwd: process.cwd(), startedAt: Date.now() }, words);
  stdout.write(`\n=== ${code}\n`);
}
