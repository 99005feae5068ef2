import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { digestOf, type InboxJson, parkRun, REVIEW, RUN, writeWorkflow } from './decision-runs.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

test('nothing is listed when nothing waits, and no database is created', async () => {
  expect(await rig.run(['inbox'])).toEqual({ code: 0, stdout: 'Nothing is waiting for you.\n', stderr: '' });
  expect(await rig.json(['inbox'])).toEqual({
    code: 0,
    schemaVersion: 1,
    approvals: [],
    questions: [],
    stuck: [],
    pending: [],
    assumptions: [],
  });
});

test('the inbox lists what waits for a person across runs, oldest first, with what a program needs to decide', async () => {
  await parkRun(rig);
  const second = 'aaaaaaaaaaaaaaa2';
  await rig.run(['run', 'review', '--id', second, '-p', 'text=later']);
  const { approvals, code } = await rig.json<InboxJson>(['inbox']);
  expect(code).toBe(0);
  expect(approvals.map(({ run }) => run)).toEqual([RUN, second]);
  expect(approvals[0]).toEqual({
    run: RUN,
    workflow: 'review',
    approval: 'ask#1',
    step: 'ask',
    prompt: 'Publish?',
    options: [
      { label: 'yes', outcome: 'ok', to: { step: 'publish' }, requiresInput: false },
      { label: 'no', outcome: 'reject', to: { end: 'reject' }, requiresInput: false },
      { label: 'rework', outcome: 'ok', to: { step: 'draft' }, requiresInput: true },
    ],
    shown: { text: 'hello', round: expect.any(Number) },
    from: null,
    count: 1,
    votes: [],
    split: null,
    signed: false,
    decided: null,
    subjects: null,
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    since: expect.stringMatching(/^\d{4}-.*Z$/),
    due: null,
    command: `pawl decide ${RUN} --option yes`,
  });
  const { stdout } = await rig.run(['inbox']);
  expect(stdout).toMatch(/^RUN +STEP +WORKFLOW +WAITING +OPTIONS\n/);
  expect(stdout).toContain('yes, no, rework');
  expect(stdout).toContain(`"pawl decide ${RUN}" decides.`);
});

test('approvals and stopped runs are one list, oldest first', async () => {
  writeWorkflow(rig, REVIEW.replace('text: ctx.workflowParams.text', 'text: nowhere.text'));
  await rig.run(['run', 'review', '--id', 'aaaaaaaaaaaaaaa9']);
  await parkRun(rig);
  const { stdout } = await rig.run(['inbox']);
  expect(stdout.match(/^a{15}\d/gm)).toEqual(['aaaaaaaaaaaaaaa9', RUN]);
});

test('"pawl gates" is an alias of "pawl inbox"', async () => {
  await parkRun(rig);
  expect((await rig.json<InboxJson>(['gates'])).approvals).toEqual((await rig.json<InboxJson>(['inbox'])).approvals);
  expect((await rig.run(['gates', '--help'])).stdout).toContain('Usage  pawl inbox [RUN]');
});

test('"pawl inbox RUN" shows the question in full, with the digest that a decision must name', async () => {
  const text = Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n');
  await parkRun(rig, ['-p', `text=${text}`]);
  const { stdout } = await rig.run(['inbox', RUN]);
  expect(stdout).toContain('│ line 0\n');
  expect(stdout).toContain('│ line 59\n');
  expect(stdout).toContain(`digest ${await digestOf(rig)}\n`);
});

test('a stopped run is listed with the command that continues it', async () => {
  writeWorkflow(rig, REVIEW.replace('text: ctx.workflowParams.text', 'text: nowhere.text'));
  expect((await rig.run(['run', 'review', '--id', RUN])).code).toBe(8);
  const { approvals, stuck } = await rig.json<InboxJson>(['inbox']);
  expect(approvals).toEqual([]);
  expect(stuck).toMatchObject([{ run: RUN, kind: 'escalation', step: 'draft', command: `pawl resume ${RUN}` }]);
  expect((await rig.run(['inbox'])).stdout).toContain('(stopped)');
});

test('text from outside cannot pose as a prompt or control the terminal: each line has a bar in front', async () => {
  const evil = `\u001b[2J\u001b]0;owned\u0007Approve? [y/N]: y\r\n${' '.repeat(77)}❯ Your answer: 1`;
  await parkRun(rig, ['--params', JSON.stringify({ text: evil })]);
  const terminal = rig.terminal(['inbox', RUN]);
  expect(await terminal.ended).toBe(0);
  expect(terminal.printed()).not.toContain('\u001b[2J');
  expect(terminal.printed()).not.toContain('\u001b]0;');
  const from = terminal.text().split('\n');
  const posing = from.filter((line) => /Approve\?|Your answer/.test(line));
  expect(posing.map((line) => line.slice(0, 2))).toEqual(['│ ', '│ ']);
  // A longer line would be continued by the terminal, without the bar.
  expect(from.filter((line) => line.trimEnd().length > 80)).toEqual([]);
});

test('a recorded decision that was not applied yet is shown, not asked for again', async () => {
  await parkRun(rig);
  const digest = await digestOf(rig);
  const file = (await rig.json<{ file: string }>(['db', 'check'])).file;
  const store = await openSqliteStore({ file });
  const at = Date.now() - 300_000;
  await store.post({
    run: RUN,
    dedupe: 'd1',
    input: { type: 'decided', at, path: 'ask#1', option: 'yes', digest, actor: 'ann' },
    values: [],
  });
  await store.close();
  const { approvals } = await rig.json<InboxJson>(['inbox']);
  expect(approvals).toMatchObject([{ decided: { option: 'yes', actor: 'ann' }, command: `pawl resume ${RUN}` }]);
  const list = await rig.run(['inbox']);
  expect(list.stdout).toContain('(decided: "yes" by ann');
  expect(list.stdout).not.toContain('pawl decide');
  expect((await rig.run(['inbox', RUN])).stdout).toContain('Approval ask#1 is decided: "yes" by ann; no process has applied it yet');
  const shown = (await rig.run(['show', RUN])).stdout;
  expect(shown).toContain('a process to continue ask#1, which is decided: "yes" by ann');
  expect(shown).toContain(`pawl resume ${RUN}`);
  expect((await rig.run(['resume', RUN])).code).toBe(0);
  const { steps } = await rig.json<{ steps: { step: string; durationMs: number }[] }>(['show', RUN]);
  expect(steps.find(({ step }) => step === 'publish')?.durationMs).toBeLessThan(60_000);
});
