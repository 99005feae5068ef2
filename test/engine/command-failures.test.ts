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
  ])('is taken after %s', async (_what, fields, outcome) => {
    expect(await steps(fields)).toEqual([`work#1 ${outcome}`, 'repair#1 ok']);
  });

  test('gives way to on_error and on_timeout', async () => {
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
