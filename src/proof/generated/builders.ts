// Calls the functions that build values of a step, such as a prompt, with the values of a case. If a function reads data
// that only a run has (results, records, an item), it is not judged: it may fail without a run.

import { messageOf } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { type CompiledWorkflow, NO_CODE, type StepCode, type StepContext } from '../../definition/code.ts';
import type { GeneratedCase } from './inputs.ts';

/** Returns the problems of the values that the functions of a step build for a case. */
export async function builderProblems(workflow: CompiledWorkflow, generated: GeneratedCase): Promise<readonly string[]> {
  const { built = [], context } = codeAt(workflow, generated.step);
  const builders = [
    ...built.map(({ path, shape, build }) => ({ name: path.join('.'), isText: shape === 'text', build })),
    ...(context === undefined ? [] : [{ name: 'context', isText: false, build: context }]),
  ];
  const problems: string[] = [];
  for (const { name, isText, build } of builders) {
    const { ctx, hasReadRun } = watchedContext(workflow, generated);
    const problem = await problemOf(() => build(ctx), isText);
    if (problem !== undefined && !hasReadRun()) problems.push(`its ${name} ${problem}`);
  }
  return problems;
}

/** The functions of a step. Those of a branch or of the body of a fan-out belong to the surrounding step. */
function codeAt({ code }: CompiledWorkflow, unit: string): StepCode {
  const own = code.get(unit);
  if (own !== undefined) return own.members[unit] ?? own;
  const [group = '', branch = ''] = unit.split('/');
  return code.get(group)?.members[branch] ?? NO_CODE;
}

async function problemOf(build: () => unknown, isText: boolean): Promise<string | undefined> {
  try {
    const value = await build();
    if (!isText || typeof value === 'number' || typeof value === 'boolean') return undefined;
    if (typeof value !== 'string') return `must be a string, but its function returned ${value === null ? 'null' : typeof value}`;
    return value.trim() === '' ? 'is empty' : undefined;
  } catch (error) {
    return `cannot be built: ${messageOf(error)}`;
  }
}

/** The context of an attempt without a run, and whether data was read that only a run has. */
function watchedContext(
  { definition, isCompat }: CompiledWorkflow,
  { step, params, args }: GeneratedCase,
): { readonly ctx: StepContext; hasReadRun(): boolean } {
  let hasRead = false;
  const known = (values: JsonObject) => watched(values, () => (hasRead = true));
  const values = {
    runId: 'RUN',
    workflow: definition.name,
    stepId: step,
    path: `${step}#1`,
    attempt: 1,
    idempotencyKey: 'KEY',
    signal: new AbortController().signal,
    params,
    args,
    ...(isCompat === true ? { workflowParams: params, stepState: known({ ...params, ...args }) } : {}),
  };
  return { ctx: watched(values, () => (hasRead = true)) as unknown as StepContext, hasReadRun: () => hasRead };
}

/** An object that reports when a missing field is read. */
function watched<T extends object>(values: T, onUnknown: () => void): T {
  return new Proxy(values, {
    get: (target, name, receiver) => {
      if (!Reflect.has(target, name)) onUnknown();
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
}
