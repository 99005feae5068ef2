// The skills that are part of Pawl: listed, shown, checked and printed without trust and without loading anything else, and
// replaced by a skill of the project with the same name. The bundle of the tests ships a skill of their own, too.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const NAME = 'fixture-greeting';

interface Listed {
  readonly skills: readonly { readonly name: string; readonly origin: string; readonly replacesShipped?: true; readonly partOf?: string }[];
}

const listed = async (): Promise<Listed['skills']> =>
  (JSON.parse((await rig.run(['skill', 'list', '--json'])).stdout) as Listed).skills.filter(({ name }) => name.startsWith(NAME));

test('a shipped skill is listed, completed, checked and shown, and needs no trust', async () => {
  expect(await listed()).toMatchObject([
    { name: NAME, totalSteps: 2, origin: 'shipped', aliases: ['fixture-hello'] },
    { name: `${NAME}-part`, totalSteps: 1, origin: 'shipped', partOf: NAME },
  ]);
  const list = (await rig.run(['skill', 'list'])).stdout;
  expect(list).toMatch(/^NAME +STEPS +FOR\n/);
  expect(list).toMatch(/^fixture-greeting +2 +Greets a person[^.]*\.$/m);
  expect(list).toMatch(/^fixture-greeting-part +1 +fixture-greeting$/m);
  expect(await rig.json(['list'])).toMatchObject({ shippedSkills: expect.arrayContaining([NAME]) });
  expect((await rig.run(['__complete', 'skill', 'step', 'fixture-greeting-'])).stdout).toBe('fixture-greeting-part\n');
  expect(await rig.run(['skill', 'lint', NAME])).toMatchObject({ code: 0, stdout: `✓ ${NAME}\n` });
  expect((await rig.run(['skill', 'lint'])).stdout).toMatch(/^✓ \d+ shipped with Pawl\n$/);
  expect((await rig.run(['skill', 'show', NAME])).stdout).toContain(`${NAME}: 2 steps, shipped with Pawl\n`);
});

test('a step is printed by the name of the skill or another name of it, the same bytes each time', async () => {
  const first = await rig.run(['skill', 'step', NAME, '--step', '2', '--total-steps', '2', '--mode', 'long']);
  expect(first).toEqual({
    code: 0,
    stdout: `<step_output step="2" total="2">
<step_header script="fixture-greeting" step="2" total="2">Greet</step_header>
<DO>
Write greeting.txt, long.
<forbidden>
- Do not greet anybody else.
</forbidden>
</DO>
<INVOKE_AFTER>COMPLETE: this is the last step. Report to the person you work for, and run no further step.</INVOKE_AFTER>
</step_output>
`,
    stderr: '',
  });
  expect(await rig.run(['skill', 'step', 'fixture-hello', '--step', '2', '--mode', 'long'])).toEqual(first);
  expect((await rig.run(['skill', 'step', 'fixture-greting', '--step', '1'])).stderr).toContain(`did you mean "${NAME}"`);
});

test('a process that prints a step loads no other skill and little code, and writes nothing', async () => {
  const probe = rig.write('probe.cjs', "process.on('exit', () => process.stderr.write(JSON.stringify(Object.keys(require.cache))));");
  const printed = await rig.start(['skill', 'step', NAME, '--step', '1'], { env: { NODE_OPTIONS: `--require ${probe}` } }).ended;
  expect(printed.stdout).toContain('Ask whom to greet.');
  const loaded = (JSON.parse(printed.stderr) as string[]).filter((file) => file.startsWith(inject('bundle')));
  expect(loaded.filter((file) => file.includes('/shipped/'))).toEqual([join(inject('bundle'), 'cli', 'shipped', `${NAME}.cjs`)]);
  // All of the command line is 2 MB, which takes as long to load as Node itself to start.
  expect(loaded.reduce((bytes, file) => bytes + statSync(file).size, 0)).toBeLessThan(450_000);
  expect(existsSync(rig.state)).toBe(false);
});

test('a skill of the project with the same name is used instead, and the list says so', async () => {
  rig.write(
    `.pawl/skills/${NAME}/skill.mjs`,
    `import { defineSkill } from 'pawl/skills';
export default defineSkill({ name: '${NAME}', description: 'Ours.', steps: [{ id: 'own', title: 'Own', actions: ['Do ours.'] }] });
`,
  );
  expect((await listed()).map(({ name, origin, replacesShipped }) => [name, origin, replacesShipped])).toEqual([
    [NAME, 'project', true],
    [`${NAME}-part`, 'shipped', undefined],
  ]);
  expect((await rig.run(['skill', 'list'])).stdout).toContain('project, replaces the shipped one');
  expect((await rig.run(['skill', 'step', NAME, '--step', '1'])).code).toBe(4);
  await rig.run(['trust', '--yes']);
  expect((await rig.run(['skill', 'step', NAME, '--step', '1'])).stdout).toContain('Do ours.');
  expect((await rig.run(['skill', 'step', 'fixture-hello', '--step', '1'])).stdout).toContain('Ask whom to greet.');
});

test('every file that lists and loads shipped skills is part of the package', () => {
  expect(readdirSync(join(inject('bundle'), 'cli', 'shipped'))).toEqual(expect.arrayContaining(['index.json', `${NAME}.cjs`]));
});

/** The command that reports the step which was printed. */
const report = ({ stdout }: { readonly stdout: string }): string[] => (/pawl (done \S+ --token=\S+)/.exec(stdout)?.[1] ?? '').split(' ');

test('a shipped skill runs by its name if no workflow has it, without trust, from step to step', async () => {
  expect((await rig.run(['run', 'fixture-hello'])).stderr).toContain('only an attended run (--attended) can do this step');
  const first = await rig.run(['run', 'fixture-hello', '--attended', '-p', 'mode=long']);
  expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('Ask whom to greet.')]);
  expect(first.stdout).not.toContain('Write greeting.txt');
  const second = await rig.run(report(first));
  expect([second.code, second.stdout]).toEqual([0, expect.stringContaining('Write greeting.txt, long.')]);
  const [, id = ''] = report(second);
  expect((await rig.run(['next', id])).stdout).toContain('Write greeting.txt, long.');
  expect((await rig.run(report(second))).code).toBe(0);
  expect(await rig.json(['show', id])).toMatchObject({ run: { workflow: NAME, status: 'completed' } });
});

test('a workflow of the project takes precedence over a skill of the same name, and so does a skill of the project', async () => {
  rig.write(
    `.pawl/skills/${NAME}/skill.mjs`,
    `import { defineSkill } from 'pawl/skills';
export default defineSkill({ name: '${NAME}', description: 'Ours.', steps: [{ id: 'own', title: 'Own', actions: ['Do ours.'] }] });
`,
  );
  expect((await rig.run(['run', NAME, '--attended'])).code).toBe(4);
  await rig.run(['trust', '--yes']);
  const own = await rig.run(['run', NAME, '--attended']);
  expect(own.stdout).toContain('Do ours.');
  // By its file, too: that is how an open run finds its skill again.
  expect((await rig.run(['run', `.pawl/skills/${NAME}/skill.mjs`, '--attended'])).stdout).toContain('Do ours.');
  rig.write(
    `.pawl/workflows/w.yaml`,
    `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: ${NAME} }\nstages:\n  - { id: a, type: command, run: "echo the workflow" }\n`,
  );
  await rig.run(['trust', '--yes']);
  expect((await rig.run(['run', NAME])).stdout).toContain('the workflow');
});

test('an open run of a skill does not continue with a changed skill', async () => {
  const file = `.pawl/skills/own/skill.mjs`;
  const text = `import { defineSkill } from 'pawl/skills';
export default defineSkill({ name: 'own', description: 'Ours.', steps: [{ id: 'a', title: 'A', actions: ['Do one thing.'] }] });
`;
  rig.write(file, text);
  await rig.run(['trust', '--yes']);
  const words = report(await rig.run(['run', 'own', '--attended']));
  rig.write(file, text.replace('one thing', 'another thing'));
  await rig.run(['trust', '--yes']);
  expect((await rig.run(words)).stderr).toContain('DEFINITION_CHANGED');
  rig.write(file, text);
  await rig.run(['trust', '--yes']);
  expect((await rig.run(words)).code).toBe(0);
});

test('a name that is neither a workflow nor a skill suggests the nearest of both', async () => {
  const { code, stderr } = await rig.run(['run', 'fixture-greting', '--attended']);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`there is no workflow "fixture-greting"`)]);
  expect(stderr).toContain(`did you mean "${NAME}"`);
  expect((await rig.run(['__complete', 'run', 'fixture-greeting'])).stdout).toBe(`${NAME}\n`);
  expect((await rig.run(['graph', NAME, '--format', 'dot'])).stdout).toContain('greet');
  expect((await rig.run(['test', NAME])).code).toBe(0);
});

test('a skill that dispatches sub-agents finds the other skill by its name, and continues when that has ended', async () => {
  rig.write(
    '.pawl/skills/sender/skill.mjs',
    `import { defineSkill } from 'pawl/skills';
export default defineSkill({
  name: 'sender',
  description: 'Sends.',
  steps: [
    { id: 'send', title: 'Send', actions: ['Send it.'], dispatch: { agent: 'developer', skill: '${NAME}-part', returns: 50 } },
    { id: 'last', title: 'Last', actions: ['Do the last thing.'] },
  ],
});
`,
  );
  await rig.run(['trust', '--yes']);
  const sent = await rig.run(['run', 'sender', '--attended']);
  const [, child = '', token = ''] = /pawl next (\S+) (--token=[\w-]+)/.exec(sent.stdout) ?? [];
  const own = await rig.run(['next', child, token]);
  expect(own.stdout).toContain('Read greeting.txt and say whether it is polite.');
  expect((await rig.run(report(own))).code).toBe(0);
  const [, back = ''] = /has returned, run: pawl next (\S+)/.exec(sent.stdout) ?? [];
  expect((await rig.run(['next', back])).stdout).toContain('Do the last thing.');
});
