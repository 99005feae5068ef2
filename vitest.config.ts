import { defineConfig } from 'vitest/config';

// Two kinds of tests: `unit`, beside the code and quick, and `whole`, which drives real processes, disks and whole runs.
// `vitest run test/crash` or `vitest run src/kernel` runs one folder.
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts'], testTimeout: 10_000 } },
      {
        test: {
          name: 'whole',
          include: ['test/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          globalSetup: 'test/cli/bundle.ts',
        },
      },
    ],
  },
});
