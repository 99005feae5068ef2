import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isDead } from '../../src/process/owner.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { digestOf, type InboxJson, parkRun, RUN, tokenOf, writeWorkflow } from './decision-runs.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

interface RunReportJson {
  readonly run: { readonly id: string; readonly status: string };
  readonly decisions: readonly {
    readonly option: string;
    readonly actor: string;
    readonly digest: string;
    readonly input: string | null;
  }[];
  readonly error?: { readonly code: string; readonly message: string; readonly details: Record<string, unknown> };
}

const marks = (): string => readFileSync(join(rig.project, 'marks'), 'utf8');
const story = (): Promise<RunReportJson> => rig.json<RunReportJson>(['show', RUN]);

describe('without a terminal', () => {
  test('deciding without a terminal or a token fails, and the message names both', async () => {
    await parkRun(rig);
    for (const words of [
      ['approve', RUN],
      ['reject', RUN],
      ['decide', RUN, '--option', 'yes', '--yes'],
      ['decide', RUN],
    ]) {
      const { code, stdout, stderr } = await rig.run([...words, '--digest', await digestOf(rig)]);
      expect([code, stdout]).toEqual([4, '']);
      expect(stderr).toMatch(/only a person can run "pawl \w+", .* or set PAWL_TOKEN .* --digest .*\[NOT_ALLOWED\]/);
    }
    expect((await story()).decisions).toEqual([]);
  });

  test('a token alone is not enough: the digest of what was seen is required', async () => {
    await parkRun(rig);
    const PAWL_TOKEN = await tokenOf(rig, 'ann');
    const { code, stderr } = await rig.run(['approve', RUN], { env: { PAWL_TOKEN } });
    expect(code).toBe(4);
    expect(stderr).toContain('--digest is required without a terminal: it must name what ann saw');
    const short = await rig.run(['approve', RUN, '--digest', (await digestOf(rig)).slice(0, 11)], { env: { PAWL_TOKEN } });
    expect([short.code, short.stderr]).toEqual([2, expect.stringContaining('at least the first 12 characters')]);
    expect((await story()).decisions).toEqual([]);
  });

  test('a token with the digest decides in its name and drives the run on', async () => {
    await parkRun(rig);
    const PAWL_TOKEN = await tokenOf(rig, 'ann');
    const digest = await digestOf(rig);
    const { code, run, decisions } = await rig.json<RunReportJson>(['decide', RUN, '--option', 'yes', '--digest', digest.slice(0, 12)], {
      env: { PAWL_TOKEN },
    });
    expect([code, run.status]).toEqual([0, 'completed']);
    expect(decisions).toMatchObject([{ option: 'yes', actor: 'ann', digest }]);
    expect(marks()).toBe('published\n');
  });

  test('a token can come from a file', async () => {
    await parkRun(rig);
    rig.write('token', `${await tokenOf(rig, 'ann')}\n`);
    const { code } = await rig.run(['reject', RUN, '--token-file', 'token', '--digest', await digestOf(rig)]);
    expect([code, (await story()).run.status]).toEqual([1, 'rejected']);
  });

  test('the answer must be one of the options', async () => {
    await parkRun(rig);
    const PAWL_TOKEN = await tokenOf(rig, 'ann');
    const words = ['decide', RUN, '--digest', await digestOf(rig)];
    expect(await rig.run(words, { env: { PAWL_TOKEN } })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--option is missing; the options of approval "ask" are "yes", "no", "rework"'),
    });
    expect(await rig.run([...words, '--option', 'maybe'], { env: { PAWL_TOKEN } })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has no option "maybe"; its options are "yes", "no", "rework"'),
    });
  });

  test('an option that requires a text is rejected without one', async () => {
    await parkRun(rig);
    const PAWL_TOKEN = await tokenOf(rig, 'ann');
    const words = ['decide', RUN, '--option', 'rework', '--digest', await digestOf(rig)];
    expect(await rig.run(words, { env: { PAWL_TOKEN } })).toMatchObject({ code: 2, stderr: expect.stringContaining('[INPUT_REQUIRED]') });
    expect((await rig.run([...words, '--input', 'shorter'], { env: { PAWL_TOKEN } })).code).toBe(3);
    expect((await story()).decisions).toMatchObject([{ option: 'rework', input: 'shorter' }]);
  });
});

describe('what was shown', () => {
  test('a decision on changed content is rejected, and the change is shown', async () => {
    await parkRun(rig);
    const PAWL_TOKEN = await tokenOf(rig, 'ann');
    const seen = await digestOf(rig);
    await rig.run(['decide', RUN, '--option', 'rework', '--input', 'again', '--digest', seen], { env: { PAWL_TOKEN } });
    const { code, error } = await rig.json<RunReportJson>(['decide', RUN, '--option', 'yes', '--digest', seen], { env: { PAWL_TOKEN } });
    expect([code, error?.code]).toEqual([2, 'CONTENT_CHANGED']);
    expect(error?.details).toMatchObject({ approval: 'ask#2', changes: [{ name: 'round', before: 1, after: 2 }] });
    const { stderr } = await rig.run(['decide', RUN, '--option', 'yes', '--digest', seen], { env: { PAWL_TOKEN } });
    expect(stderr).toContain('round, line 1:\n  - 1\n  + 2\n');
    expect(stderr).toContain('which was decided: "rework" by ann');
    expect((await story()).decisions).toHaveLength(1);
  });

  test('the first decision counts, and a later one fails with who decided and when', async () => {
    await parkRun(rig);
    const [ann, bob] = [await tokenOf(rig, 'ann'), await tokenOf(rig, 'bob')];
    const digest = await digestOf(rig);
    expect((await rig.run(['approve', RUN, '--digest', digest], { env: { PAWL_TOKEN: ann } })).code).toBe(0);
    const { code, error } = await rig.json<RunReportJson>(['reject', RUN, '--digest', digest], { env: { PAWL_TOKEN: bob } });
    expect([code, error?.code]).toEqual([2, 'ALREADY_DECIDED']);
    expect(error?.message).toMatch(
      /approval "ask" of run \w+ was already decided: "yes" by ann, .* \(\d{4}-\d\d-\d\dT.*Z\); the first decision counts/,
    );
    expect(error?.details).toMatchObject({ option: 'yes', actor: 'ann', at: expect.any(String) });
  });

  test('of two that decide at the same moment, one decides', async () => {
    await parkRun(rig);
    const [ann, bob] = [await tokenOf(rig, 'ann'), await tokenOf(rig, 'bob')];
    const words = ['decide', RUN, '--option', 'yes', '--digest', await digestOf(rig)];
    const ended = await Promise.all([ann, bob].map((PAWL_TOKEN) => rig.run(words, { env: { PAWL_TOKEN } })));
    const [first, second] = ended.toSorted((a, b) => Number(a.code) - Number(b.code));
    expect([first?.code, second?.code]).toEqual([0, 2]);
    expect(second?.stderr).toContain('[ALREADY_DECIDED]');
    expect((await story()).decisions).toHaveLength(1);
    expect(marks()).toBe('published\n');
  });
});

/** Leaves a decision in the mail of the run, as a process does that ends before the run takes it. */
async function leaveDecision(digest: string): Promise<void> {
  const [folder = ''] = readdirSync(rig.state).filter((name) => name.startsWith('project-'));
  const store = await openSqliteStore({ file: join(rig.state, folder, 'runs.db'), isDead });
  const input = { type: 'decided', at: Date.now(), path: 'ask#1', option: 'yes', actor: 'bob', digest } as const;
  await store.post({ run: RUN, dedupe: `decided/ask#1/1/${digest}`, input, values: [] });
  await store.close();
}

test('a decision that a dying process left behind counts as the first, and the next command applies it', async () => {
  await parkRun(rig);
  const PAWL_TOKEN = await tokenOf(rig, 'ann');
  const digest = await digestOf(rig);
  await leaveDecision(digest);
  const { code, stderr } = await rig.run(['reject', RUN, '--digest', digest], { env: { PAWL_TOKEN } });
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/was already decided: "yes" by bob, .*; the first decision counts \[ALREADY_DECIDED\]/),
  ]);
  expect((await story()).decisions).toMatchObject([{ option: 'yes', actor: 'bob' }]);
});

describe('several approvals of one run', () => {
  const TWO = `
import { defineWorkflow } from 'pawl/compat';
const ask = (id) => ({ id, human: { prompt: id + ', good?' } });
export default defineWorkflow({
  name: 'two',
  steps: [{ id: 'both', parallel: { branches: [ask('left'), ask('right')] }, next: null }],
});
`;

  test('one must be chosen, by --approval or by the digest; a decided one stays decided', async () => {
    writeWorkflow(rig, TWO, 'two');
    expect((await rig.run(['run', 'two', '--id', RUN])).code).toBe(3);
    const { approvals } = await rig.json<InboxJson>(['inbox', RUN]);
    const [left, right] = ['left', 'right'].map((name) => approvals.find(({ approval }) => approval === `both#1/${name}`)?.digest ?? '');
    const PAWL_TOKEN = await tokenOf(rig, 'ann');
    const both = rig.terminal(['approve', RUN]);
    expect(await both.ended).toBe(2);
    expect(both.text()).toMatch(/has 2 pending approvals; choose one with --approval: both#1\/left, both#1\/right/);
    // The older spelling still finds its approval, or says that there is none.
    expect(await rig.run(['approve', RUN, '--gate', 'other', '--digest', right as string], { env: { PAWL_TOKEN } })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"other"'),
    });
    const approve = (digest = ''): Promise<{ code: number | null; stderr: string }> =>
      rig.run(['approve', RUN, '--digest', digest], { env: { PAWL_TOKEN } });
    expect((await approve(right)).code).toBe(3);
    expect(await approve(right)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/"both\/right" .* was already decided: "approve" by ann/),
    });
    expect(await rig.terminal(['approve', RUN, '--approval', 'both#1/left', '--yes']).ended).toBe(0);
    expect((await approve(left)).code).toBe(2);
  });
});

describe('at a terminal', () => {
  test('decide shows the question, asks, and decides as the user of the system', async () => {
    await parkRun(rig);
    const terminal = rig.terminal(['decide', RUN]);
    const shown = await terminal.until('Your answer');
    expect(shown).toContain('│ Publish?');
    expect(shown).toContain('│ hello');
    expect(shown).toMatch(/1 {2}yes +→ publish[\s\S]*2 {2}no +the run ends rejected[\s\S]*3 {2}rework +→ draft, asks for a text/);
    terminal.type('1\r');
    expect(await terminal.ended).toBe(0);
    expect((await story()).decisions).toMatchObject([
      { option: 'yes', actor: userInfo().username, digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
    expect(marks()).toBe('published\n');
  });

  test('an empty answer, Ctrl-D and Ctrl-C leave the question open', async () => {
    await parkRun(rig);
    for (const key of ['\r', '\u0004', '\u0003']) {
      const terminal = rig.terminal(['decide', RUN]);
      await terminal.until('Your answer');
      terminal.type(key);
      expect(await terminal.ended).toBe(3);
      expect(terminal.text()).toContain('Nothing was decided');
    }
    expect((await story()).decisions).toEqual([]);
  });

  test('input typed before the question was shown is ignored', async () => {
    await parkRun(rig);
    const terminal = rig.terminal(['decide', RUN]);
    terminal.type('1\r1\r');
    await terminal.until('Your answer');
    terminal.type('\r');
    expect(await terminal.ended).toBe(3);
    expect((await story()).decisions).toEqual([]);
  });

  test('a wrong answer is asked again, a label is an answer, and an option can ask for a text', async () => {
    await parkRun(rig);
    const terminal = rig.terminal(['decide', RUN]);
    await terminal.until('Your answer');
    terminal.type('7\r');
    await terminal.until(/There is no option "7"[\s\S]*Your answer/);
    terminal.type('REWORK\r');
    await terminal.until('Your text for "rework"');
    terminal.type('shorter, please\r');
    // The run comes back to its approval, and the same command asks about the new content.
    await terminal.until(/ask#2[\s\S]*Your answer/);
    terminal.type('\r');
    expect(await terminal.ended).toBe(3);
    expect((await story()).decisions).toMatchObject([{ option: 'rework', input: 'shorter, please' }]);
  });

  test('approve shows the question and asks for a yes; anything else decides nothing', async () => {
    await parkRun(rig);
    const refused = rig.terminal(['approve', RUN]);
    expect(await refused.until('[y/N]')).toContain('│ Publish?');
    refused.type('\r');
    expect(await refused.ended).toBe(3);
    expect((await story()).decisions).toEqual([]);
    const agreed = rig.terminal(['approve', RUN]);
    await agreed.until(`Decide "yes" as ${userInfo().username}? [y/N]`);
    agreed.type('y\r');
    expect(await agreed.ended).toBe(0);
    expect((await story()).decisions).toMatchObject([{ option: 'yes' }]);
  });

  test('a matching digest, or --yes, replaces the confirmation', async () => {
    await parkRun(rig);
    expect(await rig.terminal(['reject', RUN, '--digest', (await digestOf(rig)).slice(0, 16)]).ended).toBe(1);
    const other = 'aaaaaaaaaaaaaaa2';
    await rig.run(['run', 'review', '--id', other]);
    expect(await rig.terminal(['approve', other, '--yes']).ended).toBe(0);
  });

  test('a question that another process answers meanwhile is withdrawn, with who answered', async () => {
    await parkRun(rig);
    const PAWL_TOKEN = await tokenOf(rig, 'ann');
    const terminal = rig.terminal(['decide', RUN]);
    await terminal.until('Your answer');
    await rig.run(['approve', RUN, '--digest', await digestOf(rig)], { env: { PAWL_TOKEN } });
    expect(await terminal.ended).toBe(2);
    expect(terminal.text()).toMatch(/was already decided: "yes" by ann/);
  });

  test('long content is cut, and the command that shows all of it is printed', async () => {
    await parkRun(rig, ['-p', `text=${Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n')}`]);
    const terminal = rig.terminal(['decide', RUN]);
    const shown = await terminal.until('Your answer');
    expect(shown).toContain(`40 more lines; "pawl inbox ${RUN}" shows them all`);
    expect(shown).not.toContain('line 20');
    terminal.type('\u0004');
    await terminal.ended;
  });
});

describe('the run', () => {
  const BUSY = `
import { defineWorkflow } from 'pawl/compat';
export default defineWorkflow({
  name: 'busy',
  steps: [
    { id: 'pipe', command: 'mkfifo go', next: 'both' },
    { id: 'both', parallel: { branches: [{ id: 'work', command: 'cat go' }, { id: 'ask', human: { prompt: 'Good?' } }] }, next: 'end' },
    { id: 'end', command: 'echo ended >> marks', next: null },
  ],
});
`;

  test('continues in the process that drives it; the deciding process needs none of its code', async () => {
    const file = writeWorkflow(rig, BUSY, 'busy');
    const driver = rig.start(['run', 'busy', '--id', RUN]);
    await driver.until('both');
    const PAWL_TOKEN = await tokenOf(rig, 'ann');
    writeFileSync(file, 'this is no program any more');
    let digest = '';
    while (digest === '') digest = await digestOf(rig);
    const decided = await rig.json<RunReportJson>(['approve', RUN, '--digest', digest], { env: { PAWL_TOKEN } });
    expect([decided.code, decided.run.status]).toEqual([0, 'running']);
    writeFileSync(join(rig.project, 'go'), 'now');
    expect((await driver.ended).code).toBe(0);
    expect(marks()).toBe('ended\n');
  });

  test('continues in a process that waits for the decision', async () => {
    writeWorkflow(rig);
    const driver = rig.start(['run', 'review', '--id', RUN, '--wait']);
    await driver.until('ask');
    let digest = '';
    while (digest === '') digest = await digestOf(rig);
    const PAWL_TOKEN = await tokenOf(rig, 'ann');
    const { code } = await rig.run(['approve', RUN, '--digest', digest], { env: { PAWL_TOKEN } });
    expect([code, (await driver.ended).code]).toEqual([0, 0]);
    expect(marks()).toBe('published\n');
  });

  test('that no process drives and that cannot continue here is not decided', async () => {
    await parkRun(rig);
    const PAWL_TOKEN = await tokenOf(rig, 'ann');
    const digest = await digestOf(rig);
    writeFileSync(join(rig.project, '.pawl/workflows/review.ts'), 'throw new Error("gone");');
    const { code, stderr } = await rig.run(['approve', RUN, '--digest', digest], { env: { PAWL_TOKEN } });
    expect(code).toBe(2);
    expect(stderr).toMatch(/nothing was decided: no process drives run \w+, and it cannot continue here: .*gone/);
    expect((await story()).decisions).toEqual([]);
  });

  test('that another run started is decided through its parent, and both continue', async () => {
    const child = `const child = defineWorkflow({ name: 'child', steps: [{ id: 'ask', human: { prompt: 'Child?' }, next: null }] });`;
    const steps = `[{ id: 'sub', workflow: child, next: 'end' }, { id: 'end', command: 'echo ended >> marks', next: null }]`;
    writeWorkflow(
      rig,
      `import { defineWorkflow } from 'pawl/compat';\n${child}\nexport default defineWorkflow({ name: 'parent', steps: ${steps} });`,
      'parent',
    );
    expect((await rig.run(['run', 'parent', '--id', RUN])).code).toBe(3);
    const { approvals } = await rig.json<InboxJson>(['inbox', RUN]);
    expect(approvals).toMatchObject([{ approval: 'ask#1', workflow: 'child' }]);
    const PAWL_TOKEN = await tokenOf(rig, 'ann');
    const decided = await rig.json<RunReportJson>(['approve', RUN, '--digest', approvals[0]?.digest ?? ''], { env: { PAWL_TOKEN } });
    expect([decided.code, decided.run]).toMatchObject([0, { id: RUN, status: 'completed' }]);
    expect(marks()).toBe('ended\n');
  });
});
