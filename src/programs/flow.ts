// Owns the order of steps of a flow: a live generator per run (`flow-pass.ts`). After a crash the generator is built anew
// and gets the recorded results in order; each yield is compared with the record.
//
// F1. A yield that differs from the record stops the replay with expected and actual; nothing is run.
// F3. A step that did not succeed is thrown into the generator; uncaught, it fails the run.
// F4. The final output is what the generator returns, or the last step's output when it returns nothing.

import { EngineError, isEngineError, messageOf, readableError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { invariant } from '../base/invariant.ts';
import { isJsonObject, type Json, type JsonObject, toPlain } from '../base/json.ts';
import type { BoundStep, CompiledWorkflow } from '../definition/code.ts';
import { NO_CODE } from '../definition/code.ts';
import { failureText } from '../definition/failure-text.ts';
import { type EndedMember, groupEvidence } from '../definition/group/group-result.ts';
import type { KindFacts } from '../definition/kind.ts';
import type { StepModel } from '../definition/model.ts';
import { asksPerson } from '../definition/skipped-steps.ts';
import type { Path } from '../kernel/activation.ts';
import type { StepError } from '../kernel/input.ts';
import type { EndedActivation, Facts, Move, Program, RunBeginning } from '../kernel/program.ts';
import type { RunState } from '../kernel/run-state.ts';
import { FlowPass, type FlowSource, type Position, type YieldedStep } from './flow-pass.ts';
import { type FlowYield, StepFailed } from './flow-step.ts';
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
  /** How the steps of a group ended. */
  readonly members?: readonly EndedMember[];
}

/** The program of one run of a flow. Unlike that of a graph it has state: a host keeps it only while it owns the run. */
export interface FlowProgram extends Program {
  /** The yielded step behind an activation, with its functions. */
  bound(step: string): BoundStep;
  /** The workflow that a yielded step starts, if it was passed as a value. */
  child(step: string): CompiledWorkflow | undefined;
  /** The step that undoes a step that was yielded earlier. */
  undo(step: string): BoundStep | undefined;
  /** Feeds the recorded results to the generator until it is where the run is; supplied results replace recorded ones. */
  replay(run: RunState | undefined, history: readonly FlowRecord[], supplied?: SuppliedResults): void;
}

/** Results that were supplied in place of steps, and the first step that is not skipped. */
interface SuppliedResults {
  readonly outputs: ReadonlyMap<string, Json>;
  readonly until?: string;
}

interface FlowOptions {
  readonly workflow: CompiledWorkflow;
  readonly params: JsonObject;
  readonly facts: KindFacts;
  /** Whether a workflow that a step starts can be undone. */
  readonly undoes?: (child: string | CompiledWorkflow) => boolean;
}

/** The program of one run. */
export function createFlowProgram(options: FlowOptions): FlowProgram {
  return new FlowInstance(options);
}

class FlowInstance implements FlowProgram {
  readonly reads = [];
  private readonly name: string;
  private readonly source: FlowSource;
  private readonly undos = new Map<string, BoundStep>();
  private undoesChildren = false;
  private pass: FlowPass | undefined;

  constructor({ undoes = () => false, ...run }: FlowOptions) {
    this.name = run.workflow.definition.name;
    this.source = { ...run, onYield: (step) => this.noteUndos(step, undoes) };
  }

  /** Steps that can be undone stay known when the flow goes back to before them: what they did was not undone. */
  private noteUndos({ bounds, children }: YieldedStep, undoes: NonNullable<FlowOptions['undoes']>): void {
    for (const [step, { model, code }] of bounds) {
      if (model.undo !== undefined) this.undos.set(step, { model: model.undo, code: code.undo ?? NO_CODE });
      if (model.kind === 'workflow') this.undoesChildren ||= undoes(children.get(step) ?? model.workflow);
    }
  }

  model(step: string): StepModel {
    return this.bound(step).model;
  }

  // The step at which a flow failed stays bound: a person may start it again.
  bound(step: string): BoundStep {
    if (step === UNDO_STEP) return { model: UNDO_MODEL, code: NO_CODE };
    const found = this.pass?.lastStep?.bounds.get(step);
    if (found === undefined)
      throw new EngineError(
        'STEP_UNKNOWN',
        `the flow "${this.name}" has not yielded a step "${step}"; its code may have changed since the run began`,
      );
    return found;
  }

  child(step: string): CompiledWorkflow | undefined {
    return this.pass?.lastStep?.children.get(step);
  }

  undo(step: string): BoundStep | undefined {
    return this.undos.get(step);
  }

  get onUndo(): string | undefined {
    return this.undos.size === 0 && !this.undoesChildren ? undefined : UNDO_STEP;
  }

  /** Only the code of the flow decides where an answer leads, so whether that is back is unknown. */
  goesBack(): boolean {
    return false;
  }

  isOnCycle(step: string): boolean {
    return step === UNDO_STEP;
  }

  begin(_run: RunState, view: Facts, start?: RunBeginning): readonly Move[] {
    const pass = this.started();
    const facts: readonly Move[] = start?.facts === undefined ? [] : [{ do: 'merge', data: start.facts }];
    return [...facts, this.moveOf(pass, view)];
  }

  next(_run: RunState, ended: EndedActivation, view: Facts): readonly Move[] {
    if (ended.step === UNDO_STEP) return undoMoves(ended, view);
    const output = ended.output === undefined ? null : view.value(ended.output);
    const { step, outcome, error, members } = ended;
    this.feed({ step, outcome, output, ...omitUndefined({ error, members, evidence: view.evidence?.(ended.path) }) });
    return [this.moveOf(this.started(), view, ended)];
  }

  replay(run: RunState | undefined, history: readonly FlowRecord[], supplied: SuppliedResults = NOTHING_SUPPLIED): void {
    const { outputs } = supplied;
    const recorded = new Set(history.map(({ step }) => step));
    const unrecorded = new Map([...outputs].filter(([step]) => !recorded.has(step)));
    const own = run === undefined ? [] : Object.values(run.live).filter(({ member, side }) => member === undefined && side === undefined);
    const live = own[0];
    // While it is being undone, the run is no longer at a step of the flow.
    const halt = run?.undoing === undefined ? run?.halt : undefined;
    for (const record of history) {
      this.feedSupplied(unrecorded, record.step);
      this.compare(record.step, record.input);
      this.feed(outputs.has(record.step) ? okRecord(record.step, outputs) : record);
    }
    this.feedSupplied(unrecorded, supplied.until ?? live?.step ?? halt?.step);
    if (run === undefined) return this.assertAtStep(supplied.until);
    if (live !== undefined) this.compare(live.step, live.input);
    else if (halt?.path !== undefined) this.compare(halt.step, halt.input);
  }

  /** The pass of the generator, started when it is first needed. */
  private started(): FlowPass {
    this.pass ??= new FlowPass(this.source);
    return this.pass;
  }

  private stepNow(): YieldedStep | undefined {
    const { position } = this.started();
    return position.kind === 'step' ? position.step : undefined;
  }

  private feedSupplied(outputs: ReadonlyMap<string, Json>, until: string | undefined): void {
    for (;;) {
      const step = this.stepNow();
      if (step === undefined || step.name === until || !outputs.has(step.name)) return;
      if (asksPerson(this.model(step.name)))
        throw new EngineError(
          'OPTION_INVALID',
          `the result of step "${step.name}" cannot be supplied: a person decides it; remove it from \`outputs\``,
        );
      this.feed(okRecord(step.name, outputs));
    }
  }

  private assertAtStep(step: string | undefined): void {
    if (step === undefined || this.stepNow()?.name === step) return;
    throw new EngineError(
      'STEP_UNKNOWN',
      `the flow "${this.name}" does not reach step "${step}" with the supplied results: it reaches ${describePosition(this.started().position)}; supply the results of all steps before "${step}", or start at another step`,
    );
  }

  private compare(step: string, digest: string | undefined): void {
    const now = this.stepNow();
    if (now?.name === step && now.digest === digest) return;
    const actual = now?.name === step ? `step "${step}" with other arguments` : describePosition(this.started().position);
    throw new EngineError(
      'NONDETERMINISM',
      `the flow "${this.name}" is not deterministic: the record has step "${step}", the code now yields ${actual}; move time, randomness, environment and network access into a task step, or restore the code this run began with`,
      { details: { expected: step, actual } },
    );
  }

  private feed(record: Omit<FlowRecord, 'path' | 'input'>): void {
    // A generator that threw cannot continue: for a step that starts again, another generator is replayed up to it.
    if (this.started().position.kind === 'thrown') this.pass = this.started().beforeFailure();
    const { step, outcome, output, error, members = [] } = record;
    if (outcome === 'ok' || outcome === 'iterate' || outcome === 'skip') {
      const now = this.stepNow();
      return this.started().give({ value: now === undefined ? output : received(now.yielded, output) });
    }
    const isGroup = 'join' in this.model(step);
    const evidence = record.evidence ?? (isGroup ? groupEvidence(members) : null);
    this.started().give({
      failure: { step, outcome, code: error?.code ?? 'STEP_FAILED', message: failureText(step, record), output, evidence },
    });
  }

  goBack(step: string): void {
    const pass = this.pass?.at(step);
    invariant(pass !== undefined, 'a flow goes back only to a step that it has yielded', step);
    this.pass = pass;
  }

  private moveOf(pass: FlowPass, view: Facts, ended?: EndedActivation): Move {
    const { position, lastOutput } = pass;
    if (position.kind === 'step') return { do: 'open', step: position.step.name, input: position.step.digest };
    if (position.kind === 'thrown') return this.failed(position.error, ended);
    try {
      const output = view.keep(toPlain(position.value ?? lastOutput, `what the flow "${this.name}" returned`));
      return { do: 'end', status: 'completed', output };
    } catch (thrown) {
      return this.failed(thrown, undefined);
    }
  }

  private failed(value: unknown, ended: EndedActivation | undefined): Move {
    const thrown = readableError(value);
    const fromStep = thrown instanceof StepFailed && ended !== undefined && thrown.step === ended.step;
    const code = thrown instanceof StepFailed || isEngineError(thrown) ? thrown.code : 'STEP_FAILED';
    const cause = { reason: 'uncaught' as const, message: messageOf(thrown), code };
    return { do: 'halt', status: 'failed', cause, at: fromStep ? 'step' : 'flow' };
  }
}

const NOTHING_SUPPLIED: SuppliedResults = { outputs: new Map() };

function okRecord(step: string, outputs: ReadonlyMap<string, Json>): Pick<FlowRecord, 'step' | 'outcome' | 'output'> {
  return { step, outcome: 'ok', output: outputs.get(step) ?? null };
}

function describePosition(position: Position): string {
  if (position.kind === 'step') return `step "${position.step.name}"`;
  return position.kind === 'returned' ? 'the end of the workflow' : `an error (${messageOf(position.error)})`;
}

function received(yielded: FlowYield, output: Json): Json {
  if (yielded.yields === 'step') return output;
  const results = isJsonObject(output) ? output : {};
  return yielded.yields === 'race' ? (results.value ?? null) : yielded.steps.map(({ bound }) => results[bound.model.id] ?? null);
}
