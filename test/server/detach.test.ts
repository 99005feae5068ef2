import { afterEach, beforeEach, expect, test } from 'vitest';
import { CliRig } from '../cli/rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
  rig.write(
    '.pawl/workflows/hi.yaml',
    `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: hi }
stages:
  - { id: say, type: command, run: 'echo hi >> said.txt' }
`,
  );
});
afterEach(() => rig.close());

interface Detached {
  readonly run: { readonly id: string };
  readonly drivenBy: string;
  readonly url?: string;
}

test('a detached run is driven by a running server, and the command says so', async () => {
  await rig.run(['trust', '--yes']);
  const serving = rig.start(['serve', '--port', '0', '--json']);
  const [, url] = /"url": "(.*?)"/.exec(await serving.until(/"pid"/)) ?? [];
  const detached = await rig.json<Detached>(['run', 'hi', '--detach']);
  expect([detached.code, detached.drivenBy, detached.url]).toEqual([0, 'server', url]);
  const status = async () => (await rig.json<{ run: { status: string } }>(['show', detached.run.id])).run.status;
  await expect.poll(status).toBe('completed');
  serving.process.kill('SIGTERM');
  expect((await serving.ended).code).toBe(0);
});
