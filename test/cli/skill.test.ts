// Skills on the command line: found, trusted, checked, and printed one step at a time without a database.

import { readdirSync, readFileSync } from 'node:fs';
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
  expect(readdirSync(join(rig.project, FOLDER)).sort()).toEqual(['SKILL.md', 'skill.mjs']);
  const listed = JSON.parse((await rig.run(['skill', 'list', '--json'])).stdout) as object;
  expect(listed).toMatchObject({
    schemaVersion: 1,
    skills: expect.arrayContaining([
      expect.objectContaining({
        name: 'commit-message',
        totalSteps: 2,
        description: expect.stringContaining('Use it when'),
        origin: 'project',
      }),
    ]),
    problems: [],
  });
  expect((await rig.run(['list'])).stdout).toContain('\nSkills: commit-message. ');
  expect((await rig.run(['__complete', 'skill', 'step', 'commit-'])).stdout).toBe('commit-message\n');
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
<INVOKE_AFTER>When everything in DO is done, run the command in NEXT. Do not skip or reorder steps.</INVOKE_AFTER>
</step_output>
`,
    stderr: '',
  });
});

test('printing a skill step creates no database', async () => {
  await newSkill();
  const files = (): string[] => readdirSync(rig.state, { recursive: true, encoding: 'utf8' }).sort();
  const before = files();
  expect((await step('--step', '1')).code).toBe(0);
  expect(files()).toEqual(before);
});

const LOOP = `import { arg, defineSkill, formatQrBanner } from 'pawl/skills';
export default defineSkill({
  name: 'commit-message',
  description: 'Writes a commit message.',
  params: { mode: arg({ choices: ['quick', 'full'], default: 'full' }), depth: arg({ min: 1, max: 9, default: 1 }) },
  steps: [
    { id: 'write', title: 'Write', iterates: true, advisory: 'a test', actions: ({ params, qr }) => ['Write, ' + params.mode + ' ' + params.depth + ' ' + qr.failed] },
    { id: 'review', title: 'Review', advisory: 'a test', actions: ({ qr }) => [formatQrBanner({ qr, qrName: 'Review' })] },
    { id: 'gate', title: 'Gate', gate: { qrName: 'Review', workStep: 1, passStep: null, passMessage: 'ok', selfFix: true } },
  ],
});
`;

async function trusted(text: string): Promise<void> {
  rig.write(`${FOLDER}/skill.mjs`, text);
  await rig.run(['trust', '--yes']);
}

const nextIn = ({ stdout }: Ended): string | undefined => /<(NEXT|if_pass)>(.*)<\/\1>/.exec(stdout)?.[2];

test('every command that a skill step prints can be run as printed, to the end of the skill', async () => {
  await trusted(LOOP);
  const words = (line: string | undefined): string[] => (line ?? '').replace('CONFIDENCE', 'high').split(' ').slice(1);
  let shown = await step('--step', '1', '--total-steps', '3', '--mode', 'quick', '-p', 'depth=2');
  const printed: (string | undefined)[] = [];
  for (let count = 0; count < 8 && nextIn(shown) !== undefined; count += 1) {
    printed.push(nextIn(shown));
    // The first review fails.
    const line = count === 2 ? /<if_fail>(.*)<\/if_fail>/.exec(shown.stdout)?.[1] : nextIn(shown);
    shown = await rig.run(words(line));
    expect([shown.code, shown.stderr]).toEqual([0, '']);
  }
  const carried = '--total-steps 3 --mode quick -p depth=2';
  expect(printed).toEqual([
    `pawl skill step commit-message --step 1 ${carried} --confidence CONFIDENCE --iteration 2`,
    `pawl skill step commit-message --step 2 ${carried}`,
    `pawl skill step commit-message --step 3 ${carried} --qr-status pass`,
    `pawl skill step commit-message --step 1 ${carried} --qr-iteration 2 --qr-fail`,
    `pawl skill step commit-message --step 1 ${carried} --confidence CONFIDENCE --iteration 2 --qr-iteration 2 --qr-fail`,
    `pawl skill step commit-message --step 2 ${carried} --qr-iteration 2 --qr-fail`,
    `pawl skill step commit-message --step 3 ${carried} --qr-iteration 2 --qr-status pass`,
  ]);
  expect(shown.stdout).toContain('COMPLETE');
});

test('--qr-fail works with and without a value, and --project is part of the printed command', async () => {
  await trusted(LOOP);
  const high = ['--step', '1', '--confidence', 'high'];
  expect((await step(...high, '--qr-fail')).stdout).toContain('Write, full 1 true');
  expect((await step(...high, '--qr-fail=true')).stdout).toContain('Write, full 1 true');
  expect((await step(...high, '--qr-fail=false')).stdout).toContain('Write, full 1 false');
  const elsewhere = await rig.run(['skill', 'step', 'commit-message', '--step', '2', '--project', rig.project], { cwd: rig.folder });
  expect(nextIn(elsewhere)).toContain(`pawl skill step commit-message --project ${rig.project} --step 3`);
});

test.each([
  [['step', 'commit-message', '--step', '9'], 2, 'ERROR: Invalid step 9'],
  [['step', 'commit-message', '--step', '1', '--total-steps', '5'], 2, 'give --total-steps 2'],
  [['step', 'commit-message', '--step', '1', '--mode', 'quick'], 2, '"mode" is not a parameter'],
  [['step', 'commit-message'], 2, '--step is missing'],
  [['step', 'commit-message', '-p', 'step=1'], 2, '"step" is not a parameter; give it as --step'],
  [['step', 'commit-message', '--mode', 'a', '-p', 'mode=a'], 2, 'give it once'],
  [['step', 'comit-message', '--step', '1'], 2, 'did you mean "commit-message"'],
  [['step'], 2, 'NAME is missing'],
  [['list', '--mode', 'quick'], 2, '--mode is not an option of "pawl skill list"'],
  [['new', 'Commit'], 2, 'must be lower case letters'],
  [['new', '../x'], 2, 'must be lower case letters'],
])('"pawl skill" rejects %j', async (words, code, message) => {
  await newSkill();
  const refused = await rig.run(['skill', ...words]);
  expect([refused.code, refused.stdout]).toEqual([code, '']);
  expect(refused.stderr).toContain(message);
});

test('a step whose parameter is missing says how to give it', async () => {
  await trusted(LOOP.replace(/params: \{/, "params: { topic: arg({ type: 'string', required: true }),"));
  const refused = await step('--step', '1');
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain('"topic" is missing; it must be a string; add -p topic=VALUE [PARAMS_INVALID]');
});

test('skill lint exits with 1 and names the problems, skill show lists the steps, and both have JSON', async () => {
  await newSkill();
  expect(await rig.run(['skill', 'lint'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^✓ commit-message\n✓ \d+ shipped with Pawl\n$/),
  });
  await trusted(LOOP);
  const found = await rig.run(['skill', 'lint', 'commit-message', '--json']);
  expect(found.code).toBe(1);
  const { skills } = JSON.parse(found.stdout) as { skills: { name: string; ok: boolean; findings: { code: string }[] }[] };
  expect(skills.map(({ ok, findings }) => [ok, findings.map(({ code }) => code)])).toEqual([
    [false, ['SKILL_FILE_DIFFERS', 'SKILL_FILE_DIFFERS']],
  ]);
  const shown = JSON.parse((await rig.run(['skill', 'show', 'commit-message', '--json'])).stdout) as { skill: { steps: object[] } };
  expect(shown.skill.steps.at(-1)).toEqual({ number: 3, id: 'gate', title: 'Gate', kind: 'gate', leadsTo: [null, 1] });
  expect((await rig.run(['skill', 'show', 'commit-message', '--step', '2'])).stdout).toContain('STEP 2 OF 3: Review');
});

test('skill show lists the values and the default of each parameter', async () => {
  const { stdout } = await rig.run(['skill', 'show', 'deepthink']);
  expect(stdout).toMatch(/^ {2}-p mode=… {2}\S.* \((\w+ \| \w+); default: \w+\)$/m);
  expect(stdout).toMatch(/^ {2}-p folder=… {2}where its documents are written \(default: notes\/deepthink\)$/m);
});

test('a skill that is defined twice is rejected, with both files', async () => {
  await newSkill();
  rig.write(`${FOLDER}/skill.ts`, LOOP);
  const two = await step('--step', '1');
  expect([two.code, two.stdout]).toEqual([2, '']);
  expect(two.stderr).toContain(`is defined twice: ${FOLDER}/skill.ts and ${FOLDER}/skill.mjs`);
});

test('skill new keeps existing files, and a folder without a module is reported', async () => {
  const file = rig.write(`${FOLDER}/skill.ts`, LOOP);
  const { stdout } = await rig.run(['skill', 'new', 'commit-message']);
  expect(stdout).toContain('unchanged');
  expect(readFileSync(file, 'utf8')).toBe(LOOP);
  rig.write('.pawl/skills/notes/SKILL.md', '---\nname: notes\ndescription: Notes.\n---\n');
  const listed = await rig.run(['skill', 'list']);
  expect(listed.stdout).toMatch(/^commit-message +3 /m);
  expect(listed.stderr).toContain('.pawl/skills/notes: it has no skill.ts');
  await rig.run(['trust', '--yes']);
  const linted = JSON.parse((await rig.run(['skill', 'lint', '--json'])).stdout) as {
    skills: { name: string; findings: { code: string }[] }[];
  };
  expect(linted.skills.slice(0, 2).map(({ name, findings }) => [name, findings[0]?.code])).toEqual([
    ['commit-message', 'SKILL_FILE_DIFFERS'],
    ['notes', 'SKILL_NOT_LOADED'],
  ]);
});
