// Owns the runs of one connected agent: starting a run, adopting one after a lost context, finding the next step, and
// finding the run of a token. It approves and cancels nothing: only people do.
//
// AT2. A session serves the runs that it started or adopted, and their child runs; any other run, and its tokens, are
//      unknown to it. It adopts an open attended run of its project: the one it names, or, if it names none and has none,
//      the only one that no other live session works on. A session that was given its runs adopts no others.
// AT3. A start with a key is one run, however often and in whichever process it is repeated.

import type { Engine } from '../api/engine.ts';
import { EngineError, isEngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { deriveRunId } from '../base/id.ts';
import { canonicalJson, isJsonObject, type JsonObject } from '../base/json.ts';
import { topStepOf } from '../definition/address.ts';
import type { ArgModel } from '../definition/model.ts';
import { readRunIds } from '../engine/run-tree.ts';
import { activityOf, type RunningStep } from './activity.ts';
import { type AttendedRun, type OpenWork, readAttendedRun, sourceOfEngine } from './attended-run.ts';
import { type DriveLimits, driveForAgent, POLL_MS } from './drive.ts';
import { openRunNamed, type ProjectRun, selectRun } from './open-runs.ts';
import { type Answer, readQuestions, type WaitingQuestions } from './questions.ts';
import { firstWith, onlyToken, type Reply, type Submission, submit } from './submission.ts';

/** A workflow that may be started. */
export interface OfferedWorkflow {
  readonly name: string;
  readonly about?: string;
  readonly params: Readonly<Record<string, ArgModel>>;
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
  /** Starts an attended run of a trusted workflow. Throws RUN_EXISTS if there is one with that id. */
  start(request: StartRequest): Promise<{ readonly engine: Engine; readonly run: string }>;
  /** The trusted workflows, and how many others there are. */
  offers(): Promise<{ readonly workflows: readonly OfferedWorkflow[]; readonly untrusted: number }>;
  /** Records that a run belongs to the agent, for later processes; `served`: it works on the run, but did not start it. */
  remember(run: string, how: 'started' | 'served'): void;
  /** The open attended runs of the project, newest first. */
  openRuns(): Promise<readonly ProjectRun[]>;
  /** Records that the agent continues a run that another session had. */
  assign(run: string): void;
  /** The last output line of a running step, if known. */
  lastLine?(step: RunningStep): string | undefined;
}

/** How long a call waits for a verdict, and then for the next step. Clients give up after a minute. */
const WAIT_MS = 25_000;

/** Which runs a session serves, and how long its calls wait. */
interface SessionOptions {
  readonly runs: readonly string[];
  readonly waitMs?: number;
  /** False for a session that serves only the runs it was given. */
  readonly mayAdopt?: boolean;
}

/** Which step an agent asks for. */
interface NextRequest {
  readonly run?: string | undefined;
  /** The step with this token, and no other. */
  readonly token?: string | undefined;
  /** The open steps with this id, and of a fan-out the item with this key. */
  readonly step?: string | undefined;
  readonly item?: string | undefined;
}

/** The runs that an agent works on, and the open ones of the project that it could adopt. */
export interface SessionRuns {
  readonly runs: readonly AttendedRun[];
  readonly others: readonly ProjectRun[];
}

/** The runs of one connected agent. */
export class AttendedSession {
  private readonly host: AttendedHost;
  private readonly runs: Set<string>;
  private readonly waitMs: number;
  private readonly mayAdopt: boolean;

  constructor(host: AttendedHost, { runs, waitMs = WAIT_MS, mayAdopt = true }: SessionOptions) {
    this.host = host;
    this.runs = new Set(runs);
    this.waitMs = waitMs;
    this.mayAdopt = mayAdopt;
  }

  private withWait(limits: DriveLimits): DriveLimits & { readonly waitMs: number } {
    return { ...limits, waitMs: limits.waitMs ?? this.waitMs };
  }

  /** Starts a run, or finds the one that was started with the same key. */
  async start({ workflow, params, key }: KeyedStart, limits: DriveLimits = {}): Promise<AttendedRun> {
    const id = key === undefined ? undefined : deriveRunId(`mcp/${workflow}`, key);
    let how: 'started' | 'served' = 'started';
    const { engine, run } = await this.host.start({ workflow, params, ...omitUndefined({ id }) }).catch((error: unknown) => {
      if (id === undefined || !hasCode(error, ['RUN_EXISTS'])) throw error;
      // A session that knows the key of a run may not be the one that started it.
      how = 'served';
      return this.earlierStart(id, params);
    });
    this.runs.add(run);
    this.host.remember(run, how);
    return driveForAgent(engine, run, this.withWait(limits));
  }

  private async earlierStart(run: string, params: JsonObject): Promise<{ readonly engine: Engine; readonly run: string }> {
    const engine = await this.host.open(run);
    const before = (await engine.run(run).get()).params;
    if (!isJsonObject(before) || !hasParams(before, params))
      throw new EngineError('RUN_EXISTS', `this key was used for run ${run} with other parameters; use another key`);
    return { engine, run };
  }

  /**
   * Drives runs and returns what the agent should do in each. Without a named run these are its open ones; if it has none,
   * it adopts one of the project.
   */
  async next(request: NextRequest = {}, limits: DriveLimits = {}): Promise<SessionRuns> {
    const { run, token, step, item } = request;
    // A worker with a token belongs to a run that is already served, or that it names.
    if (token === undefined || run !== undefined) await this.adoptFor(run);
    if (token !== undefined) return { runs: [onlyToken(await this.read(this.served(run)), token).run], others: [] };
    const driven = await this.drive(this.served(run), limits);
    if (step !== undefined || item !== undefined) return { runs: [selectWork(driven, { step, item })], others: [] };
    if (run !== undefined) return { runs: driven, others: [] };
    const open = driven.filter(({ kind }) => kind !== 'ended');
    return open.length > 0 ? { runs: open, others: [] } : { runs: driven.slice(0, 1), others: await this.others() };
  }

  /** Drives runs until none can continue by itself or, if several are running, until a step is open in one of them. */
  private async drive(runs: readonly string[], limits: DriveLimits): Promise<readonly AttendedRun[]> {
    const all = (each: DriveLimits): Promise<readonly AttendedRun[]> =>
      Promise.all(runs.map(async (run) => driveForAgent(await this.host.open(run), run, this.withWait(each))));
    const { idleMs, ...short } = limits;
    if (runs.length < 2 || idleMs === undefined) return all(limits);
    const end = Date.now() + idleMs;
    let driven = await all(short);
    while (driven.some(isInProgress) && !driven.some(({ kind }) => kind === 'work') && Date.now() < end && limits.signal?.aborted !== true)
      driven = await all({ ...short, waitMs: POLL_MS });
    return driven;
  }

  /** Adopts the named run or, for an agent without an open run, the one that `selectRun` finds. */
  private async adoptFor(prefix: string | undefined): Promise<void> {
    if (!this.mayAdopt || (prefix === undefined ? await this.hasOpenRun() : this.matching(prefix).length > 0)) return;
    const others = await this.others();
    const adopted = prefix === undefined ? selectRun(others) : openRunNamed(others, prefix);
    if (adopted === undefined) return;
    this.runs.add(adopted.run.id);
    this.host.assign(adopted.run.id);
  }

  private async hasOpenRun(): Promise<boolean> {
    return (await this.read(this.served())).some(({ kind }) => kind !== 'ended');
  }

  /** The open attended runs of the project that this session does not serve. */
  private async others(): Promise<readonly ProjectRun[]> {
    return this.mayAdopt ? (await this.host.openRuns()).filter(({ run }) => !this.runs.has(run.id)) : [];
  }

  /** Returns the current runs, without driving or adopting anything. */
  async status(prefix?: string): Promise<SessionRuns> {
    const others = await this.others();
    if (prefix === undefined) return { runs: await this.read(this.served()), others };
    if (this.matching(prefix).length > 0 || !this.mayAdopt) return { runs: await this.read(this.served(prefix)), others: [] };
    return { runs: [], others: [openRunNamed(others, prefix)] };
  }

  private async read(runs: readonly string[]): Promise<readonly AttendedRun[]> {
    return Promise.all(runs.map(async (run) => readAttendedRun(sourceOfEngine(await this.host.open(run)), run)));
  }

  /** The workflows that this session may start; none if it serves only the runs it was given. */
  async offers(): ReturnType<AttendedHost['offers']> {
    return this.mayAdopt ? this.host.offers() : { workflows: [], untrusted: 0 };
  }

  /** Passes a submission to the run of its token: the first served run that knows it. */
  async submit(submission: Submission, { only = false, ...limits }: DriveLimits & { readonly only?: boolean } = {}): Promise<Reply> {
    for (const root of this.served()) {
      const engine = await this.host.open(root);
      for (const run of await readRunIds(engine.store, root)) {
        try {
          return await submit(engine, { ...this.withWait(limits), run, root, submission, only });
        } catch (error) {
          // The token is not of this run, or the run has ended: try the next one.
          if (!hasCode(error, ['TOKEN_UNKNOWN', 'RUN_FINAL'])) throw error;
        }
      }
    }
    throw new EngineError(
      'TOKEN_UNKNOWN',
      'this token belongs to no run of this session; ask for the next step, with the id of the run if another session worked on it',
    );
  }

  /** The runs that this session may read: its own, their child runs, and the open ones of the project. */
  async visibleRuns(): Promise<readonly string[]> {
    const own = this.served().map(async (run) => readRunIds((await this.host.open(run)).store, run));
    return [...(await Promise.all(own)).flat(), ...(await this.others()).map(({ run }) => run.id)];
  }

  /** The workflows that this session may read: those that it may start, and those of its runs. */
  async visibleWorkflows(): Promise<readonly string[]> {
    const own = (await this.read(this.served())).map(({ workflow }) => workflow);
    return [...own, ...(await this.offers()).workflows.map(({ name }) => name)];
  }

  /** The activity of the engine in the runs of this session: one line for each run in progress. */
  async activity(now: number): Promise<readonly string[]> {
    const lastLine = this.host.lastLine?.bind(this.host);
    const lines = this.served().map(async (run) => {
      const engine = await this.host.open(run);
      const isActive = isInProgress(await readAttendedRun(sourceOfEngine(engine), run));
      return isActive ? [await activityOf(engine.store, run, { now, ...omitUndefined({ lastLine }) })] : [];
    });
    return (await Promise.all(lines)).flat();
  }

  /** The questions of agents that wait for a person in the runs of this session, oldest first. */
  async questions(): Promise<readonly WaitingQuestions[]> {
    const asked = this.served().map(async (run) => readQuestions((await this.host.open(run)).store, run));
    return (await Promise.all(asked)).flat().sort((a, b) => a.since - b.since);
  }

  /** Records a person's answers to questions of an agent. The caller must have verified that a person gave them. */
  async answer(asked: WaitingQuestions, answers: readonly Answer[], actor: string): Promise<void> {
    for (const root of this.served()) {
      const engine = await this.host.open(root);
      if (!(await readRunIds(engine.store, root)).includes(asked.run)) continue;
      await engine.run(asked.run).answer({ answers, actor, step: asked.path });
      return;
    }
  }

  private served(prefix?: string): readonly string[] {
    const matches = this.matching(prefix);
    if (prefix !== undefined && matches.length === 0)
      throw new EngineError('RUN_NOT_FOUND', `this session has no run "${prefix}"; ask for the status to see its runs`, {
        details: { run: prefix },
      });
    return matches;
  }

  private matching(prefix: string | undefined): readonly string[] {
    // The newest first: that is the one an agent works on.
    const all = [...this.runs].reverse();
    return prefix === undefined ? all : all.filter((run) => prefix !== '' && run.startsWith(prefix.toLowerCase()));
  }
}

/** A start, and the key under which it is repeated. */
interface KeyedStart {
  readonly workflow: string;
  readonly params: JsonObject;
  readonly key?: string | undefined;
}

function isInProgress({ kind }: AttendedRun): boolean {
  return kind === 'executing' || kind === 'abandoned';
}

/** The first run that has the requested steps open, with only those steps. */
function selectWork(runs: readonly AttendedRun[], { step, item }: Pick<NextRequest, 'step' | 'item'>): AttendedRun {
  const isRequested = (work: OpenWork): boolean =>
    (step === undefined || work.step === step || topStepOf(work.step) === step || work.path === step) &&
    (item === undefined || work.item === item);
  const selected = firstWith(runs, isRequested);
  if (selected !== undefined) return selected;
  const named = [...(step === undefined ? [] : [`step "${step}"`]), ...(item === undefined ? [] : [`item "${item}"`])].join(', ');
  throw new EngineError('STEP_UNKNOWN', `${named} is not open for you; ask for the next step without naming one to see the open ones`);
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return isEngineError(error) && codes.includes(error.code);
}

/** Whether a run was started with these parameters; for omitted ones `stored` has the defaults. */
function hasParams(stored: JsonObject, requested: JsonObject): boolean {
  return Object.entries(requested).every(
    ([name, value]) => stored[name] !== undefined && canonicalJson(value) === canonicalJson(stored[name]),
  );
}
