// A worker that tries to find a login of the forge: in its environment, in the home folder, through git and gh, and in what
// the system shows of the engine.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCommandDriver } from '../../src/agents/command.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { defineWorkflow } from '../../src/index.ts';
import { canHideFiles } from '../../src/process/credentials.ts';
import { type LocalForgeStage, openLocalForgeStage } from '../forge/local-stage.ts';
import { createRig, type Rig } from './rig.ts';

const CANARY = 'ghp_canarycanarycanarycanary';
let rig: Rig;
let stage: LocalForgeStage;
const before = { ...process.env };

/** Where a step of a job names folders for the path of later steps, which have the token of the job. */
const runnerFile = (): string => rig.path('_runner_file_commands/add_path_1');

beforeEach(async () => {
  rig = createRig();
  stage = await openLocalForgeStage();
  const home = rig.path('home');
  const put = (path: string, text: string): void => {
    mkdirSync(join(home, path, '..'), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  put('.netrc', `machine github.com login x password ${CANARY}\n`);
  put('.git-credentials', `https://x:${CANARY}@github.com\n`);
  put('.config/gh/hosts.yml', `github.com: { oauth_token: ${CANARY} }\n`);
  put('.ssh/id_ed25519', `${CANARY}\n`);
  put(
    '.gitconfig',
    `[user]\n  name = Ann\n[credential]\n  helper = store\n[http "https://github.com/"]\n  extraheader = AUTHORIZATION: basic ${CANARY}\n`,
  );
  writeFileSync(rig.path('secret.txt'), `${CANARY}\n`);
  writeFileSync(rig.path('thief.sh'), THIEF);
  chmodSync(rig.path('thief.sh'), 0o755);
  mkdirSync(rig.path('_runner_file_commands'));
  writeFileSync(runnerFile(), '');
  Object.assign(process.env, { GITHUB_PATH: runnerFile() });
  Object.assign(process.env, { HOME: home, GITHUB_TOKEN: CANARY, GH_TOKEN: CANARY, SSH_AUTH_SOCK: `/tmp/${CANARY}` });
});
afterEach(async () => {
  for (const name of ['HOME', 'GITHUB_TOKEN', 'GH_TOKEN', 'SSH_AUTH_SOCK', 'GITHUB_PATH']) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
  await rig.close();
  await stage.close();
});

// Everything it finds goes to its output; the umount and the second look are attempts to bring files back.
const THIEF = `#!/bin/sh
{
env
cat "$HOME/.netrc" "$HOME/.git-credentials" "$HOME/.config/gh/hosts.yml" "$HOME/.ssh/id_ed25519" "$HOME/.gitconfig" "$SECRET_FILE"
printf 'protocol=https\\nhost=github.com\\n\\n' | git credential fill
git config --show-origin --get-all credential.helper
git config --get-all http.https://github.com/.extraheader
tr '\\0' '\\n' < /proc/$ENGINE/environ
cat /proc/$ENGINE/task/*/environ
echo "$HOME/bin" >> "$RUNNER_FILE"
umount "$HOME/.ssh" && cat "$HOME/.ssh/id_ed25519"
unshare --user --map-root-user --mount sh -c 'umount "$HOME/.ssh"; cat "$HOME/.ssh/id_ed25519"'
} > "$FOUND" 2>&1
cat >/dev/null
exit 0
`;

async function steal(hides: boolean): Promise<{ found: string; evidence: JsonObject[] }> {
  const env = { ENGINE: String(process.pid), SECRET_FILE: rig.path('secret.txt'), RUNNER_FILE: runnerFile() };
  const found = ['command', 'agent'].map((name) => rig.path(`found-${name}`));
  const workflow = defineWorkflow({
    name: 'steal',
    steps: {
      command: { command: ['./thief.sh'], env: { FOUND: found[0] ?? '' }, next: 'gate' },
      gate: { gate: { checks: [{ check: 'command', run: `FOUND=${found[1]}.gate ./thief.sh` }] }, next: 'agent' },
      agent: { agent: 'thief', prompt: 'Steal.', next: null },
    },
  });
  const engine = await rig.open({
    forge: stage.forge,
    env,
    writes: { hides },
    secrets: { token: { file: rig.path('secret.txt') } },
    roles: { thief: { driver: 'command' } },
    drivers: { command: createCommandDriver({ argv: ['/bin/sh', '-c', `FOUND=${found[1]} ./thief.sh; echo done`] }) },
  });
  const { steps } = await (await engine.start(workflow)).wait();
  const files = [...found, `${found[1]}.gate`];
  return {
    found: files.map((file) => readFileSync(file, 'utf8')).join('\n'),
    evidence: steps.filter(({ step }) => step !== 'gate').map(({ evidence }) => evidence as JsonObject),
  };
}

test('CR1: without protection the thief finds the login, which shows that it searches', async () => {
  const { found } = await steal(false);
  expect(found.split(CANARY).length).toBeGreaterThan(10);
});

test.runIf(canHideFiles())('CR1, CR2: an agent, a command and a gate find no login, and the record says what held', async () => {
  const { found, evidence } = await steal(true);
  expect(found).not.toContain(CANARY);
  expect(found).toContain('HOME=');
  for (const one of evidence) expect(one.credentials).toEqual({ git: 'no login', files: 'hidden by namespace' });
});

test.runIf(canHideFiles())('CR4: agents set no variable, path or output of later steps of the job', async () => {
  await steal(false);
  expect(readFileSync(runnerFile(), 'utf8')).not.toBe('');
  writeFileSync(runnerFile(), '');
  await steal(true);
  expect(readFileSync(runnerFile(), 'utf8')).toBe('');
});
