// Owns the projects under `serve.projects` in the settings of a project: it finds each, and checks that they can be served
// by one process.

import { resolve } from 'node:path';
import { EngineError } from '../../base/error.ts';
import { internalArgs } from '../command.ts';
import { assertSettingsTrusted } from '../forge/session.ts';
import { findSetup, type Setup } from '../session.ts';
import type { Shell } from '../shell.ts';
import { repositoryOf } from './project-events.ts';

/** The folders of the listed projects, as absolute paths. */
export function listedRoots({ settings, project }: Setup): string[] {
  return (settings.serve?.projects ?? []).map((path) => resolve(project.root, path));
}

/** The setups of the listed projects, without the one that lists them. */
export async function listedSetups(shell: Shell, main: Setup): Promise<Setup[]> {
  const setups: Setup[] = [];
  for (const root of listedRoots(main)) {
    const setup = await findListedProject(shell, root, [main, ...setups]);
    await assertSettingsTrusted(shell, setup);
    setups.push(setup);
  }
  return setups;
}

/** The setup of a listed project. Throws if there is none, or if it has the database or the repository of another project. */
export async function findListedProject(shell: Shell, root: string, others: readonly Setup[]): Promise<Setup> {
  const setup = await findSetup(shell, internalArgs({ project: [root] }));
  if (resolve(setup.project.root) !== root)
    throw new EngineError('CONFIG_INVALID', `"serve.projects" lists ${root}, which is not a project; it needs a folder .pawl`);
  for (const other of others) assertSeparate(other, setup);
  return setup;
}

function assertSeparate(one: Setup, other: Setup): void {
  const both = `"serve.projects": ${one.project.root} and ${other.project.root}`;
  if (one.file === other.file)
    throw new EngineError(
      'CONFIG_INVALID',
      `${both} have the same database, ${one.file}; give each its own, and do not use --db or PAWL_DB`,
    );
  const name = repositoryOf(one);
  if (name !== undefined && name === repositoryOf(other))
    throw new EngineError('CONFIG_INVALID', `${both} are for the same repository, ${name}; list it once`);
}
