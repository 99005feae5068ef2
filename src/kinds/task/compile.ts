// Compiles a `task` step: a function of the author, as a handler of a graph or with its arguments in a flow.

import { tooMany } from '../../authoring/flow/method.ts';
import { type FlowSpec, invalid } from '../../authoring/flow/model.ts';
import { shownValue } from '../../authoring/flow/serial.ts';
import { createTask } from '../../authoring/graph/task.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { shownType } from '../../authoring/spec/shape.ts';
import { deepCopy } from '../../base/json.ts';
import type { StepContext } from '../../definition/code.ts';
import type { WorkConfigs } from '../../definition/model.ts';
import { task as declaration } from './declare.ts';
import type { Action, TaskSpec } from './spec.ts';

/** Compiles `task` steps; in a graph, `handler` may also dispatch an agent. */
export const task: KindCompiler = {
  ...declaration,
  field: 'handler',
  flow: { task: { own: ['action', 'args'], write: callOf } },
  read(spec, { step, id, namesOutcomes }) {
    const { handler } = spec;
    if (typeof handler === 'object' && handler !== null) {
      step.knownFields(handler, ['agent', 'script'], 'a Dispatch');
      for (const field of ['agent', 'script'] as const)
        if (typeof handler[field] !== 'string' || handler[field].trim() === '')
          step.fault('FIELD_INVALID', `\`${field}\` of Dispatch is missing`, 'write Dispatch({ agent: "developer", script: "fix.py" })');
      return { work: { kind: 'agent', config: { role: handler.agent, script: handler.script } } };
    }
    if (handler !== undefined && typeof handler !== 'function')
      step.fault(
        'FIELD_INVALID',
        `\`handler\` must be a function, not ${shownType(handler)}`,
        'write a function, or Dispatch({ agent, script })',
      );
    if (typeof handler !== 'function') {
      const { actions = [] } = spec as { readonly actions?: readonly string[] | ((params: never) => unknown) };
      const config: WorkConfigs['task'] = typeof actions === 'function' || actions.length > 0 ? { instructed: true } : {};
      return { work: { kind: 'task', config }, code: { run: createTask(undefined, { step: id }) } };
    }
    step.code('handler', handler);
    return { work: { kind: 'task', config: {} }, code: { run: createTask(handler, { step: id, namesOutcomes }) } };
  },
};

/** A function called with its arguments; whatever it returns is the step's result. */
function callOf([work, ...beside]: readonly [Action | TaskSpec<never, unknown>, ...unknown[]], name: string): FlowSpec {
  if (typeof work === 'object' && beside.length > 0) throw tooMany('.task() with an object', beside.length + 1, 1);
  const spec: Partial<TaskSpec<never, unknown>> =
    typeof work === 'object' && work !== null ? work : { action: work, args: beside as never };
  const { action, args = [] as readonly unknown[], ...options } = spec;
  if (typeof action !== 'function')
    throw invalid(`step "${name}"`, 'has no function to call; write .task(fn, ...args) or .task({ action, args })');
  const call = action as unknown as (...args: readonly unknown[]) => unknown;
  // Copied now, because the flow may change them later. Each attempt gets its own copy; live objects are shared.
  const fixed = typeof args === 'function' ? undefined : args.map(deepCopy);
  const run = async (ctx: StepContext) => {
    const values: readonly unknown[] = typeof args === 'function' ? await args(ctx) : (fixed ?? []);
    return { outcome: 'ok', output: await call(...values.map(deepCopy)) };
  };
  // The name of the author's function is what logs show.
  Object.defineProperty(run, 'name', { value: action.name });
  return { fields: {}, options, work: { work: { kind: 'task', config: { args: shownValue(args) } }, code: { run } } };
}
