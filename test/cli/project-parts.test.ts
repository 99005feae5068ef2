// Step kinds and gate checks of a project, in .pawl/kinds and .pawl/checks, through the command line; the project is
// examples/custom-parts.

import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connect } from './mcp-client.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
  cpSync(join(import.meta.dirname, '../../examples/custom-parts'), rig.project, { recursive: true });
});
afterEach(() => rig.close());

const KIND = '.pawl/kinds/publish.ts';
const CHECK = '.pawl/checks/no-todo.ts';
const YAML = '.pawl/workflows/release.yaml';
const read = (path: string): string => readFileSync(join(rig.project, path), 'utf8');
const trust = async (): Promise<void> => void expect((await rig.run(['trust', '--yes'])).code).toBe(0);
const RUN = ['run', 'release', '--param', 'version=1.2.0'];

describe('the example', () => {
  test('the example of custom kinds is listed without running anything, and runs once everything is trusted', async () => {
    rig.write(KIND, `${read(KIND)}throw new Error('ran');\n`);
    expect(await rig.json(['list'])).toMatchObject({
      code: 0,
      problems: [],
      workflows: [{ name: 'nightly' }, { name: 'release', steps: ['check', 'publish'] }],
    });
    rig.write(KIND, read(KIND).replace("throw new Error('ran');\n", ''));
    await rig.run(['trust', '--yes', YAML]);
    expect(await rig.run(RUN)).toMatchObject({ code: 4, stderr: expect.stringContaining(`${join(rig.project, KIND)} is not trusted yet`) });
    await trust();
    expect(await rig.json(RUN)).toMatchObject({
      code: 0,
      steps: [{ outcome: 'ok' }, { outcome: 'ok', output: { file: 'published/1.2.0.txt' } }],
    });
    expect(await rig.json(RUN)).toMatchObject({ code: 0, run: { status: 'completed' }, steps: [{}, { outcome: 'taken' }] });
    expect(existsSync(join(rig.project, 'published/1.2.0.txt'))).toBe(true);
  });

  test('the example of custom kinds is checked completely once it is trusted', async () => {
    expect(await rig.json(['validate'])).toMatchObject({
      code: 4,
      files: expect.arrayContaining([expect.objectContaining({ file: join(rig.project, YAML), checked: 'syntax' })]),
    });
    await trust();
    const { stdout, code } = await rig.run(['validate']);
    expect(code).toBe(0);
    expect(stdout).toContain(`${KIND}  publish, step kind`);
    expect(stdout).toContain(`${CHECK}  no_todo, gate check`);
  });

  test('the example of custom kinds is drawn, exported, and runs in TypeScript', async () => {
    await trust();
    expect((await rig.run(['graph', 'release'])).code).toBe(0);
    const exported = await rig.json<{ text: string }>(['export', 'release']);
    expect(exported).toMatchObject({ code: 0, isSame: true, text: expect.stringContaining('type: publish') });
    expect(exported.text).toContain('on_taken: complete');
    expect((await rig.json<{ text: string }>(['export', 'nightly'])).text).toContain('type: publish');
    expect(await rig.json(['run', 'nightly'])).toMatchObject({ code: 0, steps: [{ outcome: 'ok' }, { outcome: 'ok' }] });
  });

  test('a run with custom kinds is resumed and forked', async () => {
    await trust();
    rig.write('NOTES.md', 'TODO\n');
    const { run } = await rig.json<{ run: { id: string } }>(RUN);
    rig.write('NOTES.md', 'done\n');
    expect(await rig.json(['resume', run.id, '--retry'])).toMatchObject({ code: 0, run: { status: 'completed' } });
    expect(await rig.json(['fork', run.id, '--from', 'check'])).toMatchObject({
      code: 0,
      steps: [{ outcome: 'ok' }, { outcome: 'taken' }],
    });
  });

  test('an attended run passes through custom kinds', async () => {
    rig.write(YAML, read(YAML).replace('stages:\n', 'stages:\n  - { id: write, type: agent, agent: writer, action: Write it. }\n'));
    await trust();
    const { stdout } = await rig.run([...RUN, '--attended']);
    const [, run = '', token = ''] = /pawl done (\S+) --token=(\S+)/.exec(stdout) ?? [];
    expect((await rig.run(['next', run])).code).toBe(0);
    expect(await rig.run(['done', run, `--token=${token}`])).toMatchObject({ code: 0 });
    expect(await rig.json(['show', run])).toMatchObject({ run: { status: 'completed' } });
  });
});

describe('trust', () => {
  test.each([KIND, CHECK])('a change of %s ends the trust in a custom kind', async (file) => {
    await trust();
    rig.write(file, `${read(file)}// changed\n`);
    expect(await rig.run(RUN)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`${join(rig.project, file)} has changed since it was trusted`),
    });
    expect(await rig.json(['validate', YAML])).toMatchObject({ code: 4 });
  });

  test('a workflow that does not use a custom kind does not need trust in it', async () => {
    const other = rig.write(
      '.pawl/workflows/other.yaml',
      read(YAML)
        .replace('name: release', 'name: other')
        .replace(/ {2}- id: publish[\s\S]*/, '')
        .replace(/- \{ check.*/, '- { check: file_exists, paths: [NOTES.md] }'),
    );
    await rig.run(['trust', '--yes', other]);
    expect((await rig.run(['run', 'other', '--param', 'version=1'])).code).toBe(0);
  });
});

describe('validate', () => {
  test('validate reports an invalid configuration of a custom kind and check at its position', async () => {
    rig.write(YAML, read(YAML).replace('file: NOTES.md', 'file: 5').replace('"{{ params.version }}"', '1'));
    await trust();
    const { files, code } = await rig.json<{ files: { errors: { message: string; line: number }[] }[] }>(['validate', YAML]);
    expect(code).toBe(2);
    expect(files[0]?.errors.map(({ line, message }) => `${line} ${message}`)).toEqual([
      expect.stringMatching(/^6 .*`file` must be a path/),
      expect.stringMatching(/^12 .*`version` must be a text/),
    ]);
    expect(await rig.run(RUN)).toMatchObject({ code: 2, stderr: expect.stringContaining('`file` must be a path') });
  });

  test.each([
    ['of a built-in', KIND, KIND, "kind: 'publish'", "kind: 'agent'", 'two step kinds are called "agent": one is here, one is built in'],
    [
      'of a built-in check',
      CHECK,
      CHECK,
      "name: 'no_todo'",
      "name: 'command'",
      'two gate checks are called "command": one is here, one is built in',
    ],
    ['of another', KIND, '.pawl/kinds/again.ts', '', '', 'two step kinds are called "publish": one is here, one in '],
  ])('a custom kind or check with the name %s is an error that lists both', async (...[, from, to, before, after, message]) => {
    rig.write(to, read(from).replace(before, after));
    await trust();
    const { stdout, code } = await rig.run(['validate'], { columns: 400 });
    expect(code).toBe(2);
    expect(stdout.replaceAll('\n', ' ')).toContain(message);
    expect((await rig.json<{ problems: { message: string }[] }>(['list'])).problems.map((problem) => problem.message)).toContainEqual(
      expect.stringContaining(message),
    );
    if (before === '') expect(await rig.run(RUN)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  test('validate reports files that define no kind or check, and names that only running them would show', async () => {
    rig.write('.pawl/kinds/empty.ts', 'export const x = 1;\n');
    rig.write(KIND, read(KIND).replace("kind: 'publish'", "kind: 'pub' + 'lish'"));
    const { files } = await rig.json<{ files: { file: string; errors: { code: string }[] }[] }>(['validate']);
    const codes = (file: string) => files.find((one) => one.file === join(rig.project, file))?.errors.map(({ code }) => code);
    expect([codes('.pawl/kinds/empty.ts'), codes(KIND)]).toEqual([['ENTRY_MISSING'], ['NAME_UNSEEN']]);
  });

  test('validate reports a custom kind that cannot be loaded', async () => {
    rig.write(KIND, `${read(KIND)}throw new Error('broken');\n`);
    await trust();
    expect(await rig.json(['validate', KIND])).toMatchObject({
      code: 2,
      files: [{ errors: [{ code: 'MODULE_FAILED', message: 'broken' }] }],
    });
    expect(await rig.run(RUN)).toMatchObject({ code: 2, stderr: expect.stringContaining('broken') });
  });
});

test('the JSON Schema of the project knows its step kinds, with their outcomes, and no others', async () => {
  const { code, stdout } = await rig.run(['validate', '--schema']);
  const { $defs } = JSON.parse(stdout) as { $defs: Record<string, unknown> };
  expect(code).toBe(0);
  expect(JSON.stringify($defs)).toMatch(/"const":"publish"[\s\S]*"on_taken"/);
  expect(JSON.stringify($defs)).not.toContain('"const":"deploy"');
});

test('a flow can use a check of the project by its name', async () => {
  rig.write(
    '.pawl/workflows/flow.ts',
    "import { step, workflow } from 'pawl';\nexport default workflow('flow', function* () {\n  return yield* step('check').gate({ checks: [{ check: 'no_todo', file: 'NOTES.md' }] });\n});\n",
  );
  await trust();
  expect(await rig.json(['run', 'flow'])).toMatchObject({ code: 0 });
});

test('an MCP server starts a workflow with custom kinds', async () => {
  await trust();
  const agent = await connect(rig);
  expect((await agent.call('pawl_start', { workflow: 'release', params: { version: '2' } })).text).toContain('completed');
  await agent.close();
  expect(existsSync(join(rig.project, 'published/2.txt'))).toBe(true);
});
