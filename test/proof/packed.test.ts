// The package as users install it: packed, installed from its file into empty projects, and tried with what they use it
// with. Nothing is fetched: what a project needs besides is linked from the checkout.

import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../scripts/bundle.js';
import { writeBuiltPackage } from '../built-package.ts';
import { tempFolder } from '../temp-folder.ts';
import { publishedEntries } from '../tidy/repository.ts';

const base = tempFolder();
let tarball: string;
/** A project into which npm has installed the package; tests add files of their own. */
let project: string;

const env = {
  PATH: [dirname(process.execPath), process.env.PATH].join(':'),
  HOME: join(base, 'home'),
  npm_config_offline: 'true',
  npm_config_update_notifier: 'false',
};

/** What a command prints; one that ends otherwise than expected fails the test. */
function run(cwd: string, [program = '', ...args]: readonly string[], expected = 0): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  expect({ status, error }, `${program} ${args.join(' ')}\n${stdout}\n${stderr}`).toEqual({ status: expected, error: undefined });
  return stdout;
}

function emptyProject(name: string, manifest: object = { type: 'module' }): string {
  const folder = join(base, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, private: true, ...manifest }));
  return folder;
}

beforeAll(() => {
  mkdirSync(env.HOME);
  const folder = join(base, 'package');
  writeBuiltPackage(folder);
  run(folder, ['npm', 'pack', '--pack-destination', base]);
  tarball = join(base, globSync('*.tgz', { cwd: base })[0] ?? '');
  project = emptyProject('project');
  run(project, ['npm', 'install', tarball]);
});

const PROGRAM = `import { createEngine, defineWorkflow, step, workflow } from 'pawl';
export const graph = defineWorkflow({
  name: 'graph',
  steps: { one: { command: ['echo', 'hi'], next: 'two' }, two: { handler: () => 'done', next: null } },
});
export const flow = workflow('flow', function* () {
  return yield* step('only').task({ action: () => 1 });
});
const engine = await createEngine({ workflows: [graph, flow] });
const ended = [await (await engine.start(graph)).wait(), await (await engine.start(flow)).wait()];
await engine.close();
globalThis.console.log(ended.map(({ status }) => status).join(' '));
`;

test('npm installs only the package: no dependency, and no other Node than that of the project', () => {
  expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['pawl']);
  expect(readdirSync(join(project, 'node_modules', '.bin'))).toEqual(['pawl']);
});

/** The entries that the package publishes, as programs import them. */
const ENTRIES = Object.keys(publishedEntries()).map((entry) => entry.replace('.', 'pawl'));
/** Its declarations extend those of vitest, which need those of Node. */
const SUITES = 'pawl/testing/suites';

/** Links what a project with tests installs besides. */
function linkForTests(): void {
  for (const name of ['vitest', '@types/node']) {
    const link = join(project, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(join(root, 'node_modules', name), link);
  }
}

function compile([compiler, resolution]: readonly [string, string], entries: readonly string[], types: readonly string[]): void {
  writeFileSync(join(project, 'typed.ts'), PROGRAM);
  writeFileSync(join(project, 'entries.ts'), entries.map((entry, index) => `export * as entry${index} from '${entry}';\n`).join(''));
  const options = {
    ...{ target: 'esnext', module: resolution === 'nodenext' ? 'nodenext' : 'preserve', moduleResolution: resolution },
    ...{ strict: true, skipLibCheck: false, skipDefaultLibCheck: true, noEmit: true, types },
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['typed.ts', 'entries.ts'] }));
  run(project, [process.execPath, join(root, 'node_modules', compiler, 'bin', 'tsc'), '-p', project]);
}

describe.each(['typescript', 'typescript-5.9'])('%s', (compiler) => {
  test.each(['nodenext', 'bundler'])(
    'compiles a graph and a flow with %s, the declarations of all entries included, with no other types',
    (resolution) => {
      expect(ENTRIES).toHaveLength(7);
      const plain = ENTRIES.filter((entry) => entry !== SUITES);
      compile([compiler, resolution], plain, []);
    },
  );

  test.each(['nodenext', 'bundler'])('compiles the suites with %s, with vitest and the types of Node', (resolution) => {
    linkForTests();
    compile([compiler, resolution], [SUITES], ['node']);
  });
});

test('Node runs it as a module and from CommonJS', () => {
  writeFileSync(join(project, 'module.ts'), PROGRAM);
  expect(run(project, ['node', '--no-warnings', 'module.ts'])).toBe('completed completed\n');
  writeFileSync(join(project, 'common.cjs'), "console.log(typeof require('pawl').createEngine, typeof require('pawl/testing').simulate);");
  expect(run(project, ['node', '--no-warnings', 'common.cjs'])).toBe('function function\n');
});

test('a program bundled into one file by esbuild runs without the package', async () => {
  writeFileSync(join(project, 'app.ts'), PROGRAM);
  const outfile = join(emptyProject('bundled'), 'app.mjs');
  const { warnings } = await build({
    ...{ absWorkingDir: project, entryPoints: ['app.ts'], outfile, bundle: true },
    ...{ platform: 'node', format: 'esm', logLevel: 'silent', external: ['ai'] },
  });
  expect(warnings).toEqual([]);
  expect(run(dirname(outfile), ['node', '--no-warnings', 'app.mjs'])).toBe('completed completed\n');
});

test('vitest runs tests that use pawl/testing and its suites', () => {
  linkForTests();
  const text = `import { openSqliteStore } from 'pawl';
import { createVirtualClock } from 'pawl/testing';
import { describeStore } from 'pawl/testing/suites';
import { expect, test } from 'vitest';
test('the clock stands still', () => expect(createVirtualClock(5).now()).toBe(5));
describeStore('sqlite', async (isDead) => ({ store: await openSqliteStore({ file: ':memory:', isDead }) }));
`;
  writeFileSync(join(project, 'clock.test.ts'), text);
  const printed = run(project, ['node', join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--reporter=json', 'clock.test.ts']);
  const { numTotalTests, success } = JSON.parse(printed) as { numTotalTests: number; success: boolean };
  expect({ success, many: numTotalTests > 40 }).toEqual({ success: true, many: true });
});

test('npx runs the demo, and init, validate and run in an empty project', () => {
  expect(run(project, ['npx', 'pawl', 'demo'])).toContain('The run completed');
  run(project, ['npx', 'pawl', 'init']);
  run(project, ['npx', 'pawl', 'validate']);
  // 3: the run waits for a person.
  expect(run(project, ['npx', 'pawl', 'run', 'notes'], 3)).toContain('needs a decision');
});

test('pnpm, which lets a package see only its own dependencies, installs it and runs it', () => {
  const strict = emptyProject('strict');
  const pnpm = ['node', join(root, 'node_modules', 'pnpm', 'bin', 'pnpm.cjs')];
  run(strict, [...pnpm, 'add', '--offline', '--ignore-workspace', tarball]);
  writeFileSync(join(strict, 'module.ts'), PROGRAM);
  expect(run(strict, ['node', '--no-warnings', 'module.ts'])).toBe('completed completed\n');
  expect(run(strict, [...pnpm, 'exec', 'pawl', '--version'])).toMatch(/^\S*\d+\.\d+\.\d+/);
});
