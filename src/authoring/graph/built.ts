// Owns the values of a step that functions build when it begins, and the check for strings that look like templates where
// templates are not rendered.

import type { Json } from '../../base/json.ts';
import { shortText } from '../../base/short-text.ts';
import { BUILT_TEXT, type BuiltValue } from '../../definition/code.ts';
import type { StepWork } from '../../definition/model.ts';
import { FACT_ROOTS } from '../../definition/scope/scope-root.ts';
import { parseTemplate } from '../../expr/template.ts';
import type { StepReading } from './reading.ts';

/** The fields of a kind's work that functions may build, by their path: `request.body`. */
export type BuiltFields = Readonly<Record<string, BuiltValue['shape']>>;

/** The work of a step with a placeholder for every function, and the functions. */
export interface WithoutFunctions<T> {
  readonly data: T;
  readonly built: readonly BuiltValue[];
}

const MUST: Readonly<Record<BuiltValue['shape'], string>> = { text: 'a string', texts: 'strings by name', data: 'data' };

/**
 * Extracts the functions from the fields that may have them. A function anywhere else stays, and is rejected as data. In a
 * flow no field may have one: the flow knows the value when it builds the step.
 */
export function extractFunctions<T>(work: T, fields: BuiltFields, { step, at = [] }: ExtractionSource): WithoutFunctions<T> {
  const built: BuiltValue[] = [];
  const take = (value: unknown, path: readonly string[], shape: BuiltValue['shape']): unknown => {
    if (typeof value === 'function') {
      if (step.graph.isFlow)
        step.fault(
          'FIELD_INVALID',
          `\`${path.join('.')}\` must be ${MUST[shape]}, not a function`,
          'call it where the flow builds the step',
        );
      const build = step.code(['built', ...at, ...path].join(' '), value as BuiltValue['build']);
      built.push({ path: [...at, ...path], shape, build });
      return shape === 'texts' ? {} : BUILT_TEXT;
    }
    if (typeof value !== 'object' || value === null || shape === 'text') return value;
    const inner = shape === 'texts' ? 'text' : shape;
    if (Array.isArray(value)) return value.map((item, index) => take(item, [...path, String(index)], inner));
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, take(member, [...path, key], inner)]));
  };
  const descend = (value: unknown, path: readonly string[]): unknown => {
    const shape = fields[path.join('.')];
    if (shape !== undefined) return take(value, path, shape);
    if (typeof value !== 'object' || value === null || !Object.keys(fields).some((field) => field.startsWith(pathPrefix(path))))
      return value;
    return Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).map(([key, member]) => [key, descend(member, [...path, key])]));
  };
  return { data: descend(work, []) as T, built };
}

/** The functions as part of a step's code, if there are any. */
export function builtCode(built: readonly BuiltValue[]): { readonly built?: readonly BuiltValue[] } {
  return built.length === 0 ? {} : { built: Object.freeze([...built]) };
}

/** The step that the work belongs to, and its path in the configuration. */
export interface ExtractionSource {
  readonly step: StepReading;
  readonly at?: readonly string[];
}

function pathPrefix(path: readonly string[]): string {
  return path.length === 0 ? '' : `${path.join('.')}.`;
}

const BRACES = /\{\{.*?\}\}/s;
const ROOTS = ['params', 'context', 'outputs', 'checkpoint', 'run', 'step', 'result', 'item', 'secrets', 'data', 'gate', ...FACT_ROOTS];
/** Programs have templates of their own in their arguments: `docker ps --format '{{.Names}}'`. */
const COMMAND_FIELDS = ['run', 'argv'];

/** Reports strings of a step's work that look like templates but are not rendered. */
export function checkLiterals(work: StepWork, isFilled: boolean, step: StepReading): void {
  const { literals } = step.graph.compilers.kinds[work.kind];
  for (const { field, text } of textsIn(literals?.(work) ?? null, [])) {
    const name = field.split('.').at(-1) ?? field;
    if (COMMAND_FIELDS.some((command) => field.split('.').includes(command))) {
      if (readsRun(text, isFilled))
        step.fault(
          'TEMPLATE_IN_COMMAND',
          `\`${name}\` must not contain a template, such as ${placeholderOf(text)}: values never become part of a command`,
          'pass the value as a variable: env: { TITLE: (ctx) => … }, and write "$TITLE"; parameters are there as $PAWL_PARAM_<NAME>',
        );
    } else if (!isFilled && BRACES.test(text))
      step.fault(
        'TEMPLATE_LITERAL',
        `\`${name}\` contains ${placeholderOf(text)}, but templates are not rendered here`,
        `write a function: ${name}: (ctx) => \`… \${ctx.params.name} …\``,
      );
  }
}

/** Reports templates in strings around the work, where none are rendered. */
export function checkPlainText(value: Json, field: string, step: StepReading): void {
  for (const { text } of textsIn(value, []))
    if (BRACES.test(text))
      step.fault(
        'TEMPLATE_LITERAL',
        `\`${field}\` contains ${placeholderOf(text)}, but templates are not rendered here`,
        HINTS[field] ?? 'remove it',
      );
}

const HINTS: Readonly<Record<string, string>> = {
  title: 'write a fixed title; `actions` may be a function of the parameters that returns title and actions',
  actions: 'write a function of the parameters, as in actions: (params) => [params.name]',
};

const PLACEHOLDER_MAX = 60;

function placeholderOf(text: string): string {
  const [placeholder = ''] = BRACES.exec(text) ?? [];
  return `"${shortText(placeholder, PLACEHOLDER_MAX)}"`;
}

/** Whether a command contains a Pawl template: any valid one if its step has templates, otherwise one that reads the run. */
function readsRun(text: string, isFilled: boolean): boolean {
  if (!BRACES.test(text)) return false;
  try {
    return parseTemplate(text).paths.some(({ segments }) => isFilled || ROOTS.includes(String(segments[0])));
  } catch {
    return false;
  }
}

function* textsIn(value: unknown, path: readonly string[]): Generator<{ readonly field: string; readonly text: string }> {
  if (typeof value === 'string') yield { field: path.join('.'), text: value };
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) yield* textsIn(inner, [...path, key]);
}
