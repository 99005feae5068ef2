// What agents used and said at the command line: cost and tokens, transcripts, and a budget that is used up and raised.

import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentDriver, AgentUsage } from '../../src/agents/driver.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import { createEngine } from '../../src/index.ts';
import { CliRig } from './rig.ts';

const RUN = 'a100000000000001';
const OTHER = 'b200000000000001';

let rig: CliRig;
let db: string;
beforeEach(() => {
  rig = new CliRig();
  db = join(rig.folder, 'runs.db');
  rig.settings.PAWL_DB = db;
});
afterEach(() => rig.close());

const agent = (id: string, next: string | null) => ({ id, agent: 'worker', prompt: 'Work.', next });
const review = defineWorkflow({ name: 'review', steps: [agent('look', 'write'), agent('write', null)] });
const plain = defineWorkflow({ name: 'plain', steps: [{ id: 'one', handler: () => null, next: null }] });

/** Runs a workflow whose agents use this, one after the other, and another without agents. */
async function record(...usages: (AgentUsage | undefined)[]): Promise<void> {
  const driver: AgentDriver = {
    name: 'talking',
    ask: async ({ onEvent }) => {
      onEvent?.({ kind: 'text', text: 'I look at\nthe page.' });
      onEvent?.({ kind: 'tool', id: '1', name: 'Bash', input: { command: 'ls' } });
      onEvent?.({ kind: 'tool-result', id: '1', ok: false, text: 'no such folder' });
      onEvent?.({ kind: 'refused', tool: 'Web', action: 'fetch', why: 'the role may not' });
      const usage = usages.shift();
      return { kind: 'answered', success: true, output: null, ...(usage === undefined ? {} : { usage }) };
    },
  };
  const engine = await createEngine({
    db,
    synchronous: 'NORMAL',
    workflows: [review, plain],
    roles: { worker: { driver: 'talking' } },
    drivers: { talking: driver },
  });
  await (await engine.start('review', {}, { id: RUN })).wait();
  await (await engine.start('plain', {}, { id: OTHER })).wait();
  await engine.close();
}

describe('what agents used', () => {
  test('the usage of agents is shown by step and for the run', async () => {
    await record({ inputTokens: 1000, outputTokens: 200, costUsd: 0.5, turns: 2 }, { inputTokens: 100, costUsd: 0.25 });
    const { stdout } = await rig.run(['show', RUN]);
    expect(stdout).toContain('agents used 1.3k tokens, $0.75\n');
    expect(stdout).toMatch(/look +ok +\S+, by worker, 1\.2k tokens, \$0\.50\n/);
    expect(await rig.json(['show', RUN])).toMatchObject({
      run: { cost: 0.75, usage: { attempts: 2, inputTokens: 1100, outputTokens: 200, costUsd: 0.75, unknownCost: 0 } },
      steps: [{ usage: { costUsd: 0.5, turns: 2 } }, { usage: { costUsd: 0.25 } }],
    });
    expect((await rig.run(['runs'])).stdout).toMatch(/COST +STARTED\n.* plain .*\n.* review .*\$0\.75/);
    const { runs } = await rig.json<{ runs: object[] }>(['runs']);
    expect(runs[1]).toMatchObject({ id: RUN, usage: { costUsd: 0.75 } });
    expect(runs[0]).not.toHaveProperty('usage');
  });

  test('the usage of agents is "at least" an amount if a part is unknown', async () => {
    await record({ costUsd: 1.2, inputTokens: 1 }, undefined);
    expect((await rig.run(['show', RUN])).stdout).toContain('agents used at least 1 tokens, at least $1.20, 1 attempt unknown\n');
    expect(await rig.json(['show', RUN])).toMatchObject({ run: { cost: null, usage: { costUsd: 1.2, unknownCost: 1 } } });
    expect((await rig.run(['runs'])).stdout).toContain('$1.20+');
  });

  test('the plan of a fork shows the usage of agents at the steps that run again', async () => {
    // A database in the state folder is its user's own, so its runs may be forked.
    mkdirSync(rig.state, { mode: 0o700 });
    db = join(rig.state, 'runs.db');
    rig.settings.PAWL_DB = db;
    await record({ inputTokens: 1000, costUsd: 0.5 }, { inputTokens: 100, costUsd: 0.25 });
    const plan = (from: string) => rig.json<{ plan: { usedBefore: object | null } }>(['fork', RUN, '--from', from, '--dry-run']);
    expect((await plan('look')).plan.usedBefore).toMatchObject({ attempts: 2, costUsd: 0.75 });
    expect((await plan('write')).plan.usedBefore).toMatchObject({ attempts: 1, costUsd: 0.25 });
    expect((await rig.run(['fork', RUN, '--from', 'write', '--dry-run'])).stdout).toContain(
      'Agents used 100 tokens, $0.25 at the steps that run again; expect about the same.\n',
    );
  });

  test('no usage is shown without agents', async () => {
    const engine = await createEngine({ db, synchronous: 'NORMAL', workflows: [plain] });
    await (await engine.start('plain', {}, { id: OTHER })).wait();
    await engine.close();
    expect((await rig.run(['show', OTHER])).stdout).not.toContain('agents used');
    expect(await rig.json(['show', OTHER])).toMatchObject({ run: { cost: null, usage: null } });
    expect((await rig.run(['runs'])).stdout).toMatch(/^RUN +WORKFLOW +STATUS +STEP +STARTED\n/);
  });
});

describe('a transcript', () => {
  test('a transcript is listed with the attempts of its step, and in the JSON', async () => {
    await record({ costUsd: 0.1 }, undefined);
    const { stdout } = await rig.run(['logs', RUN, 'look']);
    expect(stdout).toMatch(/^look#1 attempt 1 {2}ok {2}\S+ by worker, \$0\.10\n/);
    const told = [
      'transcript',
      '  I look at',
      '  the page.',
      '  > Bash {"command":"ls"}',
      '    failed: no such folder',
      '  denied: Web (fetch): the role may not',
    ];
    expect(stdout).toContain(told.map((line) => `    ${line}\n`).join(''));
    const { steps } = await rig.json<{ steps: { transcript: object[] }[] }>(['logs', RUN, 'look']);
    expect(steps[0]?.transcript.at(-1)).toMatchObject({ kind: 'refused', tool: 'Web', at: expect.any(String) });
  });

  test('a transcript is removed with its run', async () => {
    await record();
    expect(existsSync(join(`${db}.transcripts`, RUN))).toBe(true);
    expect((await rig.run(['prune', '--older-than', '0s', '--yes'])).code).toBe(0);
    expect(existsSync(join(`${db}.transcripts`, RUN))).toBe(false);
  });
});

describe('a budget that is used up', () => {
  const YAML = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: work }
budget: { time: 1ms }
stages:
  - { id: write, type: agent, agent: writer, action: write }
`;
  // It works long enough to be stopped on a busy machine as well.
  const PROGRAM = `setTimeout(() => console.log(JSON.stringify({ success: true, output: { note: 'written' } })), 500);`;

  test('a used-up budget ends the command with 5 and what to do, and the run continues with more budget', async () => {
    rig.write('.pawl/workflows/work.yaml', YAML);
    rig.write('.pawl/agents/writer.md', '---\ndriver: command\nargv: [node, agent.mjs]\n---\nYou write.\n');
    rig.write('agent.mjs', PROGRAM);
    await rig.run(['trust', '--folder', '--yes']);
    const first = await rig.run(['run', 'work', '--id', RUN]);
    expect([first.code, first.stdout]).toEqual([5, expect.stringContaining('waits for budget')]);
    const again = await rig.run(['resume', RUN]);
    expect(again.code).toBe(5);
    expect(again.stdout).toContain(`"pawl resume ${RUN} --budget time=1h" allows more`);
    expect((await rig.run(['show', RUN])).stdout).toContain(`more budget for write#1: the budget of run ${RUN} is used up`);
    const { code } = await rig.run(['resume', RUN, '--budget', 'time=1m', '--budget', 'turns=3']);
    expect(code).toBe(0);
    expect((await rig.run(['logs', RUN])).stdout).toMatch(/may use 3 turns, 1m of work more by \S+/);
  });

  test.each([
    ['dollars=5', 'unknown budget "dollars"'],
    ['turns', '--budget turns must be a number above 0, such as turns=5, not ""'],
    ['turns=-1', '--budget turns must be a number above 0'],
    ['turns=0', '--budget turns must be a number above 0'],
    ['turns=1.5', '--budget turns must be a number above 0'],
    ['tokens=1e999', '--budget tokens must be a number above 0'],
    ['time=soon', '--budget time must be a number above 0, such as time=30m, not "soon"'],
  ])('a budget is not raised by %s', async (text, message) => {
    expect(await rig.run(['resume', RUN, '--budget', text])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});
