// Reads a step: the fields that every step can have in addition to its work, and groups of steps.

import { EngineError } from '../../base/error.ts';
import { isJsonObject } from '../../base/json.ts';
import type { BoundStep, ConditionCheck, StepCode, StepContext } from '../../definition/code.ts';
import type { StepContract } from '../../definition/contract/step-contract.ts';
import { traitsOf } from '../../definition/kind.ts';
import type { ArgModel, ConditionModel, NextTable, RetryPolicy, StepFrame, StepModel, StepWork } from '../../definition/model.ts';
import { STRING_NEXT_COVERS } from '../../definition/outcome.ts';
import { arg } from '../../definition/param/arg.ts';
import { templatedPart } from '../../definition/scope/template-scope.ts';
import { parseTemplateTree } from '../../expr/template-tree.ts';
import { readOutputs } from '../spec/output.ts';
import type { StepCondition, Undo } from '../spec/part.ts';
import { isFields } from '../spec/shape.ts';
import { checkLiterals, checkPlainText } from './built.ts';
import { readQuestion } from './question.ts';
import { defined, type StepReading } from './reading.ts';
import { STEP } from './shape.ts';
import type { MemberSpec, SharedSpec, StepFields } from './spec.ts';
import { readWork, type Work, workFields } from './work.ts';

/** A step or member in the spec, without the types of its context. */
export type AnyStep = MemberSpec & StepFields;

/** The context in which a step is read: its id, its transitions, and whether it is a member. */
export interface ReadContext {
  readonly step: StepReading;
  readonly id: string;
  readonly next: NextTable;
  readonly isMember: boolean;
}

const BACKOFF_MAX = '1h';
const FRESH: readonly unknown[] = ['activation', 'run'];
const KNOWN_FIELDS = ['id', 'next', ...Object.keys(STEP)];

const NO_STEP = { message: 'a step must be an object', hint: 'write such as { command: "npm test", next: null }' };

/** The step as data and its functions. */
export function readStep(spec: unknown, context: ReadContext): BoundStep {
  const { step } = context;
  const fields = isFields(spec) ? spec : {};
  if (fields !== spec) step.graph.problems.addMistyped({ step: step.at, code: 'FIELD_INVALID', ...NO_STEP });
  const { names, shapes } = workFields(step.graph.compilers);
  step.knownFields(fields, [...KNOWN_FIELDS, ...(step.graph.isFile ? ['addedFor'] : []), ...names], 'a step');
  const read = step.shapedFields<AnyStep>(shapes, fields);
  checkOneWork(read, step);
  if (context.isMember && read.next !== undefined)
    step.fault('MEMBER_INVALID', 'a step inside a group must not have `next`', 'write `next` on the group; its join decides');
  if (context.isMember && read.side !== undefined)
    step.fault(
      'MEMBER_INVALID',
      'a step inside a group must not have `side`',
      'remove it; only a step of the workflow itself can be a side step',
    );
  return bind(read, context, readWork(read, workContext(context)));
}

function checkOneWork(spec: AnyStep, step: StepReading): void {
  const values = spec as Readonly<Record<string, unknown>>;
  const { kinds } = workFields(step.graph.compilers);
  const fields = Object.keys(values).filter((field) => kinds.has(field) && values[field] !== undefined);
  if (fields.length > 1)
    step.fault('KIND_AMBIGUOUS', `a step must have only one of \`${fields.join('` and `')}\``, 'keep one of them, or write two steps');
  if (spec.human !== undefined && spec.humanGate !== undefined)
    step.fault('KIND_AMBIGUOUS', 'a step must have only one of `human` and `humanGate`', 'keep one of them');
}

function workContext({ step, id, isMember, next }: ReadContext) {
  const readMember = (spec: unknown, name: string) => readInside(spec, { step, id }, name);
  const named = Object.keys(next);
  const isOneEntry = named.length === STRING_NEXT_COVERS.length && STRING_NEXT_COVERS.every((outcome) => named.includes(outcome));
  return { step, id, isMember, namesOutcomes: named.length > 0 && !isOneEntry, readMember };
}

function readInside(spec: unknown, group: Pick<ReadContext, 'step' | 'id'>, fallback: string): BoundStep {
  const id = isFields(spec) && typeof spec.id === 'string' ? spec.id : fallback;
  return readStep(spec, { step: group.step.graph.step(`${group.id}/${id}`), id, next: {}, isMember: true });
}

/** The model and code of a step whose work is known. */
export function bind(spec: AnyStep, context: ReadContext, read: Work): BoundStep {
  const { work, code = {}, templates = spec.templates } = read;
  const { step, id } = context;
  const { reconcile, actions } = spec;
  const outputs = outputsOf(spec, read, step);
  const undo = spec.undo === undefined ? undefined : readUndo(spec.undo, context);
  // The strings of a flow's step are literal; only its undo has templates.
  if (!step.graph.isFile && !(step.graph.isFlow && templates !== true)) checkTexts(spec, { work, templates }, step);
  const frame = defined<StepFrame>({
    id,
    title: spec.title ?? id,
    actions: typeof actions === 'function' ? [] : ((step.plain(actions ?? [], '`actions`') as readonly string[]) ?? []),
    args: readArgs(spec.args ?? {}, step),
    preconditions: (spec.preconditions ?? []).map(conditionModel),
    postconditions: (spec.postconditions ?? []).map(conditionModel),
    next: context.next,
    retry: readRetry(spec.retry, step),
    contractRetries: spec.contractRetries ?? 1,
    recovery: readRecovery(spec, read, step),
    timeoutMs: spec.timeout === undefined ? undefined : step.duration(spec.timeout, '`timeout`'),
    condition: spec.condition,
    question: spec.humanGate === undefined ? undefined : readQuestion(spec.humanGate, step, context.isMember),
    slots: [...(spec.slots ?? [])],
    templates: templates === true && hasTemplates(work) ? true : undefined,
    supportsQuestions: spec.supportsQuestions,
    questionState: spec.questionState,
    writes: spec.writes === undefined ? undefined : [...spec.writes],
    protected: spec.protected === undefined ? undefined : [...spec.protected],
    mayChange: spec.mayChange === undefined ? undefined : [...spec.mayChange],
    network: spec.network,
    mutatesCheckout: spec.mutatesCheckout,
    staged: spec.staged,
    databases: spec.databases,
    onFail: spec.onFail,
    outputs: outputs?.models,
    fresh: spec.fresh,
    merges: spec.merges,
    extension: readExtension(spec.extend, step),
    side: spec.side === true ? true : undefined,
    addedFor: spec.addedFor,
    contract: spec.contract === undefined ? undefined : readContract(spec.contract, step),
    reviewOf: spec.reviewOf,
    routes: spec.route === undefined ? undefined : [...spec.route.outcomes],
    independent: spec.independent,
    undo: undo?.model,
  });
  const functions = defined<StepCode>({
    ...code,
    preconditions: checksOf(spec.preconditions, 'precondition', step),
    postconditions: checksOf(spec.postconditions, 'postcondition', step),
    reconcile: reconcile === undefined ? undefined : step.code('reconcile', reconcile),
    actions: typeof actions === 'function' ? step.code('actions', actions) : undefined,
    route: spec.route === undefined ? undefined : step.code('route', spec.route.choose),
    finds: outputs?.finds,
    undo: undo?.code,
    members: code.members ?? {},
  });
  return { model: { ...frame, ...work }, code: Object.freeze(functions) };
}

const UNDO_FIELDS: readonly string[] = ['title', 'timeout', 'recovery', 'templates', 'handler', 'command', 'env', 'cwd', 'forge'];

/** Reads the undo of a step. It is a step itself, without transitions, conditions and retries of its own. */
function readUndo(undo: Undo<StepContext>, { step }: ReadContext): BoundStep {
  const spec: MemberSpec = typeof undo === 'function' ? { handler: undo } : ({ templates: true, ...undo } as MemberSpec);
  step.knownFields(spec, UNDO_FIELDS, 'an undo');
  const read = readInside(spec, { step, id: step.at }, 'undo');
  if (traitsOf(step.graph.compilers, read.model.kind).undoText === undefined || (spec.handler ?? spec.command ?? spec.forge) === undefined)
    step.fault('FIELD_INVALID', '`undo` must do something', 'write a function, or `handler`, `command` or `forge`');
  return read;
}

/** The work of a step, and whether its texts are templates. */
interface WorkTexts {
  readonly work: StepWork;
  readonly templates: boolean | undefined;
}

/** Rejects templates where they are not rendered, for workflows in TypeScript; the file reader does it for files. */
function checkTexts({ title, actions, humanGate }: AnyStep, { work, templates }: WorkTexts, step: StepReading): void {
  checkLiterals(work, templates === true, step);
  if (title !== undefined) checkPlainText(title, 'title', step);
  if (Array.isArray(actions)) checkPlainText(actions, 'actions', step);
  if (typeof humanGate?.prompt === 'string' && templates !== true) checkPlainText(humanGate.prompt, 'humanGate.prompt', step);
}

/** Whether any text of the work, or the question it asks, is a template. */
function hasTemplates(work: StepWork): boolean {
  const texts = [templatedPart(work), work.kind === 'human' ? work.question.prompt : ''];
  // Most steps have none, and searching for braces is faster than parsing.
  if (!JSON.stringify(texts).includes('{{')) return false;
  try {
    return parseTemplateTree(texts).hasPlaceholders;
  } catch {
    // A template that cannot be parsed is reported when the definition is checked.
    return true;
  }
}

/** Reads the outputs of a step. Only steps with workers produce something; waits and groups do not. */
function outputsOf({ outputs, fresh }: AnyStep, { work }: Work, step: StepReading): ReturnType<typeof readOutputs> | undefined {
  if (fresh !== undefined && (!FRESH.includes(fresh) || outputs === undefined))
    step.fault('FIELD_INVALID', `\`fresh\` must be "activation" or "run", and needs \`outputs\``, 'write both, or remove it');
  if (outputs === undefined) return undefined;
  const { worker } = traitsOf(step.graph.compilers, work.kind);
  if (worker === undefined || worker === 'generator')
    step.fault('FIELD_INVALID', '`outputs` has no effect here', 'write it on a step with a handler, a command, an agent or `use`');
  const read = readOutputs(Array.isArray(outputs) ? outputs : []);
  for (const { message, hint } of read.faults) step.fault('FIELD_INVALID', message, hint);
  for (const [name, find] of Object.entries(read.finds ?? {})) step.code(`output ${name}`, find);
  return read;
}

/** The contract as plain data; `validate` checks its content. */
function readContract(contract: StepContract, step: StepReading): StepContract {
  const plain = step.plain(contract, '`contract`');
  return isJsonObject(plain) ? plain : {};
}

function readExtension(extend: SharedSpec['extend'], step: StepReading): StepFrame['extension'] {
  if (extend === undefined) return undefined;
  const { by, max = 1, onExtend } = extend;
  return { ms: step.duration(by, '`extend.by`'), max, ...(onExtend === undefined ? {} : { onExtend }) };
}

function readArgs(args: Readonly<Record<string, ArgModel>>, step: StepReading): Record<string, ArgModel> {
  return Object.fromEntries(
    Object.entries(args).flatMap(([name, model]) => {
      try {
        return [[name, arg(model)]];
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        step.fault('ARG_INVALID', `parameter "${name}": ${error.message}`, 'change the parameter under `args`');
        return [];
      }
    }),
  );
}

function conditionModel({ name, check, error }: StepCondition<StepContext>): ConditionModel {
  const model = { name, error: error ?? `"${name}" does not hold` };
  return typeof check === 'string' ? { ...model, expression: check } : model;
}

function checksOf(
  conditions: readonly StepCondition<StepContext>[] | undefined,
  role: string,
  step: StepReading,
): readonly (ConditionCheck | undefined)[] {
  const checks = (conditions ?? []).map(({ name, check }, index) => {
    if (typeof check === 'function') return step.code(`${role} ${index}`, check);
    if (typeof check !== 'string')
      step.fault('FIELD_INVALID', `\`check\` of the ${role} "${name}" is missing`, 'write a function or an expression');
    return undefined;
  });
  return Object.freeze(checks);
}

function readRetry(retry: SharedSpec['retry'], step: StepReading): RetryPolicy {
  const { max, on = ['error'], backoff } = typeof retry === 'object' ? retry : { max: retry ?? 0 };
  if (backoff === undefined) return { max, on: [...on] };
  const initialMs = step.duration(backoff.initial, '`retry.backoff.initial`');
  const maxMs = step.duration(backoff.max ?? BACKOFF_MAX, '`retry.backoff.max`');
  return { max, on: [...on], backoff: { initialMs, factor: backoff.factor ?? 2, maxMs } };
}

function readRecovery({ recovery, reconcile }: AnyStep, read: Work, step: StepReading): StepModel['recovery'] {
  const kind = step.graph.compilers.kinds[read.work.kind];
  // A kind that only waits or checks is always safe to run again.
  const inherits = kind.keepsRecovery !== true && kind.recovery === 'ask';
  const usual = read.recovery ?? (inherits ? step.graph.recovery : undefined) ?? kind.recovery;
  const policy = recovery ?? (reconcile === undefined ? usual : 'reconcile');
  if (!['rerun', 'reconcile', 'ask'].includes(policy))
    step.fault(
      'RECOVERY_INVALID',
      `\`recovery\` must be "rerun", "reconcile" or "ask", not ${JSON.stringify(policy)}`,
      'write "rerun", "reconcile" or "ask"',
    );
  if (policy === 'reconcile' && reconcile === undefined && !step.graph.isFile)
    step.fault('RECOVERY_INVALID', '`recovery: "reconcile"` needs the function `reconcile`', 'add `reconcile`, or write "rerun" or "ask"');
  if (policy !== 'reconcile' && reconcile !== undefined)
    step.fault(
      'RECOVERY_INVALID',
      `\`reconcile\` has no effect, because \`recovery\` is "${policy}"`,
      'write recovery: "reconcile", or remove the function',
    );
  return policy;
}
