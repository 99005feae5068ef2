// Owns short spellings of definitions for tests of the kernel. They are made as data, without the ways of writing
// workflows, and checked as any definition is.

import type { JsonObject } from '../../src/base/json.ts';
import type {
  Definition,
  Edge,
  GateOptionModel,
  HumanGateModel,
  JoinModel,
  NextTable,
  StepModel,
  Target,
} from '../../src/definition/model.ts';
import { validateDefinition } from '../../src/definition/validate.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';

const ENDS = ['complete', 'fail', 'escalate', 'reject'];

/** The target of a name: an end of the run, or a step. */
export function target(name: string): Target {
  return ENDS.includes(name) ? ({ end: name } as Target) : { step: name };
}

/** A transition. */
export function edge(to: string, bound?: { readonly max: number; readonly then?: string }): Edge {
  if (bound === undefined) return { to: target(to) };
  return { to: target(to), max: bound.max, then: target(bound.then ?? 'escalate') };
}

/** What a string `next` means. */
export function to(name: string): NextTable {
  return { ok: edge(name), skip: edge(name) };
}

/** A task, or another kind of step with what is given. */
export function step(id: string, given: Partial<StepModel> = {}): StepModel {
  return {
    id,
    title: id,
    kind: 'task',
    config: {},
    actions: [],
    args: {},
    preconditions: [],
    postconditions: [],
    next: {},
    retry: { max: 0, on: ['error'] },
    contractRetries: 1,
    recovery: 'rerun',
    slots: [],
    members: [],
    ...given,
  };
}

/** An option of a question. */
export function option(label: string, given: Partial<GateOptionModel> = {}): GateOptionModel {
  return { label, outcome: 'ok', requiresInput: false, ...given };
}

/** A question with the answers yes and no. */
export function question(given: Partial<HumanGateModel> = {}): HumanGateModel {
  return { prompt: 'go on?', show: [], options: [option('yes'), option('no', { outcome: 'reject' })], ...given };
}

/** A step that asks a person. */
export function human(id: string, given: Partial<StepModel> = {}): StepModel {
  return step(id, { kind: 'human', gate: question(), ...given });
}

/** A step that waits for a signal. */
export function signal(id: string, name: string, given: Partial<StepModel> = {}): StepModel {
  return step(id, { kind: 'signal', config: { signal: name }, ...given });
}

/** A step that lets time pass. */
export function delay(id: string, config: JsonObject, given: Partial<StepModel> = {}): StepModel {
  return step(id, { kind: 'delay', config, ...given });
}

/** A step that starts another workflow. */
export function child(id: string, given: Partial<StepModel> = {}): StepModel {
  return step(id, { kind: 'workflow', config: { workflow: 'kid' }, ...given });
}

/** Branches. */
export function parallel(id: string, members: readonly StepModel[], given: Partial<StepModel> = {}): StepModel {
  return step(id, { kind: 'parallel', members, join: { rule: 'all' }, ...given });
}

/** A fan-out over the items in the params. */
export function each(id: string, given: Partial<StepModel> = {}): StepModel {
  return step(id, { kind: 'each', items: 'params.items', members: [step(id)], join: { rule: 'all' }, ...given });
}

/** A validation with a step that mends what it finds. */
export function validation(id: string, retry: number, given: Partial<StepModel> = {}): StepModel {
  return step(id, { kind: 'validate', config: { stages: null, retry }, members: [step('fix')], ...given });
}

/** The three rules of joins, `count` with two. */
export const JOINS: readonly JoinModel[] = [{ rule: 'all' }, { rule: 'any' }, { rule: 'count', n: 2 }];

/** A condition that must hold after a step. */
export const PROMISE = { name: 'promise', error: 'the promise is broken' };

/** A definition of these steps that begins with the first one; it is refused as any other if it cannot work. */
export function graph(...steps: readonly StepModel[]): Definition {
  return validateDefinition(
    {
      name: 'w',
      title: 'w',
      description: '',
      form: 'graph',
      params: {},
      entry: steps[0]?.id ?? '',
      steps,
      limits: { maxIterations: 3 },
    },
    { registry: REGISTRY },
  );
}
