// Owns the routes of event streams, and where each continues.

import { EngineError } from '../../base/error.ts';
import { handle, type ServerApp, type ServerContext } from '../route.ts';
import type { Services } from '../services.ts';
import { API_ROUTES } from './routes.ts';

/** Mounts the streams. */
export function mountEvents(app: ServerApp, { repeats, streams }: Services): void {
  const at = { app, repeats };
  handle(at, API_ROUTES.events, ({ c, caller, param, query }) => streams.ofRun(caller, param('id'), positionOf(c, query.after)));
  handle(at, API_ROUTES.allEvents, async ({ c, caller, query }) => streams.ofAll(caller, positionOf(c, query.after)));
}

/** Where a reader was: a browser names the last event it got when it connects again. */
function positionOf(c: ServerContext, named: number | undefined): number | undefined {
  const header = c.req.header('last-event-id');
  if (header === undefined || header === '') return named;
  const position = Number(header);
  if (Number.isSafeInteger(position) && position >= 0) return position;
  throw new EngineError('REQUEST_INVALID', `"Last-Event-ID" must be the id of an event of this stream, not "${header}"`);
}
