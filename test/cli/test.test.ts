// `pawl test`: the tests that workflows generate for themselves.

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeAll(async () => {
  rig = new CliRig();
  rig.write('.pawl/workflows/fix.yaml', FIX);
  rig.write('.pawl/workflows/think.js', THINK);
  rig.write('.pawl/workflows/walk.js', WALK);
  await rig.run(['trust', '--folder', '--yes']);
});
afterAll(() => rig.close());

const FIX = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: fix }
params: { area: { description: where, required: true } }
stages:
  - { id: work, type: agent, agent: dev, prompt: "Fix {{ params.area }}." }
  - { id: build, type: command, run: touch built }
`;
const THINK = `import { arg, defineWorkflow } from 'pawl';
export default defineWorkflow({
  name: 'think',
  params: { mode: arg({ choices: ['full', 'quick'], default: 'full' }) },
  steps: {
    refine: {
      agent: 'dev',
      prompt: (ctx) => { if (ctx.params.mode === 'quick' && ctx.args.iteration === 2) throw new Error('too late'); return 'Think.'; },
      args: { iteration: arg({ min: 1, max: 3, default: 1 }) },
      next: { ok: 'end', iterate: { to: 'refine', maxIterations: 3, onExhausted: 'end' } },
    },
    end: { handler: () => { throw new Error('no handler is called'); }, next: null },
  },
});
`;
const WALK = `import { step, workflow } from 'pawl';
export default workflow('walk', {}, function* () { yield* step('one').task(() => 1); });
`;

const MOODY = `import { defineWorkflow } from 'pawl';
if (process.argv.includes('prompt')) throw new Error('not as a process');
export default defineWorkflow({ name: 'moody', steps: { one: { agent: 'dev', prompt: 'Work.', next: null } } });
`;

interface Told {
  readonly code: number | null;
  readonly ok: boolean;
  readonly workflows: readonly { workflow: string; failed: number; results: readonly { id: string; ok: boolean; repeat?: string }[] }[];
}

describe('pawl test', () => {
  test('"pawl test" tests all workflows of the project, and says how to repeat what failed', async () => {
    const { code, stdout } = await rig.run(['test', '-p', 'area=src']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/WORKFLOW +TESTS +PASSED +FAILED +TIME\nfix +5 +5 +0 .*\nthink +12 +11 +1 .*\nwalk +2 +2 +0 /);
    expect(stdout).toContain('walk: a flow has no steps before it runs');
    expect(stdout).toContain('✗ think/refine:mode=quick,iteration=2\n    its prompt cannot be built: too late\n');
    expect(stdout).toContain('\n    pawl test think --filter think/refine:mode=quick,iteration=2 -p area=src\n');
    expect(stdout).toContain('19 tests, 18 passed, 1 failed');
  });

  test('"pawl test" repeats one case by its id, and selects cases by text and category', async () => {
    const one = await rig.json<Told>(['test', 'think', '--filter', 'think/refine:mode=quick,iteration=2']);
    expect(one).toMatchObject({ code: 1, ok: false, workflows: [{ workflow: 'think', failed: 1, results: [{ ok: false }] }] });
    expect(one.workflows[0]?.results[0]?.repeat).toBe('pawl test think --filter think/refine:mode=quick,iteration=2');
    const full = await rig.json<Told>(['test', 'think', '--filter', 'mode=full', '--category', 'steps']);
    expect(full.workflows.flatMap(({ results }) => results.map(({ id }) => id))).toEqual([
      'think/refine:mode=full,iteration=1',
      'think/refine:mode=full,iteration=2',
      'think/refine:mode=full,iteration=3',
      'think/end:mode=full',
    ]);
  });

  test('"pawl test" tests a file, and its repeat command names the file as given', async () => {
    rig.write('elsewhere/think.js', THINK);
    const { workflows } = await rig.json<Told>(['test', 'elsewhere/think.js', '--filter', 'mode=quick', '--category', 'steps']);
    expect(workflows[0]?.results.flatMap(({ repeat }) => repeat ?? [])).toEqual([
      'pawl test elsewhere/think.js --filter think/refine:mode=quick,iteration=2',
    ]);
    rmSync(join(rig.project, 'elsewhere'), { recursive: true });
  });

  test('"pawl test" runs no work and leaves nothing behind', async () => {
    await rig.run(['test', '-p', 'area=src']);
    expect(readdirSync(rig.project)).toEqual(['.pawl']);
    expect(readdirSync(rig.state, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('runs.db'))).toEqual([]);
  });

  test('"pawl test" fails for an unbounded parameter, and says how to bound it', async () => {
    const { code, stdout } = await rig.run(['test', 'fix']);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/✗ fix\/steps\n {4}"area" of workflow "fix" is required.*-p area=VALUE/)]);
  });

  test('"pawl test" writes a JUnit report', async () => {
    const { code } = await rig.run(['test', 'think', '--category', 'steps', '--junit', '../report.xml']);
    const report = readFileSync(join(rig.folder, 'report.xml'), 'utf8');
    expect(code).toBe(1);
    expect(report).toContain('<testsuite name="think" tests="8" failures="1"');
    expect(report).toContain('name="think/refine:mode=quick,iteration=2"');
    expect(report).toContain('<failure message="its prompt cannot be built: too late">');
  });

  test('"pawl test --subprocess" asserts the exit code of each case in a separate process', async () => {
    const { code, stdout } = await rig.run(['test', 'fix', '-p', 'area=src', '--category', 'steps', '--subprocess']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('2 tests, 2 passed, 0 failed')]);
    rig.write('.pawl/workflows/moody.js', MOODY);
    const moody = await rig.run(['test', 'moody', '--category', 'steps', '--subprocess']);
    expect([moody.code, moody.stdout]).toEqual([1, expect.stringMatching(/"pawl prompt moody one" exited with 2: .*not as a process/)]);
    expect((await rig.run(['test', 'moody', '--category', 'steps'])).code).toBe(0);
  });
});

test('"pawl test" also tests the skills of the project', async () => {
  const other = new CliRig();
  try {
    const none = await other.run(['test']);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('no workflows or skills to test')]);
    await other.run(['skill', 'new', 'mine']);
    expect(await other.run(['test'])).toMatchObject({ code: 4, stderr: expect.stringContaining('[NOT_TRUSTED]') });
    await other.run(['trust', '--yes']);
    other.write('.pawl/skills/empty/SKILL.md', '');
    const { code, workflows } = await other.json<Told>(['test']);
    expect(workflows.map(({ workflow, failed }) => [workflow, failed])).toEqual([
      ['mine', 0],
      ['empty', 1],
    ]);
    expect([code, workflows[0]?.results.map(({ id }) => id)]).toEqual([1, ['mine/import', 'mine/structure', 'mine/look', 'mine/work']]);
    expect((await other.run(['test', '--filter', 'empty/import'])).stdout).toContain('.pawl/skills/empty has none of skill.ts,');
  } finally {
    other.close();
  }
});

test('a workflow that cannot be loaded is a failed test in every category', async () => {
  const other = new CliRig();
  try {
    other.write('.pawl/workflows/bad.yaml', FIX.replace('type: agent', 'type: agnt').replace('name: fix', 'name: bad'));
    other.write(
      '.pawl/workflows/broken.js',
      "import { defineWorkflow } from 'pawl';\nexport default defineWorkflow({ name: 'broken', steps: {} });\n",
    );
    const { code: untrusted } = await other.run(['test', 'broken']);
    await other.run(['trust', '--folder', '--yes']);
    const { workflows } = await other.json<Told>(['test']);
    const only = await other.run(['test', 'broken', '--filter', 'broken/one']);
    expect(untrusted).toBe(4);
    expect(workflows.map(({ results }) => results.map(({ id, ok }) => [id, ok]))).toEqual([
      [['broken/import', false]],
      [['.pawl/workflows/bad.yaml/import', false]],
    ]);
    expect([only.code, only.stdout]).toEqual([1, expect.stringContaining('✗ broken/import\n')]);
  } finally {
    other.close();
  }
});

test.each([
  [['test', 'fix', '-p', 'aera=src'], 'no tested workflow has a parameter or argument "aera"; they have area'],
  [['test', 'think', '--filter', 'nothing-like-it'], 'no test has "nothing-like-it" in its id'],
  [['test', 'thnk'], 'did you mean "think"?'],
  [['prompt', 'think', 'refine', '-p', 'iteration=4'], '"iteration" is 4, which is above 3'],
])('"pawl test" rejects %j with what to do', async (args, message) => {
  const { code, stderr } = await rig.run(args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
