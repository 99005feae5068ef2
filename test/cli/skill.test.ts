// Skills on the command line: found, trusted, checked, and printed one step at a time without a database.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CliRig, type Ended } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const FOLDER = '.pawl/skills/commit-message';

async function newSkill(): Promise<void> {
  await rig.run(['skill', 'new', 'commit-message']);
  await rig.run(['trust', '--yes']);
}

const step = (...words: string[]): Promise<Ended> => rig.run(['skill', 'step', 'commit-message', ...words]);

test('a new skill is two files, is listed without running it, and is printed once it is trusted', async () => {
  const written = await rig.run(['skill', 'new', 'commit-message']);
  expect([written.code, written.stderr]).toEqual([0, '']);
  expect(readdirSync(join(rig.project, FOLDER)).sort()).toEqual(['SKILL.md', 'skill.ts']);
  const listed = JSON.parse((await rig.run(['skill', 'list', '--json'])).stdout) as object;
  expect(listed).toMatchObject({
    schemaVersion: 1,
    skills: [{ name: 'commit-message', totalSteps: 2, description: expect.stringContaining('Use it when') }],
    problems: [],
  });
  const refused = await step('--step', '1');
  expect([refused.code, refused.stdout, refused.stderr]).toEqual([4, '', expect.stringContaining('rendering a skill runs its code')]);
  await rig.run(['trust', '--yes']);
  expect(await step('--step', '1', '--total-steps', '2')).toEqual({
    code: 0,
    stdout: `<step_output step="1" total="2">
<step_header script="commit-message" step="1" total="2">Look</step_header>
<DO>
Read what the person asked for, and the files that it is about.
<forbidden>
- Do not change any file yet.
</forbidden>
</DO>
<NEXT>pawl skill step commit-message --step 2 --total-steps 2</NEXT>
<INVOKE_AFTER>When everything in DO is done, run the command in NEXT. Do not skip, repeat or reorder steps.</INVOKE_AFTER>
</step_output>
`,
    stderr: '',
  });
});

test('no database is created by a step', async () => {
  await newSkill();
  const files = (): string[] => readdirSync(rig.state, { recursive: true, encoding: 'utf8' }).sort();
  const before = files();
  expect((await step('--step', '1')).code).toBe(0);
  expect(files()).toEqual(before);
});
