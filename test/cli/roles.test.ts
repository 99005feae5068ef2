// The roles of a project at the command line: a file per role, or the settings; nothing of them runs before it is trusted.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const WORK = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: work }
stages:
  - { id: write, type: agent, agent: writer, action: write, outputs: [{ name: page, type: file, pattern: "*.md", required: true }] }
`;
// Reads its prompt, writes a page that proves it, and answers as the prompt says.
const PROGRAM = `
import { readFileSync, writeFileSync } from 'node:fs';
const prompt = readFileSync(0, 'utf8');
writeFileSync('page.md', prompt.includes('You write pages.') ? 'a page' : 'no role');
console.log(JSON.stringify({ success: true, output: { note: 'written' } }));
`;
const ROLE = `---
driver: command
argv: [node, agent.mjs]
---
You write pages.
`;

test('a role in a file is driven by its program, once the file is trusted', async () => {
  rig.write('.pawl/workflows/work.yaml', WORK);
  rig.write('agent.mjs', PROGRAM);
  const role = rig.write('.pawl/agents/writer.md', ROLE);
  expect((await rig.run(['trust', '.pawl/workflows/work.yaml', '--yes'])).code).toBe(0);
  const refused = await rig.run(['run', 'work']);
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('writer.md is not trusted yet')]);
  expect((await rig.run(['trust', role, '--yes'])).code).toBe(0);
  const run = await rig.json(['run', 'work']);
  expect(run).toMatchObject({
    code: 0,
    run: { status: 'completed' },
    steps: [{ path: 'write#1', output: { page: ['page.md'], note: 'written' } }],
  });
  expect(readFileSync(join(rig.project, 'page.md'), 'utf8')).toBe('a page');
});

test('a role in the project’s settings is not driven before they are trusted, and `pawl trust` offers them', async () => {
  rig.write('.pawl/workflows/work.yaml', WORK);
  rig.write('agent.mjs', PROGRAM);
  rig.write('.pawl/config.yaml', 'roles:\n  writer: { driver: command, argv: [node, agent.mjs] }\n');
  expect((await rig.run(['trust', '.pawl/workflows/work.yaml', '--yes'])).code).toBe(0);
  expect((await rig.run(['run', 'work'])).code).toBe(4);
  expect((await rig.run(['trust', '--yes'])).stdout).toContain('config.yaml');
  expect((await rig.run(['run', 'work'])).code).toBe(0);
});

test('an invalid role is reported at its position', async () => {
  rig.write('.pawl/config.yaml', 'roles:\n  writer: { driver: command, argv: [node], budget: { tokens: -1 } }\n');
  const shown = await rig.run(['config']);
  expect([shown.code, shown.stderr]).toEqual([2, expect.stringMatching(/config\.yaml:2:\d+.*tokens/)]);
});

test('`pawl doctor` says which roles there are and what is missing', async () => {
  rig.write('.pawl/agents/writer.md', ROLE.replace('node,', 'no-such-program,'));
  const { stdout } = await rig.run(['doctor']);
  expect(stdout).toContain('role writer: command, no-such-program agent.mjs');
});

test('in an attended run the output of a registered command is for the agent', async () => {
  rig.write('say.mjs', "console.log('Write the plan into plan.md.');");
  rig.write('.pawl/config.yaml', "commands:\n  'w1:strategic': [node, say.mjs]\n");
  rig.write(
    '.pawl/workflows/plan.ts',
    `import { existsSync } from 'node:fs';
import { defineWorkflow } from 'pawl/compat';
export default defineWorkflow({
  name: 'plan',
  steps: [{ id: 'strategic', command: 'w1:strategic', postconditions: [{ name: 'plan', check: () => existsSync('plan.md'), error: 'there is no plan' }], next: null }],
});
`,
  );
  expect((await rig.run(['trust', '.pawl/workflows/plan.ts', '--yes'])).code).toBe(0);
  expect((await rig.run(['run', 'plan', '--attended'])).code).toBe(4);
  await rig.run(['trust', '--yes']);
  const begun = await rig.json<{ run: { id: string }; openSteps: readonly { token: string; prompt: string }[] }>([
    'run',
    'plan',
    '--attended',
  ]);
  expect(begun.openSteps).toMatchObject([{ prompt: expect.stringContaining('## What to do\nWrite the plan into plan.md.\n') }]);
  const token = begun.openSteps[0]?.token ?? '';
  const refused = await rig.run(['done', begun.run.id, `--token=${token}`]);
  expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('there is no plan')]);
  rig.write('plan.md', '# Plan');
  const again = await rig.json<{ openSteps: readonly { token: string }[] }>(['next', begun.run.id]);
  expect((await rig.run(['done', begun.run.id, `--token=${again.openSteps[0]?.token}`])).code).toBe(0);
});

const LOOKS = `
import { existsSync, writeFileSync } from 'node:fs';
process.stdin.resume();
if (!existsSync('tried')) { writeFileSync('tried', ''); console.error('no luck'); process.exit(3); }
console.log([process.env.MODE, process.env.KEY === 'the value of the secret'].join(' '));
`;

test('a role passes variables and secrets to its program, retries after a crash, and accepts plain text as the reply', async () => {
  rig.write('.pawl/workflows/work.yaml', WORK.replace(/, outputs:.*/, ' }'));
  rig.write('agent.mjs', LOOKS);
  rig.write('.pawl/config.yaml', 'secrets:\n  API: { env: API_OF_TEST }\n');
  const fields = 'env: { MODE: fast, KEY: { secret: API } }\nretry: { crash: { count: 1, pause: 1ms } }\n';
  rig.write('.pawl/agents/writer.md', ROLE.replace('---\nYou', `${fields}---\nYou`));
  await rig.run(['trust', '--yes']);
  const env = { API_OF_TEST: 'the value of the secret' };
  const run = await rig.json<{ run: { id: string } }>(['run', 'work'], { env });
  expect(run).toMatchObject({ run: { status: 'completed' }, steps: [{ attempt: 1, output: 'fast true' }] });
  expect((await rig.run(['logs', run.run.id, 'write'])).stdout).toContain('it is asked again, 1 of 1');
});

test('a run warns before its first step about what a role lacks', async () => {
  rig.write('.pawl/workflows/work.yaml', WORK);
  rig.write('.pawl/agents/writer.md', ROLE.replace('[node, agent.mjs]', '[no-such-agent]'));
  rig.write('.pawl/agents/other.md', ROLE.replace('[node, agent.mjs]', '[not-used-here]'));
  await rig.run(['trust', '--yes']);
  const { stderr } = await rig.run(['run', 'work']);
  expect(stderr).toContain('role "writer" (command): the program "no-such-agent" cannot be found; install it, or add it to the PATH');
  expect(stderr).not.toContain('not-used-here');
});
