// Owns the public face of discovery. The parser behind it is large, so it is loaded only by those who look for
// workflows.

import type { Discovery } from '../authoring/discover.ts';
import { REGISTRY } from '../kinds/registry.ts';

/** Finds the workflows in folders by parsing their files; none of their code is run. */
export async function discoverWorkflows(...folders: readonly string[]): Promise<Discovery> {
  const { discoverWorkflows: discover } = await import('../authoring/discover.ts');
  return discover(folders, REGISTRY);
}
