import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Three kinds of tests: `unit`, beside the code and quick; `whole`, which drives real processes, disks and whole runs; and
// `proof`, which takes minutes and is no part of `npm test`. `vitest run test/crash` or `vitest run src/kernel` runs one
// folder.
//
// A worker runs one file after the other with the modules it has loaded (`isolate: false`): loading them for each of 330 files
// takes as long as a third of the tests. A test therefore leaves nothing behind in its process.
// There are more workers than processors, since tests wait for processes, disks and time; by default there would be one less.
const maxWorkers = Math.ceil(availableParallelism() * 1.5);
// A machine that is busy with other things must fail no test: limits only catch what hangs.
const shared = { isolate: false, testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 30_000 } } };
const whole = { ...shared, globalSetup: 'test/cli/bundle.ts' };

/** Files that take longest come first, so that no worker is left alone with one at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => (LONG.test(moduleId) ? 0 : 1);
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

const LONG =
  /\/(kills|crash\/crash|feature-development|forge-seeds|local-forge|w1|one-tree|placement|acp|tutorial|cli\/guides|claude-plugin)\.test\.ts$/;

export default defineConfig({
  test: {
    maxWorkers,
    sequence: { sequencer: LongestFirst },
    // One project after the other: a worker goes on to the next file only within its project.
    projects: [
      {
        test: {
          ...whole,
          name: 'whole',
          include: ['test/**/*.test.ts'],
          exclude: ['test/proof/**'],
          sequence: { groupOrder: 0 },
        },
      },
      { test: { ...shared, name: 'unit', include: ['src/**/*.test.ts'], sequence: { groupOrder: 1 } } },
      { test: { ...whole, name: 'proof', include: ['test/proof/*.test.ts'], testTimeout: 900_000, sequence: { groupOrder: 2 } } },
    ],
  },
});
