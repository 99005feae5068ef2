// Owns the version of each module that a process has loaded. Node loads a module once per process, so a module that changes
// later is rejected: the process would continue with the old code.

import { EngineError } from '../base/error.ts';
import { readGraph } from './trust/trust-list.ts';

/** The modules that a long-running process has loaded. */
export class LoadedModules {
  private readonly digests = new Map<string, string>();
  private readonly restart: string;

  /** `restart` tells the user how to start the process again. */
  constructor(restart: string) {
    this.restart = restart;
  }

  /** Throws if a module changed after this process loaded it. */
  async assertFresh(file: string): Promise<void> {
    // A .yaml file is not a module, and a shipped skill (.cjs) is part of this program.
    if (!/\.(?:ya?ml|cjs)$/.test(file)) this.assertSame(file, (await readGraph(file)).digest);
  }

  /** Records the digest of a module that is about to be loaded; throws if another version was loaded before. */
  assertSame(file: string, digest: string): void {
    const before = this.digests.get(file) ?? digest;
    this.digests.set(file, before);
    if (before !== digest)
      throw new EngineError('DEFINITION_CHANGED', `${file} changed after this server loaded it; ${this.restart}, then try again`);
  }
}
