// Errors that the code of a step leaves behind: in a timer, or in a promise that nothing awaits. They fail that step; the
// process, and the other runs that it drives, continue.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeTrusted } from './blocking.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

/** Runs two steps in a process of its own; a failure of the first leads to a third. */
async function run(first: string, second = '() => 1'): Promise<{ steps: string[]; errors: string; code: number | null }> {
  const file = await writeTrusted(
    rig,
    'stray.ts',
    `import { defineWorkflow } from 'pawl';
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
export default defineWorkflow({
  name: 'stray',
  steps: {
    first: { handler: ${first}, next: { ok: 'second', error: 'failed' } },
    second: { handler: ${second}, next: null },
    failed: { handler: () => 1, next: null },
  },
});
`,
  );
  const { code, stdout, stderr } = await rig.start(['run', file, '--json']).ended;
  const { steps } = JSON.parse(stdout) as { steps: { path: string; outcome: string }[] };
  return { code, steps: steps.map(({ path, outcome }) => `${path} ${outcome}`), errors: stderr + stdout };
}

test.each([
  ['throws in a timer', `async () => { setTimeout(() => { throw new Error('late'); }, 1); await pause(50); }`],
  ['leaves a rejected promise', `() => { Promise.reject(new Error('late')); }`],
  ['leaves a promise that is rejected later', `async () => { pause(1).then(() => { throw new Error('late'); }); await pause(50); }`],
])('a step whose code %s fails, and its run continues', async (_, first) => {
  const { code, steps, errors } = await run(first);
  expect([code, steps]).toEqual([0, ['first#1 error', 'failed#1 ok']]);
  expect(errors).toContain('its code left an error that nothing awaits: late');
});

test('an error that the code of a step leaves after its end is a warning that names the step', async () => {
  const { code, steps, errors } = await run(
    `() => { setTimeout(() => { throw new Error('late'); }, 50); }`,
    'async () => { await pause(300); }',
  );
  expect([code, steps]).toEqual([0, ['first#1 ok', 'second#1 ok']]);
  expect(errors).toMatch(/step "first" of run \S+ left an error that nothing awaits: late; the step had already ended/);
});

test('an error outside of every step ends the process, and says how its runs are continued', async () => {
  const file = await writeTrusted(
    rig,
    'outside.ts',
    `import { defineWorkflow } from 'pawl';
setTimeout(() => { throw new Error('late'); }, 300);
export default defineWorkflow({ name: 'outside', steps: { wait: { handler: () => new Promise((resolve) => setTimeout(resolve, 5000)), next: null } } });
`,
  );
  const { code, stderr } = await rig.start(['run', file]).ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/an error outside of every step ends this process; "pawl resume RUN" continues its runs: Error: late\n +at /);
});
