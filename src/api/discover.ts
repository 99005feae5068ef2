// Owns the public discovery function, which knows the built-in step kinds.

import { type Discovery, discoverWorkflows as discover } from '../authoring/discover/discover.ts';
import { REGISTRY } from '../kinds/registry.ts';
import { checkFolders } from './module/check.ts';

/**
 * Finds the workflows in folders by parsing their files; none of their code is run. A module is found by its name and its
 * syntax; only `checkWorkflows` finds faults of its steps.
 */
export function discoverWorkflows(...folders: readonly string[]): Promise<Discovery> {
  return discover(folders, REGISTRY);
}

/**
 * Finds the workflows in folders and their problems. Each module is loaded in a separate process,
 * which runs its code, so the folders must be trusted.
 */
export function checkWorkflows(...folders: readonly string[]): Promise<Discovery> {
  return checkFolders(folders, REGISTRY);
}
