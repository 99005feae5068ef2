// Owns the evaluation of conditions, in the engine's own process and one after the other. Each has a verdict. A condition
// that cannot be evaluated has not passed.

import { messageOf } from '../base/error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { didYouMean } from '../base/suggest.ts';
import { type ConditionCheck, pairConditions, type StepContext } from '../definition/code.ts';
import type { ConditionModel } from '../definition/model.ts';
import { expressionOf, scopeOf } from '../definition/scope/scope.ts';
import { evaluateCondition } from '../expr/expression.ts';
import type { StepError } from '../kernel/input.ts';
import { AttemptStopped, isPromise, untilStopped } from './abort.ts';
import type { AttemptRequest } from './attempt.ts';
import { type AttemptContext, checkpointOf, typeName } from './context.ts';
import { stepError } from './work.ts';

/** The verdict of one condition. `null`: it could not be evaluated; `error` is the reason. */
interface Verdict {
  readonly name: string;
  readonly passed: boolean | null;
  readonly error?: string;
}

/** The verdicts of all preconditions or all postconditions. */
export interface ConditionFindings {
  readonly evidence: Json;
  /** Absent when all hold. */
  readonly error: StepError | undefined;
}

/** Evaluates the preconditions or the postconditions of a step, all of them, in order. */
export async function evaluateConditions(
  side: 'preconditions' | 'postconditions',
  request: AttemptRequest,
  context: AttemptContext,
): Promise<ConditionFindings> {
  const { model, code } = request.bound;
  const verdicts: Verdict[] = [];
  for (const condition of pairConditions(model[side], code[side]))
    verdicts.push(await verdictOf(condition.model, () => evaluate(condition, request, context)));
  return { evidence: verdicts as unknown as Json, error: errorOf(side, model.id, verdicts) };
}

async function verdictOf({ name, error }: ConditionModel, check: () => unknown): Promise<Verdict> {
  try {
    const found = await check();
    if (found === true) return { name, passed: true };
    if (found === false) return { name, passed: false, error };
    return { name, passed: null, error: `it returned ${typeName(found)}; a check must return true or false` };
  } catch (thrown) {
    if (thrown instanceof AttemptStopped) throw thrown;
    return { name, passed: null, error: messageOf(thrown) };
  }
}

interface Condition {
  readonly model: ConditionModel;
  readonly check: ConditionCheck | undefined;
}

function evaluate({ model, check }: Condition, request: AttemptRequest, context: AttemptContext): unknown {
  if (check !== undefined) {
    const found = (check as (ctx: StepContext) => unknown)(rejectUnknownNames(context));
    return isPromise(found) ? untilStopped(found, request.signal) : found;
  }
  if (model.expression === undefined) throw new Error('it has no check; bind the code that the workflow was defined with');
  return holdsExpression(model.expression, request, context);
}

/** Makes reading an unknown name an error: otherwise `ctx.book !== null` would hold if the application's context is missing. */
function rejectUnknownNames(context: AttemptContext): AttemptContext {
  return new Proxy(context, {
    get(target, name) {
      if (typeof name === 'string' && !(name in target) && !LOOKED_UP.includes(name))
        throw new Error(`the context has no "${name}"${didYouMean(name, Object.keys(target))}; the workflow's \`context\` can give it`);
      return Reflect.get(target, name, target);
    },
  });
}

/** Names that JavaScript and loggers read. */
const LOOKED_UP = ['then', 'toJSON', 'asymmetricMatch', 'nodeType', 'inspect'];

/** Whether an expression of a step holds in the current run. */
export function holdsExpression(source: string, request: AttemptRequest, context: AttemptContext): boolean {
  const { snapshot } = context;
  const { params, runId, workflow } = request;
  const expression = expressionOf(source);
  const checkpoint = checkpointOf(params, snapshot);
  const named = scopeOf(expression, {
    run: { id: runId, workflow: context.workflow },
    view: { params, data: (key) => snapshot.data[key], output: (step) => snapshot.results[step] },
    step: context.stepId,
    names: workflow.definition.outputNames,
  });
  const scope = {
    ...named,
    result: context.result ?? null,
    params,
    checkpoint: { ...checkpoint, lastDecision: checkpoint.lastDecision ?? null },
    outputs: { ...snapshot.results, ...(named.outputs as JsonObject | undefined) },
    item: request.item ?? null,
  };
  return evaluateCondition(expression, scope as unknown as JsonObject);
}

function errorOf(side: 'preconditions' | 'postconditions', step: string, verdicts: readonly Verdict[]): StepError | undefined {
  const word = side === 'preconditions' ? 'precondition' : 'postcondition';
  const reason = side === 'preconditions' ? 'precondition' : 'contract';
  const unmet = verdicts.filter(({ passed }) => passed === false);
  if (unmet.length > 0) {
    const texts = unmet.map(({ name, error }) => `${error} (${word} "${name}" of step "${step}")`);
    return stepError(side === 'preconditions' ? 'PRECONDITION_FAILED' : 'POSTCONDITION_FAILED', texts.join('; '), { reason });
  }
  const unclear = verdicts.filter(({ passed }) => passed === null);
  if (unclear.length === 0) return undefined;
  const texts = unclear.map(({ name, error }) => `${word} "${name}" of step "${step}" could not be evaluated: ${error}`);
  return stepError('CONDITION_ERROR', texts.join('; '), { reason });
}
