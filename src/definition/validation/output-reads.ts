// Owns the check of what expressions and templates read from other steps: an output must exist when it is read, and a
// field of a result must be in the schema that the step declares. Otherwise the run would fail when it gets there.

import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { HIDDEN_NAMES } from '../../expr/filters.ts';
import type { FreePath } from '../../expr/free-paths.ts';
import { createGraph, isChoice, reachable, successorsOf } from '../analysis.ts';
import { NUMBER_KEYS } from '../forge/run-numbers.ts';
import { type GraphDefinition, membersOf, type StepModel } from '../model.ts';
import { expressionOf, itemsExpression } from '../scope/scope.ts';
import { pathsInTemplates, templatedPart } from '../scope/template-scope.ts';
import type { ProblemList } from './problem.ts';

/** A text that reads data, when it is evaluated, and the step it belongs to. */
interface Reader {
  readonly text: string;
  readonly paths: readonly FreePath[];
  /** Before the work of the step, or after it, when its result is there. */
  readonly when: 'before' | 'after';
}

/** Adds a problem for each output that is read before it exists, and each field that a declared schema does not have. */
export function checkOutputReads(definition: GraphDefinition, problems: ProblemList): void {
  const check = new OutputCheck(definition, problems);
  for (const step of definition.steps) {
    for (const reader of readersOf(step)) check.reader(step, reader);
    check.merges(step);
  }
}

class OutputCheck {
  readonly #definition: GraphDefinition;
  readonly #problems: ProblemList;
  readonly #steps: ReadonlyMap<string, StepModel>;
  readonly #graph: ReturnType<typeof createGraph>;
  readonly #successors: readonly (readonly number[])[];
  readonly #known: ReadonlySet<string>;

  constructor(definition: GraphDefinition, problems: ProblemList) {
    this.#definition = definition;
    this.#problems = problems;
    this.#steps = new Map(definition.steps.map((step) => [step.id, step]));
    this.#graph = createGraph(definition.steps);
    this.#successors = successorsOf(this.#graph);
    const inner = definition.steps.flatMap((step) => [step, ...membersOf(step)]);
    const declared = inner.flatMap(({ id, outputs = [] }) => [id, ...outputs.map(({ name }) => name)]);
    this.#known = new Set([...declared, ...Object.keys(definition.outputNames ?? {})]);
  }

  reader(step: StepModel, { text, paths, when }: Reader): void {
    // A default value is used if the output does not exist.
    const hasDefault = /\?\?|\|\s*default\b/.test(text);
    for (const { segments } of paths) {
      const [producer, field] = producerIn(segments, step, when);
      if (producer === undefined) continue;
      if (!this.#known.has(producer)) this.#unknown(step, producer);
      else if (!hasDefault) this.#early(step, producer, when);
      if (field !== undefined) this.#field(step, producer, field);
    }
  }

  /** Data that joins the run's data is read from the result by its name, too. */
  merges(step: StepModel): void {
    const { merges = false } = step;
    const fields = fieldsOf(step);
    if (merges === false || fields === undefined) return;
    const known: readonly string[] = [...fields, ...NUMBER_KEYS];
    for (const field of merges.filter((name) => !known.includes(name)))
      this.#problems.add({
        step: step.id,
        code: 'RESULT_FIELD_UNKNOWN',
        message: `it merges "${field}", but its schema has no field "${field}"${this.#problems.suggest(field, fields)}`,
        hint: `merge some of ${fields.join(', ')}, or add the field to the schema`,
      });
  }

  #unknown(step: StepModel, name: string): void {
    this.#problems.add({
      step: step.id,
      code: 'NAME_UNKNOWN',
      message: `no step and no output is called "${name}"${this.#problems.suggest(name, this.#known)}`,
      hint: 'write outputs.<step>',
    });
  }

  #early(step: StepModel, name: string, when: Reader['when']): void {
    const { position } = this.#graph;
    const producer = this.#definition.outputNames?.[name] ?? name;
    const [reader, from] = [position.get(step.id), position.get(producer)];
    // Only steps further down in the file are checked, so that the time stays linear for long workflows.
    if (reader === undefined || from === undefined || from <= reader) return;
    const leadsBack = reachable(this.#successors, this.#successors[from] ?? [])[reader] === true;
    if (leadsBack && !this.#isFirst(reader, from)) return;
    const isSure = !leadsBack || (when === 'before' && step.condition === undefined);
    const runs = leadsBack ? 'only runs after this step, so there is no output on the first visit' : 'does not run before this step';
    this.#problems.add({
      step: step.id,
      code: 'OUTPUT_TOO_EARLY',
      message: `outputs.${name} is read here, but "${producer}" ${runs}`,
      hint: 'read it in a later step, or give a default: outputs.x ?? null',
      reads: ['outputs', name],
      ...(isSure ? {} : { severity: 'warning' }),
    });
  }

  /** Whether every path from the entry to `other` goes through `step`. */
  #isFirst(step: number, other: number): boolean {
    const entry = this.#graph.position.get(this.#definition.entry);
    if (entry === undefined) return false;
    const without = this.#successors.map((targets, index) => (index === step ? [] : targets.filter((target) => target !== step)));
    return reachable(without, entry === step ? [] : [entry])[other] !== true;
  }

  #field(step: StepModel, producer: string, field: string): void {
    const fields = fieldsOf(this.#steps.get(producer));
    if (fields === undefined || fields.includes(field) || HIDDEN_NAMES.includes(field)) return;
    const path = producer === step.id ? `result.${field}` : `outputs.${producer}.${field}`;
    this.#problems.add({
      step: step.id,
      code: 'RESULT_FIELD_UNKNOWN',
      message: `${path} is read here, but the schema of "${producer}" has no field "${field}"${this.#problems.suggest(field, fields)}`,
      hint: `read one of ${fields.join(', ')}, or add the field to the schema`,
      reads: producer === step.id ? ['result', field] : ['outputs', producer, field],
    });
  }
}

/** Returns the step whose output a path reads, and the field of it. */
function producerIn(segments: FreePath['segments'], { id }: StepModel, when: Reader['when']): readonly (string | undefined)[] {
  const [root, first, second, third] = segments.map((segment) => (typeof segment === 'string' && segment !== '*' ? segment : undefined));
  if (root === 'outputs') return [first, second];
  if ((root === 'checkpoint' && first === 'results') || (root === 'context' && first === 'outputs')) return [second, third];
  return root === 'result' && when === 'after' ? [id, first] : [];
}

/** Returns the fields of a step's result, if its schema lists them all. */
function fieldsOf(step: StepModel | undefined): readonly string[] | undefined {
  const schema: JsonObject | undefined = step !== undefined && 'config' in step && 'schema' in step.config ? step.config.schema : undefined;
  if (schema === undefined || !isJsonObject(schema.properties)) return undefined;
  const isOpen = ['additionalProperties', 'patternProperties', 'anyOf', 'oneOf', 'allOf', '$ref'].some(
    (word) => (schema[word] ?? false) !== false,
  );
  return isOpen ? undefined : [...Object.keys(schema.properties), ...(step?.outputs ?? []).map(({ name }) => name)];
}

/** Returns the texts of a step that read data. */
function readersOf(step: StepModel): Reader[] {
  const { condition, preconditions, postconditions, next, question } = step;
  const expressions = (texts: readonly (string | undefined)[], when: Reader['when']): Reader[] =>
    texts.flatMap((text) => readerOf(text, when, (source) => expressionOf(source).paths));
  const entries = Object.values(next);
  const edges = entries.flatMap((entry) => (isChoice(entry) ? [entry.onTrue, entry.onFalse] : [entry]));
  return [
    ...expressions([condition, ...preconditions.map(({ expression }) => expression)], 'before'),
    ...expressions(
      [...(step.kind === 'each' ? [itemsExpression(step.items)] : []), ...(step.kind === 'delay' ? [step.poll?.condition] : [])],
      'before',
    ),
    ...expressions(
      [...postconditions.map(({ expression }) => expression), ...entries.map((entry) => (isChoice(entry) ? entry.condition : undefined))],
      'after',
    ),
    ...(step.templates === true ? templates(templatedPart(step), 'before') : []),
    ...(step.templates === true && question !== undefined ? templates(question.prompt, step.kind === 'human' ? 'before' : 'after') : []),
    ...edges.flatMap(({ context }) => (context === undefined ? [] : templates(context, 'after'))),
    ...membersOf(step).flatMap((member) => readersOf(member).filter(({ when }) => when === 'before')),
  ];
}

function templates(value: Json, when: Reader['when']): Reader[] {
  if (typeof value === 'string') return value.includes('{{') ? readerOf(value, when, pathsInTemplates) : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((inner) => templates(inner as Json, when));
}

/** A text that cannot be parsed has its own problem, and reads nothing. */
function readerOf(text: string | undefined, when: Reader['when'], pathsOf: (text: string) => readonly FreePath[]): Reader[] {
  if (text === undefined) return [];
  try {
    return [{ text, when, paths: pathsOf(text) }];
  } catch {
    return [];
  }
}
