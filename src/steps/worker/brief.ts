// Owns what the author of a step passes to its worker: data, fixed or built by a function, and the text of the task. The
// rest of the instructions is in instructions/.

import { EngineError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { type ActionPart, partsOf } from '../../definition/action-part.ts';
import type { Budget } from '../../definition/budget.ts';
import type { LoopPosition } from '../../definition/code.ts';
import type { AttemptRequest, Snapshot } from '../attempt.ts';
import { plainOf, resultOf } from '../built.ts';
import { type AttemptContext, kindOf, ownData } from '../context.ts';

/** The worker of a step and its configuration, whatever kind of step it is. */
export interface WorkerConfig {
  /** Absent if the code has a live object. */
  readonly role?: string | undefined;
  readonly prompt?: string;
  readonly action?: string;
  readonly script?: string;
  readonly schema?: JsonObject;
  readonly context?: JsonObject;
  readonly budget?: Budget;
  /** It gets the run's data below its own context. */
  readonly seesContext?: true;
  /** It continues the latest session of its role in the run. */
  readonly continueSession?: true;
  /** Its answer is only a text. */
  readonly givesText?: true;
  /** It reviews something and must give a verdict. */
  readonly reviews?: boolean;
}

/** The data that a step passes on: `fixed`, or what its context function builds. Throws CONTEXT_FAILED. */
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

/** The run's data, overridden by the step's own, for a step that sees it. */
export function withRunContext(fixed: JsonObject, { snapshot }: AttemptContext): JsonObject {
  const known = Object.entries(ownData(snapshot)).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(known), ...fixed };
}

/** The text of a step as its author wrote it. */
export interface WrittenTask {
  readonly title: string;
  /** The text, split into the author's blocks and plain text. */
  readonly task: readonly ActionPart[];
  /** Where in a loop the step is. */
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
  const told = actions.some((one) => one !== '') ? partsOf(actions, [params, results]) : [];
  const groups = [
    around(prompt),
    told,
    around(action === undefined ? undefined : `Action: ${action}`),
    around(script === undefined ? undefined : `Script: ${script}`),
  ].filter((group) => group.length > 0);
  const task = groups.flatMap((group, index) => [...(index === 0 ? [] : [{ kind: 'text' as const, text: '' }]), ...group]);
  return { title, task, ...(loop === undefined ? {} : { loop }) };
}
