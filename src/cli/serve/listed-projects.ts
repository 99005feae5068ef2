// Owns the projects under `serve.projects` in the settings of a project: it finds each, and checks that they can be served
// by one process.

import { resolve } from 'node:path';
import { EngineError } from '../../base/error.ts';
import { ParsedArgs } from '../command.ts';
import { assertSettingsTrusted } from '../forge/session.ts';
import { findPlace, type Place } from '../session.ts';
import type { Shell } from '../shell.ts';
import { repositoryOf } from './project-events.ts';

/** The folders of the listed projects, as absolute paths. */
export function listedRoots({ settings, project }: Place): string[] {
  return (settings.serve?.projects ?? []).map((path) => resolve(project.root, path));
}

/** The places of the listed projects, without the one that lists them. */
export async function listedPlaces(shell: Shell, main: Place): Promise<Place[]> {
  const places: Place[] = [];
  for (const root of listedRoots(main)) {
    const place = await findListedProject(shell, root, [main, ...places]);
    await assertSettingsTrusted(shell, place);
    places.push(place);
  }
  return places;
}

/** The place of a listed project. Throws if there is none, or if it has the database or the repository of another project. */
export async function findListedProject(shell: Shell, root: string, others: readonly Place[]): Promise<Place> {
  const place = await findPlace(shell, new ParsedArgs(new Map(), new Map([['project', [root]]]), new Set(['json'])));
  if (resolve(place.project.root) !== root)
    throw new EngineError('CONFIG_INVALID', `"serve.projects" lists ${root}, which is not a project; it needs a folder .pawl`);
  for (const other of others) assertSeparate(other, place);
  return place;
}

function assertSeparate(one: Place, other: Place): void {
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
