// `pawl signal`: a program outside completes a wait whose address a step gave away.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
  rig.write(
    '.pawl/workflows/deploy.yaml',
    `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: deploy }
stages:
  - { id: order, type: command, run: 'printf %s "$PAWL_RUN" > address.txt' }
  - { id: deployed, type: signal, signal: deployed, timeout: 1h }
  - { id: check, type: command, run: 'printf %s "$URL" > url.txt', env: { URL: "{{ outputs.deployed.url }}" } }
  - { id: closed, type: signal, signal: closed }
`,
  );
});
afterEach(() => rig.close());

interface Report {
  readonly run: { readonly id: string; readonly status: string };
  readonly waits: readonly { readonly kind: string; readonly name: string; readonly command: string }[];
}

test('a signal ends the wait for its name with its payload, and one delivery counts once', async () => {
  await rig.run(['trust', '--yes']);
  const started = await rig.json<Report>(['run', 'deploy']);
  expect([started.code, started.waits[0]?.command]).toEqual([3, `pawl signal ${started.run.id} deployed`]);
  const address = readFileSync(join(rig.project, 'address.txt'), 'utf8');

  const after = await rig.json<Report>(['signal', address, 'deployed', '--payload', '{"url":"https://example.org"}', '--id', 'build-81']);
  expect([after.code, after.waits[0]?.name]).toEqual([3, 'closed']);
  expect(readFileSync(join(rig.project, 'url.txt'), 'utf8')).toBe('https://example.org');
  // The same delivery again, and a signal that nobody waits for, change nothing.
  expect((await rig.run(['signal', address, 'deployed', '{"url":"x"}', '--id', 'build-81'])).code).toBe(3);
  expect((await rig.run(['signal', address, 'unheard'])).code).toBe(3);
  const done = await rig.json<Report>(['signal', address, 'closed']);
  expect([done.code, done.run.status]).toEqual([0, 'completed']);
  const late = await rig.run(['signal', address, 'closed']);
  expect([late.code, late.stderr]).toEqual([2, expect.stringContaining('it does not accept signals')]);
});

test('a coding agent cannot signal a run that is not its own, and a bad payload sends nothing', async () => {
  await rig.run(['trust', '--yes']);
  const { run } = await rig.json<Report>(['run', 'deploy']);
  expect((await rig.run(['signal', run.id, 'deployed', '{"url":"x"}'], { env: { CLAUDECODE: '1' } })).code).toBe(4);
  expect((await rig.run(['signal', run.id, 'deployed', 'not json'])).code).toBe(2);
  expect((await rig.json<Report>(['show', run.id])).waits[0]?.name).toBe('deployed');
});
