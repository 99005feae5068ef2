// `pawl serve` as a process: a delivery over HTTP, kills, and the shell commands of the guide.

import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CliRig } from '../cli/rig.ts';

let rig: CliRig;
beforeEach(async () => {
  rig = new CliRig();
  rig.write(
    '.pawl/workflows/deploy.yaml',
    `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: deploy }
params: { version: { required: true } }
stages:
  - { id: say, type: command, run: 'echo "$VERSION" > deployed.txt', env: { VERSION: "{{ params.version }}" }, recovery: rerun }
`,
  );
  rig.write(
    '.pawl/config.yaml',
    `secrets: { DEPLOY_HOOK: { file: hook-secret.txt } }
hooks:
  deploy: { secret: DEPLOY_HOOK, start: deploy, params: { version: "{{ body.version }}" }, when: body.kind == 'release' }
`,
  );
  rig.write('hook-secret.txt', 'a secret of the tests\n');
  await rig.run(['trust', '--yes']);
});
afterEach(() => rig.close());

/** The commands of docs/guides/triggers.md. */
const SEND = `id="$1"; time=$(date +%s); body='{"kind":"release","repo":"shop","version":"1.2"}'
signature=$(printf '%s' "$id.$time.$body" | openssl dgst -sha256 -hmac "$DEPLOY_HOOK" -binary | base64)
curl -sS -X POST "$URL/hooks/deploy" -H 'content-type: application/json' \\
  -H "webhook-id: $id" -H "webhook-timestamp: $time" -H "webhook-signature: v1,$signature" -d "$body"`;

async function serve() {
  const serving = rig.start(['serve', '--port', '0', '--json']);
  const [, url = ''] = /"url": "(.*?)"/.exec(await serving.until(/"pid"/)) ?? [];
  const send = (id: string): string =>
    execFileSync('sh', ['-c', SEND, 'send', id], {
      env: { ...process.env, URL: url, DEPLOY_HOOK: 'a secret of the tests' },
      encoding: 'utf8',
    });
  return { serving, send };
}

const runs = async () => (await rig.json<{ runs: { workflow: string; status: string }[] }>(['runs'])).runs;

// The kill may come while the step works, which then has no end on record: it says that it may run again.
test('a delivery is accepted over HTTP as in the guide; a kill right after the response loses nothing and repeats nothing', async () => {
  const first = await serve();
  expect(JSON.parse(first.send('build-81'))).toMatchObject({ delivery: 'build-81', status: 'stored' });
  first.serving.process.kill('SIGKILL');
  await first.serving.ended;
  const second = await serve();
  expect(JSON.parse(second.send('build-81'))).toMatchObject({ status: 'duplicate' });
  await expect
    .poll(async () => (await runs()).map(({ workflow, status }) => `${workflow} ${status}`), { timeout: 120_000 })
    .toEqual(['deploy completed']);
  second.serving.process.kill('SIGTERM');
  await second.serving.ended;
});
