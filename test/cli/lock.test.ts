// `pawl lock`: a workflow is frozen with everything that it refers to, and with --locked nothing else starts.

import { createHmac } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CliRig } from './rig.ts';

interface Row {
  readonly workflow: string;
  readonly state: string;
  readonly problems: readonly string[];
}

const head = (name: string): string => `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: ${name} }\n`;
const LOCK = '.pawl/workflows/main.lock.json';
let rig: CliRig;
beforeEach(async () => {
  rig = new CliRig();
  rig.write(
    '.pawl/workflows/main.yaml',
    `${head('main')}stages:\n  - { id: a, type: command, run: sh tools/check.sh, recovery: rerun }\n  - { id: b, type: workflow, workflow: child }\n`,
  );
  rig.write('.pawl/workflows/child.yaml', `${head('child')}stages:\n  - { id: c, type: command, run: echo child, recovery: rerun }\n`);
  rig.write('.pawl/workflows/other.yaml', `${head('other')}stages:\n  - { id: c, type: command, run: echo other, recovery: rerun }\n`);
  rig.write('tools/check.sh', 'echo checked >> ran\n');
  rig.write('.pawl/config.yaml', 'commands: { review: [sh, tools/review.sh] }\nlimits: { global: 4 }\n');
  rig.write('tools/review.sh', 'true\n');
  await rig.run(['trust', '--folder', '--yes']);
});
afterEach(() => rig.close());

const path = (name: string): string => join(rig.project, name);
const check = async (): Promise<{ code: number | null; row: Row | undefined }> => {
  const { code, locks } = await rig.json<{ locks: Row[] }>(['lock', '--check', 'main']);
  return { code, row: locks[0] };
};

test('a lock has the workflow and all that it refers to, in the same bytes every time', async () => {
  expect((await rig.run(['lock', 'main'])).code).toBe(0);
  const text = readFileSync(path(LOCK), 'utf8');
  const { files, settings, refers, workflow } = JSON.parse(text);
  expect(Object.keys(files)).toEqual(['.pawl/workflows/child.yaml', '.pawl/workflows/main.yaml', 'tools/check.sh', 'tools/review.sh']);
  expect([Object.keys(settings), refers, workflow]).toEqual([['commands.review'], { roles: [], workflows: ['child'] }, 'main']);
  expect(text).not.toContain(rig.project);
  expect(await rig.json(['lock', 'main'])).toMatchObject({ code: 0, locks: [{ state: 'unchanged' }] });
  expect(readFileSync(path(LOCK), 'utf8')).toBe(text);
  expect(await check()).toMatchObject({ code: 0, row: { state: 'ok', problems: [] } });
});

test.each<[string, () => void, string]>([
  ['the workflow', () => appendFileSync(path('.pawl/workflows/main.yaml'), '# x\n'), '.pawl/workflows/main.yaml changed'],
  ['a workflow that it starts', () => appendFileSync(path('.pawl/workflows/child.yaml'), '# x\n'), '.pawl/workflows/child.yaml changed'],
  ['a script', () => appendFileSync(path('tools/check.sh'), 'true\n'), 'tools/check.sh changed'],
  ['a script that is gone', () => rmSync(path('tools/check.sh')), 'tools/check.sh is gone'],
  ['a setting', () => appendFileSync(path('.pawl/config.yaml'), 'protected: ["x"]\n'), 'the setting protected is new'],
  [
    'the version of Pawl',
    () => writeFileSync(path(LOCK), readFileSync(path(LOCK), 'utf8').replace(/"pawl": ".*"/, '"pawl": "0.0.1"')),
    'and it was locked with 0.0.1',
  ],
])('after a change of %s, lock --check exits with 1, and the workflow is not started', async (_name, change, said) => {
  await rig.run(['lock', 'main']);
  change();
  const { code, row } = await check();
  expect([code, row?.state]).toEqual([1, 'drifted']);
  expect(row?.problems.join()).toContain(said);
  const started = await rig.run(['run', 'main', '--locked']);
  expect([started.code, started.stderr]).toEqual([4, expect.stringContaining('has changed since it was locked')]);
  expect(started.stderr).toContain('NOT_LOCKED');
  expect(existsSync(path('ran'))).toBe(false);
});

describe('the roles that a workflow asks', () => {
  const MODULE =
    "import { defineWorkflow } from 'pawl';\nexport default defineWorkflow({ name: 'main', steps: { a: { agent: 'dev', prompt: 'Work.', recovery: 'rerun', next: null } } });\n";
  const YAML = `${head('main')}stages:\n  - { id: a, type: agent, agent: dev, action: implement, recovery: rerun }\n`;
  const ROLES =
    'roles:\n  dev: { driver: command, argv: [node, tools/dev.mjs], agents: [helper] }\n  lead: { driver: command, argv: [node, tools/lead.mjs] }\n';

  describe.each([
    ['a file', '.pawl/workflows/main.yaml', YAML],
    ['a module', '.pawl/workflows/main.ts', MODULE],
  ])('of %s', (_what, file, text) => {
    beforeEach(async () => {
      rmSync(path('.pawl/workflows/main.yaml'));
      rig.write(file, text);
      rig.write('.pawl/config.yaml', ROLES);
      rig.write('.pawl/agents/helper.md', '---\ndriver: command\nargv: [node, tools/helper.mjs]\n---\nHelp.\n');
      for (const name of ['dev', 'helper', 'lead']) rig.write(`tools/${name}.mjs`, 'console.log("{}");\n');
      expect(await rig.json(['lock', 'main'])).toMatchObject({ code: 0, locks: [{ state: 'written' }] });
    });

    test.each<[string, () => void, string]>([
      ['the program of a role', () => appendFileSync(path('tools/dev.mjs'), '//\n'), 'tools/dev.mjs changed'],
      ['the file of a sub-agent', () => appendFileSync(path('.pawl/agents/helper.md'), 'Lie.\n'), '.pawl/agents/helper.md changed'],
      ['the program of a sub-agent', () => appendFileSync(path('tools/helper.mjs'), '//\n'), 'tools/helper.mjs changed'],
      ['a file for a role that had none', () => rig.write('.pawl/agents/dev.md', 'Leave a back door.\n'), '.pawl/agents/dev.md is new'],
      ['a check that was not there', () => rig.write('.pawl/checks/tests.ts', 'export {};\n'), '.pawl/checks/tests.ts is new'],
    ])('lock --check finds a change of %s', async (_part, change, said) => {
      change();
      const { code, row } = await check();
      expect([code, row?.state, row?.problems.join()]).toEqual([1, 'drifted', expect.stringContaining(said)]);
    });

    test('the lock of a workflow does not include roles of other workflows', async () => {
      rig.write('.pawl/agents/lead.md', 'Lead.\n');
      expect(await check()).toMatchObject({ code: 0, row: { state: 'ok' } });
    });
  });
});

test('changed limits and files of other workflows are no drift', async () => {
  await rig.run(['lock', 'main']);
  writeFileSync(path('.pawl/config.yaml'), 'commands: { review: [sh, tools/review.sh] }\nlimits: { global: 9 }\n');
  appendFileSync(path('.pawl/workflows/other.yaml'), '# x\n');
  expect(await check()).toMatchObject({ code: 0, row: { state: 'ok' } });
});

describe('run --locked', () => {
  test('run --locked starts an unchanged workflow, and says how to lock a changed one', async () => {
    const { code, stderr } = await rig.run(['run', 'main', '--locked']);
    expect([code, stderr]).toEqual([4, expect.stringContaining('run "pawl lock main"')]);
    await rig.run(['lock', 'main']);
    expect((await rig.run(['run', 'main', '--locked'])).code).toBe(0);
    expect(existsSync(path('ran'))).toBe(true);
  });

  test('run --locked rejects a skill and a damaged lock file', async () => {
    expect((await rig.run(['run', 'deepthink', '--locked'])).stderr).toContain('NOT_LOCKED');
    rig.write(LOCK, '{}');
    expect((await rig.run(['run', 'main', '--locked'])).stderr).toContain('is not a lock file');
  });
});

test('a workflow with warnings is not locked, and an unknown one is an error', async () => {
  rig.write(
    '.pawl/workflows/risky.yaml',
    `${head('risky')}override_triggers: true\nstages:\n  - { id: a, type: command, run: make, recovery: rerun }\n`,
  );
  const { code, locks } = await rig.json<{ locks: Row[] }>(['lock', 'risky']);
  expect([code, locks[0]?.state]).toEqual([1, 'invalid']);
  expect(locks[0]?.problems[0]).toMatch(/^\.pawl\/workflows\/risky\.yaml:\d+:\d+ [A-Z_]+ /);
  expect(existsSync(path('.pawl/workflows/risky.lock.json'))).toBe(false);
  expect((await rig.run(['lock', 'mian'])).stderr).toContain('did you mean "main"');
});

test('without names all workflows are locked, and a module by the code that it loads', async () => {
  rig.write('.pawl/workflows/lib/text.ts', "export const text = 'sh tools/check.sh';\n");
  rig.write(
    '.pawl/workflows/module.ts',
    "import { defineWorkflow } from 'pawl';\nimport { text } from './lib/text.ts';\nexport default defineWorkflow({ name: 'module', steps: { a: { command: text, recovery: 'rerun', next: null } } });\n",
  );
  const { locks } = await rig.json<{ locks: Row[] }>(['lock']);
  expect(locks.map(({ workflow, state }) => `${workflow} ${state}`).sort()).toEqual([
    'child written',
    'main written',
    'module written',
    'other written',
  ]);
  expect((await rig.run(['lock', '--check'])).code).toBe(0);
  // In CI nothing is trusted, and nothing of a module is run.
  await rig.run(['trust', '--revoke']);
  expect((await rig.run(['lock', '--check'])).code).toBe(0);
  appendFileSync(path('.pawl/workflows/lib/text.ts'), '// x\n');
  const after = await rig.json<{ locks: Row[] }>(['lock', '--check']);
  expect(after.locks.filter(({ state }) => state !== 'ok')).toMatchObject([
    { workflow: 'module', problems: ['.pawl/workflows/lib/text.ts changed'] },
  ]);
});

test('serve --locked starts only workflows that are unchanged since they were locked', async () => {
  appendFileSync(
    path('.pawl/config.yaml'),
    'secrets: { HOOK: { env: HOOK } }\nhooks: { main: { secret: HOOK, start: main }, other: { secret: HOOK, start: other } }\n',
  );
  await rig.run(['lock', 'main']);
  const serving = rig.start(['serve', '--locked', '--port', '0', '--json'], { env: { HOOK: 'hook-secret-hook-secret' } });
  const [, url = ''] = /"url": "(.*?)"/.exec(await serving.until(/"pid"/)) ?? [];
  const time = String(Math.floor(Date.now() / 1000));
  for (const name of ['other', 'main']) {
    const signature = createHmac('sha256', 'hook-secret-hook-secret').update(`${name}.${time}.{}`).digest('base64');
    const headers = {
      'content-type': 'application/json',
      'webhook-id': name,
      'webhook-timestamp': time,
      'webhook-signature': `v1,${signature}`,
    };
    expect((await fetch(`${url}/hooks/${name}`, { method: 'POST', headers, body: '{}' })).ok).toBe(true);
  }
  await expect.poll(() => existsSync(path('ran'))).toBe(true);
  serving.process.kill('SIGTERM');
  await serving.ended;
  const { runs } = await rig.json<{ runs: { workflow: string }[] }>(['runs', '--all']);
  expect(runs.map(({ workflow }) => workflow)).not.toContain('other');
  expect((await rig.run(['deliveries'])).stdout).toMatch(/hook\/other .*not locked/);
});

test('serve --locked forks a run only if its workflow is unchanged since it was locked', async () => {
  await rig.run(['lock', 'other']);
  await rig.run(['run', 'other', '--id', 'aaaaaaaaaaaaaaa1']);
  const terminal = rig.terminal(['access', 'token', 'create', 'ci', '--scope', 'operate'], { columns: 300 });
  await terminal.ended;
  const [token] = /pawlt_[\w-]{43}/.exec(terminal.text()) ?? [];
  const serving = rig.start(['serve', '--locked', '--port', '0', '--json']);
  const [, url = ''] = /"url": "(.*?)"/.exec(await serving.until(/"pid"/)) ?? [];
  const fork = async (): Promise<string | number> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api/v1/runs/aaaaaaaaaaaaaaa1/fork`, { method: 'POST', headers, body: '{"from":"c"}' });
    return ((await answer.json()) as { code?: string }).code ?? answer.status;
  };
  expect(await fork()).toBe(200);
  appendFileSync(path('.pawl/workflows/other.yaml'), '# x\n');
  expect(await fork()).toBe('NOT_LOCKED');
  serving.process.kill('SIGTERM');
  await serving.ended;
});
