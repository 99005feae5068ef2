// `pawl prompt`: what the agent of a step would read, without a run.

import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(async () => {
  rig = new CliRig();
  rig.write('.pawl/workflows/fix.yaml', FIX);
  await rig.run(['trust', '--folder', '--yes']);
});
afterEach(() => rig.close());

const FIX = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: fix, description: Fix the totals. }
params: { area: { description: where, required: true } }
stages:
  - { id: work, type: agent, agent: dev, prompt: "Fix {{ params.area }}." }
  - id: check
    type: gate
    conditions: [{ check: command, run: npm test }]
    on_fail: { goto: work, max_iterations: 3 }
  - id: reviews
    type: parallel
    branches:
      - { id: style, agent: rev, prompt: "Look at {{ outputs.check.duration }}." }
      - { id: safety, agent: rev, prompt: Look at the safety. }
    on_any_reject: { goto: work, max_iterations: 2 }
`;

const ROUNDS = `import { arg, defineWorkflow } from 'pawl';
const look = { agent: 'dev', prompt: 'Look.', args: { iteration: arg({ min: 1, max: 3 }) }, context: ({ args }) => ({ round: args.iteration }) };
export default defineWorkflow({ name: 'rounds', steps: { all: { parallel: { branches: { look } }, next: null } } });
`;

describe('the prompt of a step', () => {
  test('"pawl prompt" prints what a driven agent would read, with how to answer', async () => {
    rig.write('.pawl/agents/dev.md', '---\ndriver: command\nargv: [cat]\n---\nYou write code.\n');
    const { code, stdout } = await rig.run(['prompt', 'fix', 'work', '-p', 'area=src']);
    expect(code).toBe(0);
    expect(stdout).toContain('Step 1 of 3, "work", of the workflow "fix" (run RUN), attempt 1.');
    expect(stdout).toContain('## Goal\nFix the totals.\nParameters: {"area":"src"}');
    expect(stdout).toContain('## What to do\nYou write code.\n\nFix src.');
    expect(stdout).toContain('Then the gate "check" checks:\n- npm test');
    expect(stdout).toContain('## How to answer\n');
  });

  test('"pawl prompt --attended" prints what an attended agent would get, as text or XML', async () => {
    const { stdout } = await rig.run(['prompt', 'fix', 'reviews/safety', '--attended']);
    expect(stdout).toContain('Step 3 of 3, "reviews", branch "safety",');
    expect(stdout).toContain('pawl done RUN --token=TOKEN --result @result.json');
    const xml = await rig.run(['prompt', 'fix', 'safety', '--attended', '--format', 'xml']);
    expect(xml.stdout).toMatch(/<DO>\n# safety[\s\S]*<NEXT>/);
  });

  test('"pawl prompt" prints an expression that only a run can evaluate as written', async () => {
    const { stdout } = await rig.run(['prompt', 'fix', 'reviews/style', '--attended']);
    expect(stdout).toContain('Parameters: {"area":"<area>"}');
    expect(stdout).toContain('Look at {{ outputs.check.duration }}.');
  });

  test('"pawl prompt" has the texts that the functions of a branch build from the arguments of the step', async () => {
    rig.write('.pawl/workflows/rounds.js', ROUNDS);
    const { stdout } = await rig.run(['prompt', 'rounds', 'all/look', '-p', 'iteration=2', '--attended']);
    expect(stdout).toContain('"round": 2');
  });

  test('"pawl prompt --json" has the length of the prompt', async () => {
    const told = await rig.json<{ bytes: number; text: string; as: string }>(['prompt', 'fix', 'work', '--attended']);
    expect(told).toMatchObject({ code: 0, as: 'handed', bytes: Buffer.byteLength(told.text) });
  });

  test('"pawl prompt" starts nothing and creates no database', async () => {
    await rig.run(['prompt', 'fix', 'work']);
    expect(readdirSync(rig.state, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('runs.db'))).toEqual([]);
  });
});

test.each([
  [['prompt', 'fix'], 'name a step of "fix": work, reviews/style, reviews/safety'],
  [['prompt', 'fix', 'wrk'], 'did you mean "work"?'],
  [['prompt', 'fix', 'check'], '"check" is not a step of "fix" that an agent does'],
  [['prompt', 'plain'], 'no step of "plain" is done by an agent, so there is no prompt to show'],
  [['prompt', 'walk'], '"walk" is a flow, so its steps are not known before it runs'],
])('"pawl prompt" with %j lists the steps', async (args, message) => {
  rig.write(
    '.pawl/workflows/plain.yaml',
    FIX.replace('name: fix', 'name: plain').replace(/stages:[\s\S]*/, 'stages: [{ id: a, type: command, run: x }]\n'),
  );
  rig.write(
    '.pawl/workflows/walk.ts',
    "import { step, workflow } from 'pawl';\nexport default workflow('walk', function* () {\n  yield* step('a').command('x');\n});\n",
  );
  await rig.run(['trust', '--folder', '--yes']);
  const { code, stderr } = await rig.run(args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
