// What agents assume instead of asking, on the command line: recorded by attended and driven agents, seen apart from what
// blocks, and answered by people alone.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { beginAttended, RUN, tokenIn } from './attended-runs.ts';
import { tokenOf } from './decision-runs.ts';
import { CliRig, type Ended } from './rig.ts';

let rig: CliRig;
let ann: Promise<string> | undefined;
beforeEach(() => {
  rig = new CliRig();
  ann = undefined;
});
afterEach(() => rig.close());

const TWO = `
import { defineWorkflow } from 'pawl/compat';

export default defineWorkflow({
  name: 'two',
  steps: [
    { id: 'plan', agent: 'worker', prompt: 'Plan.', next: 'build' },
    { id: 'build', agent: 'worker', prompt: 'Build.', next: null },
  ],
});
`;

interface Listed {
  readonly assumptions: readonly {
    readonly id: string;
    readonly state: string;
    readonly digest: string;
    readonly command: string | null;
  }[];
}

const GRAVE = ['--severity', 'MUST', '--question', 'Which database\u001b[31m?', '--assumed', 'SQLite', '--option', 'Postgres'];
const listed = (...words: readonly string[]): Promise<Listed & { readonly code: number | null }> =>
  rig.json<Listed>(['assumptions', ...words]);

/** Starts a run whose agent assumes something at its first step. */
async function assumed(): Promise<{ readonly token: string; readonly said: Ended }> {
  const token = tokenIn((await beginAttended(rig, TWO)).stdout);
  return { token, said: await rig.run(['assume', RUN, `--token=${token}`, ...GRAVE]) };
}

async function answer(...words: readonly string[]): Promise<Ended> {
  const digest = (await listed(RUN)).assumptions.find(({ state }) => state === 'open')?.digest ?? '0'.repeat(12);
  return rig.run(['answer', RUN, '--digest', digest, ...words], { env: { PAWL_TOKEN: await person() } });
}

/** The token of a person, made once. */
function person(): Promise<string> {
  ann ??= tokenOf(rig, 'ann');
  return ann;
}

describe('an attended agent', () => {
  test('no assumption, report or failure of an agent leaves the value of a secret in the store', async () => {
    const secret = 'hunter2hunter2';
    rig.settings.DEPLOY_KEY = secret;
    rig.write('.pawl/config.yaml', 'secrets: { deploy: { env: DEPLOY_KEY } }\n');
    const token = tokenIn((await beginAttended(rig, TWO)).stdout);
    const assume = ['--severity', 'SHOULD', '--question', `Is ${secret} right?`, '--assumed', `yes, ${secret}`, '--option', secret];
    expect(await rig.run(['assume', RUN, `--token=${token}`, ...assume])).toMatchObject({ code: 0 });
    const shown = (await rig.run(['assumptions', RUN])).stdout;
    expect(shown).toContain('Is [redacted:deploy] right?');
    const report = ['done', RUN, `--token=${token}`, '--result', JSON.stringify({ key: secret })];
    const second = (await rig.run(report)).stdout;
    // The same report again is recognised although it was masked.
    expect((await rig.run(report)).stdout).toContain('already recorded');
    await rig.run(['fail', RUN, `--token=${tokenIn(second)}`, '--reason', `${secret} was refused`]);
    const files = readdirSync(rig.state, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const holding = files.filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(secret));
    expect(holding.map(({ name }) => name)).toEqual([]);
  });

  test('an attended agent is told how to record an assumption, and continues with the same token', async () => {
    const { stdout } = await beginAttended(rig, TWO);
    expect(stdout).toContain('To guess what only a person can decide, and go on');
    const token = tokenIn(stdout);
    expect(stdout).toContain(`pawl assume ${RUN} --token=${token} --severity SHOULD`);
    expect(await rig.run(['assume', RUN, `--token=${token}`, ...GRAVE])).toEqual({
      code: 0,
      stdout: 'Recorded. Continue with your step: the token is still valid. A person can answer at any time.\n',
      stderr: '',
    });
    expect((await rig.run(['assume', RUN, `--token=${token}`, ...GRAVE])).code).toBe(0);
    expect((await listed()).assumptions.map(({ id, state }) => [id, state])).toEqual([['a1', 'open']]);
    expect((await rig.run(['done', RUN, `--token=${token}`])).stdout).toContain('Build.');
  });

  test('an invalid assumption leaves the token valid', async () => {
    const token = tokenIn((await beginAttended(rig, TWO)).stdout);
    const assume = (...words: string[]): Promise<Ended> => rig.run(['assume', RUN, `--token=${token}`, ...words]);
    expect(await assume('--question', 'x'.repeat(501), '--assumed', 'y')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/at most 500 are allowed.*the token is still valid/),
    });
    expect(await assume('--assumed', 'y')).toMatchObject({ code: 2, stderr: expect.stringContaining('--question is missing') });
    expect(await assume('--question', 'q', '--assumed', 'y', '--severity', 'HIGH')).toMatchObject({ code: 2 });
    expect((await assume('--question', 'q', '--assumed', 'y')).code).toBe(0);
  });

  test('an attended agent gets the command for assumptions in XML too', async () => {
    const token = tokenIn((await beginAttended(rig, TWO)).stdout);
    const next = (await rig.run(['next', RUN, '--format', 'xml'])).stdout;
    expect(next).toMatch(/<to_assume>pawl assume/);
    const said = (await rig.run(['assume', RUN, `--token=${token}`, ...GRAVE, '--format', 'xml'])).stdout;
    expect(said).toContain('<recorded>Recorded. Continue with your step');
    expect(said).not.toContain('<DO>');
  });
});

describe('what was assumed', () => {
  test('assumptions are listed separately from what waits for a person, without control characters', async () => {
    await assumed();
    const inbox = (await rig.run(['inbox'])).stdout;
    expect(inbox).toContain('No decision is waiting for you.\n\nAssumed without asking; merges wait until each MUST is answered:\n');
    expect(inbox).toContain(`  ${RUN}  a1  MUST  plan: Which database? Assumed: SQLite`);
    expect((await rig.json<Listed>(['inbox'])).assumptions).toMatchObject([
      { id: 'a1', severity: 'MUST', state: 'open', command: `pawl answer ${RUN} --assumption a1`, options: ['Postgres'] },
    ]);
    for (const words of [
      ['inbox', RUN],
      ['show', RUN],
      ['assumptions', RUN],
    ]) {
      const { stdout } = await rig.run(words);
      expect(stdout).toContain('a1  MUST  plan: Which database? Assumed: SQLite');
      expect(stdout).toContain(`pawl answer ${RUN} --assumption a1`);
    }
    expect((await rig.run(['logs', RUN])).stdout).toContain('assumed without asking: a1 at plan#1 (MUST)');
  });

  test('an assumption of an ended run is listed until a person answers it', async () => {
    const { token } = await assumed();
    const next = await rig.run(['done', RUN, `--token=${token}`]);
    expect((await rig.run(['done', RUN, `--token=${tokenIn(next.stdout)}`])).stdout).toContain('is completed');
    expect((await listed()).assumptions.map(({ id }) => id)).toEqual(['a1']);
    const { code, stdout } = await answer('--assumption', 'a1', 'Postgres');
    expect([code, stdout]).toEqual([0, expect.stringContaining(`A fork follows the answer: pawl fork ${RUN} --from plan`)]);
    expect((await listed()).assumptions).toEqual([]);
    expect((await listed(RUN)).assumptions).toMatchObject([{ id: 'a1', state: 'differs', command: `pawl fork ${RUN} --from plan#1` }]);
    expect((await rig.run(['show', RUN])).stdout).toMatch(/ann answered "Postgres"[\s\S]*pawl fork/);
  });

  test('a driven agent sends its assumptions with its reply, and the run continues', async () => {
    rig.write('.pawl/config.yaml', 'roles:\n  dev: { driver: command, argv: [node, agent.mjs] }\n');
    const reply = { success: true, output: {}, assumptions: [{ question: 'Which port?', assumed: '80', severity: 'COULD' }] };
    rig.write(
      'agent.mjs',
      `let told = ''; process.stdin.on('data', (part) => { told += part; }).on('end', () => {
        const again = told.includes('answered otherwise');
        console.log(JSON.stringify(again ? { success: true, output: { told: /^> (.*)$/m.exec(told)?.[1] } } : ${JSON.stringify(reply)}));
      });`,
    );
    rig.write(
      '.pawl/workflows/work.yaml',
      'apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: work }\nstages:\n  - { id: plan, type: agent, agent: dev, prompt: go }\n  - { id: ask, type: human, prompt: "Good?" }\n',
    );
    expect((await rig.run(['trust', '--yes'])).code).toBe(0);
    const { run } = await rig.json<{ run: { id: string } }>(['run', 'work']);
    const [only] = (await rig.json<Listed>(['assumptions', run.id])).assumptions;
    expect(only).toMatchObject({ id: 'a1', severity: 'COULD', state: 'open' });
    const env = { PAWL_TOKEN: await person() };
    const said = await rig.run(['answer', run.id, '--assumption', 'a1', '8080', '--digest', only?.digest ?? ''], { env });
    expect([said.code, said.stdout]).toEqual([3, expect.stringContaining(`Step plan of run ${run.id} runs again`)]);
    const { steps } = await rig.json<{ steps: { path: string; attempt: number; output: unknown }[] }>(['show', run.id]);
    expect(steps.filter(({ path }) => path === 'plan#1').map(({ output }) => output)).toEqual([{}, { told: '8080' }]);
  });
});

describe('answering', () => {
  test('an agent in its shell cannot answer an assumption', async () => {
    await assumed();
    const { digest = '' } = (await listed()).assumptions[0] ?? {};
    for (const words of [['--agree'], ['Postgres', '--yes', '--digest', digest]]) {
      const { code, stdout, stderr } = await rig.run(['answer', RUN, '--assumption', 'a1', ...words]);
      expect([code, stdout, stderr]).toEqual([4, '', expect.stringContaining('only a person can run "pawl answer"')]);
    }
    expect((await listed()).assumptions.map(({ state }) => state)).toEqual(['open']);
  });

  test('an answer confirms an assumption, or opens the step again with the answer, once', async () => {
    const { token } = await assumed();
    expect(await answer('--assumption', 'a2', 'x')).toMatchObject({ code: 2, stderr: expect.stringContaining('no assumption "a2"') });
    expect(await answer('--assumption', 'a1', '1')).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/answered a1 of run .* as ann\.\nStep plan of run .* runs again/),
    });
    const next = (await rig.run(['next', RUN])).stdout;
    expect(next).toMatch(/Step 1: plan \(attempt 2\)[\s\S]*ann answered otherwise[\s\S]*> Postgres/);
    expect(await rig.run(['done', RUN, `--token=${token}`])).toMatchObject({ code: 1, stderr: expect.stringContaining('[TOKEN_SPENT]') });
    expect(await answer('--assumption', 'a1', '--agree')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('already answered by ann'),
    });
    await rig.run(['assume', RUN, `--token=${tokenIn(next)}`, '--question', 'Tabs?', '--assumed', 'no']);
    expect(await answer('--agree')).toMatchObject({ code: 3, stdout: expect.stringContaining('confirmed a2') });
    expect((await listed(RUN)).assumptions.map(({ id, state }) => [id, state])).toEqual([
      ['a1', 'differs'],
      ['a2', 'confirmed'],
    ]);
  });

  test('at a terminal "pawl answer --assumption" shows the assumption and asks', async () => {
    await assumed();
    const later = rig.terminal(['answer', RUN, '--assumption', 'a1']);
    await later.until(/Which database\?[\s\S]*Your answer, or "agree"/);
    later.type('\r');
    expect(await later.ended).toBe(3);
    const terminal = rig.terminal(['answer', RUN, '--assumption', 'a1']);
    await terminal.until('Your answer, or "agree"');
    terminal.type('agree\r');
    await terminal.ended;
    expect((await listed(RUN)).assumptions.map(({ state }) => state)).toEqual(['confirmed']);
  });
});
