// Owns servers for the tests of automatic activity: a real database, a clock that tests turn, and callers by a header.

import { join } from 'node:path';
import { createEngine, type Engine } from '../../src/api/engine.ts';
import type { AnyWorkflow, EngineOptions } from '../../src/api/engine-options.ts';
import { LOGIN_SCOPES } from '../../src/authority/rights.ts';
import { createVirtualClock, type VirtualClock } from '../../src/proof/virtual-clock.ts';
import { type OpenServer, openServer } from '../../src/server/app-server.ts';
import type { Caller } from '../../src/server/caller.ts';
import type { EventSettings } from '../../src/server/events/event-settings.ts';
import { tempFolder } from '../temp-folder.ts';

/** A server and its engine. */
export interface Opened {
  readonly engine: Engine;
  readonly server: OpenServer;
  /** Asks as ann, who may do everything. */
  ask(method: 'GET' | 'POST', path: string, body?: unknown): Promise<{ status: number; body: never }>;
  close(): Promise<void>;
}

/** Servers on one database. */
export class EventRig {
  readonly folder = tempFolder();
  readonly db = join(this.folder, 'runs.db');
  readonly clock: VirtualClock = createVirtualClock();
  readonly warnings: string[] = [];
  private readonly opened: Opened[] = [];

  async open({
    workflows,
    events = {},
    engine: own = {},
    ...options
  }: {
    readonly workflows: readonly AnyWorkflow[];
    readonly events?: EventSettings;
    readonly publicUrl?: string;
    readonly engine?: Partial<EngineOptions>;
  }): Promise<Opened> {
    const warn = (error: unknown): void => void this.warnings.push(error instanceof Error ? error.message : String(error));
    const engine = await createEngine({ db: this.db, workflows, clock: this.clock, warn, ...own });
    const server = openServer(engine, {
      ...options,
      ...{ workflows, warn, db: this.db, now: () => this.clock.now() },
      events: { clock: this.clock, ...events },
      identify: ({ headers }): Caller | undefined =>
        headers.get('as') === null ? undefined : { kind: 'person', name: 'ann', groups: [], scopes: new Set(LOGIN_SCOPES), via: 'token' },
    });
    const one: Opened = {
      engine,
      server,
      ask: async (method, path, body) => {
        const headers = { as: 'ann', 'content-type': 'application/json' };
        const init = method === 'GET' ? { headers } : { method, headers, body: JSON.stringify(body ?? {}) };
        const response = await server.fetch(new Request(`http://127.0.0.1${path}`, init));
        const text = await response.text();
        return { status: response.status, body: (text.startsWith('{') ? JSON.parse(text) : text) as never };
      },
      close: async () => {
        await server.close();
        await engine.close();
      },
    };
    this.opened.push(one);
    return one;
  }

  async close(): Promise<void> {
    for (const one of this.opened) await one.close();
  }
}
