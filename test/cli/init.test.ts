import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunReport } from '../../src/control/schema/run.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

function read(path: string): string {
  return readFileSync(join(rig.project, path), 'utf8');
}

test('init says what it wrote and which command comes next', async () => {
  expect(await rig.run(['init'])).toEqual({
    code: 0,
    stdout: [
      'wrote       .pawl/workflows/notes.ts',
      'wrote       .pawl/config.yaml',
      'wrote       .pawl/tsconfig.json',
      'wrote       .pawl/.gitignore',
      '',
      'Next:  pawl run notes',
      '',
    ].join('\n'),
    stderr: '',
  });
});

test('init lists existing files unchanged, and writes missing ones', async () => {
  rig.write('.pawl/workflows/notes.ts', '// mine\n');
  rig.write('.pawl/config.yaml', '# mine\n');
  const { stdout } = await rig.run(['init']);
  expect(stdout).toContain('unchanged   .pawl/workflows/notes.ts\nunchanged   .pawl/config.yaml\n');
  expect(stdout).toContain('wrote       .pawl/.gitignore\n');
  expect([read('.pawl/workflows/notes.ts'), read('.pawl/config.yaml')]).toEqual(['// mine\n', '# mine\n']);
});

test('init does not write through a broken link', async () => {
  rig.write('.pawl/README', '');
  symlinkSync(join(rig.folder, 'elsewhere'), join(rig.project, '.pawl', 'config.yaml'));
  const { stdout } = await rig.run(['init']);
  expect(stdout).toContain('unchanged   .pawl/config.yaml\n');
  expect(existsSync(join(rig.folder, 'elsewhere'))).toBe(false);
});

test('only files that init wrote are trusted', async () => {
  rig.write(
    '.pawl/workflows/notes.ts',
    "import { defineWorkflow } from 'pawl/compat';\nexport default defineWorkflow({ name: 'notes', steps: [] });\n",
  );
  await rig.run(['init']);
  const { code, stderr } = await rig.run(['run', 'notes']);
  expect(code).toBe(4);
  expect(stderr).toContain('[NOT_TRUSTED]');
});

test.each([
  ['TypeScript', ['init']],
  ['JavaScript', ['init', '--js']],
  ['YAML', ['init', '--yaml']],
])('the workflow that init writes in %s runs: the gate fails once, the work is fixed, and a person publishes', async (_language, words) => {
  await rig.run(words);
  const terminal = rig.terminal(['run', 'notes']);
  await terminal.until('Your answer');
  terminal.type('publish\r');
  expect(await terminal.ended).toBe(0);
  expect(read('PUBLISHED.md')).toBe('# Notes\n\n- The first release.\n');
  const { runs } = await rig.json<{ runs: { id: string }[] }>(['runs']);
  const { steps } = await rig.json<RunReport>(['show', runs[0]?.id ?? '']);
  expect(steps.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual([
    'draft ok',
    'check fail',
    'revise ok',
    'check ok',
    'approve ok',
    'publish ok',
  ]);
});

test('the rework loop of the first workflow receives the person’s text, and asks again', async () => {
  await rig.run(['init']);
  const terminal = rig.terminal(['run', 'notes']);
  await terminal.until('Your answer');
  terminal.type('rework\r');
  await terminal.until('Your text');
  terminal.type('Thanks to all testers.\r');
  await terminal.until(/Your answer[\s\S]+Thanks to all testers\.[\s\S]+Your answer/);
  terminal.type('publish\r');
  expect(await terminal.ended).toBe(0);
  expect(read('PUBLISHED.md')).toBe('# Notes\n\n- The first release.\n- Thanks to all testers.\n');
});

test('the rework loop of a workflow file receives the person’s text, which never becomes part of a command', async () => {
  await rig.run(['init', '--yaml']);
  const terminal = rig.terminal(['run', 'notes']);
  await terminal.until('Your answer');
  terminal.type('rework\r');
  await terminal.until('Your text');
  terminal.type('$(id) "; x\r');
  await terminal.until(/Your text[\s\S]+Your answer/);
  terminal.type('publish\r');
  expect(await terminal.ended).toBe(0);
  expect(read('PUBLISHED.md')).toBe('# Notes\n\n- The first release.\n- $(id) "; x\n');
});

test('the first workflow also runs from a folder below the project', async () => {
  await rig.run(['init']);
  rig.write('deep/down/file', '');
  const { code } = await rig.run(['run', 'notes'], { cwd: join(rig.project, 'deep/down') });
  expect(code).toBe(3);
  expect(read('NOTES.md')).toBe('# Notes\n\n- The first release.\n');
});

test('the workflow can be named, and the name must be a valid file name', async () => {
  expect((await rig.run(['init', 'release'])).stdout).toContain('Next:  pawl run release\n');
  expect(read('.pawl/workflows/release.ts')).toContain("name: 'release'");
  const { code, stderr } = await rig.run(['init', '../release']);
  expect(code).toBe(2);
  expect(stderr).toContain('"../release" is not a valid workflow name');
  expect(readdirSync(join(rig.project, '.pawl/workflows'))).toEqual(['release.ts']);
});

test('init --json prints the written files as data', async () => {
  expect(await rig.json(['init', '--js'])).toEqual({
    code: 0,
    schemaVersion: 1,
    project: rig.project,
    workflow: { name: 'notes', file: join(rig.project, '.pawl/workflows/notes.js') },
    written: ['workflows/notes.js', 'config.yaml', 'tsconfig.json', '.gitignore'].map((path) => join(rig.project, '.pawl', path)),
    left: [],
  });
});

test.each([
  ['TypeScript', ['init']],
  ['JavaScript', ['init', '--js']],
])('an editor finds the types for %s, although the project has no packages', async (_language, words) => {
  await rig.run(words);
  await rig.run(['skill', 'new', 'sample']);
  expect(typeProblems()).toBe('');
  const skill = '.pawl/skills/sample/skill.mjs';
  rig.write(skill, read(skill).replace("title: 'Look'", 'title: 7'));
  expect(typeProblems()).toContain("Type 'number' is not assignable to type 'string'");
  const [name = ''] = readdirSync(join(rig.project, '.pawl/workflows'));
  rig.write(`.pawl/workflows/${name}`, read(`.pawl/workflows/${name}`).replace("next: 'check'", "next: 'chekc'"));
  expect(typeProblems()).toContain(`Type '"chekc"' is not assignable`);
});

test('a workflow file names its schema for editors, needs no compiler, and is valid under any name', async () => {
  expect((await rig.run(['init', '--yaml'])).stdout).toBe(
    ['notes.yaml', 'config.yaml', '.gitignore', 'workflow.schema.json']
      .map((file, index) => `wrote       .pawl/${index === 0 ? 'workflows/' : ''}${file}\n`)
      .concat('\nNext:  pawl run notes\n')
      .join(''),
  );
  const [, schema = ''] = /^# yaml-language-server: \$schema=(.+)$/m.exec(read('.pawl/workflows/notes.yaml')) ?? [];
  expect([schema, JSON.parse(read(join('.pawl/workflows', schema)))]).toEqual([
    '../workflow.schema.json',
    expect.objectContaining({ $schema: expect.any(String) }),
  ]);
  for (const name of ['true', '1e3', '007', '1-2', 'no']) await rig.run(['init', name, '--yaml']);
  expect(await rig.run(['validate', '--strict'])).toMatchObject({ code: 0 });
  const { workflows } = await rig.json<{ workflows: { name: string }[] }>(['list']);
  expect(workflows.map(({ name }) => name)).toEqual(['007', '1-2', '1e3', 'no', 'notes', 'true']);
  expect((await rig.run(['init', '--yaml', '--js'])).stderr).toContain('--js and --yaml cannot be combined');
});

test('the written workflow type-checks even if the installed package has no types of Node', async () => {
  rig.write('node_modules/README', '');
  symlinkSync(join(import.meta.dirname, '../..'), join(rig.project, 'node_modules', 'pawl'));
  expect((await rig.run(['init'])).stdout).toContain('wrote       .pawl/node.d.ts\n');
  await rig.run(['skill', 'new', 'sample']);
  expect(typeProblems()).toBe('');
  await rig.run(['init', 'plan', '--yaml']);
  expect(read('.pawl/workflows/plan.yaml')).toContain('$schema=../../node_modules/pawl/schema/pawl-workflow.schema.json\n');
});

test('git ignores the path of the types, which is specific to this machine', async () => {
  execFileSync('git', ['init', '--quiet'], { cwd: rig.project });
  await rig.run(['init']);
  rig.write('.pawl/config.local.yaml', '');
  const seen = execFileSync('git', ['status', '--porcelain', '--untracked-files=all'], { cwd: rig.project, encoding: 'utf8' });
  expect(
    seen
      .split('\n')
      .filter(Boolean)
      .map((line) => line.slice(3)),
  ).toEqual(['.pawl/.gitignore', '.pawl/config.yaml', '.pawl/workflows/notes.ts']);
});

test('a project that has Pawl among its packages gets settings that are the same on every machine', async () => {
  rig.write('node_modules/pawl/package.json', '{ "name": "pawl" }');
  rig.write('node_modules/@types/node/package.json', '{ "name": "@types/node" }');
  await rig.run(['init']);
  expect(read('.pawl/.gitignore')).toBe('config.local.yaml\n');
  expect(JSON.parse(read('.pawl/tsconfig.json'))).toMatchObject({ compilerOptions: { types: ['node'] } });
  expect(read('.pawl/tsconfig.json')).not.toContain('paths');
  rmSync(join(rig.project, 'node_modules'), { recursive: true });
});

/** What the compiler says about the workflows of the project. */
function typeProblems(): string {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  try {
    execFileSync(process.execPath, [compiler, '-p', join(rig.project, '.pawl')], { encoding: 'utf8' });
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
