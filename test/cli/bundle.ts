// Bundles the command line once for all tests of a run, into a folder of its own with the launcher, so that tests drive
// what is built and a build that goes on elsewhere does not disturb them.

import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundle, root } from '../../scripts/bundle.js';
import { CATALOGUE } from '../../scripts/shipped-skills.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the bundle. */
    bundle: string;
  }
}

/** Makes the bundle; what it gives removes it again. */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = join(root, 'node_modules', '.cache', `pawl-bundle-${process.pid}`);
  await bundle(join(folder, 'dist'), [CATALOGUE, 'test/cli/shipped']);
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  project.provide('bundle', join(folder, 'dist'));
  return () => rmSync(folder, { recursive: true, force: true });
}
