// Owns short spellings of definitions for tests of the kernel. They are made as data, without the ways of writing
// workflows, and checked as any definition is.

import type {
  ApprovalModel,
  ApprovalOptionModel,
  Definition,
  DelayWork,
  EachWork,
  Edge,
  GraphDefinition,
  JoinModel,
  NextTable,
  ParallelWork,
  StepFrame,
  StepModel,
  StepWork,
  Target,
} from '../../src/definition/model.ts';
import { plainFrame } from '../../src/definition/plain-frame.ts';
import { ProblemList } from '../../src/definition/validation/problem.ts';
import { checkDefinition } from '../../src/definition/validation/validate.ts';
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

/** What a test says about the frame of a step, and perhaps about its work. */
export type Given = Partial<StepFrame> & (StepWork | { readonly kind?: undefined });

/** A task, or another kind of step with what is given. */
export function step(id: string, given: Given = {}): StepModel {
  const { kind, ...rest } = given;
  const work = kind === undefined ? { kind: 'task', config: {} } : given;
  return {
    ...plainFrame(id, 'rerun'),
    ...rest,
    ...work,
  } as StepModel;
}

/** An option of a question. */
export function option(label: string, given: Partial<ApprovalOptionModel> = {}): ApprovalOptionModel {
  return { label, outcome: 'ok', requiresInput: false, ...given };
}

/** A question with the answers yes and no. */
export function question(given: Partial<ApprovalModel> = {}): ApprovalModel {
  return { prompt: 'go on?', show: [], options: [option('yes'), option('no', { outcome: 'reject' })], ...given };
}

/** A step that asks a person. */
export function human(id: string, given: Partial<StepFrame> = {}): StepModel {
  return step(id, { question: question(), ...given, kind: 'human' });
}

/** A step that waits for a signal. */
export function signal(id: string, name: string, given: Partial<StepFrame> = {}): StepModel {
  return step(id, { ...given, kind: 'signal', signal: name });
}

/** A step that lets time pass. */
export function delay(id: string, work: Omit<DelayWork, 'kind'>, given: Partial<StepFrame> = {}): StepModel {
  return step(id, { ...given, kind: 'delay', ...work });
}

/** A step that starts another workflow. */
export function child(id: string, given: Partial<StepFrame> = {}): StepModel {
  return step(id, { ...given, kind: 'workflow', workflow: 'kid', input: {} });
}

type GroupGiven = Partial<StepFrame & Pick<ParallelWork, 'join' | 'concurrency'>>;

/** Branches. */
export function parallel(id: string, members: readonly StepModel[], given: GroupGiven = {}): StepModel {
  return step(id, { join: { rule: 'all' }, ...given, kind: 'parallel', members });
}

/** A fan-out over the items in the params. */
export function each(id: string, given: GroupGiven & Partial<Pick<EachWork, 'items' | 'body'>> = {}): StepModel {
  return step(id, { items: 'params.items', body: step(id), join: { rule: 'all' }, ...given, kind: 'each' });
}

/** A validation with a step that repairs what it finds. */
export function validation(id: string, repairs: number, given: Partial<StepFrame> = {}): StepModel {
  return step(id, { ...given, kind: 'validate', stages: null, repairs, onFailure: step('fix') });
}

/** The three rules of joins, `count` with two. */
export const JOINS: readonly JoinModel[] = [{ rule: 'all' }, { rule: 'any' }, { rule: 'count', n: 2 }];

/** A condition that must hold after a step. */
export const PROMISE = { name: 'promise', error: 'the promise is broken' };

/** A definition of these steps that begins with the first one; it is refused as any other if it cannot work. */
export function graph(...steps: readonly StepModel[]): GraphDefinition {
  return graphWith({}, ...steps);
}

/** The same with more fields of a definition. */
export function graphWith(more: Partial<GraphDefinition>, ...steps: readonly StepModel[]): GraphDefinition {
  return accepted({
    name: 'w',
    title: 'w',
    description: '',
    form: 'graph',
    params: {},
    entry: steps[0]?.id ?? '',
    steps,
    limits: { maxIterations: 3 },
    ...more,
  });
}

/** The definition, or the error with all that is wrong with it. */
export function accepted<D extends Definition>(definition: D): D {
  const problems = new ProblemList();
  checkDefinition(definition, problems, { registry: REGISTRY });
  problems.refuse(definition.name);
  return definition;
}
