import { afterEach, beforeEach, expect, test } from 'vitest';
import { Hold, writeWorkflow } from './blocking.ts';
import { CliRig } from './rig.ts';

const ID = '0000000000000001';
let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

/** A step that prints two lines, the first with control characters, and waits. */
function talking(hold: Hold, name: string): string {
  const line = `printf '\\033[31m${name} begins\\033[0m\\r\\n'; printf '${name} has no end'; ${hold.line}`;
  return `{ id: '${name}', command: ${JSON.stringify(line)} }`;
}

async function startTwo(): Promise<{ readonly holds: readonly Hold[]; readonly file: string }> {
  const holds = [new Hold(rig, 'one'), new Hold(rig, 'two')];
  const branches = ['left', 'right'].map((name, index) => talking(holds[index] as Hold, name)).join(', ');
  const file = await writeWorkflow(rig, 'talk', { steps: `{ id: 'both', parallel: { branches: [${branches}] }, next: null }` });
  return { holds, file };
}

test('a pipe gets what each step prints while it works, before the line that ends the step', async () => {
  const { holds, file } = await startTwo();
  const running = rig.start(['run', file, '--id', ID]);
  await running.until('both#1/left | left begins');
  await running.until('both#1/right | right begins');
  for (const hold of holds) await hold.pid();
  for (const hold of holds) await hold.release();
  const { stdout, code } = await running.ended;
  expect(code).toBe(0);
  expect(stdout).not.toContain('\u001b');
  const ofLeft = stdout.split('\n').filter((line) => line.includes('both#1/left'));
  expect(ofLeft.map((line) => line.replace(/^\S+ /, '').replace(/ in .*/, ''))).toEqual([
    'both#1/left running',
    'both#1/left | left begins',
    'both#1/left | left has no end',
    'both#1/left completed',
  ]);
});

test('watch and logs -f follow the output of steps that another process runs', async () => {
  const { holds, file } = await startTwo();
  const running = rig.start(['run', file, '--id', ID, '--quiet']);
  for (const hold of holds) await hold.pid();
  const watching = rig.start(['watch', ID]);
  const following = rig.start(['logs', ID, 'both#1/right', '-f']);
  const json = rig.start(['logs', ID, '-f', '--json']);
  const terminal = rig.terminal(['watch', ID]);
  await watching.until('both#1/right | right begins');
  await following.until('both#1/right | right begins');
  await terminal.until(/│ left begins[\s\S]*│ right begins/);
  await terminal.until('right has no end');
  for (const hold of holds) await hold.release();
  const [driven, followed, objects] = [await running.ended, await following.ended, await json.ended];
  expect([driven.code, followed.code, objects.code, (await watching.ended).code, await terminal.ended]).toEqual([0, 0, 0, 0, 0]);
  expect(driven.stdout).not.toContain('begins');
  expect(followed.stdout).not.toContain('left');
  const output = objects.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; path: string; text: string })
    .filter(({ type, path }) => type === 'output' && path === 'both#1/right');
  expect(output.map(({ text }) => text)).toEqual(['right begins', 'right has no end']);
});

test('the output of a failed command and of a gate can be read afterwards', async () => {
  const file = await writeWorkflow(rig, 'two', {
    steps: `{ id: 'check', gate: { checks: [{ check: 'command', run: 'echo checked' }] }, next: { ok: 'tries', fail: null } }, { id: 'tries', command: 'echo tried; exit 3', next: null }`,
  });
  await rig.run(['run', file, '--id', ID]);
  expect((await rig.run(['logs', ID, 'check'])).stdout).toMatch(/transcript\n +checked/);
  expect((await rig.run(['logs', ID, 'tries'])).stdout).toMatch(/transcript\n +tried/);
});

test('show and logs without an id are about the last run, and say which', async () => {
  const file = await writeWorkflow(rig, 'two', { steps: `{ id: 'only', command: 'true', next: null }` });
  expect((await rig.run(['show'])).stderr).toContain('"pawl run WORKFLOW" starts one');
  await rig.run(['run', file]);
  await rig.run(['run', file, '--id', ID]);
  const shown = await rig.run(['show']);
  expect(shown.stdout).toContain(ID);
  expect(shown.stderr).toBe(`the last run of this project: ${ID}\n`);
  expect(await rig.json(['logs'])).toMatchObject({ code: 0, run: ID });
});
