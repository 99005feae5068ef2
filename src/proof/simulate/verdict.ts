// Checks the rules for the end of a simulation. It reads only the log in the store, and nothing from the engines' memory.
//
// J1. The store holds the rows that were committed, and every checkpoint is its folded log.
// J2. A path is opened once; a settled step is retried only by a person.
// J3. A recorded result is what the work returned, under the key it ran with.
// J4. Bounds hold: edges, retries, recoveries.
// J5. Signals are consumed once, in the order in which they were posted.
// J6. The first decision posted for a question counts, and every decision that was confirmed to its sender is in the log.
// J7. No child continues after its parent has ended, and no mail or semaphore is left behind.

import { edgeKey } from '../../definition/count-key.ts';
import { type Definition, type Edge, membersOf, type StepModel } from '../../definition/model.ts';
import { isFinal } from '../../definition/run-status.ts';
import { activationIn, pathOf } from '../../engine/event-facts.ts';
import { type Activation, heldBy, humanWaitOf, waitOf } from '../../kernel/activation.ts';
import { applyRow } from '../../kernel/apply.ts';
import type { EventOf, RunEvent } from '../../kernel/event.ts';
import type { RunState } from '../../kernel/run-state.ts';
import { UNDO_STEP } from '../../programs/undo.ts';
import type { Store } from '../../store/store.ts';
import type { ObservedRun, Observer } from './observer.ts';

const RECOVERIES_MAX = 3;
const WORKED_KINDS: ReadonlySet<string> = new Set(['task', 'validate']);

type Report = (problem: string) => void;

/** Returns all violations at the end. */
export async function findViolations(store: Store, observer: Observer): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const run of observer.runs.values()) {
    const report: Report = (problem) => problems.push(`run ${run.id}: ${problem}`);
    await checkRun(store, run, report);
    checkChildren(observer, run, report);
  }
  checkAcknowledged(observer, (problem) => problems.push(problem));
  const { problems: found } = await store.check();
  return [...problems, ...found.map(({ run, what }) => `J1: the store says${run === undefined ? '' : ` of run ${run}`}: ${what}`)];
}

async function checkRun(store: Store, run: ObservedRun, report: Report): Promise<void> {
  const rows = await store.events(run.id, 0);
  const { state, owner, definition } = await store.load(run.id);
  if (JSON.stringify(rows.map(({ events }) => events)) !== JSON.stringify(run.rows)) report('J1: the log is not problem was committed');
  if (!isFinal(state.status) && !(state.status === 'failed' && state.parent !== undefined)) report(`it is ${state.status}`);
  if (owner === undefined && (await store.inbox(run.id, 0)).length > 0) report('J7: the run has unread mail and no owner');
  const reading = new LogReading(run, definition, report);
  for (const events of run.rows) reading.read(events);
  checkBounds(definition, state, report);
}

/** Reads a log from its beginning, with the activations as they were at each event. */
class LogReading {
  private readonly run: ObservedRun;
  private readonly report: Report;
  private state: RunState | undefined;
  private readonly opened = new Set<string>();
  private readonly consumed = new Map<string, (string | undefined)[]>();
  private readonly decided = new Set<string>();
  /** The steps of a graph; those of a flow are in no stored definition. */
  private readonly models = new Map<string, StepModel>();

  constructor(run: ObservedRun, definition: Definition, report: Report) {
    this.run = run;
    this.report = report;
    for (const step of definition.steps) {
      this.models.set(step.id, step);
      for (const member of membersOf(step)) this.models.set(`${step.id}/${member.id}`, member);
    }
  }

  read(events: readonly RunEvent[]): void {
    let before = this.state;
    for (const event of events) {
      if (before !== undefined) this.readEvent(before, event);
      before = { ...applyRow(before, [event]), seq: 0 };
    }
    this.state = before;
  }

  private readEvent(before: RunState, event: RunEvent): void {
    if (event.type === 'step.opened') this.readOpened(event.activation);
    if (event.type === 'run.changed' && event.change === 'decided') this.readDecision(before, event.decision);
    if (event.type !== 'step.changed' && event.type !== 'step.settled') return;
    const activation = before.live[pathOf(event) ?? ''] as Activation;
    if (activation.kind === 'signal') this.readSignal(activation, event);
    if (event.type === 'step.settled') return this.readSettled(activation, event);
    const { path, attempt, recovery = 0 } = event.activation;
    if (attempt !== activation.attempt) this.readAttempt(activation, attempt);
    if (recovery > RECOVERIES_MAX) this.report(`J4: ${path} was recovered ${recovery} times`);
  }

  private readOpened({ path }: Activation): void {
    if (this.opened.has(path)) this.report(`J2: ${path} was opened twice`);
    this.opened.add(path);
  }

  private readAttempt({ path, step, since, kind }: Activation, attempt: number): void {
    const model = this.models.get(step);
    if (model === undefined || kind === 'validate') return;
    const tries = attempt - since + 1;
    const allowed = 1 + model.retry.max + model.contractRetries;
    if (tries > allowed) this.report(`J4: ${path} is tried ${tries} times of ${allowed} on one budget`);
  }

  private readSettled(activation: Activation, event: EventOf<'step.settled'>): void {
    const { path, attempt, output, actor } = event;
    if (attempt !== activation.attempt) this.report(`J3: attempt ${attempt} of ${path} settled while ${activation.attempt} was live`);
    // The engine itself counts undone steps.
    if (!WORKED_KINDS.has(activation.kind) || activation.step === UNDO_STEP || output === undefined || actor !== undefined) return;
    const results = this.run.results.get(`${path}/${attempt}`);
    if (results?.has(output.digest) !== true)
      this.report(`J3: ${path} settled in attempt ${attempt} with a result that its work did not bring`);
  }

  private readSignal(activation: Activation, event: RunEvent): void {
    const wait = waitOf(activation);
    if (wait?.kind !== 'signal') return;
    const taken = event.type === 'step.settled' && event.outcome === 'ok' ? event : heldBy(activationIn(event));
    if (taken === undefined) return;
    const { name } = wait;
    const consumed = this.consumed.get(name) ?? [];
    consumed.push(taken.output?.digest);
    this.consumed.set(name, consumed);
    const posted = this.run.signals.filter((signal) => signal.name === name)[consumed.length - 1]?.payload?.digest;
    if (posted === undefined || posted !== taken.output?.digest)
      this.report(`J5: ${activation.path} took a signal "${name}" that was not number ${consumed.length} in the order in which they came`);
  }

  private readDecision(before: RunState, decision: NonNullable<RunState['decision']>): void {
    const { run } = this;
    const made = run.decisions.find(({ input }) => input.actor === decision.actor);
    if (made === undefined || humanWaitOf(before.live[made.input.path])?.digest !== made.input.digest)
      return this.report(`J6: ${decision.actor} decided "${decision.step}" without having been asked, or too late`);
    if (this.decided.has(made.dedupe)) this.report(`J6: the question ${made.dedupe} was decided twice`);
    this.decided.add(made.dedupe);
  }
}

function checkBounds(definition: Definition, state: RunState, report: Report): void {
  for (const step of definition.steps) {
    for (const [outcome, entry] of Object.entries(step.next)) {
      const edges: [string, Edge][] =
        'condition' in entry
          ? [
              [edgeKey(step.id, outcome, true), entry.onTrue],
              [edgeKey(step.id, outcome, false), entry.onFalse],
            ]
          : [[edgeKey(step.id, outcome), entry]];
      for (const [key, edge] of edges) {
        const allowed = (edge.max ?? Number.POSITIVE_INFINITY) + (state.extended[key] ?? 0);
        if ((state.counts[key] ?? 0) > allowed) report(`J4: the edge ${key} was taken ${state.counts[key]} times of ${allowed}`);
      }
    }
  }
}

function checkChildren(observer: Observer, run: ObservedRun, report: Report): void {
  if (run.state.parent === undefined || isFinal(run.state.status) || run.state.status === 'failed') return;
  const parent = observer.runs.get(run.state.parent.run);
  if (parent !== undefined && isFinal(parent.state.status))
    report(`J7: it is ${run.state.status}, but its parent is ${parent.state.status}`);
}

function checkAcknowledged(observer: Observer, report: Report): void {
  for (const { run, actor } of observer.acknowledged) {
    const logged = observer.runs
      .get(run)
      ?.rows.some((events) =>
        events.some((event) => event.type === 'run.changed' && event.change === 'decided' && event.decision.actor === actor),
      );
    if (logged !== true) report(`J6: ${actor} was informed that the decision counts, but the log of ${run} does not have it`);
  }
}
