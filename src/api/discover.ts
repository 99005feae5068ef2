// Owns the public face of discovery: it knows the built-in kinds of steps.

import { readFile } from 'node:fs/promises';
import { type Discovery, discoverWorkflows as discover, YAML_FILE } from '../authoring/discover/discover.ts';
import { isOutline, readOutline } from '../authoring/discover/outline.ts';
import { REGISTRY } from '../kinds/registry.ts';

/**
 * Finds the workflows in folders by parsing their files; none of their code is run. A module is found by its name and its
 * syntax; what is wrong with its steps only `checkWorkflows` finds.
 */
export function discoverWorkflows(...folders: readonly string[]): Promise<Discovery> {
  return discover(folders, REGISTRY);
}

/**
 * Finds the workflows in folders and everything that is wrong with them. Each module is loaded in a process of its own,
 * which runs its code, so the folders must be trusted.
 */
export async function checkWorkflows(...folders: readonly string[]): Promise<Discovery> {
  const { checkModule } = await import('./module/check.ts');
  const found = await discover(folders, REGISTRY);
  const checked = await Promise.all(
    found.workflows.map(async (workflow) => {
      const read = YAML_FILE.test(workflow.file) ? [] : await readOutline(workflow.file, await readFile(workflow.file, 'utf8'));
      return { workflow, errors: [], ...(isOutline(read) ? await checkModule(read) : {}) };
    }),
  );
  const problems = checked.flatMap(({ workflow: { file }, errors }) => errors.map((error) => ({ ...error, file })));
  return {
    workflows: checked.filter(({ errors }) => errors.length === 0).map(({ workflow }) => workflow),
    problems: [...found.problems, ...problems],
  };
}
