// Owns the enforcement of circuit breakers. A run is checked after each commit, when an agent used a tool, and when a
// time limit is near. At four fifths of a limit people are warned, once; beyond the limit, the run escalates.
//
// - A person who resumes such a run grants it the whole limit once more.
// - Usage that a driver did not report is not counted, and the warning says so: the sum is "at least" that amount.

import { formatDuration } from '../../base/duration.ts';
import { BREAKERS, type Breakers, WARNED_FROM } from '../../definition/breakers.ts';
import { isStepKey } from '../../definition/count-key.ts';
import { pipelineOf, traitsOf } from '../../definition/kind.ts';
import { isSettled } from '../../definition/run-status.ts';
import { childOf } from '../../kernel/activation.ts';
import type { RunEvent } from '../../kernel/event.ts';
import type { ControlAction, InputOf } from '../../kernel/input.ts';
import { isEnding, type RunState } from '../../kernel/run-state.ts';
import type { RunQuery, Store } from '../../store/store.ts';
import type { EngineCore } from '../engine.ts';
import { ENGINE_ACTOR } from '../request/actor.ts';
import { send } from '../request/delivery.ts';
import { haltRun } from '../request/reactions.ts';
import { readTranscript } from '../transcript/transcripts.ts';

/** Dependencies of the circuit breakers. */
export interface BreakerParts {
  readonly core: EngineCore;
  /** The limits for runs whose workflow sets none. */
  readonly limits: Breakers | undefined;
  /** The transcripts folder, from which tool calls before this process started are counted. */
  readonly transcripts: string | undefined;
}

/** How much of a limit a run has used; `unknown`: how many attempts did not report it. */
interface LimitUsage {
  readonly value: number;
  readonly unknown?: number;
}

const KEPT_MAX = 10_000;
/** How many runs are read at a time. */
const PAGE = 100;

/** The circuit breakers of an engine. */
export class CircuitBreakers {
  private readonly parts: BreakerParts;
  private readonly limits = new Map<string, Breakers>();
  private readonly tools = new Map<string, LimitUsage>();
  private readonly timers = new Map<string, () => void>();
  /** The runs that are being checked, and whether they must be checked again. */
  private readonly checking = new Map<string, { again: boolean }>();

  constructor(parts: BreakerParts) {
    this.parts = parts;
    parts.core.listen(({ run, state }) => {
      if (this.mayHaveLimits(state)) this.checkSoon(run);
      if (state.parent !== undefined && this.mayLimit()) void this.checkAncestors(state.parent.run);
    });
    parts.core.onClose(() => {
      for (const cancel of this.timers.values()) cancel();
    });
  }

  /**
   * Checks waiting runs: their time limits apply even if nothing happens in them. There may be thousands, so runs without
   * limits are not read, and the others are read in pages, with other work in between.
   */
  async begin(): Promise<void> {
    const { core, limits } = this.parts;
    if (!this.mayLimit()) return;
    const query: RunQuery = { status: ['waiting', 'running'], limit: PAGE, ...(limits === undefined ? { mayBreak: true } : {}) };
    for (let below: number | undefined; !core.isClosed; ) {
      const page = await core.store.list(below === undefined ? query : { ...query, below });
      for (const { id } of page) await this.checkRun(id);
      if (page.length < PAGE) return;
      below = page.at(-1)?.place;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Whether any run can have limits. Unknown, so true, for a source that loads workflows lazily. */
  private mayLimit(): boolean {
    const { source } = this.parts.core.parts;
    if (this.parts.limits !== undefined || source.load !== undefined) return true;
    return source.names().some((name) => source.find(name)?.definition.breakers !== undefined);
  }

  /** An agent of a run used a tool. */
  toolUsed(run: string): void {
    const known = this.tools.get(run);
    if (known !== undefined) this.tools.set(run, { ...known, value: known.value + 1 });
    this.checkSoon(run);
  }

  private checkSoon(run: string): void {
    const underWay = this.checking.get(run);
    if (underWay !== undefined) {
      underWay.again = true;
      return;
    }
    const check = { again: false };
    this.checking.set(run, check);
    void this.checkRun(run).finally(() => {
      this.checking.delete(run);
      if (check.again) this.checkSoon(run);
    });
  }

  private async checkRun(run: string): Promise<void> {
    await this.check(run).catch((error: unknown) => this.parts.core.warn(error));
  }

  /** Checks the ancestors of a run as well: its agents' turns and its activity count for them. */
  private async checkAncestors(run: string): Promise<void> {
    try {
      for (let above: string | undefined = run; above !== undefined; ) {
        const { state }: { readonly state: RunState } = await this.parts.core.store.load(above);
        if (this.mayHaveLimits(state)) this.checkSoon(above);
        above = state.parent?.run;
      }
    } catch (error) {
      if (!this.parts.core.isClosed) this.parts.core.warn(error);
    }
  }

  /** Whether a run that this engine drives can have limits. Most have none, and cost nothing. */
  private mayHaveLimits({ workflow }: RunState): boolean {
    const { core, limits } = this.parts;
    if (limits !== undefined) return true;
    try {
      return core.workflowOf(workflow).definition.breakers !== undefined;
    } catch {
      return true;
    }
  }

  private async check(run: string): Promise<void> {
    const { core } = this.parts;
    if (core.isClosed) return;
    const known = this.limits.get(run);
    if (known !== undefined && Object.keys(known).length === 0) return;
    const { state, definition } = await core.store.load(run);
    const limits = known ?? definition.breakers ?? this.parts.limits ?? {};
    if (this.limits.size >= KEPT_MAX) this.limits.clear();
    this.limits.set(run, limits);
    this.timers.get(run)?.();
    if (isSettled(state.status) || isEnding(state) || state.paused) return this.forget(run, state);
    const since = limits.sleepMs === undefined && limits.activeMs === undefined ? undefined : await sleepsSince(core.store, state);
    for (const name of BREAKERS) {
      const limit = limits[name];
      if (limit === undefined) continue;
      const spent = await this.spentOf(name, state, since);
      if (spent.value < limit * WARNED_FROM) continue;
      const allowed = limit * (1 + (await haltsBy(core.store, run, name)));
      if (isBeyond(name, spent.value, allowed)) return this.halt(state, name, { spent, allowed, since });
      if (spent.value >= allowed * WARNED_FROM) await this.warn(state, name, { spent, allowed, since });
    }
    this.setTimer(run, limits, since);
  }

  private forget(run: string, { status }: RunState): void {
    this.tools.delete(run);
    if (isSettled(status)) this.limits.delete(run);
  }

  private async spentOf(name: keyof Breakers, state: RunState, since: number | undefined): Promise<LimitUsage> {
    const { core } = this.parts;
    const now = core.clock.now();
    switch (name) {
      case 'iterations':
        return { value: Math.max(0, ...Object.entries(state.counts).flatMap(([key, count]) => (isStepKey(key) ? [count] : []))) };
      case 'turns': {
        const { turns, unknownTurns } = await core.store.usage({ run: state.id, withChildren: true });
        return { value: turns, unknown: unknownTurns };
      }
      case 'toolCalls':
        return this.toolCallsOf(state);
      case 'activeMs':
        return { value: await activeMs(core, state, now) };
      default:
        return { value: since === undefined ? 0 : now - since };
    }
  }

  private async toolCallsOf({ id }: RunState): Promise<LimitUsage> {
    const known = this.tools.get(id);
    if (known !== undefined) return known;
    const { transcripts, core } = this.parts;
    const ended = (await core.store.attempts(id)).filter(({ kind }) => traitsOf(core.parts.facts, kind).worker === 'agent');
    const counts = ended.map(({ path, attempt }) => {
      const lines = transcripts === undefined ? undefined : readTranscript(transcripts, { run: id, path, attempt });
      return lines?.filter(({ kind }) => kind === 'tool').length ?? 0;
    });
    const spent = { value: counts.reduce((sum, count) => sum + count, 0), unknown: counts.filter((count) => count === 0).length };
    this.tools.set(id, spent);
    return spent;
  }

  private async halt(state: RunState, name: keyof Breakers, { spent, allowed }: ReachedLimit): Promise<void> {
    const message = `the circuit breaker "${SETTINGS[name]}" stopped it: ${textOf(name, spent)} of ${shown(name, allowed)}; resume it to allow as much again, or cancel it`;
    await haltRun(this.parts.core, state.id, { limit: name, message, actor: ENGINE_ACTOR, id: `${name}/${allowed}/${state.seq}` });
  }

  private async warn(state: RunState, name: keyof Breakers, { spent, allowed, since }: ReachedLimit): Promise<void> {
    const { core } = this.parts;
    const message = `${SETTINGS[name]}: ${textOf(name, spent)} of ${shown(name, allowed)}`;
    const action: ControlAction = { do: 'warn', limit: name, message };
    const input: InputOf<'control'> = { type: 'control', at: core.clock.now(), actor: ENGINE_ACTOR, action };
    const mark = name === 'sleepMs' ? `/${since}` : '';
    await send(core, { run: state.id, dedupe: `breaker/${name}/${allowed}${mark}`, input, values: [] }, { stays: true, once: true });
  }

  /** Schedules the next check for when a time limit, or four fifths of it, may be reached. */
  private setTimer(run: string, { activeMs: active, sleepMs: sleep }: Breakers, since: number | undefined): void {
    const { clock } = this.parts.core;
    const now = clock.now();
    const times = [
      ...(sleep === undefined || since === undefined ? [] : [since + sleep * WARNED_FROM, since + sleep]),
      ...(active === undefined || since !== undefined ? [] : [now + Math.max(1000, (active * (1 - WARNED_FROM)) / 4)]),
    ].filter((time) => time > now);
    if (times.length > 0)
      this.timers.set(
        run,
        clock.at(Math.ceil(Math.min(...times)), () => this.checkSoon(run)),
      );
  }
}

interface ReachedLimit {
  readonly spent: LimitUsage;
  readonly allowed: number;
  /** Since when the run has been idle. */
  readonly since: number | undefined;
}

const SETTINGS: Readonly<Record<keyof Breakers, string>> = {
  iterations: 'max_iterations',
  toolCalls: 'max_tool_calls',
  turns: 'max_turns',
  activeMs: 'max_active',
  sleepMs: 'max_sleep',
};

function shown(name: keyof Breakers, value: number): string {
  return name === 'activeMs' || name === 'sleepMs' ? formatDuration(value) : String(value);
}

function textOf(name: keyof Breakers, { value, unknown = 0 }: LimitUsage): string {
  const text = shown(name, value);
  return unknown === 0 ? text : `at least ${text} (${unknown} ${unknown === 1 ? 'attempt' : 'attempts'} did not report it)`;
}

/** A time limit is used up when it is reached, a count when it is exceeded. */
function isBeyond(name: keyof Breakers, value: number, allowed: number): boolean {
  return name === 'activeMs' || name === 'sleepMs' ? value >= allowed : value > allowed;
}

/** The time since which a run and the runs it waits for have been idle; undefined while any of them works. */
async function sleepsSince(store: Store, { live, at }: RunState): Promise<number | undefined> {
  const all = Object.values(live);
  if (!all.every(({ state }) => state === 'waiting' || state === 'queued' || state === 'unknown')) return undefined;
  let since = at;
  for (const child of all.map(childOf)) {
    const known = child === undefined ? [] : await store.list({ id: child, limit: 1 });
    if (known.length === 0) continue;
    const below = await sleepsSince(store, (await store.load(child as string)).state);
    if (below === undefined) return undefined;
    since = Math.max(since, below);
  }
  return since;
}

async function activeMs({ store, parts: { facts } }: EngineCore, { id, live }: RunState, now: number): Promise<number> {
  const ended = (await store.attempts(id)).reduce(
    (sum, { kind, startedAt, endedAt }) =>
      sum + (pipelineOf(facts, kind) === 'execute' && startedAt !== undefined ? endedAt - startedAt : 0),
    0,
  );
  return Object.values(live).reduce((sum, step) => sum + (step.state === 'running' ? now - step.startedAt : 0), ended);
}

/** How often a breaker has halted a run. */
async function haltsBy(store: Store, run: string, name: keyof Breakers): Promise<number> {
  const isIt = (event: RunEvent): boolean =>
    event.type === 'run.changed' && event.change === 'halted' && 'limit' in event.halt && event.halt.limit === name;
  return (await store.events(run, 0)).flatMap(({ events }) => events).filter(isIt).length;
}
