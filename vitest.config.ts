import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestModule, type TestSpecification } from 'vitest/node';

// Three kinds of tests: `unit`, beside the code and quick; `whole`, which drives real processes, disks and whole runs; and
// `proof`, which takes minutes and is no part of `npm test`. `vitest run test/crash` or `vitest run src/kernel` runs one
// folder.
//
// A worker runs one file after the other with the modules it has loaded (`isolate: false`): loading them for each of 330 files
// takes as long as a third of the tests. A test therefore leaves nothing behind in its process. Starting a program takes longer
// in a process with much memory outside of V8's heap (that of compilers, for example), so files that need it run last.
// There are more workers than processors, since tests wait for processes, disks and time; by default there would be one less.
const maxWorkers = availableParallelism() * 2;
// Node runs the sources as they are, so nothing has to be transformed first, and keeps what it compiled for the next
// process: the workers, and those that tests start.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'pawl-compiled');
const experimental = { viteModuleRunner: false, nodeLoader: false };
// A machine that is busy with other things must fail no test: limits only catch what hangs.
const limits = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 30_000 } } };

const shared = { isolate: false, experimental, setupFiles: ['test/property-seed.ts'], ...limits };
const whole = { ...shared, globalSetup: 'test/cli/bundle.ts' };

/** Files that take longest come first, so that no worker is left alone with one at the end; those that need much memory come last. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => (LONG.test(moduleId) ? 0 : LARGE.test(moduleId) ? 2 : 1);
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

const CACHE = join(import.meta.dirname, 'node_modules', '.cache');

/** Lists the files with a failed test, one a line, in `node_modules/.cache/pawl-failed-tests`: `.ci/run` runs them again, alone. */
const failedFiles: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const failed = modules.filter((module) => !module.ok()).map(({ moduleId }) => relative(import.meta.dirname, moduleId));
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(join(CACHE, 'pawl-failed-tests'), failed.map((file) => `${file}\n`).join(''));
  },
};

/** Files that are part of `npm run proof` because of the time they take: half a minute to a minute, most of it git and processes. */
const SLOW_SUITES = [
  'src/forge/local/local-forge.test.ts',
  'test/browser/control.test.ts',
  'test/browser/reading.test.ts',
  'test/cli/guides.test.ts',
  'test/cli/recipes.test.ts',
  'test/engine/isolation.test.ts',
  'test/engine/one-tree.test.ts',
  'test/engine/undo-kills.test.ts',
  'test/github/github-forge.test.ts',
  'test/github/faults.test.ts',
  'test/github/run-faults.test.ts',
  'test/seeds/examples.test.ts',
];
const LONG =
  /\/(kills|crash\/crash|crash\/attended|feature-development|forge-seeds|local-forge|w1|one-tree|placement|acp|workers|authority|demo|cli\/guides|cli\/validate|claude-plugin|browser\/(?!files)\w+|isolation|planted-files|database-kills|hostile-editing|run-faults|undo-kills|pull-requests|cli\/owner|recipes|cli\/identity|mcp-hook|trusted-code)\.test\.ts$/;
const LARGE = /\/(browser\/files|compile\/programs|tidy|expression-fuzz|template-fuzz|width|large-runs|api\/workflow)\.test\.ts$/;

export default defineConfig({
  test: {
    maxWorkers,
    reporters: ['default', failedFiles],
    sequence: { sequencer: LongestFirst },
    // One project after the other: a worker goes on to the next file only within its project.
    projects: [
      {
        test: {
          ...whole,
          name: 'whole',
          include: ['test/**/*.test.ts'],
          exclude: ['test/proof/**', ...SLOW_SUITES],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['src/**/*.test.ts', 'dashboard/src/**/*.test.ts', 'examples/*/*.test.ts'],
          exclude: SLOW_SUITES,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...whole,
          name: 'proof',
          include: ['test/proof/*.test.ts', ...SLOW_SUITES],
          testTimeout: 1_800_000,
          hookTimeout: 1_800_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
