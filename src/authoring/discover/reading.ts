// Owns what a workflow's module says by itself: name, title, parameters and steps, read from its syntax tree.

import type { AnyNode } from 'acorn';
import { idOf } from '../graph/step.ts';
import { type Entry, findEntry, problem } from './entry.ts';
import { stepCalls } from './flow.ts';
import { isParsed, type ParsedModule, parseModule, placeAt, type SourceProblem } from './syntax.ts';
import { Evaluator, UNSEEN } from './value.ts';

/** A workflow as its file describes it, without running the file. */
export interface DiscoveredWorkflow {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly form: 'graph' | 'flow';
  /** The names of its parameters. */
  readonly params: readonly string[];
  /** The ids of its steps, as far as they are written as such. */
  readonly steps: readonly string[];
  /** False when some of it is known only by running it. */
  readonly isWhole: boolean;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A workflow's module, read. */
export interface Reading {
  readonly module: ParsedModule;
  readonly entry: Entry;
  readonly evaluator: Evaluator;
  readonly name: string;
  /** The expression of the name. */
  readonly nameNode: AnyNode;
  /** The graph as an author would give it, or the options of a flow. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** The generator function of a flow. */
  readonly body?: AnyNode;
}

/** Reads the workflow of a file, or tells why it cannot be read. */
export async function readModule(file: string, text: string): Promise<Reading | SourceProblem> {
  const module = await parseModule(file, text);
  if (!isParsed(module)) return module;
  const entry = findEntry(module);
  if (!('call' in entry)) return entry;
  const evaluator = new Evaluator(entry);
  return entry.spelling === 'object' ? readObject(module, entry, evaluator) : readNamed(module, entry, evaluator);
}

/** True for a module that was read. */
export function isReading(read: Reading | SourceProblem): read is Reading {
  return 'entry' in read;
}

function readObject(module: ParsedModule, entry: Entry, evaluator: Evaluator): Reading | SourceProblem {
  const [argument] = entry.call.arguments;
  const spec = argument === undefined ? undefined : evaluator.value(argument);
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec))
    return problem(module, argument ?? entry.call, {
      code: 'ENTRY_UNSEEN',
      message: 'what defineWorkflow is given is not an object that can be read here',
      hint: 'write the object into the call, or hold it in a constant of this file',
    });
  const fields = spec as Readonly<Record<string, unknown>>;
  const field = evaluator.fieldOf(spec, 'type') === undefined ? 'name' : 'type';
  const nameNode = evaluator.fieldOf(spec, field);
  if (nameNode === undefined && !evaluator.gapsOf(spec).has('*')) return noName(module, entry.call);
  return withName({ module, entry, evaluator, nameNode: nameNode ?? entry.call, spec: fields }, fields[field]);
}

/** The spellings that name the workflow first. */
function readNamed(module: ParsedModule, entry: Entry, evaluator: Evaluator): Reading | SourceProblem {
  const [nameNode, ...rest] = entry.call.arguments;
  if (nameNode === undefined) return noName(module, entry.call);
  const name = evaluator.value(nameNode);
  if (entry.spelling === 'steps') return withName({ module, entry, evaluator, nameNode, spec: stepsSpec(evaluator, entry, rest) }, name);
  const body = rest.at(-1);
  const options = rest.length > 1 && rest[0] !== undefined ? evaluator.value(rest[0]) : {};
  if (typeof options !== 'object' || options === null)
    return problem(module, rest[0] ?? entry.call, {
      code: 'ENTRY_UNSEEN',
      message: 'the options of the flow are not an object that can be read here',
      hint: 'write the object into the call, or hold it in a constant of this file',
    });
  const spec = options as Readonly<Record<string, unknown>>;
  return withName({ module, entry, evaluator, nameNode, spec, ...(body === undefined ? {} : { body: entry.scope.follow(body) }) }, name);
}

/** Steps given one by one, as the object with a list of steps that they stand for; options may come last. */
function stepsSpec(evaluator: Evaluator, { call }: Entry, rest: readonly AnyNode[]): Readonly<Record<string, unknown>> {
  const steps = evaluator.list(call, rest);
  const last = steps.at(-1);
  const isOptions = typeof last === 'object' && last !== null && !('id' in last || 'name' in last) && evaluator.gapsOf(last).size === 0;
  const [name] = call.arguments;
  const options = isOptions ? (steps.pop() as object) : {};
  return { ...options, name: name === undefined ? '' : evaluator.value(name), steps };
}

function withName(reading: Omit<Reading, 'name'>, name: unknown): Reading | SourceProblem {
  if (typeof name === 'string') return { ...reading, name };
  const { nameNode } = reading;
  return problem(reading.module, nameNode.type === 'Property' ? nameNode.value : nameNode, {
    code: 'NAME_UNSEEN',
    message:
      name === UNSEEN || name === undefined
        ? 'the name of the workflow is known only by running the file'
        : 'the name of the workflow is not a text',
    hint: "write the name as a text in quotes: name: 'review'",
  });
}

function noName(module: ParsedModule, node: AnyNode): SourceProblem {
  return problem(module, node, {
    code: 'NAME_INVALID',
    message: 'the workflow has no name',
    hint: "give it one: name: 'review'",
  });
}

/** What a reading says about the workflow. */
export function describeReading(reading: Reading): DiscoveredWorkflow {
  const { module, entry, evaluator, name, spec } = reading;
  const title = spec.type === undefined ? spec.title : spec.name;
  const isFlow = entry.spelling === 'flow';
  return {
    name,
    title: typeof title === 'string' ? title : name,
    description: typeof spec.description === 'string' ? spec.description : '',
    form: isFlow ? 'flow' : 'graph',
    params: typeof spec.params === 'object' && spec.params !== null ? Object.keys(spec.params) : [],
    steps: isFlow ? [...new Set(stepCalls(reading).flatMap(({ name }) => name ?? []))] : stepsIn(spec.steps).flatMap(({ id }) => id ?? []),
    isWhole: evaluator.gaps.length === 0,
    file: module.file,
    ...placeAt(module.text, entry.call.start),
  };
}

/** Steps or branches with their ids, whether they are a list or a record. */
export function stepsIn(steps: unknown): { readonly id: string | undefined; readonly step: Readonly<Record<string, unknown>> }[] {
  if (typeof steps !== 'object' || steps === null) return [];
  const written = Array.isArray(steps) ? steps.map((step: unknown) => [undefined, step] as const) : Object.entries(steps);
  return written.flatMap(([key, step]) => (typeof step === 'object' && step !== null ? [{ id: key ?? idOf(step), step }] : []));
}
