// Owns the public discovery function, which knows the built-in step kinds.

import { type Discovery, discoverWorkflows as discover } from '../authoring/discover/discover.ts';
import { REGISTRY } from '../kinds/registry.ts';

/** Finds the workflows in folders by parsing their files. None of their code is run. */
export function discoverWorkflows(...folders: readonly string[]): Promise<Discovery> {
  return discover(folders, REGISTRY);
}
