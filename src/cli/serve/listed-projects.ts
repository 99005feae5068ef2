// Owns the projects that the settings of one list under `serve.projects`: where each is, and that it can be served beside the others.

import { resolve } from 'node:path';
import { EngineError } from '../../base/error.ts';
import { ParsedArgs } from '../command.ts';
import { assertSettingsTrusted } from '../forge/session.ts';
import { findPlace, type Place } from '../session.ts';
import type { Shell } from '../shell.ts';
import { repositoryOf } from './project-events.ts';

/** The folders that the settings of a project list, as absolute paths. */
export function listedRoots({ settings, project }: Place): string[] {
  return (settings.serve?.projects ?? []).map((path) => resolve(project.root, path));
}

/** The places of the projects that the settings of one list, without itself. */
export async function listedPlaces(shell: Shell, main: Place): Promise<Place[]> {
  const places: Place[] = [];
  for (const root of listedRoots(main)) {
    const place = await findListed(shell, root, [main, ...places]);
    await assertSettingsTrusted(shell, place);
    places.push(place);
  }
  return places;
}

/** The place of a listed project. Throws if there is none, or if it would act on the same runs or the same repository as another. */
export async function findListed(shell: Shell, root: string, others: readonly Place[]): Promise<Place> {
  const place = await findPlace(shell, new ParsedArgs(new Map(), new Map([['project', [root]]]), new Set(['json'])));
  if (resolve(place.project.root) !== root)
    throw new EngineError('CONFIG_INVALID', `"serve.projects" lists ${root}, which is not a project; it needs a folder .pawl`);
  for (const other of others) assertApart(other, place);
  return place;
}

function assertApart(one: Place, other: Place): void {
  const both = `"serve.projects": ${one.project.root} and ${other.project.root}`;
  if (one.file === other.file)
    throw new EngineError(
      'CONFIG_INVALID',
      `${both} have the same database, ${one.file}; give each its own, and name none with --db or PAWL_DB`,
    );
  const name = repositoryOf(one);
  if (name !== undefined && name === repositoryOf(other))
    throw new EngineError('CONFIG_INVALID', `${both} are for the same repository, ${name}; list it once`);
}
