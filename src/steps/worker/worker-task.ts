// Owns the author's part of a worker's instructions: data, fixed or built by a function, and the text of the task. The rest
// is in instructions/.

import { EngineError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { type ActionPart, partsOf } from '../../definition/action-part.ts';
import type { Budget } from '../../definition/budget.ts';
import type { LoopPosition } from '../../definition/code.ts';
import type { AttemptRequest, Snapshot } from '../attempt.ts';
import { plainOf, resultOf } from '../built-values.ts';
import { type AttemptContext, typeName, visibleData } from '../context.ts';

/** The configuration of a step's worker, for all kinds of steps. */
export interface WorkerConfig {
  /** Absent if the code has an in-process agent. */
  readonly role?: string | undefined;
  readonly prompt?: string;
  readonly action?: string;
  readonly script?: string;
  readonly schema?: JsonObject;
  readonly context?: JsonObject;
  readonly budget?: Budget;
  /** It gets the run's data in addition to its context. */
  readonly seesContext?: true;
  /** It continues the latest session of its role in the run. */
  readonly continueSession?: true;
  /** Its answer is only a text. */
  readonly givesText?: true;
  /** It reviews something and must give a verdict. */
  readonly reviews?: boolean;
}

/** The data of a step: `fixed`, or the result of its context function. Throws CONTEXT_FAILED. */
export async function stepData(request: AttemptRequest, context: AttemptContext, fixed: Json): Promise<JsonObject> {
  const { model, code } = request.bound;
  const subject = `the context of step "${model.id}"`;
  const built = code.context === undefined ? fixed : await resultOf(() => code.context?.(context), { subject, signal: request.signal });
  if (typeof built !== 'object' || built === null || Array.isArray(built))
    throw new EngineError('CONTEXT_FAILED', `step "${model.id}": Context builder must return an object, got ${typeName(built)}`);
  const plain = plainOf(built, subject);
  if (isJsonObject(plain)) return plain;
  throw new EngineError(
    'CONTEXT_FAILED',
    `step "${model.id}": Context builder must return an object, got ${typeName(plain)} from its toJSON`,
  );
}

/** The run's data, overridden by that of the step. */
export function withRunContext(fixed: JsonObject, { snapshot }: AttemptContext): JsonObject {
  const known = Object.entries(visibleData(snapshot)).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(known), ...fixed };
}

/** The author's text of a step. */
export interface WrittenTask {
  readonly title: string;
  /** The text, split into the author's blocks and plain text. */
  readonly task: readonly ActionPart[];
  /** The position of the step in a loop. */
  readonly loop?: LoopPosition;
}

/** The title and text of a step, as written or as built by its code from the current state of the run. */
export function writtenTask(
  { bound: { model, code }, params, visit = 1 }: AttemptRequest,
  { prompt, action, script }: Pick<WorkerConfig, 'prompt' | 'action' | 'script'>,
  results: Snapshot['results'],
): WrittenTask {
  const built = code.actions?.(params, { visit, results });
  const title = built !== undefined && 'actions' in built ? built.title : model.title;
  const actions = built === undefined ? model.actions : 'actions' in built ? built.actions : built;
  const loop = built !== undefined && 'actions' in built ? built.loop : undefined;
  const around = (text: string | undefined): ActionPart[] => (text === undefined || text === '' ? [] : [{ kind: 'text', text }]);
  const blocks = actions.some((action) => action !== '') ? partsOf(actions, [params, results]) : [];
  const groups = [
    around(prompt),
    blocks,
    around(action === undefined ? undefined : `Action: ${action}`),
    around(script === undefined ? undefined : `Script: ${script}`),
  ].filter((group) => group.length > 0);
  const task = groups.flatMap((group, index) => [...(index === 0 ? [] : [{ kind: 'text' as const, text: '' }]), ...group]);
  return { title, task, ...(loop === undefined ? {} : { loop }) };
}
