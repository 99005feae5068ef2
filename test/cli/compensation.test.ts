// Undoing, as people see it on the command line: what a YAML workflow did is taken back, and what would be is shown first.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { digestOf, tokenOf, writeWorkflow } from './decision-runs.ts';
import { CliRig } from './rig.ts';

const RUN = 'aaaaaaaaaaaaaaa1';
const RELEASE = `
apiVersion: pawl.dev/v1
kind: Workflow
metadata:
  name: release
stages:
  - id: tag
    type: command
    run: echo '{"success":true,"result":{"tag":"v1"}}'
    undo:
      run: echo "untag $TAG" >> marks
      env: { TAG: "{{ result.tag }}" }
      recovery: rerun
  - id: notify
    type: command
    run: echo notified >> marks
  - id: upload
    type: command
    run: echo uploaded >> marks
    undo: { argv: [sh, -c, "echo removed >> marks; test ! -e broken"], timeout: 1m }
  - id: ask
    type: human
    prompt: Publish?
`;

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

async function parked(): Promise<string> {
  writeWorkflow(rig);
  const file = rig.write('.pawl/workflows/release.yaml', RELEASE);
  const { code, stderr } = await rig.run(['run', 'release', '--id', RUN]);
  expect([code, stderr]).toEqual([3, '']);
  return file;
}

const marks = (): string[] => readFileSync(join(rig.project, 'marks'), 'utf8').trim().split('\n');

test('a rejected run undoes the stages that have an undo, newest first', async () => {
  await parked();
  const token = await tokenOf(rig, 'ann');
  const { code } = await rig.run(['reject', RUN, '--digest', await digestOf(rig)], { env: { PAWL_TOKEN: token } });
  expect([code, marks()]).toEqual([1, ['notified', 'uploaded', 'removed', 'untag v1']]);
  const shown = await rig.json<{ steps: { path: string; outcome: string }[] }>(['show', RUN]);
  expect(shown.steps.map(({ path, outcome }) => `${path} ${outcome}`)).toEqual([
    'tag#1 ok',
    'notify#1 ok',
    'upload#1 ok',
    'ask#1 reject',
    '@undo#1 ok',
    '@undo#2 ok',
  ]);
});

test('cancel --dry-run shows what would be undone and what would stay, and changes nothing', async () => {
  await parked();
  expect(await rig.json(['cancel', RUN, '--dry-run'])).toMatchObject({
    code: 0,
    plan: {
      run: RUN,
      items: [
        { path: 'upload#1', by: 'sh -c echo removed >> marks; test ! -e broken' },
        { path: 'tag#1', by: 'echo "untag $TAG" >> marks' },
      ],
      stays: [{ path: 'notify#1', kind: 'command' }],
    },
  });
  const { stdout } = await rig.run(['cancel', RUN, '--dry-run']);
  expect(stdout).toMatch(
    /would undo, in this order:\n\nSTEP +BY\nupload#1.*\ntag#1.*\n\nThese steps have no undo, so their effects would remain/s,
  );
  expect(marks()).toEqual(['notified', 'uploaded']);
});

test('cancel retries an undo that failed', async () => {
  writeWorkflow(rig);
  rig.write('.pawl/workflows/release.yaml', RELEASE.replace('test ! -e broken', 'test -e again || { touch again; exit 1; }'));
  expect((await rig.run(['run', 'release', '--id', RUN])).code).toBe(3);
  const { code, stdout } = await rig.run(['cancel', RUN]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('is cancelled, and 2 steps were undone')]);
  expect(marks().slice(2)).toEqual(['removed', 'removed', 'untag v1']);
});

test('cancel undoes steps and says how many', async () => {
  await parked();
  const { code, stdout } = await rig.run(['cancel', RUN]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('is cancelled, and 2 steps were undone')]);
  expect(marks().slice(2)).toEqual(['removed', 'untag v1']);
});

const CODE = `
import { defineWorkflow } from 'pawl/compat';

export default defineWorkflow({
  name: 'coded',
  steps: [
    { id: 'make', command: 'echo made >> marks', undo: () => ({}), next: 'ask' },
    { id: 'ask', human: { prompt: 'Publish?' }, next: null },
  ],
});
`;

test('a run that must be undone is not cancelled without its code, unless a person chooses to undo nothing', async () => {
  const file = writeWorkflow(rig, CODE, 'coded');
  expect((await rig.run(['run', 'coded', '--id', RUN])).code).toBe(3);
  rmSync(file);
  expect(await rig.run(['cancel', RUN])).toMatchObject({ code: 2, stderr: expect.stringContaining('[WORKFLOW_UNKNOWN]') });
  expect((await rig.json<{ run: { status: string } }>(['show', RUN])).run.status).toBe('waiting');
  expect((await rig.run(['cancel', RUN, '--no-undo'])).code).toBe(0);
});
