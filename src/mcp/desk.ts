// Owns what an agent can do through the protocol: start a run, see the step that is open, report it, ask the person it
// works for, and look. It decides no gate, answers no question, and cancels nothing: those are for people.
//
// K1. A desk serves its own runs and what they started; any other run is unknown here, and so are its tokens.
// K2. A start under a key is one run, however often and in whichever process it is repeated.

import type { Engine } from '../api/engine.ts';
import { EngineError, isEngineError } from '../base/error.ts';
import { deriveRunId } from '../base/id.ts';
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { ReportVerdict, WorkReport } from '../engine/reports.ts';
import { isFinal } from '../kernel/run-state.ts';
import { runsOf } from './live-runs.ts';
import { isBefore, untilRest } from './rest.ts';
import { readStanding, type Standing } from './standing.ts';

/** A workflow that may be started here. */
export interface OfferedWorkflow {
  readonly name: string;
  readonly about?: string;
  readonly params: readonly string[];
}

/** A run that is to be started. `id`: under which id, where a repeated start must find it again. */
export interface StartRequest {
  readonly workflow: string;
  readonly params: JsonObject;
  readonly id?: string;
}

/** What a desk needs of the program around it. */
export interface DeskHost {
  /** An engine that can drive a run that exists. */
  open(run: string): Promise<Engine>;
  /** Starts an attended run of a trusted workflow; RUN_EXISTS when there is one of that id. */
  start(request: StartRequest): Promise<{ readonly engine: Engine; readonly run: string }>;
  /** The trusted workflows, and how many there are that are not. */
  offers(): Promise<{ readonly workflows: readonly OfferedWorkflow[]; readonly untrusted: number }>;
  /** Keeps which runs are served here, for whoever comes after this process. */
  keep(run: string): void;
}

/** How a report was taken; `pending` when its verification takes longer than a caller should wait. */
export type Taken = ReportVerdict | 'pending';

/** How long a call waits for a verdict, and then for what comes next. Clients give up after a minute. */
const PATIENCE_MS = 25_000;

/** The runs of one server. */
export class Desk {
  private readonly host: DeskHost;
  private readonly runs: Set<string>;
  private readonly patienceMs: number;

  constructor(host: DeskHost, { runs, patienceMs = PATIENCE_MS }: { readonly runs: readonly string[]; readonly patienceMs?: number }) {
    this.host = host;
    this.runs = new Set(runs);
    this.patienceMs = patienceMs;
  }

  /** Starts a run, or finds the one that was started under the same key. */
  async start(workflow: string, params: JsonObject, key?: string): Promise<Standing> {
    const id = key === undefined ? undefined : deriveRunId(`mcp/${workflow}`, key);
    try {
      const { engine, run } = await this.host.start({ workflow, params, ...(id === undefined ? {} : { id }) });
      this.take(run);
      return await untilRest(engine, run, this.patienceMs);
    } catch (error) {
      if (id === undefined || !isEngineError(error) || error.code !== 'RUN_EXISTS') throw error;
      return this.startedBefore(id, params);
    }
  }

  private async startedBefore(run: string, params: JsonObject): Promise<Standing> {
    const engine = await this.host.open(run);
    const before = (await engine.run(run).get()).params;
    if (!isJsonObject(before) || !isWithin(params, before))
      throw new EngineError('RUN_EXISTS', `this key was used for run ${run} with other parameters; take another key`);
    this.take(run);
    return untilRest(engine, run, this.patienceMs);
  }

  private take(run: string): void {
    this.runs.add(run);
    this.host.keep(run);
  }

  /** How the runs stand, when all that goes on by itself has gone on. Without a name it is those that have not ended. */
  async next(prefix?: string): Promise<readonly Standing[]> {
    const resting = this.served(prefix).map(async (run) => untilRest(await this.host.open(run), run, this.patienceMs));
    const standings = await Promise.all(resting);
    if (prefix !== undefined) return standings;
    const open = standings.filter(({ status }) => !isFinal(status));
    return open.length > 0 ? open : standings.slice(0, 1);
  }

  /** How the runs stand, without driving anything. */
  async status(prefix?: string): Promise<readonly Standing[]> {
    return Promise.all(this.served(prefix).map(async (run) => readStanding(await this.host.open(run), run)));
  }

  /** What can be started here. */
  offers(): ReturnType<DeskHost['offers']> {
    return this.host.offers();
  }

  /** Takes the report of a worker, and gives how its run stands then. */
  report(report: WorkReport): Promise<{ readonly taken: Taken; readonly standing: Standing }> {
    return this.byToken(async (engine, { run, root }) => {
      const verdict = engine.run(run).report(report);
      const taken = (await isBefore(verdict, this.patienceMs)) ? await verdict : 'pending';
      // Repeated or not, what comes next is what the worker needs.
      return { taken, standing: taken === 'pending' ? await readStanding(engine, root) : await untilRest(engine, root, this.patienceMs) };
    });
  }

  /** Relays questions of a worker to the person it works for. */
  ask(token: string, questions: Json): Promise<Standing> {
    return this.byToken(async (engine, { run, root }) => {
      await engine.run(run).ask({ token, questions });
      return untilRest(engine, root, this.patienceMs);
    });
  }

  /** Does something with the run that a token belongs to: the first of the served ones that knows it. */
  private async byToken<T>(use: (engine: Engine, at: { readonly run: string; readonly root: string }) => Promise<T>): Promise<T> {
    for (const root of this.served()) {
      const engine = await this.host.open(root);
      for (const run of await runsOf(engine.store, root)) {
        try {
          return await use(engine, { run, root });
        } catch (error) {
          if (!isEngineError(error) || !STRANGE.has(error.code)) throw error;
        }
      }
    }
    throw new EngineError(
      'TOKEN_UNKNOWN',
      'this is no token of a run that is served here; "pawl_next" gives the step that is open and its token',
    );
  }

  private served(prefix?: string): readonly string[] {
    // The newest first: that is the one an agent is at.
    const all = [...this.runs].reverse();
    if (prefix === undefined) return all;
    const found = all.filter((run) => run.startsWith(prefix.toLowerCase()));
    if (prefix === '' || found.length === 0)
      throw new EngineError('RUN_NOT_FOUND', `no run "${prefix}" is served here; "pawl_status" shows those that are`, {
        details: { run: prefix },
      });
    return found;
  }
}

/** A run that ended, or that has no such token, is not the one that is meant. */
const STRANGE: ReadonlySet<string> = new Set(['TOKEN_UNKNOWN', 'RUN_FINAL']);

/** Whether what was given is among what a run has: parameters that were left out got their defaults there. */
function isWithin(given: JsonObject, had: JsonObject): boolean {
  return Object.entries(given).every(([name, value]) => had[name] !== undefined && canonicalJson(value) === canonicalJson(had[name]));
}
