import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isOwnFile } from '../../src/cli/trust/trust-list.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
let file: string;
beforeEach(() => {
  rig = new CliRig();
  file = rig.write('.pawl/workflows/hello.ts', HELLO);
  rig.write('.pawl/workflows/lib/word.ts', "export const word = 'hi';\n");
});
afterEach(() => rig.close());

const HELLO = `import { defineWorkflow } from 'pawl/compat';
import { word } from './lib/word.ts';
export default defineWorkflow({ name: 'hello', steps: [{ id: 'say', handler: () => word, next: null }] });
`;

describe('without a terminal', () => {
  test('an untrusted workflow does not run, and the message says how to trust it', async () => {
    expect(await rig.run(['run', 'hello'])).toMatchObject({
      code: 4,
      stderr: `pawl: ${file} is not trusted yet, and running it runs its code; review it, then run "pawl trust ${file}" to trust this version [NOT_TRUSTED]\n`,
    });
  });

  test('without a terminal, trust needs --yes', async () => {
    expect((await rig.run(['trust'])).code).toBe(4);
    expect((await rig.run(['run', 'hello'])).code).toBe(4);
    expect((await rig.run(['trust', '--yes'])).code).toBe(0);
    expect((await rig.run(['run', 'hello'])).code).toBe(0);
  });

  test('a change of the file, or of a file it imports, ends its trust, and the change is named', async () => {
    await rig.run(['trust', file, '--yes']);
    rig.write('.pawl/workflows/lib/word.ts', "export const word = 'evil';\n");
    const { code, stderr } = await rig.run(['run', 'hello']);
    expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining('has changed since it was trusted: lib/word.ts;') });
    rig.write('.pawl/workflows/lib/word.ts', "export const word = 'hi';\n");
    expect((await rig.run(['run', 'hello'])).code).toBe(0);
  });

  test('a file that changes between the check and its import is not loaded', async () => {
    const other = rig.write('.pawl/workflows/lib/other.ts', 'export {};\n');
    rig.write(
      '.pawl/workflows/lib/word.ts',
      `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(other)}, '// evil');\nexport const word = 1;\n`,
    );
    rig.write('.pawl/workflows/hello.ts', `${HELLO}await import('./lib/other.ts');\n`);
    await rig.run(['trust', file, '--yes']);
    const { code, stderr } = await rig.start(['run', 'hello']).ended;
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: `pawl: ${other} changed after its content was checked; start again [NOT_TRUSTED]\n`,
    });
  });

  test('a trusted folder stays trusted when its files change; a folder next to it is not', async () => {
    await rig.run(['trust', '--folder', '--yes']);
    rig.write('.pawl/workflows/hello.ts', HELLO.replace('() => word', "() => 'new'"));
    expect((await rig.run(['run', 'hello'])).code).toBe(0);
    const neighbour = rig.write('../project-2/hello.mjs', HELLO.replace(/import \{ word.*\n/, '').replace('word', "'x'"));
    expect((await rig.run(['run', neighbour])).code).toBe(4);
  });

  // As the administrator the test gives them to another account; as anybody else it lets every account write them.
  test.each([
    ['the workflow', '.pawl/workflows/hello.ts'],
    ['a file that it imports', '.pawl/workflows/lib/word.ts'],
    ['a local file of settings', '.pawl/config.local.yaml'],
  ])('a trusted folder does not cover %s when another account wrote it or can change it', async (_what, name) => {
    const local = rig.write('.pawl/config.local.yaml', 'commands: { review: [touch, ran] }\n');
    await rig.run(['trust', '--folder', '--yes']);
    expect((await rig.run(['run', 'hello'])).code).toBe(0);
    const path = join(rig.project, name);
    if (process.getuid?.() === 0) chownSync(path, 4242, 4242);
    else chmodSync(path, 0o666);
    const { code, stderr } = await rig.run(['run', 'hello']);
    expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining(`another user wrote ${path} or can change it`) });
    await rig.run(['trust', file, local, '--yes']);
    expect((await rig.run(['run', 'hello'])).code).toBe(0);
  });

  test('a file belongs to its user if no one else but the administrator can have written it', () => {
    const own = { uid: 1000, mode: 0o100664 };
    expect([isOwnFile(own, 1000), isOwnFile({ ...own, uid: 0 }, 1000), isOwnFile(own, undefined)]).toEqual([true, true, true]);
    expect([isOwnFile({ ...own, uid: 1001 }, 1000), isOwnFile(own, 0), isOwnFile({ ...own, mode: 0o100666 }, 1000)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('the home folder cannot be trusted as a whole', async () => {
    const { code, stderr } = await rig.run(['trust', '--folder', '--yes'], { env: { HOME: rig.project } });
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('contains more than one project') });
  });

  test('the list of trusted files is outside the project, for its owner only', async () => {
    await rig.run(['trust', '--yes']);
    const kept = join(rig.state, 'trust.json');
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    expect(Object.keys((JSON.parse(readFileSync(kept, 'utf8')) as { files: object }).files)).toEqual([file]);
  });

  test('trust can be revoked for one file or for the whole project', async () => {
    await rig.run(['trust', '--yes']);
    expect(await rig.json(['trust', '--revoke', file])).toMatchObject({ code: 0, revoked: [file] });
    expect((await rig.run(['run', 'hello'])).code).toBe(4);
    await rig.run(['trust', '--folder', '--yes']);
    await rig.run(['trust', '--yes']);
    expect(await rig.json(['trust', '--revoke'])).toMatchObject({ code: 0, revoked: [rig.project, file] });
    expect((await rig.run(['run', 'hello'])).code).toBe(4);
  });

  test('the list shows what is trusted, and what has changed since', async () => {
    expect((await rig.run(['trust', '--list'])).stdout).toBe('Nothing is trusted.\n');
    await rig.run(['trust', '--yes']);
    rig.write('.pawl/workflows/hello.ts', `${HELLO}// changed\n`);
    expect(await rig.json(['trust', '--list'])).toMatchObject({ folders: [], files: [{ file, fits: false, changed: ['hello.ts'] }] });
  });

  test('a damaged trust file trusts nothing and is an error', async () => {
    await rig.run(['trust', '--yes']);
    const kept = rig.write('../state/trust.json', '{');
    const { code, stderr } = await rig.run(['run', 'hello']);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(`${kept.replace('project/../', '')} is damaged`) });
  });
});

describe('settings that came with the project', () => {
  const STAGE = 'validation: { stages: { unit: "touch ran" } }\n';
  const FORGE = 'forge: { kind: local }\n';
  const GROUP = 'groups: { maintainers: [mallory] }\n';

  test.each([
    ['programs of validation stages', STAGE],
    ['a forge', FORGE],
    ['a group of people', GROUP],
  ])('settings of the project with %s have no effect until they are trusted, and nothing is driven', async (_, text) => {
    await rig.run(['trust', file, '--yes']);
    const config = rig.write('.pawl/config.yaml', text);
    expect(await rig.run(['run', 'hello'])).toMatchObject({
      code: 4,
      stderr: `pawl: ${config} is not trusted yet, and it sets programs to run, people who may approve, a forge to use, or more permissions than your own settings; review it, then run "pawl trust ${config}" to trust this version [NOT_TRUSTED]\n`,
    });
    expect((await rig.json<{ runs: unknown[] }>(['runs'])).runs).toEqual([]);
  });

  test('"pawl trust" covers settings of the project, and a change ends the trust', async () => {
    const config = rig.write('.pawl/config.yaml', STAGE);
    expect((await rig.json<{ trusted: { file: string }[] }>(['trust', '--yes'])).trusted.map((one) => one.file)).toEqual([file, config]);
    expect((await rig.run(['run', 'hello'])).code).toBe(0);
    rig.write('.pawl/config.yaml', STAGE.replace('touch ran', 'touch other'));
    expect(await rig.run(['run', 'hello'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('has changed since it was trusted: config.yaml'),
    });
  });

  test('settings of the user need no trust, and neither do settings that only restrict', async () => {
    await rig.run(['trust', file, '--yes']);
    const user = join(rig.folder, 'user');
    mkdirSync(join(user, 'pawl'), { recursive: true });
    writeFileSync(join(user, 'pawl', 'config.yaml'), `${STAGE}limits: { global: 3 }\ngroups: { maintainers: [ann, bob] }\n`);
    const narrow = 'limits: { global: 1 }\ngroups: { maintainers: [ann] }\n';
    rig.write('.pawl/config.yaml', narrow);
    rig.write('.pawl/config.local.yaml', `${narrow}db: own/runs.db\n`);
    expect(await rig.run(['run', 'hello'], { env: { XDG_CONFIG_HOME: user } })).toMatchObject({ code: 0 });
  });

  // An agent or an archive writes a local file as easily as its user.
  test.each([
    ['programs', STAGE],
    ['a forge', FORGE],
    ['a group of people', GROUP],
    ['roles', 'roles: { developer: { driver: command, argv: [touch, ran] } }\n'],
    ['commands', 'commands: { review: [touch, ran] }\n'],
    ['a higher limit', 'limits: { global: 9 }\n'],
    ['a larger budget', 'budgets: { day: { cost_usd: 9 } }\n'],
    ['fewer protected files', 'protected: [other/**]\n'],
    ['more variables', 'environment: [PATH, AWS_SECRET_ACCESS_KEY]\n'],
  ])('a local file with %s has no effect until it is trusted, and nothing is driven', async (_, text) => {
    const user = join(rig.folder, 'user');
    mkdirSync(join(user, 'pawl'), { recursive: true });
    const own = 'limits: { global: 3 }\nbudgets: { day: { cost_usd: 3 } }\nprotected: [test/**]\n';
    writeFileSync(join(user, 'pawl', 'config.yaml'), own);
    const env = { XDG_CONFIG_HOME: user };
    execFileSync('git', ['init', '-q'], { cwd: rig.project });
    await rig.run(['trust', file, '--yes']);
    const local = rig.write('.pawl/config.local.yaml', text);
    expect(await rig.run(['run', 'hello'], { env })).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(new RegExp(`^pawl: ${local} is not trusted yet.*\\[NOT_TRUSTED\\]`)),
    });
    expect((await rig.run(['runs'], { env })).code).toBe(0);
    expect((await rig.json<{ trusted: { file: string }[] }>(['trust', '--yes'], { env })).trusted.map((one) => one.file)).toContain(local);
    expect(await rig.run(['run', 'hello'], { env })).toMatchObject({ code: 0, stderr: '' });
  });

  test('a terminal asks whether to trust settings of the project', async () => {
    await rig.run(['trust', file, '--yes']);
    rig.write('.pawl/config.yaml', STAGE);
    const terminal = rig.terminal(['run', 'hello']);
    await terminal.until('Use it?');
    terminal.type('y\r');
    expect(await terminal.ended).toBe(0);
  });
});

describe('at a terminal', () => {
  test('the person sees the file, its digest and its imports, and "yes" trusts this content from then on', async () => {
    const terminal = rig.terminal(['run', 'hello']);
    const shown = await terminal.until('Run it?');
    expect(shown).toMatch(/digest {3}[0-9a-f]{16}/);
    expect(shown).toContain('imports  lib/word.ts');
    terminal.type('y\r');
    expect(await terminal.ended).toBe(0);
    expect((await rig.run(['run', 'hello'])).code).toBe(0);
    rig.write('.pawl/workflows/hello.ts', `${HELLO}// changed\n`);
    expect((await rig.run(['run', 'hello'])).code).toBe(4);
  });

  test('any answer but "yes" does not run an untrusted workflow', async () => {
    const terminal = rig.terminal(['run', 'hello']);
    await terminal.until('Run it?');
    terminal.type('\r');
    expect(await terminal.ended).toBe(4);
  });

  test('Ctrl-C at the question does not run an untrusted workflow', async () => {
    const terminal = rig.terminal(['run', 'hello']);
    await terminal.until('Run it?');
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(4);
  });

  test('the answer "always" trusts the folder', async () => {
    const terminal = rig.terminal(['run', 'hello']);
    await terminal.until('Run it?');
    terminal.type('a\r');
    expect(await terminal.ended).toBe(0);
    rig.write('.pawl/workflows/hello.ts', `${HELLO}// changed\n`);
    expect((await rig.run(['run', 'hello'])).code).toBe(0);
  });

  test('"pawl trust" asks before it trusts', async () => {
    const terminal = rig.terminal(['trust']);
    await terminal.until('Trust this version? [y/N]');
    terminal.type('n\r');
    expect(await terminal.ended).toBe(4);
    expect((await rig.run(['trust', '--list'])).stdout).toBe('Nothing is trusted.\n');
  });
});
