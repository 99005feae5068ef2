// Owns which content of a module a process loaded. A process loads a module once: what changed since is refused, since the process
// would continue with the old code.

import { EngineError } from '../base/error.ts';
import { readGraph } from './trust/trust.ts';

/** The modules that a process which lives long has loaded. */
export class LoadedModules {
  private readonly digests = new Map<string, string>();
  private readonly restart: string;

  /** `restart` says how to start the process again. */
  constructor(restart: string) {
    this.restart = restart;
  }

  /** Throws if a module changed after this process loaded it. */
  async assertFresh(file: string): Promise<void> {
    // A shipped skill is part of this program.
    if (/\.ya?ml$/.test(file) || file.endsWith('.cjs')) return;
    const { digest } = await readGraph(file);
    const before = this.digests.get(file) ?? digest;
    this.digests.set(file, before);
    if (before !== digest)
      throw new EngineError('DEFINITION_CHANGED', `${file} changed after this server loaded it; ${this.restart}, then try again`);
  }
}
