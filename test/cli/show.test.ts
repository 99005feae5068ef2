import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunReport } from '../../src/control/schema/run.ts';
import { dbOf, openLibrary, settle } from './look-runs.ts';
import { CliRig } from './rig.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const LOOP = 'a100000000000001';
const FAN = 'b200000000000001';
const PARENT = 'c300000000000001';
const BROKEN = 'd400000000000001';
const FLOW = 'e500000000000001';
const GUARDED = 'f600000000000001';

let rig: CliRig;
let digest: string;
let fork: string;

beforeAll(async () => {
  rig = new CliRig();
  rig.settings.PAWL_DB = dbOf(rig);
  const engine = await openLibrary(rig);
  await settle(engine, 'fix-bug', LOOP);
  digest = (await engine.run(LOOP).approvals())[0]?.digest as string;
  await engine.run(LOOP).decide({ option: 'rework', actor: 'ann', input: 'shorter' });
  await engine.run(LOOP).wait('idle');
  await settle(engine, 'fan', FAN);
  await settle(engine, 'big', PARENT);
  await settle(engine, 'broken', BROKEN);
  await settle(engine, 'stroll', FLOW);
  await settle(engine, 'guarded', GUARDED);
  await engine.run(GUARDED).decide({ option: 'approve', actor: 'bob' });
  await engine.run(GUARDED).wait();
  const forked = await engine.run(LOOP).fork({ from: 'gate', actor: 'ann' });
  await forked.wait('idle');
  fork = forked.id;
  await engine.close();
});
afterAll(() => rig.close());

function show(run: string, ...more: string[]): string[] {
  return ['show', run, ...more];
}

/** What is printed, without the times: they differ from run to run. */
function timeless(text: string): string {
  return text
    .replaceAll('\r', '')
    .replace(/\b\d+(\.\d+)?(ms|s|m|h)( \d+s)?\b/g, 'TIME')
    .replace(/\b(TIME ago|now)\b/g, 'AGO');
}

describe('the report of a run on a terminal', () => {
  test.each([
    ['a loop with evidence, a decision and an open gate', LOOP, 'show-loop'],
    ['a fan-out of which some failed', FAN, 'show-fan'],
    ['a parent with its child and its branches', PARENT, 'show-parent'],
    ['an escalation with its attempts', BROKEN, 'show-broken'],
    ['a flow', FLOW, 'show-flow'],
  ])('the report of %s fits 80 columns', async (_, run, name) => {
    const terminal = rig.terminal(show(run));
    expect(await terminal.ended).toBe(0);
    const text = terminal.text().replaceAll('\r', '');
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    await expect(timeless(text)).toMatchFileSnapshot(`golden/${name}.txt`);
  });

  test('"pawl show --steps" shows every attempt with everything that was recorded about it', async () => {
    const { stdout } = await rig.run(show(LOOP, '--steps'));
    await expect(timeless(stdout)).toMatchFileSnapshot('golden/show-loop-steps.txt');
  });

  test('a report is ASCII if the terminal is not UTF-8, and has no colour in a pipe', async () => {
    const { stdout } = await rig.run(show(LOOP), { env: { LANG: 'C' } });
    expect(stdout).toMatch(/^[\n -~]+$/);
    expect(stdout).toContain('ok plan');
  });

  test('untrusted text in a report cannot control the terminal', async () => {
    const terminal = rig.terminal(show(BROKEN));
    await terminal.ended;
    expect(terminal.text()).toContain('the disk is full');
    expect(terminal.printed()).not.toContain('\u001b[31mis');
  });
});

describe('the report as JSON', () => {
  test('the JSON of a report has the run, every attempt, its waits with the command that ends each, and the decisions', async () => {
    const story = await rig.json<RunReport>(show(LOOP));
    expect(story.run).toMatchObject({
      id: LOOP,
      workflow: 'fix-bug',
      status: 'waiting',
      currentStep: 'ask',
      params: { issue: 7 },
      cost: null,
      isDriven: false,
      origin: { actor: 'ann' },
    });
    expect(new Date(story.run.startedAt).toISOString()).toBe(story.run.startedAt);
    expect(story.plan.map(({ step, status, visits, attempts }) => [step, status, visits, attempts])).toEqual([
      ['plan', 'completed', 1, 1],
      ['fix', 'completed', 2, 3],
      ['gate', 'completed', 2, 2],
      ['ask', 'waiting', 2, 2],
      ['ship', 'pending', 0, 0],
    ]);
    expect(story.steps[1]).toMatchObject({
      path: 'fix#1',
      attempt: 1,
      status: 'failed',
      outcome: null,
      claim: { done: true },
      evidence: { postconditions: [{ passed: true }, { name: 'tests-green', passed: false }] },
    });
    expect(story.waits).toMatchObject([
      {
        id: 'ask#2',
        kind: 'human',
        prompt: 'Ship the fix?',
        shown: { plan: 'read, then write' },
        command: `pawl decide ${LOOP} --option yes`,
      },
    ]);
  });

  test('the JSON of a report has who decided what, and the digest of what was shown', async () => {
    const { decisions } = await rig.json<RunReport>(show(LOOP));
    expect(decisions).toMatchObject([{ step: 'ask', path: 'ask#1', option: 'rework', input: 'shorter', actor: 'ann', digest }]);
    const guarded = await rig.json<RunReport>(show(GUARDED));
    expect(guarded.decisions).toMatchObject([
      { path: 'write#1', option: 'approve', actor: 'bob', digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
  });

  test('the JSON of a report counts a fan-out and names the failed items', async () => {
    const { groups, waits } = await rig.json<RunReport>(show(FAN));
    expect(groups).toEqual([
      {
        path: 'each#1',
        step: 'each',
        kind: 'each',
        total: 100,
        ok: 97,
        failed: 3,
        rejected: 0,
        skipped: 0,
        open: 0,
        failures: ['item-4', 'item-40', 'item-77'],
      },
    ]);
    expect(waits).toMatchObject([{ kind: 'escalation', path: 'each#1', command: `pawl retry ${FAN}` }]);
  });

  test('the JSON of a report names children, parents and the original of a fork', async () => {
    const parent = await rig.json<RunReport>(show(PARENT));
    expect(parent.run.children).toMatchObject([{ workflow: 'small', status: 'completed' }]);
    const engine = await openLibrary(rig);
    const child = await engine.store.load(parent.run.children[0]?.id as string);
    expect(child.state.parent).toEqual({ run: PARENT, path: 'sub#1' });
    const forked = await import('../../src/control/run/report.ts').then(({ readRunReport }) => readRunReport(engine.store, fork));
    expect(forked.run.forkOf).toEqual({ run: LOOP, step: 'gate' });
    await engine.close();
  });
});

test('--output prints the result of the run and nothing else', async () => {
  expect(await rig.run(show(FLOW, '--output'))).toEqual({ code: 0, stdout: '{\n  "second": 2\n}\n', stderr: '' });
  expect(await rig.json(show(FLOW, '--output'))).toEqual({ code: 0, schemaVersion: 1, output: { second: 2 } });
});

test('a run that does not exist is an error that says where runs are listed', async () => {
  const { code, stdout, stderr } = await rig.run(show('abc'));
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^pawl: no run "abc" in .*; "pawl runs" lists the runs \[RUN_NOT_FOUND\]\n$/);
});

test('a run whose process died shows that no process drives it, and how to continue', async () => {
  const id = 'ab00000000000001';
  const script = `
    import { createEngine, defineWorkflow } from ${JSON.stringify(join(ROOT, 'src/index.ts'))};
    const stuck = defineWorkflow({ name: 'stuck', steps: { hang: { handler: () => new Promise(() => console.log('at work')), next: null } } });
    const engine = await createEngine({ db: ${JSON.stringify(dbOf(rig))}, workflows: [stuck] });
    await engine.start(stuck, {}, { id: '${id}' });
    setInterval(() => {}, 1e9);`;
  const driver = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(driver.stdout, 'data');
  expect((await rig.json<RunReport>(show(id))).run).toMatchObject({ status: 'running', isDriven: true });
  driver.kill('SIGKILL');
  await once(driver, 'close');
  expect((await rig.json<RunReport>(show(id))).run).toMatchObject({ status: 'running', isDriven: false });
  expect((await rig.run(show(id))).stdout).toContain(`no process drives it\n    pawl resume ${id}\n`);
});

test('without an id the last run that was started is shown, not its child', async () => {
  const id = '9900000000000001';
  const engine = await openLibrary(rig);
  await settle(engine, 'big', id);
  await engine.close();
  for (const command of ['show', 'logs']) expect((await rig.run([command])).stderr).toBe(`the last run of this project: ${id}\n`);
});

test('reading commands load neither the engine nor the step executors', () => {
  const loaded = new Set<string>();
  const visit = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    const source = readFileSync(file, 'utf8');
    for (const [, target] of source.matchAll(/^(?:import|export) (?!type )(?:[^;']*? from )?'(\.[^']+)'/gm))
      visit(join(dirname(file), target as string));
  };
  for (const command of ['show', 'logs', 'graph']) visit(join(ROOT, 'src/cli/commands', `${command}.ts`));
  const folders = [...loaded]
    .map((file) => file.slice(ROOT.length + 1))
    .filter((file) => /^src\/(engine|steps|api|authoring|expr)\//.test(file));
  expect(folders.sort()).toEqual([
    'src/engine/event-facts.ts',
    'src/engine/inspect.ts',
    'src/engine/request/approvals.ts',
    'src/engine/request/assumption-list.ts',
    'src/engine/run-tree.ts',
    'src/engine/status.ts',
    'src/engine/values.ts',
    'src/steps/run-records.ts',
  ]);
});
