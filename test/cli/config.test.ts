import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CliRig, type Ended } from './rig.ts';

let rig: CliRig;
let user: string;

beforeEach(() => {
  rig = new CliRig();
  user = join(rig.folder, 'config', 'pawl', 'config.yaml');
  mkdirSync(join(rig.folder, 'config', 'pawl'), { recursive: true });
});
afterEach(() => rig.close());

const env = (): Record<string, string> => ({ XDG_CONFIG_HOME: join(rig.folder, 'config') });
const config = (...words: string[]): Promise<Ended> => rig.run(['config', ...words], { env: env() });

interface Shown {
  readonly settings: readonly { readonly key: string; readonly value: unknown; readonly layer: string; readonly isInForce: boolean }[];
}
async function origins(key: string, more: Record<string, string> = {}): Promise<unknown[]> {
  const { settings } = await rig.json<Shown>(['config', key, '--show-origin'], { env: { ...env(), ...more } });
  return settings.map(({ value, layer, isInForce }) => [value, layer, isInForce]);
}

describe('where settings come from', () => {
  test("local settings override those of the project, and those override the user's; overridden ones are shown with file and line", async () => {
    writeFileSync(user, 'validation:\n  stages:\n    unit: npm test\n    lint: user lint\n');
    const project = rig.write('.pawl/config.yaml', '# stages\nvalidation:\n  stages:\n    unit: make unit\n');
    const local = rig.write('.pawl/config.local.yaml', 'validation: {stages: {unit: "true"}}\n');
    expect(await config('validation.stages.unit')).toEqual({ code: 0, stdout: 'true\n', stderr: '' });
    expect((await config('validation.stages.lint')).stdout).toBe('user lint\n');
    expect((await config('validation.stages.unit', '--show-origin')).stdout.split('\n')).toEqual([
      expect.stringMatching(/^SETTING +VALUE +FROM +WHERE$/),
      expect.stringMatching(new RegExp(`^validation.stages.unit +true +local +${local}:1$`)),
      expect.stringMatching(new RegExp(`^validation.stages.unit +make unit +project, overridden +${project}:4$`)),
      expect.stringMatching(new RegExp(`^validation.stages.unit +npm test +user, overridden +${user}:3$`)),
      '',
    ]);
  });

  test('an option wins over the environment, and both over files; a token is never shown', async () => {
    writeFileSync(user, 'db: mine.db\n');
    const db = join(rig.folder, 'env.db');
    const more = { PAWL_DB: db, PAWL_TOKEN: 'secret-word' };
    expect(await origins('db', more)).toEqual([
      [db, 'environment', true],
      [join(rig.folder, 'config', 'pawl', 'mine.db'), 'user', false],
    ]);
    const all = await rig.run(['config', '--db', 'x.db', '--show-origin'], { env: { ...env(), ...more } });
    expect(all.stdout).toMatch(/^db +x\.db +option +--db$/m);
    expect(all.stdout).toMatch(new RegExp(`^db +${db} +environment, overridden +PAWL_DB$`, 'm'));
    expect(all.stdout).toMatch(/^token +\(set\) +environment +PAWL_TOKEN$/m);
    expect(all.stdout).not.toContain('secret-word');
  });

  test('.squadron is read like .pawl', async () => {
    rig.write('.squadron/config.yaml', 'limits:\n  global: 3\nagent_roles:\n  dev: {driver: x}\n');
    expect((await config('limits.global')).stdout).toBe('3\n');
    expect((await config()).stdout).toMatch(/^agent_roles +\{"dev":\{"driver":"x"\}\}$/m);
  });

  test('the database of the settings is the one that commands use', async () => {
    rig.write('.pawl/config.yaml', 'db: state/runs.db\n');
    const { checks } = await rig.json<{ checks: { id: string; what: string }[] }>(['doctor'], { env: env() });
    expect(checks.find(({ id }) => id === 'database')?.what).toContain(join(rig.project, 'state', 'runs.db'));
  });

  test('without settings "pawl config" names the files that can have some', async () => {
    const { code, stdout } = await rig.run(['config'], { env: { ...env(), PAWL_STATE: '' } });
    expect([code, stdout]).toEqual([0, expect.stringContaining('.pawl/config.yaml')]);
    expect(await config('limits.global')).toMatchObject({ code: 2, stderr: expect.stringContaining('"limits.global" is not set') });
  });
});

describe('what a repository may not do', () => {
  test('a project file can only name a database inside the project, also through a link', async () => {
    symlinkSync(rig.folder, join(rig.project, 'link'));
    for (const path of [join(rig.folder, 'other.db'), '../other.db', 'link/other.db', '.']) {
      rig.write('.pawl/config.yaml', `limits: {global: 1}\ndb: ${path}\n`);
      expect(await config()).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/config\.yaml:2:1: .*outside the project.*\[CONFIG_INVALID\]/),
      });
    }
    rig.write('.pawl/config.yaml', '');
  });

  test('a local file can name a database outside the project once it is trusted', async () => {
    const local = rig.write('.pawl/config.local.yaml', 'db: ../other.db\n');
    expect(await rig.run(['runs'], { env: env() })).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/other\.db outside the project.*"pawl trust \S+" to trust this version \[NOT_TRUSTED\]/),
    });
    expect(await origins('db')).toEqual([[join(rig.folder, 'other.db'), 'local', false]]);
    expect((await rig.json<{ trusted: { file: string }[] }>(['trust', '--yes'])).trusted).toMatchObject([{ file: local }]);
    expect((await config('db')).stdout).toBe(`${join(rig.folder, 'other.db')}\n`);
    rig.write('.pawl/config.local.yaml', 'db: ../third.db\n');
    expect((await rig.run(['runs'], { env: env() })).code).toBe(4);
  });

  test.each(['repository', 'state'])('a project file can only set a %s of a forge that is inside the project', async (key) => {
    rig.write('.pawl/config.yaml', `forge: { kind: local, ${key}: ../elsewhere }\n`);
    expect(await config()).toMatchObject({ code: 2, stderr: expect.stringMatching(/of the forge \S+ is outside the project/) });
    rig.write('.pawl/config.yaml', 'forge: { kind: local, repository: . }\n');
    expect((await config('forge.repository')).stdout).toBe(`${rig.project}\n`);
  });

  test('a local file that git tracks counts as part of the repository', async () => {
    rig.write('.pawl/config.local.yaml', 'db: ../other.db\n');
    await rig.run(['trust', '--yes']);
    execFileSync('git', ['init', '-q'], { cwd: rig.project });
    expect((await config('db')).code).toBe(0);
    execFileSync('git', ['add', '.'], { cwd: rig.project });
    expect(await config('db')).toMatchObject({ code: 2, stderr: expect.stringContaining('outside the project') });
  });

  test('a project file can lower the limits of its user, but not raise them', async () => {
    writeFileSync(user, 'limits: {global: 4, repository: 2}\n');
    rig.write('.pawl/config.yaml', 'limits: {global: 9, repository: 1}\n');
    expect(await origins('limits.global')).toEqual([
      [9, 'project', false],
      [4, 'user', true],
    ]);
    expect((await config('limits.repository')).stdout).toBe('1\n');
    rig.write('.pawl/config.local.yaml', 'limits: {global: 12}\n');
    expect((await config('limits.global')).stdout).toBe('4\n');
    await rig.run(['trust', '--yes'], { env: env() });
    expect((await config('limits.global')).stdout).toBe('12\n');
  });

  test('a project file can remove variables from programs, but not add any', async () => {
    rig.write('.pawl/config.yaml', 'environment: [PATH, LC_ALL]\n');
    expect((await config('environment')).stdout).toBe('["PATH","LC_ALL"]\n');
    rig.write('.pawl/config.yaml', 'environment: [PATH, AWS_SECRET_ACCESS_KEY]\n');
    expect(await config()).toMatchObject({ code: 2, stderr: expect.stringContaining('AWS_SECRET_ACCESS_KEY') });
    writeFileSync(user, 'environment: [PATH, AWS_*]\n');
    expect((await config('environment')).stdout).toBe('["PATH","AWS_SECRET_ACCESS_KEY"]\n');
  });
});

describe('an error in a file is reported with its position', () => {
  const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${[...'bcdefgh'].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[at]}`).join(', ')}]`).join('\n')}\n`;
  test.each([
    ['a key that does not exist', 'limits:\n  glboal: 3\n', '2:3: unknown setting "glboal" under "limits" (did you mean "global"?)'],
    ['a key at the top that does not exist', 'limit: {}\n', '1:1: unknown setting "limit" (did you mean "limits"?)'],
    ['a value of another kind', 'limits:\n  global: many\n', '2:11: "limits.global" must be a whole number of at least 1'],
    ['a forge of another kind', 'forge: {kind: gitlub}\n', '1:15: "forge.kind" must be "local"'],
    ['a limit of nothing', 'limits: {global: 0}\n', '1:18: "limits.global" must be a whole number of at least 1'],
    ['a list where a mapping belongs', 'limits: [1]\n', '1:9: "limits" must be a mapping of names to values'],
    ['a list of settings', '- db\n', '1:1: settings must be a mapping'],
    [
      'a stage with an unknown field',
      'validation: {stages: {unit: {rnu: x}}}\n',
      '1:35: "validation.stages.unit.rnu" is unknown (did you mean "run"?)',
    ],
    ['the same key twice', 'db: a\ndb: b\n', '2:1: Map keys must be unique'],
    ['a tag', 'db: !!js/function x\n', '1:5: Unresolved tag'],
    ['no YAML', 'db: [a\n', '2:1: Flow sequence'],
    ['a flood of aliases', bomb, '1:1: Excessive alias count'],
    ['a file without end', `db: ${'x'.repeat(1024 * 1024)}\n`, '1:1: the file has 1048581 bytes'],
  ])('an error in a settings file has its position: %s', async (_, text, message) => {
    const file = rig.write('.pawl/config.yaml', text);
    const { code, stdout, stderr } = await config();
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`${file}:${message}`)]);
    expect(stderr).toContain('[CONFIG_INVALID]');
  });

  test('the JSON of an error in a file has the position as fields', async () => {
    const file = rig.write('.pawl/config.yaml', 'limits:\n  glboal: 3\n');
    expect(await rig.json(['config'], { env: env() })).toMatchObject({
      code: 2,
      error: { code: 'CONFIG_INVALID', file, line: 2, column: 3 },
    });
  });
});

test('a forge without a kind is rejected', async () => {
  rig.write('.pawl/config.local.yaml', 'forge: { state: f.db }\n');
  expect(await rig.run(['runs'], { env: env() })).toMatchObject({ code: 2, stderr: expect.stringContaining('add "kind: local"') });
});

test('empty settings, or only comments, set nothing', async () => {
  rig.write('.pawl/config.yaml', '# nothing yet\n');
  rig.write('.pawl/config.local.yaml', '');
  expect(await rig.json<Shown>(['config', '--show-origin'], { env: { ...env(), PAWL_STATE: rig.state } })).toMatchObject({
    code: 0,
    settings: [{ key: 'state-dir', value: rig.state, layer: 'environment', isInForce: true }],
  });
});

test.each([
  ['.pawl/config.yaml', 'config'],
  ['.pawl/config.local.yaml', 'runs'],
  ['.pawl/agents/dev.md', 'doctor'],
])('a named pipe instead of %s is rejected, and no command waits for it', async (path, verb) => {
  rig.write(`${path}.beside`, '');
  execFileSync('/usr/bin/env', ['mkfifo', join(rig.project, path)]);
  const { stdout, stderr } = await rig.run([verb]);
  expect(stdout + stderr).toMatch(/not a regular file|cannot (be )?read/);
});
