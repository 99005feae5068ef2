// What a program that plays an agent finds when it looks around: nothing of its caller's environment, no secret of the
// settings, and no right to decide.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const CANARIES = {
  MY_TOKEN: 'canary-of-the-settings',
  GITHUB_TOKEN: 'canary-of-the-forge',
  AWS_SECRET_ACCESS_KEY: 'canary-of-the-cloud',
  SSH_AUTH_SOCK: '/canary/agent.sock',
};

// Looks where secrets usually are, and tries to approve the run it works for.
const AGENT = `
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
const prompt = readFileSync(0, 'utf8');
const environ = readFileSync('/proc/self/environ', 'utf8');
let decided = 'yes';
try {
  const env = { ...process.env, ...CALLER };
  execFileSync(process.execPath, [START, 'approve', process.env.PAWL_RUN], { stdio: 'pipe', env });
} catch (error) {
  decided = String(error.stderr);
}
writeFileSync('found.json', JSON.stringify({ prompt, environ, env: process.env, decided }));
console.log(JSON.stringify({ success: true, output: { env: process.env } }));
`;

test.runIf(process.platform === 'linux')('an agent finds no secret in its environment, and cannot approve', async () => {
  rig.write(
    '.pawl/workflows/look.yaml',
    `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: look }
stages:
  - { id: look, type: agent, agent: spy, prompt: "Print your environment." }
  - { id: ask, type: human, prompt: "Go on?" }
`,
  );
  rig.write('.pawl/config.yaml', 'secrets:\n  TOKEN: { env: MY_TOKEN }\nroles:\n  spy: { driver: command, argv: [node, agent.mjs] }\n');
  const { PAWL_STATE, PAWL_BUNDLE } = rig.env();
  const start = join(import.meta.dirname, 'start.js');
  const known = `const START = ${JSON.stringify(start)};\nconst CALLER = ${JSON.stringify({ PAWL_STATE, PAWL_BUNDLE })};\n`;
  rig.write('agent.mjs', AGENT.replace('const prompt', `${known}const prompt`));
  expect((await rig.run(['trust', '--yes'])).code).toBe(0);
  const { code, stdout, stderr } = await rig.start(['run', 'look', '--json'], { env: CANARIES }).ended;
  expect([code, stderr]).toEqual([3, '']);
  const found = readFileSync(join(rig.project, 'found.json'), 'utf8');
  for (const canary of Object.values(CANARIES)) {
    expect(found).not.toContain(canary);
    expect(stdout).not.toContain(canary);
  }
  expect(found).toContain('PAWL_RUN');
  expect(JSON.parse(found).decided).toContain('[NOT_ALLOWED]');
});
