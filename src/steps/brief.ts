// Owns what the author of a step gives its worker: the data that is handed over, fixed or built by a function, and the
// text of the task. What Pawl tells besides is in instructions/.

import { EngineError } from '../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Budget } from '../definition/budget.ts';
import type { AttemptRequest } from './attempt.ts';
import { plainOf, resultOf } from './built.ts';
import { type AttemptContext, kindOf, ownData } from './context.ts';

/** Who works at a step and what they are told, whatever kind of step it is. */
export interface WorkerConfig {
  /** Absent where the code has a live object. */
  readonly role?: string | undefined;
  readonly prompt?: string;
  readonly action?: string;
  readonly script?: string;
  readonly schema?: JsonObject;
  readonly context?: JsonObject;
  readonly budget?: Budget;
  /** It is given the run's data under its own context. */
  readonly seesContext?: true;
  /** It goes on with the latest session of its role in the run. */
  readonly continueSession?: true;
  /** Its answer is a text and nothing else. */
  readonly givesText?: true;
  /** It reviews something and must give a verdict. */
  readonly reviews?: boolean;
}

/** The data that a step hands over: `fixed`, or what its context function builds. Throws CONTEXT_FAILED. */
export async function handedOver(request: AttemptRequest, context: AttemptContext, fixed: Json): Promise<JsonObject> {
  const { model, code } = request.bound;
  const what = `the context of step "${model.id}"`;
  const built = code.context === undefined ? fixed : await resultOf(() => code.context?.(context), { what, signal: request.signal });
  if (typeof built !== 'object' || built === null || Array.isArray(built))
    throw new EngineError('CONTEXT_FAILED', `step "${model.id}": Context builder must return an object, got ${kindOf(built)}`);
  const plain = plainOf(built, what);
  if (isJsonObject(plain)) return plain;
  throw new EngineError(
    'CONTEXT_FAILED',
    `step "${model.id}": Context builder must return an object, got ${kindOf(plain)} from its toJSON`,
  );
}

/** The run's context under what the step itself hands over, for a step that sees it. */
export function withRunContext(fixed: JsonObject, { snapshot }: AttemptContext): JsonObject {
  const known = Object.entries(ownData(snapshot)).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(known), ...fixed };
}

/** The title and the text of a step as its author wrote them, or as its code builds them. */
export function writtenTask(
  { bound: { model, code }, params }: AttemptRequest,
  { prompt, action, script }: Pick<WorkerConfig, 'prompt' | 'action' | 'script'>,
): { readonly title: string; readonly task: string } {
  const built = code.actions?.(params);
  const title = built !== undefined && 'actions' in built ? built.title : model.title;
  const actions = built === undefined ? model.actions : 'actions' in built ? built.actions : built;
  const parts = [
    prompt,
    actions.join('\n'),
    action === undefined ? undefined : `Action: ${action}`,
    script === undefined ? undefined : `Script: ${script}`,
  ];
  return { title, task: parts.filter((part) => part !== undefined && part !== '').join('\n\n') };
}
