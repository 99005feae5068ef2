// Owns the public face of discovery: it knows the built-in kinds of steps.

import { type Discovery, discoverWorkflows as discover } from '../authoring/discover/discover.ts';
import { REGISTRY } from '../kinds/registry.ts';

/** Finds the workflows in folders by parsing their files; none of their code is run. */
export function discoverWorkflows(...folders: readonly string[]): Promise<Discovery> {
  return discover(folders, REGISTRY);
}
