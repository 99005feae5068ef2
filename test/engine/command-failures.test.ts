// A command stage that fails, in every way it can: `on_failure` is taken, and it runs nowhere but in the workspace.

import { mkdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPlay, type Play } from '../seeds/yaml-play.ts';

let play: Play;
beforeEach(() => {
  play = createPlay();
});
afterEach(() => play.close());

const stages = (fields: string): string => `stages:
  - id: work
    type: command
    ${fields}
    on_failure: repair
  - { id: after, type: command, run: "true", on_complete: complete }
  - { id: repair, type: command, run: "true" }
`;
const steps = async (fields: string): Promise<string[]> =>
  (await play.run(stages(fields))).steps.map(({ path, outcome }) => `${path} ${outcome}`);

describe('on_failure', () => {
  test.each([
    ['an exit code', 'run: exit 3', 'error'],
    ['a program that does not exist', 'argv: [pawl-no-such-program]', 'error'],
    ['a shell that finds no program', 'run: pawl-no-such-program', 'error'],
    ['a signal', 'run: kill -9 $$', 'error'],
    ['a timeout', 'run: sleep 30\n    timeout: 100ms', 'timeout'],
    ['a folder that does not exist', 'run: "true"\n    cwd: missing', 'error'],
  ])('on_failure is taken after %s', async (_what, fields, outcome) => {
    expect(await steps(fields)).toEqual([`work#1 ${outcome}`, 'repair#1 ok']);
  });

  test('on_failure gives way to on_error and on_timeout', async () => {
    expect(await steps('run: exit 3\n    on_error: after')).toEqual(['work#1 error', 'after#1 ok']);
    expect(await steps('run: sleep 30\n    timeout: 100ms\n    on_timeout: after')).toEqual(['work#1 timeout', 'after#1 ok']);
  });
});

describe('cwd', () => {
  test.each([['/'], [tmpdir()], ['..'], ['inside/../..'], ['link']])('%s is outside of the workspace, and nothing runs', async (cwd) => {
    mkdirSync(play.rig.path('inside'));
    symlinkSync(tmpdir(), play.rig.path('link'));
    const { steps: ran } = await play.run(stages(`run: "true"\n    cwd: ${cwd}`));
    expect(ran[0]).toMatchObject({ outcome: 'error', error: expect.stringContaining(`"${cwd}" is outside the workspace`) });
  });

  test.each([['inside'], ['./inside'], ['inside/..'], ['near']])('%s is inside', async (cwd) => {
    mkdirSync(play.rig.path('inside'));
    symlinkSync(play.rig.path('inside'), play.rig.path('near'));
    expect(await steps(`run: "true"\n    cwd: ${cwd}`)).toEqual(['work#1 ok', 'after#1 ok']);
  });
});

describe('a gate', () => {
  const gate = (run: string): string => `stages:
  - { id: check, type: gate, conditions: [{ check: command, run: ${JSON.stringify(run)} }], on_fail: again, on_pass: complete }
  - { id: again, type: command, run: "true", on_complete: check }
`;

  test.each([
    ['the limit that it set itself', 'ulimit -v 100000; head -c 400000000 /dev/zero | tail -c 400000000 > /dev/null'],
    ['the kernel', 'kill -9 $$'],
  ])('a gate whose command runs out of memory does not pass, ended by %s, and the engine goes on', async (_who, run) => {
    const view = await play.run(`stages:
  - { id: check, type: gate, conditions: [{ check: command, run: ${JSON.stringify(run)} }], on_fail: after, on_pass: complete }
  - { id: after, type: command, run: "true" }
`);
    expect([view.status, view.steps.map(({ path, outcome }) => `${path} ${outcome}`)]).toEqual([
      'completed',
      ['check#1 fail', 'after#1 ok'],
    ]);
  });

  test('a check that fails and later passes is recorded both times, and is not retried by itself', async () => {
    const view = await play.run(gate('test -e seen || { touch seen; exit 1; }'));
    expect(view.steps.map(({ path, outcome, attempt }) => `${path} ${outcome} ${attempt}`)).toEqual([
      'check#1 fail 1',
      'again#1 ok 1',
      'check#2 ok 1',
    ]);
  });
});
