// Owns the messages about a document that the schema rejects. The validator knows the path and the kind of the problem; the
// message names the value, says which values are accepted there, and gives an example.

import * as z from 'zod';
import type { Json } from '../../../base/json.ts';
import { didYouMean, nearestName } from '../../../base/suggest.ts';
import type { YamlPath } from '../position/position.ts';
import { noteOf } from '../schema/field.ts';
import { formsOf, isMap, optionFor, type SchemaNode, schemaAt } from '../schema/walk.ts';
import { unknownField } from './field.ts';
import { type Fault, listed, PROBLEMS_MAX, quoted, shown } from './problem.ts';

/** A fault of the document, at the key or the value of a path. */
export interface PlacedFault extends Fault {
  readonly path: YamlPath;
  readonly part: 'key' | 'value';
}

type Issue = z.core.$ZodIssue;

/** The problems that the schema finds in a document. */
export interface SchemaVerdict {
  /** The faults, or the first of very many. */
  readonly faults: readonly PlacedFault[];
  /** All paths at which the document is not what the schema describes. */
  readonly wrong: readonly YamlPath[];
}

/** The faults that the schema finds in a document, up to a readable number. */
export function schemaVerdict(schema: z.ZodObject, document: Json): SchemaVerdict {
  const { error } = schema.safeParse(document);
  if (error === undefined) return { faults: [], wrong: [] };
  // An unknown field does not invalidate anything else.
  const spoiling = error.issues.filter(({ code, path }) => code !== 'unrecognized_keys' || path.length > 0);
  const wrong = spoiling.map(({ path }) => path.map((part) => (typeof part === 'symbol' ? String(part) : part)));
  const foreign = foreignDocument(schema, document);
  if (foreign !== undefined) return { faults: [foreign], wrong };
  const reporter = new Reporter(schema, document);
  const faults: PlacedFault[] = [];
  for (const issue of error.issues) if (faults.length < PROBLEMS_MAX) faults.push(...reporter.faultsOf(issue));
  return { faults: withoutRepeats(faults), wrong };
}

/** Turns issues of the validator into faults. */
class Reporter {
  private readonly schema: z.ZodObject;
  private readonly document: Json;

  constructor(schema: z.ZodObject, document: Json) {
    this.schema = schema;
    this.document = document;
  }

  faultsOf(issue: Issue, base: YamlPath = [], union?: z.ZodUnion): PlacedFault[] {
    const path = [...base, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))];
    const node = schemaAt(this.schema, this.document, path);
    if (issue.code === 'unrecognized_keys')
      return issue.keys.slice(0, PROBLEMS_MAX).map((key) => ({ ...unknownField(key, node, path), path: [...path, key], part: 'key' }));
    if (issue.code === 'invalid_union' && issue.discriminator === undefined) return this.formFaults(issue, { path, node, union });
    // Without the word that selects a form, no field counts as unknown, so nothing else would be reported.
    if (issue.code !== 'invalid_union' && this.isMisspelt(path, node)) return [];
    const fault = this.fault(issue, path, node);
    return [{ ...fault, path, part: fault.code === 'FIELD_MISSING' ? 'key' : 'value' }];
  }

  /** A field that is missing because it is misspelt is reported where it is misspelt. */
  private isMisspelt(path: YamlPath, node: SchemaNode | undefined): boolean {
    const parent = path.length === 0 || node?.value !== undefined ? undefined : schemaAt(this.schema, this.document, path.slice(0, -1));
    if (parent === undefined || !(parent.meant instanceof z.ZodObject) || !isMap(parent.value)) return false;
    const { shape, def } = parent.meant;
    // Where any field is allowed, none counts as misspelt.
    if (!(def.catchall instanceof z.ZodNever)) return false;
    const field = String(path.at(-1));
    return Object.keys(parent.value).some((key) => !Object.hasOwn(shape, key) && nearestName(key, Object.keys(shape)) === field);
  }

  /** Reports only the faults of the form that the author meant. */
  private formFaults(
    issue: z.core.$ZodIssueInvalidUnion,
    at: { readonly path: YamlPath; readonly node: SchemaNode | undefined; readonly union: z.ZodUnion | undefined },
  ): PlacedFault[] {
    const union = at.union ?? at.node?.declared;
    const option = union instanceof z.ZodUnion ? optionFor(union, at.node?.value) : undefined;
    const inner = option === undefined ? undefined : issue.errors[option.index];
    if (option === undefined || inner === undefined) return [{ ...invalidValue(at.path, at.node), path: at.path, part: 'value' }];
    const unknown = union instanceof z.ZodUnion ? unknownFieldsOf(union, at.node?.value) : [];
    // A form is recognised by its first field; without it, the unknown field is what to report.
    if (unknown.length > 0 && inner.some(({ code, path }) => code === 'invalid_type' && path.length === 1))
      return unknown.map((key) => ({ ...unknownField(key, at.node, at.path), path: [...at.path, key], part: 'key' }));
    const nested = option.schema instanceof z.ZodUnion ? option.schema : undefined;
    return inner.flatMap((part) => this.faultsOf(part, at.path, part.path.length === 0 ? nested : undefined));
  }

  private fault(issue: Issue, path: YamlPath, node: SchemaNode | undefined): Fault {
    const [list, index] = path;
    if (list === 'stages' && typeof index === 'number' && path.length === 2 && typeof node?.value === 'string')
      return shortStage(node.value);
    if (issue.code === 'invalid_union') return this.unknownForm(issue, path);
    if (issue.code === 'invalid_key') return invalidName(path);
    const parent = schemaAt(this.schema, this.document, path.slice(0, -1));
    if (node?.value === undefined && parent !== undefined) return missing(path, node, parent);
    return invalidValue(path, node);
  }

  /** The fault of a missing or unknown word that selects a form. */
  private unknownForm(issue: z.core.$ZodIssueInvalidUnion, path: YamlPath): Fault {
    const key = issue.discriminator ?? 'type';
    const parent = schemaAt(this.schema, this.document, path.slice(0, -1));
    const forms = formsOf(parent?.declared ?? this.schema).filter((form) => form instanceof z.ZodObject);
    const words = [...new Set(forms.flatMap((form) => literalOf(form, key)))];
    const value = isMap(parent?.value) ? parent.value[key] : undefined;
    const label = noteOf(parent?.declared ?? this.schema).what ?? 'this map';
    if (value === undefined) {
      const likely = guessVariant(forms, key, parent?.value);
      const hint = likely === undefined ? `add one of ${listed(words, 'or')}` : `add "${key}: ${likely}"; there are ${listed(words)}`;
      return { code: 'FIELD_MISSING', message: `${label} must have ${quoted(key)}`, hint };
    }
    const near = typeof value === 'string' ? didYouMean(value, words) : '';
    return {
      code: 'FIELD_INVALID',
      message: `unknown ${quoted(key)}: ${shown(value)}${near}`,
      hint: `write one of ${listed(words, 'or')}`,
    };
  }
}

/** The fields of a map that no form of a union has. */
function unknownFieldsOf(union: z.ZodUnion, value: unknown): string[] {
  const forms = formsOf(union).filter((form) => form instanceof z.ZodObject);
  return isMap(value)
    ? Object.keys(value).filter((key) => forms.every((form) => !Object.hasOwn(form.shape, key) && form.def.catchall instanceof z.ZodNever))
    : [];
}

/** The fault of a value that is not accepted. */
function invalidValue(path: YamlPath, node: SchemaNode | undefined): Fault {
  const { what } = noteOf(node?.declared ?? z.unknown());
  const accepts = withAccepts(node).accepts ?? (what === undefined ? 'something else' : `${what}, as a map`);
  const words = node?.meant instanceof z.ZodEnum ? node.meant.options.map(String) : [];
  const near = typeof node?.value === 'string' ? nearestName(node.value, words) : undefined;
  const field = path.at(-1);
  const instead = near === undefined ? undefined : typeof field === 'string' ? `write "${field}: ${near}"` : `write ${near}`;
  return {
    code: 'FIELD_INVALID',
    message: `${nameOf(path)} is ${shown(node?.value)}${near === undefined ? '' : ` (did you mean "${near}"?)`}; it must be ${accepts}`,
    hint: instead ?? exampleFor(path, node) ?? `write ${accepts}`,
  };
}

/** What the intended form accepts; a union of short forms is described as a whole. */
function withAccepts(node: SchemaNode | undefined): { accepts?: string } {
  const accepts = noteOf(node?.declared ?? z.unknown()).accepts ?? noteOf(node?.meant ?? z.unknown()).accepts;
  return accepts === undefined ? {} : { accepts };
}

function missing(path: YamlPath, node: SchemaNode | undefined, parent: SchemaNode): Fault {
  const what = noteOf(parent.meant).what ?? noteOf(parent.declared).what ?? 'this';
  const field = String(path.at(-1));
  const hint = exampleFor(path, node) ?? `add ${field}`;
  return { code: 'FIELD_MISSING', message: `${what} must have ${quoted(field)}`, hint };
}

/** An example of a valid value, on one line. */
function exampleFor(path: YamlPath, node: SchemaNode | undefined): string | undefined {
  const field = path.at(-1);
  const [example] = noteOf(node?.declared ?? z.unknown()).examples ?? noteOf(node?.meant ?? z.unknown()).examples ?? [];
  if (example === undefined) return undefined;
  return typeof field === 'string' ? `for example "${field}: ${inlineYaml(example)}"` : `for example ${inlineYaml(example)}`;
}

/** The name of a path in messages: the field, or the position in a list. */
function nameOf(path: YamlPath): string {
  const last = path.at(-1);
  if (last === undefined) return 'the file';
  if (typeof last === 'string') return quoted(last);
  const list = path.findLast((part) => typeof part === 'string');
  return list === undefined ? `item ${last + 1}` : `item ${last + 1} of ${quoted(String(list))}`;
}

function invalidName(path: YamlPath): Fault {
  const name = String(path.at(-1));
  const inside = path.findLast((part, index) => typeof part === 'string' && index < path.length - 1);
  if (inside === 'headers')
    return { code: 'FIELD_INVALID', message: `${quoted(name)} is not a valid header name`, hint: 'use letters, digits and "-"' };
  return {
    code: 'FIELD_INVALID',
    message: `${quoted(name)} cannot be a name in ${quoted(String(inside ?? 'this map'))}`,
    hint: 'begin with a letter or "_", and go on with letters, digits, "_" and "-", so that expressions can read it',
  };
}

function literalOf(form: z.ZodObject, key: string): string[] {
  const field: unknown = form.shape[key];
  const inner = field instanceof z.ZodOptional ? field.unwrap() : field;
  return inner instanceof z.ZodLiteral ? [...inner.values].map(String) : [];
}

/** The word that selects the form with the most fields in common with a value. */
function guessVariant(forms: readonly z.ZodObject[], key: string, value: unknown): string | undefined {
  if (!isMap(value)) return undefined;
  const fields = Object.keys(value);
  const shared = (form: z.ZodObject): number => fields.filter((field) => Object.hasOwn(form.shape, field)).length;
  const most = Math.max(...forms.map(shared));
  const likely = new Set(forms.filter((form) => shared(form) === most).flatMap((form) => literalOf(form, key)));
  return likely.size === 1 ? [...likely][0] : undefined;
}

function shortStage(name: string): Fault {
  const id = /^[\w.-]+$/.test(name) ? name : 'name';
  return {
    code: 'STAGE_SHORT',
    message: `a stage must be a map, not only the name ${quoted(name)}`,
    hint: `write - { id: ${id}, type: agent, agent: ${id}, action: ${id} }`,
  };
}

/** A file that is no workflow at all gets one fault, not one per missing field. */
function foreignDocument(schema: z.ZodObject, document: Json): PlacedFault | undefined {
  if (!isMap(document))
    return { code: 'FIELD_INVALID', message: `a workflow must be a map, not ${shown(document)}`, hint: WHOLE, path: [], part: 'value' };
  const keys = Object.keys(document);
  const table = keys.find((key) => key === 'workflow_types');
  if (table !== undefined)
    return {
      code: 'STAGE_SHORT',
      message: '"workflow_types" is a table of kinds of workflows, not a workflow',
      hint: `write each of them in a separate file: ${WHOLE}`,
      path: [table],
      part: 'key',
    };
  if (keys.some((key) => Object.hasOwn(schema.shape, key) || didYouMean(key, Object.keys(schema.shape)) !== '')) return undefined;
  return {
    code: 'FIELD_INVALID',
    message: 'this is not a workflow: it has none of its fields',
    hint: WHOLE,
    path: [],
    part: 'value',
  };
}

const WHOLE =
  'begin with "apiVersion: pawl.dev/v1", "kind: Workflow", "metadata: { name: my-workflow }" and ' +
  '"stages: [{ id: review, type: agent, agent: pr-review, action: review }]"';

/** A list of names instead of stages is one mistake. */
function withoutRepeats(faults: readonly PlacedFault[]): PlacedFault[] {
  const [first, ...more] = faults.filter(({ code }) => code === 'STAGE_SHORT');
  if (first === undefined || more.length === 0) return [...faults];
  const others = more.length === 1 ? 'one' : more.length + 1 < PROBLEMS_MAX ? more.length : 'many';
  const message = `${first.message} (and ${others} more)`;
  return faults.flatMap((fault) => (fault === first ? [{ ...fault, message }] : fault.code === 'STAGE_SHORT' ? [] : [fault]));
}

const PLAIN = /^[A-Za-z][\w./-]*(?: [\w./()=-]+)*%?$|^\d+(?:\.\d+)?(?:%|ms|s|m|h|d|w)$/;
const TAKEN = /^(?:true|false|null|yes|no)$/i;

/** A value as YAML on one line. */
export function inlineYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inlineYaml).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{ ${Object.entries(value)
      .map(([key, member]) => `${key}: ${inlineYaml(member)}`)
      .join(', ')} }`;
  if (typeof value !== 'string') return String(value);
  return PLAIN.test(value) && !TAKEN.test(value) ? value : JSON.stringify(value);
}
