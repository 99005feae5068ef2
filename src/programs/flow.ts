// Owns the order of steps of a flow: a live generator per run. After a crash the generator is built anew and fed the
// recorded results in order; each yield is compared with what was recorded.
//
// F1. A yield that differs from the record stops the replay with expected and actual; nothing is run.
// F2. A step name is used once per run; the second use fails the run before that step runs.
// F3. A step that did not succeed is thrown into the generator; uncaught, it fails the run.
// F4. The final output is what the generator returns, or the last step's output when it returns nothing.
// F5. What the generator is given is its own copy, live and on replay: what it does with it changes nothing else.
// - A step that was built has been yielded when the flow goes on; otherwise the run fails.

import { EngineError, isEngineError, messageOf } from '../base/error.ts';
import { present } from '../base/fields.ts';
import { invariant } from '../base/invariant.ts';
import { isJsonObject, type Json, type JsonObject, ownCopy, toPlain } from '../base/json.ts';
import type { BoundStep, CompiledWorkflow, StepCode } from '../definition/code.ts';
import { NO_CODE } from '../definition/code.ts';
import { withDatabases } from '../definition/database.ts';
import type { KindFacts } from '../definition/kind.ts';
import { askingAboutTree, judgesTree } from '../definition/landing.ts';
import { type JoinModel, membersOf, type StepModel } from '../definition/model.ts';
import { asksPerson } from '../definition/passage.ts';
import { plainFrame } from '../definition/plain-frame.ts';
import type { Path } from '../kernel/activation.ts';
import type { StepError } from '../kernel/input.ts';
import type { Begin, Ended, Facts, Move, Program } from '../kernel/program.ts';
import type { RunState } from '../kernel/run-state.ts';
import { digestOfYield } from './flow-digest.ts';
import { type Failure, type FlowGroup, type FlowStep, type FlowYield, goOn, isFlowYield, StepFailed } from './flow-step.ts';
import { UNDO_MODEL, UNDO_STEP, undoMoves } from './undo.ts';

/** A step of a flow that has ended, as a replay feeds it back. */
export interface FlowRecord {
  readonly path: Path;
  readonly step: string;
  /** The digest of what was yielded. */
  readonly input?: string;
  readonly outcome: string;
  readonly output: Json;
  readonly error?: StepError;
  /** What was observed in its last attempt. */
  readonly evidence?: Json;
}

/** The program of one run of a flow. Unlike a graph's it is live: a host keeps it only while it owns the run. */
export interface FlowProgram extends Program {
  /** The yielded step behind an activation, with its functions. */
  bound(step: string): BoundStep;
  /** The workflow that a yielded step starts, when it was given as a value. */
  child(step: string): CompiledWorkflow | undefined;
  /** What takes the result of a step back that was yielded earlier. */
  undo(step: string): BoundStep | undefined;
  /** Feeds the recorded results back until the generator stands where the run does; given results count for recorded ones. */
  replay(run: RunState | undefined, history: readonly FlowRecord[], given?: GivenResults): void;
}

/** Results that somebody gave in place of steps, and the step before which they end. */
export interface GivenResults {
  readonly outputs: ReadonlyMap<string, Json>;
  readonly until?: string;
}

interface Given {
  readonly workflow: CompiledWorkflow;
  readonly params: JsonObject;
  readonly facts: KindFacts;
  /** Whether a workflow that a step starts can be undone. */
  readonly undoes?: (child: string | CompiledWorkflow) => boolean;
}

/** The program of one run. */
export function createFlowProgram(given: Given): FlowProgram {
  return new LiveFlow(given);
}

type Feed = { readonly value: unknown } | { readonly failure: Failure };
type Step =
  | { readonly yielded: FlowYield; readonly name: string; readonly digest: string }
  | { readonly returned: unknown }
  | { readonly thrown: unknown };

class LiveFlow implements FlowProgram {
  readonly reads = [];
  private readonly name: string;
  private readonly given: Given;
  private generator: Generator<unknown, unknown, unknown>;
  private fed: Feed[] = [];
  /** What the generator stood at after each of them. */
  private stood: (string | undefined)[] = [];
  private readonly used = new Set<string>();
  private readonly bounds = new Map<string, BoundStep>();
  private readonly children = new Map<string, CompiledWorkflow>();
  private readonly undos = new Map<string, BoundStep>();
  private undoesChildren = false;
  private groups = 0;
  /** Whether a gate has judged files so far: questions that follow are about those files. */
  private isJudged = false;
  private standing: Step | undefined;
  private lastOutput: Json = null;

  constructor(given: Given) {
    this.given = given;
    this.name = given.workflow.definition.name;
    this.generator = this.open();
  }

  private open(): Generator<unknown, unknown, unknown> {
    const { workflow, params } = this.given;
    return (workflow.flow as (input: JsonObject) => Generator<unknown, unknown, unknown>)(params);
  }

  model(step: string): StepModel {
    return this.bound(step).model;
  }

  bound(step: string): BoundStep {
    if (step === UNDO_STEP) return { model: UNDO_MODEL, code: NO_CODE };
    const found = this.bounds.get(step);
    if (found === undefined)
      throw new EngineError(
        'STEP_UNKNOWN',
        `the flow "${this.name}" has not yielded a step "${step}"; its code may have changed since the run began`,
      );
    return found;
  }

  child(step: string): CompiledWorkflow | undefined {
    return this.children.get(step);
  }

  undo(step: string): BoundStep | undefined {
    return this.undos.get(step);
  }

  get onUndo(): string | undefined {
    return this.undos.size === 0 && !this.undoesChildren ? undefined : UNDO_STEP;
  }

  /** Where an answer leads is the flow's own business: nobody else can tell whether that is back. */
  goesBack(): boolean {
    return false;
  }

  isOnCycle(step: string): boolean {
    return step === UNDO_STEP;
  }

  begin(_run: RunState, view: Facts, start?: Begin): readonly Move[] {
    if (this.standing === undefined) this.advance({ value: undefined });
    const facts: readonly Move[] = start?.facts === undefined ? [] : [{ do: 'merge', data: start.facts }];
    return [...facts, this.moveOf(view, undefined)];
  }

  next(_run: RunState, ended: Ended, view: Facts): readonly Move[] {
    if (ended.step === UNDO_STEP) return undoMoves(ended, view);
    const output = ended.output === undefined ? null : view.value(ended.output);
    const evidence = view.evidence?.(ended.path);
    this.feed({ step: ended.step, outcome: ended.outcome, output, ...present({ error: ended.error, evidence }) });
    return [this.moveOf(view, ended)];
  }

  replay(run: RunState | undefined, history: readonly FlowRecord[], given: GivenResults = NOTHING_GIVEN): void {
    const { outputs } = given;
    const recorded = new Set(history.map(({ step }) => step));
    const unrecorded = new Map([...outputs].filter(([step]) => !recorded.has(step)));
    const own = run === undefined ? [] : Object.values(run.live).filter(({ member, side }) => member === undefined && side === undefined);
    const live = own[0];
    // While it is undone, the run is at no step of the flow any more.
    const halt = run?.undoing === undefined ? run?.halt : undefined;
    this.advance({ value: undefined });
    for (const record of history) {
      this.feedGiven(unrecorded, record.step);
      this.compare(record.step, record.input);
      this.feed(outputs.has(record.step) ? okRecord(record.step, outputs) : record);
    }
    this.feedGiven(unrecorded, given.until ?? live?.step ?? halt?.step);
    if (run === undefined) return this.checkStandsAt(given.until);
    if (live !== undefined) this.compare(live.step, live.input);
    else if (halt?.path !== undefined) this.compare(halt.step, halt.input);
  }

  private feedGiven(outputs: ReadonlyMap<string, Json>, until: string | undefined): void {
    for (;;) {
      const at = this.standing;
      if (at === undefined || !('yielded' in at) || at.name === until || !outputs.has(at.name)) return;
      if (asksPerson(this.model(at.name)))
        throw new EngineError(
          'OPTION_INVALID',
          `the result of step "${at.name}" cannot be given: it is the decision of a person, and they are asked; leave it out`,
        );
      this.feed(okRecord(at.name, outputs));
    }
  }

  private checkStandsAt(step: string | undefined): void {
    const at = this.standing;
    if (step === undefined || (at !== undefined && 'yielded' in at && at.name === step)) return;
    throw new EngineError(
      'STEP_UNKNOWN',
      `the flow "${this.name}" does not come to step "${step}" with the results it was given: it comes to ${describeStanding(at)}; give the results of all steps before "${step}", or begin elsewhere`,
    );
  }

  private compare(step: string, digest: string | undefined): void {
    const at = this.standing;
    const actual = describeStanding(at);
    if (at !== undefined && 'yielded' in at && at.name === step && at.digest === digest) return;
    const how = at !== undefined && 'yielded' in at && at.name === step ? `step "${step}" with other arguments` : actual;
    throw new EngineError(
      'NONDETERMINISM',
      `the flow "${this.name}" does not repeat itself: the record says step "${step}", the code now gives ${how}; put what changes (time, randomness, environment, network) into a task step, or restore the code this run began with`,
      { details: { expected: step, actual: how } },
    );
  }

  private feed(record: Pick<FlowRecord, 'step' | 'outcome' | 'output' | 'error' | 'evidence'>): void {
    if (this.standing !== undefined && 'thrown' in this.standing) this.rewind();
    const at = this.standing;
    if (record.outcome === 'ok' || record.outcome === 'iterate' || record.outcome === 'skip') {
      const value = at !== undefined && 'yielded' in at ? received(at.yielded, record.output) : record.output;
      this.lastOutput = value;
      return this.advance({ value });
    }
    const told = isJsonObject(record.output) && typeof record.output.error === 'string' ? record.output.error : undefined;
    const message = record.error?.message ?? told ?? `step "${record.step}" settled "${record.outcome}"`;
    const { step, outcome, output, evidence = null } = record;
    this.advance({ failure: { step, outcome, code: record.error?.code ?? 'STEP_FAILED', message, output, evidence } });
  }

  goBack(step: string): void {
    const at = this.stood.indexOf(step);
    invariant(at !== -1, 'a flow goes back only to a step that it has yielded', step);
    this.rewind(at + 1);
  }

  /** A generator that threw is over; for a step that is taken up again, another one is led back to it. */
  private rewind(kept = this.fed.length - 1): void {
    const past = this.fed.slice(0, kept);
    this.generator = this.open();
    this.fed = [];
    this.stood = [];
    this.isJudged = false;
    this.used.clear();
    this.groups = 0;
    for (const feed of past) this.advance(feed);
  }

  // The step that a flow failed at stays bound: a person may send it back to work.
  private advance(feed: Feed): void {
    this.fed.push(feed);
    try {
      const { result, unused } = goOn(() =>
        'failure' in feed ? this.generator.throw(new StepFailed(feed.failure)) : this.generator.next(ownCopy(feed.value)),
      );
      this.checkYielded(unused.filter((step) => step !== result.value));
      this.standing = result.done === true ? { returned: result.value } : this.take(result.value);
    } catch (thrown) {
      this.standing = { thrown };
    }
    this.stood.push('yielded' in this.standing ? this.standing.name : undefined);
  }

  /** A step that was built and not yielded is not done: going on without it would skip it silently. */
  private checkYielded([unused]: readonly FlowYield[]): void {
    if (unused === undefined) return;
    const what = unused.yields === 'step' ? `step "${unused.bound.model.id}"` : `${unused.yields}([…])`;
    throw new EngineError(
      'STEP_NOT_YIELDED',
      `the flow "${this.name}" built ${what} and went on without yielding it, so it was never done; write yield* before it, where it is built`,
    );
  }

  /** Notes what was yielded; throws into the run's record, not into the generator, when it cannot be taken. */
  private take(value: unknown): Step {
    if (!isFlowYield(value)) {
      throw new EngineError(
        'STEP_OUTPUT_INVALID',
        `the flow "${this.name}" yielded something that is not a step; write yield* step("name").task(…)`,
      );
    }
    const yielded = value;
    const steps = yielded.yields === 'step' ? [yielded] : yielded.steps;
    for (const { bound } of steps) this.use(bound.model.id);
    const bound = yielded.yields === 'step' ? yielded.bound : this.groupOf(yielded);
    const name = bound.model.id;
    this.isJudged ||= judgesTree(this.given.facts, bound.model);
    const { databases } = this.given.workflow.definition;
    const { kinds } = this.given.facts;
    this.bounds.clear();
    this.children.clear();
    const modelOf = (model: StepModel): StepModel => withDatabases(kinds, this.isJudged ? askingAboutTree(model) : model, databases);
    this.bounds.set(name, { ...bound, model: modelOf(bound.model) });
    for (const member of membersOf(bound.model))
      this.bounds.set(`${name}/${member.id}`, {
        model: modelOf(member),
        code: bound.code.members[member.id] ?? NO_CODE,
      });
    for (const [step, { model, code }] of this.bounds)
      if (model.undo !== undefined) this.undos.set(step, { model: model.undo, code: code.undo ?? NO_CODE });
    for (const step of steps) this.noteChild(yielded.yields === 'step' ? name : `${name}/${step.bound.model.id}`, step);
    return { yielded, name, digest: digestOfYield(yielded) };
  }

  private use(name: string): void {
    if (this.used.has(name))
      throw new EngineError(
        'STEP_DUPLICATE',
        `the flow "${this.name}" has two steps named "${name}"; names are unique in a run: in a loop write step(\`${name}-\${i}\`)`,
      );
    this.used.add(name);
  }

  private noteChild(step: string, { child, bound: { model } }: FlowStep): void {
    if (child !== undefined) this.children.set(step, child);
    if (model.kind === 'workflow') this.undoesChildren ||= this.given.undoes?.(child ?? model.workflow) ?? false;
  }

  private groupOf(group: FlowGroup): BoundStep {
    this.groups += 1;
    const id = `${group.yields}-${this.groups}`;
    const join: JoinModel = group.yields === 'all' ? { rule: 'all' } : { rule: 'any' };
    const models = group.steps.map(({ bound }) => bound.model);
    const members: Record<string, StepCode> = Object.fromEntries(group.steps.map(({ bound }) => [bound.model.id, bound.code]));
    const work = { kind: 'parallel' as const, flow: group.yields, members: models, join };
    return { model: { ...plainFrame(id, 'rerun'), contractRetries: 0, ...work }, code: { ...NO_CODE, members } };
  }

  private moveOf(view: Facts, ended: Ended | undefined): Move {
    const at = this.standing ?? { returned: undefined };
    if ('yielded' in at) return { do: 'open', step: at.name, input: at.digest };
    if ('thrown' in at) return this.failed(at.thrown, ended);
    const returned = at.returned ?? this.lastOutput;
    try {
      const output = view.keep(toPlain(returned, `what the flow "${this.name}" returned`));
      return { do: 'end', status: 'completed', output };
    } catch (thrown) {
      return this.failed(thrown, undefined);
    }
  }

  private failed(thrown: unknown, ended: Ended | undefined): Move {
    const fromStep = thrown instanceof StepFailed && ended !== undefined && thrown.step === ended.step;
    const code = thrown instanceof StepFailed || isEngineError(thrown) ? thrown.code : 'STEP_FAILED';
    const cause = { reason: 'uncaught' as const, message: messageOf(thrown), code };
    return { do: 'halt', status: 'failed', cause, at: fromStep ? 'step' : 'flow' };
  }
}

const NOTHING_GIVEN: GivenResults = { outputs: new Map() };

function okRecord(step: string, outputs: ReadonlyMap<string, Json>): Pick<FlowRecord, 'step' | 'outcome' | 'output'> {
  return { step, outcome: 'ok', output: outputs.get(step) ?? null };
}

function describeStanding(at: Step | undefined): string {
  if (at === undefined) return 'nothing';
  if ('yielded' in at) return `step "${at.name}"`;
  return 'returned' in at ? 'the end of the workflow' : `an error (${messageOf(at.thrown)})`;
}

function received(yielded: FlowYield, output: Json): Json {
  if (yielded.yields === 'step') return output;
  const results = isJsonObject(output) ? output : {};
  return yielded.yields === 'race' ? (results.value ?? null) : yielded.steps.map(({ bound }) => results[bound.model.id] ?? null);
}
