// Owns the observations of a simulation: what reached the disk and what was executed, recorded outside the engines.
// The rules for every moment are checked here, and those for the end in `verdict.ts`.
//
// Q1. A delta is accepted only from the owner of the current epoch, at the end of the log.
// Q2. Work begins only after the decision that asked for it is on disk.
// Q3. An attempt is executed once, and once more for every recorded recovery.
// Q4. A semaphore is never held by more than its limit.
// Q5. Mail is posted once per dedupe key.

import { digestText } from '../../base/digest.ts';
import { isWorking } from '../../engine/status.ts';
import { slotsOf } from '../../kernel/activation.ts';
import type { RunEvent } from '../../kernel/event.ts';
import type { InputOf } from '../../kernel/input.ts';
import type { RunState } from '../../kernel/run-state.ts';
import type { AttemptRequest, AttemptResult } from '../../steps/attempt.ts';
import type { Delta, Mail } from '../../store/store.ts';

/** The observations of one run. */
export interface ObservedRun {
  readonly id: string;
  epoch: number;
  owner: string | undefined;
  state: RunState;
  readonly rows: (readonly RunEvent[])[];
  /** Attempts that a committed checkpoint shows as running: path/attempt/recovery. */
  readonly due: Set<string>;
  /** How often each of them was executed. */
  readonly executed: Map<string, number>;
  /** Digests of the results of executions, verifications and reconciliations, by path/attempt. */
  readonly results: Map<string, Set<string>>;
  /** Mail in the order in which it was posted. */
  readonly signals: InputOf<'signalled'>[];
  readonly decisions: { readonly dedupe: string; readonly input: InputOf<'decided'> }[];
  readonly dedupes: Set<string>;
}

/** The counters of the report. */
export type SimulationCount =
  | 'commits'
  | 'executions'
  | 'failed'
  | 'unanswered'
  | 'lostWakeUps'
  | 'crashes'
  | 'zombies'
  | 'closed'
  | 'takeovers'
  | 'duplicates'
  | 'interventions';

/** Records all calls of the store and of the runner, and checks Q1 to Q5. */
export class Observer {
  readonly problems: string[] = [];
  private readonly dedupeOf = new WeakMap<InputOf<'signalled'>, string>();
  readonly runs = new Map<string, ObservedRun>();
  readonly counts = new Map<SimulationCount, number>();
  /** Decisions that were confirmed to their sender. */
  readonly acknowledged: { readonly run: string; readonly actor: string }[] = [];
  /** Whether an owner was declared dead; until then no other engine may take its runs. */
  isDead: (owner: string) => boolean = () => false;
  private readonly slotLimits: Readonly<Record<string, number>>;

  constructor(slotLimits: Readonly<Record<string, number>>) {
    this.slotLimits = slotLimits;
  }

  problem(message: string): void {
    this.problems.push(message);
  }

  count(counter: SimulationCount): void {
    this.counts.set(counter, (this.counts.get(counter) ?? 0) + 1);
  }

  claimed(run: string, owner: string, epoch: number): void {
    const known = this.runs.get(run) as ObservedRun;
    if (epoch !== known.epoch + 1) this.problem(`Q1: ${owner} claimed ${run} as epoch ${epoch} after ${known.epoch}`);
    const previous = known.owner;
    if (previous !== undefined && previous !== owner) {
      this.count('takeovers');
      if (!this.isDead(previous)) this.problem(`Q1: ${owner} took ${run} from ${previous}, which is alive`);
    }
    known.epoch = epoch;
    known.owner = owner;
  }

  released(run: string, owner: string): void {
    const known = this.runs.get(run) as ObservedRun;
    if (known.owner !== owner) this.problem(`Q1: ${owner} released ${run}, which ${known.owner ?? 'no engine'} owns`);
    known.owner = undefined;
  }

  committed(owner: string, delta: Delta, released: boolean): void {
    this.count('commits');
    const run = delta.create === undefined ? (this.runs.get(delta.run) as ObservedRun) : this.create(owner, delta);
    if (run.owner !== owner || run.epoch !== delta.epoch)
      this.problem(
        `Q1: ${owner} committed to ${run.id} in epoch ${delta.epoch}; ${run.owner ?? 'no engine'} owns it in epoch ${run.epoch}`,
      );
    if (run.rows.length !== delta.seq)
      this.problem(`Q1: ${owner} committed row ${delta.seq + 1} of ${run.id}, which has ${run.rows.length}`);
    run.state = delta.state;
    run.rows.push(delta.events);
    if (released) run.owner = undefined;
    for (const activation of Object.values(delta.state.live))
      if (activation.state === 'running') run.due.add(`${activation.path}/${activation.attempt}/${activation.recovery ?? 0}`);
    this.checkSlots();
  }

  private create(owner: string, delta: Delta): ObservedRun {
    if (this.runs.has(delta.run)) this.problem(`run ${delta.run} was created twice`);
    const { run: id, epoch, state } = delta;
    const mail = { signals: [], decisions: [], dedupes: new Set<string>() };
    const run = { id, epoch, state, owner, rows: [], due: new Set<string>(), executed: new Map(), results: new Map(), ...mail };
    this.runs.set(id, run);
    return run;
  }

  private checkSlots(): void {
    const held = new Map<string, number>();
    for (const { state } of this.runs.values())
      for (const activation of Object.values(state.live))
        if (isWorking(activation)) for (const slot of slotsOf(activation) ?? []) held.set(slot, (held.get(slot) ?? 0) + 1);
    for (const [slot, count] of held)
      if (count > (this.slotLimits[slot] ?? 0))
        this.problem(`Q4: ${count} steps hold the semaphore ${slot}, whose limit is ${this.slotLimits[slot]}`);
  }

  posted(mail: Mail, result: 'posted' | 'duplicate'): void {
    const run = this.runs.get(mail.run) as ObservedRun;
    if (result === 'duplicate') return this.count('duplicates');
    if (run.dedupes.has(mail.dedupe)) this.problem(`Q5: ${mail.dedupe} was posted to ${run.id} twice`);
    run.dedupes.add(mail.dedupe);
    if (mail.input.type === 'signalled') {
      run.signals.push(mail.input);
      this.dedupeOf.set(mail.input, mail.dedupe);
    }
    if (mail.input.type === 'decided') run.decisions.push({ dedupe: mail.dedupe, input: mail.input });
  }

  /** Mail was withdrawn, as if it had never been posted. */
  withdrawn({ run: id, dedupe }: Pick<Mail, 'run' | 'dedupe'>, me: string): void {
    const run = this.runs.get(id) as ObservedRun;
    if (run.owner !== undefined && run.owner !== me) {
      if (!this.isDead(run.owner)) this.problem(`Q1: ${me} withdrew mail of ${id}, which ${run.owner} may have read`);
      run.epoch += 1;
    }
    run.dedupes.delete(dedupe);
    const signal = run.signals.findIndex((sent) => this.dedupeOf.get(sent) === dedupe);
    if (signal !== -1) run.signals.splice(signal, 1);
    const decision = run.decisions.findIndex((made) => made.dedupe === dedupe);
    if (decision !== -1) run.decisions.splice(decision, 1);
  }

  /** An engine starts work. */
  began(owner: string, { runId, activation, want }: AttemptRequest): void {
    if (want !== 'execute' || activation.kind === 'delay') return;
    this.count('executions');
    const run = this.runs.get(runId);
    const key = `${activation.path}/${activation.attempt}/${activation.recovery ?? 0}`;
    if (run === undefined || !run.due.has(key))
      return this.problem(`Q2: ${owner} executes ${key} of ${runId}, which no committed checkpoint asked for`);
    const times = (run.executed.get(key) ?? 0) + 1;
    run.executed.set(key, times);
    if (times > 1) this.problem(`Q3: ${owner} executes ${key} of ${runId} ${times} times`);
  }

  /** Work ended, whether or not its engine received the result. */
  results({ runId, activation }: AttemptRequest, result: AttemptResult): void {
    if (result.type !== 'settled' || result.output === null) return;
    const key = `${activation.path}/${activation.attempt}`;
    const results = this.runs.get(runId)?.results;
    results?.set(key, (results.get(key) ?? new Set()).add(digestText(JSON.stringify(result.output))));
  }
}
