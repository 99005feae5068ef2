// Owns how a step of a flow becomes a model and its code: what a flow writes is read as the step of a graph, with fewer
// options. The model is plain frozen data; functions and live objects are only in the code.

import type { Duration } from '../../base/duration.ts';
import { EngineError } from '../../base/error.ts';
import { deepFreeze } from '../../base/json.ts';
import type { BoundStep, CompiledWorkflow, StepContext } from '../../definition/code.ts';
import type { ProblemList } from '../../definition/validation/problem.ts';
import { checkFields } from '../../definition/validation/validate-step.ts';
import { GraphReading } from '../graph/reading.ts';
import { type AnyStep, bind } from '../graph/step.ts';
import { type Compilers, type KindCompiler, UNREAD, type Work, workFields } from '../graph/work.ts';
import { checkOptions } from '../spec/option.ts';
import type { OutputFields, SharedFields } from '../spec/part.ts';
import { isFields, type ShapeFault, shownType } from '../spec/shape.ts';

/** A condition of a contract: an expression, or a function that checks something. */
export interface FlowCondition {
  readonly name: string;
  readonly check: string | ((ctx: StepContext) => boolean | Promise<boolean>);
  /** The message for the worker that has to fix it. Default: built from the name. */
  readonly error?: string;
}

type Frame = SharedFields<StepContext, never, Duration> & OutputFields<StepContext>;

type Options =
  | 'title'
  | 'retry'
  | 'timeout'
  | 'recovery'
  | 'reconcile'
  | 'contractRetries'
  | 'slots'
  | 'outputs'
  | 'protected'
  | 'mayChange'
  | 'writes'
  | 'network'
  | 'mutatesCheckout'
  | 'staged'
  | 'databases'
  | 'onFail'
  | 'undo';

/** The fields of every kind of step. */
export type StepOptions = { readonly [Option in Options]?: Frame[Option] } & {
  /** Files among the outputs must change in each visit of the step; left out: since it first began in the run. */
  readonly fresh?: 'activation';
  readonly preconditions?: readonly FlowCondition[];
  readonly postconditions?: readonly FlowCondition[];
};

const OPTIONS = Object.keys({
  title: true,
  retry: true,
  timeout: true,
  recovery: true,
  reconcile: true,
  contractRetries: true,
  slots: true,
  outputs: true,
  protected: true,
  mayChange: true,
  writes: true,
  network: true,
  mutatesCheckout: true,
  staged: true,
  databases: true,
  onFail: true,
  undo: true,
  fresh: true,
  preconditions: true,
  postconditions: true,
} satisfies Record<keyof StepOptions, true>);

/** A step of a flow in the words of a graph. */
export interface FlowSpec {
  /** Its work, and what only this kind has: `{ human: { prompt: 'Ship it?' } }`. */
  readonly fields: object;
  /** The options of every step. The names of others are refused. */
  readonly options?: StepOptions | undefined;
  /** The work itself, if no graph can say it: a function with its arguments. */
  readonly work?: Work;
}

/** A step whose work has been read, with its options so far, which a call can change. */
export interface ReadStep {
  readonly name: string;
  readonly compilers: Compilers;
  readonly work: Work;
  /** Its fields apart from those of its work. */
  readonly frame: object;
}

/** What is known of the step that is read. */
export interface FlowPlace {
  readonly name: string;
  readonly compilers: Compilers;
  readonly kind: KindCompiler;
  /** The names of fields that may stand beside the options. */
  readonly own: readonly string[];
}

/** Reads a step; the children are the workflows that it starts. */
export function readFlowStep(
  { fields, options = {}, work: given }: FlowSpec,
  { name, compilers, kind, own }: FlowPlace,
): { readonly read: ReadStep; readonly bound: BoundStep; readonly child: CompiledWorkflow | undefined } {
  if (!isFields(options)) throw invalid(`step "${name}"`, `cannot be built: its options must be an object, not ${shownType(options)}`);
  if (Object.keys(options).length > 0) checkOptions(`step "${name}"`, options, [...own, ...OPTIONS]);
  const reading = new GraphReading(compilers, 'flow');
  const step = reading.step(name);
  const frame = { ...options, ...fields };
  const spec = step.shapedFields<AnyStep>(workFields(compilers).shapes, frame);
  // The steps inside it are calls of the flow, which were read when they were built.
  const readMember = (member: unknown) => member as BoundStep;
  const work = given ?? kind.read(spec, { step, id: name, isMember: false, namesOutcomes: false, readMember });
  if (work === undefined) reading.problems.unread.add(name);
  const read = { name, compilers, work: work ?? UNREAD, frame };
  return { read, bound: bindSpec(spec, read, reading), child: [...reading.children.values()][0] };
}

/** The step with some of its fields changed. */
export function withFrame(step: ReadStep, changed: object): { readonly read: ReadStep; readonly bound: BoundStep } {
  const reading = new GraphReading(step.compilers, 'flow');
  const read = { ...step, frame: { ...step.frame, ...changed } };
  const { shapes } = workFields(step.compilers);
  return { read, bound: bindSpec(reading.step(step.name).shapedFields<AnyStep>(shapes, read.frame), read, reading) };
}

function bindSpec(spec: AnyStep, { name, work }: ReadStep, reading: GraphReading): BoundStep {
  const { problems, compilers: registry } = reading;
  const step = reading.step(name);
  if (spec.fresh !== undefined && spec.fresh !== 'activation')
    step.fault(
      'FIELD_INVALID',
      `\`fresh\` is ${JSON.stringify(spec.fresh)}`,
      'a flow does not know its later steps when it starts, so only "activation" is possible',
    );
  const { model, code } = bind(spec, { step, id: name, next: {}, isMember: false }, work);
  // A fan-out over an empty list is valid here, because the list is known only when the step is yielded.
  if (model.kind === 'parallel') problems.refused.add(name);
  const checks = { problems, registry, roots: 'any' as const };
  checkFields({ step: model, at: name }, checks);
  if (model.undo !== undefined) checkFields({ step: model.undo, at: `${name}/undo`, group: model }, checks);
  refuse(name, problems);
  return Object.freeze({ model: deepFreeze(model), code });
}

function refuse(name: string, { found }: ProblemList): void {
  if (found.length === 0) return;
  const lines = found.map(({ step, message, hint }) => `${step === name ? '' : `step "${step}": `}${message}; ${hint}`);
  throw invalid(`step "${name}"`, `cannot be built: ${lines.join('. ')}`);
}

/** Throws if a step cannot be part of a group; the message begins with `group`. */
export function checkMember(group: string, { model }: BoundStep): void {
  if (model.kind !== 'parallel' && model.kind !== 'each') return;
  throw invalid(group, `cannot hold step "${model.id}", which is a group itself; yield that one by itself`);
}

/** Refuses the first field with a wrong type. */
export function refusal(subject: string): ShapeFault {
  return (_, message) => {
    throw invalid(`${subject}:`, message);
  };
}

/** The error of a step that cannot be built; `subject` names it. */
export function invalid(subject: string, problem: string): EngineError {
  return new EngineError('DEFINITION_INVALID', `${subject} ${problem}`);
}

// A path is `step#visit` or `group#visit/key`, so a name must not contain its separators.
const NAME = /^(?!@)[^#/\p{Cc}]{1,200}$/u;

/** The name of a step of a flow, or an error when it cannot be one. */
export function stepName(name: string): string {
  const fault = stepNameFault(name);
  if (fault === undefined) return name;
  throw new EngineError('DEFINITION_INVALID', `${fault.message}; ${fault.hint}`);
}

/** What is wrong with the name of a step of a flow. */
export function stepNameFault(name: string): { readonly message: string; readonly hint: string } | undefined {
  if (typeof name === 'string' && NAME.test(name)) return undefined;
  const message = `the step name ${JSON.stringify(name)} cannot be used`;
  return { message, hint: 'write 1 to 200 characters without "#", "/" and control characters, and no "@" at the beginning' };
}
