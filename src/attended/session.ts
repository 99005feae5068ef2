// Owns the runs that one connected agent works on: starting a run, finding the step to do now, finding the run that a
// token belongs to. It approves nothing, answers no question and cancels nothing: only people do.
//
// AT2. A session serves its own runs and those they started; any other run, and its tokens, are unknown to it.
// AT3. A start under a key is one run, however often and in whichever process it is repeated.

import type { Engine } from '../api/engine.ts';
import { EngineError, isEngineError } from '../base/error.ts';
import { present } from '../base/fields.ts';
import { deriveRunId } from '../base/id.ts';
import { canonicalJson, isJsonObject, type JsonObject } from '../base/json.ts';
import { readRunIds } from '../engine/run-tree.ts';
import { type AttendedRun, readAttendedRun, sourceOfEngine } from './attended-run.ts';
import { driveForAgent } from './drive.ts';
import { type Reply, type Submission, submit } from './submission.ts';

/** A workflow that may be started. */
export interface OfferedWorkflow {
  readonly name: string;
  readonly about?: string;
  readonly params: readonly string[];
}

/** A run to start. `id`: the id it must have, so that a repeated start finds it again. */
export interface StartRequest {
  readonly workflow: string;
  readonly params: JsonObject;
  readonly id?: string;
}

/** What a session needs from the program around it. */
export interface AttendedHost {
  /** An engine that can drive a run that exists. */
  open(run: string): Promise<Engine>;
  /** Starts an attended run of a trusted workflow; RUN_EXISTS when there is one with that id. */
  start(request: StartRequest): Promise<{ readonly engine: Engine; readonly run: string }>;
  /** The trusted workflows, and how many others there are. */
  offers(): Promise<{ readonly workflows: readonly OfferedWorkflow[]; readonly untrusted: number }>;
  /** Records that a run belongs to the agent, for later processes. */
  remember(run: string): void;
}

/** How long a call waits for a verdict, and then for the next step. Clients give up after a minute. */
const PATIENCE_MS = 25_000;

/** The runs of one connected agent. */
export class AttendedSession {
  private readonly host: AttendedHost;
  private readonly runs: Set<string>;
  private readonly limits: { readonly patienceMs: number };

  constructor(host: AttendedHost, { runs, patienceMs = PATIENCE_MS }: { readonly runs: readonly string[]; readonly patienceMs?: number }) {
    this.host = host;
    this.runs = new Set(runs);
    this.limits = { patienceMs };
  }

  /** Starts a run, or finds the one that was started under the same key. */
  async start(workflow: string, params: JsonObject, key?: string): Promise<AttendedRun> {
    const id = key === undefined ? undefined : deriveRunId(`mcp/${workflow}`, key);
    const { engine, run } = await this.host.start({ workflow, params, ...present({ id }) }).catch((error: unknown) => {
      if (id === undefined || !hasCode(error, ['RUN_EXISTS'])) throw error;
      return this.startedBefore(id, params);
    });
    this.runs.add(run);
    this.host.remember(run);
    return driveForAgent(engine, run, this.limits);
  }

  private async startedBefore(run: string, params: JsonObject): Promise<{ readonly engine: Engine; readonly run: string }> {
    const engine = await this.host.open(run);
    const before = (await engine.run(run).get()).params;
    if (!isJsonObject(before) || !includes(before, params))
      throw new EngineError('RUN_EXISTS', `this key was used for run ${run} with other parameters; use another key`);
    return { engine, run };
  }

  /** Drives the runs on and returns what the agent does in each. Without a prefix these are the runs that have not ended. */
  async next(prefix?: string): Promise<readonly AttendedRun[]> {
    const runs = await Promise.all(this.served(prefix).map(async (run) => driveForAgent(await this.host.open(run), run, this.limits)));
    if (prefix !== undefined) return runs;
    const open = runs.filter(({ kind }) => kind !== 'ended');
    return open.length > 0 ? open : runs.slice(0, 1);
  }

  /** Returns the runs as they are, without driving anything. */
  async status(prefix?: string): Promise<readonly AttendedRun[]> {
    return Promise.all(this.served(prefix).map(async (run) => readAttendedRun(sourceOfEngine(await this.host.open(run)), run)));
  }

  /** What can be started here. */
  offers(): ReturnType<AttendedHost['offers']> {
    return this.host.offers();
  }

  /** Gives a submission to the run that its token belongs to: the first of those served that knows it. */
  async submit(submission: Submission): Promise<Reply> {
    for (const root of this.served()) {
      const engine = await this.host.open(root);
      for (const run of await readRunIds(engine.store, root)) {
        try {
          return await submit(engine, { ...this.limits, run, root, submission });
        } catch (error) {
          // A run that has no such token, or that ended, is not the one that is meant.
          if (!hasCode(error, ['TOKEN_UNKNOWN', 'RUN_FINAL'])) throw error;
        }
      }
    }
    throw new EngineError('TOKEN_UNKNOWN', 'this token belongs to no run of this session; ask for the next step to get its token');
  }

  private served(prefix?: string): readonly string[] {
    // The newest first: that is the one an agent works on.
    const all = [...this.runs].reverse();
    if (prefix === undefined) return all;
    const found = all.filter((run) => run.startsWith(prefix.toLowerCase()));
    if (prefix === '' || found.length === 0)
      throw new EngineError('RUN_NOT_FOUND', `this session has no run "${prefix}"; ask for the status to see its runs`, {
        details: { run: prefix },
      });
    return found;
  }
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return isEngineError(error) && codes.includes(error.code);
}

/** Whether a run was started with these parameters; those that were left out got their defaults there. */
function includes(had: JsonObject, given: JsonObject): boolean {
  return Object.entries(given).every(([name, value]) => had[name] !== undefined && canonicalJson(value) === canonicalJson(had[name]));
}
