// Owns the list of the server's parts, in the order in which they are mounted. The pages come last: they handle every other path.

import { ACCESS } from './access/part.ts';
import { API } from './api/api.ts';
import { EVENTS } from './events/events.ts';
import { PAGES } from './pages/pages.ts';
import { REPEATS_TABLES } from './repeats.ts';
import type { PartTables } from './server-database.ts';
import type { ServerPart } from './services.ts';
import { SURFACE } from './surface/part.ts';
import { PEOPLE } from './triggers/people.ts';

/** Every part. */
export const PARTS: readonly ServerPart[] = [ACCESS, API, EVENTS, PEOPLE, SURFACE, PAGES];

/** The tables of every part. */
export function tablesOf(parts: readonly ServerPart[]): readonly PartTables[] {
  return [REPEATS_TABLES, ...parts.flatMap(({ tables }) => tables ?? [])];
}
