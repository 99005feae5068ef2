import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { digestOf, parkRun, RUN, tokenOf } from './decision-runs.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

interface ForkJson {
  readonly run: {
    readonly id: string;
    readonly status: string;
    readonly params: object;
    readonly forkOf: object | null;
    readonly origin: { readonly actor?: string };
  };
  readonly waits: readonly { readonly kind: string; readonly shown?: object }[];
  readonly error?: { readonly code: string; readonly message: string };
}

const marks = (): string => readFileSync(join(rig.project, 'marks'), 'utf8');

/** A run that was published with the approval of ann. */
async function published(): Promise<void> {
  await parkRun(rig);
  const { code } = await rig.run(['approve', RUN, '--digest', await digestOf(rig)], { env: { PAWL_TOKEN: await tokenOf(rig, 'ann') } });
  expect(code).toBe(0);
}

test('a dry run of a fork lists what is reused, what runs again, which effects may repeat and who is asked again, and changes nothing', async () => {
  await published();
  expect(await rig.json(['fork', RUN, '--from', 'ask', '--dry-run'])).toEqual({
    code: 0,
    schemaVersion: 1,
    plan: {
      run: RUN,
      from: 'ask',
      steps: [
        {
          path: 'draft#1',
          step: 'draft',
          kind: 'task',
          outcome: 'ok',
          inFork: 'reused',
          mayRepeatEffects: false,
          means: 'result reused',
        },
        { path: 'ask#1', step: 'ask', kind: 'human', outcome: 'ok', inFork: 'again', mayRepeatEffects: false, means: 'asked again' },
        {
          path: 'publish#1',
          step: 'publish',
          kind: 'command',
          outcome: 'ok',
          inFork: 'again',
          mayRepeatEffects: true,
          means: 'effects may repeat',
        },
      ],
      askedAgain: ['ask'],
      asksFirst: [],
      passed: [],
      usedBefore: null,
    },
  });
  const { stdout } = await rig.run(['fork', RUN, '--from', 'ask', '--dry-run']);
  expect(stdout).toMatch(/draft#1 +task +ok +reused +result reused/);
  expect(stdout).toMatch(/publish#1 +command +ok +runs again +effects may repeat/);
  expect(stdout).toContain('Pawl cannot know what a program or an agent does.');
  expect(stdout).toContain('Approvals are not reused: "ask" will be requested again.');
  expect((await rig.json<{ runs: readonly object[] }>(['runs'])).runs).toHaveLength(1);
  expect(marks()).toBe('published\n');
});

test('a fork that starts after an approval requests it first, and then continues at its step', async () => {
  await published();
  const { stdout } = await rig.run(['fork', RUN, '--from', 'publish', '--dry-run']);
  expect(stdout).toContain('The fork requests "ask" first: approvals are not reused.');
  expect(stdout).toMatch(/ask#1 +human +ok +runs again +asked again/);
  const { code, run, waits } = await rig.json<ForkJson>(['fork', RUN, '--from', 'publish']);
  expect([code, run.status, run.forkOf, waits.length]).toEqual([3, 'waiting', { run: RUN, step: 'publish' }, 1]);
  expect(marks()).toBe('published\n');
});

test('a fork can replace parameters and results of earlier steps', async () => {
  await published();
  const { code, run, waits } = await rig.json<ForkJson>([
    'fork',
    RUN,
    '--from',
    'ask',
    '-p',
    'text=new',
    '--output',
    'draft={"text":"given"}',
  ]);
  expect([code, run.status, run.params]).toEqual([3, 'waiting', { text: 'new' }]);
  expect(waits).toMatchObject([{ kind: 'human', shown: { text: 'given' } }]);
});

test('at a terminal the plan of a fork is shown and confirmed first', async () => {
  await published();
  const refused = rig.terminal(['fork', RUN, '--from', 'publish']);
  expect(await refused.until('Fork? [y/N]')).toContain('effects may repeat');
  refused.type('n\r');
  expect(await refused.ended).toBe(1);
  expect(marks()).toBe('published\n');
  const agreed = rig.terminal(['fork', RUN, '--from', 'publish']);
  await agreed.until('Fork? [y/N]');
  agreed.type('y\r');
  await agreed.until('Your answer');
  agreed.type('yes\r');
  expect(await agreed.ended).toBe(0);
  expect(marks()).toBe('published\npublished\n');
});

test('a fork from a step that the run never reached is rejected with the nearest one', async () => {
  await published();
  for (const words of [['--dry-run'], []])
    expect(await rig.run(['fork', RUN, '--from', 'publsh', ...words])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('never reached step "publsh" (did you mean "publish"?)'),
    });
  expect(await rig.run(['fork', RUN])).toMatchObject({ code: 2, stderr: expect.stringContaining('--from is missing') });
});
