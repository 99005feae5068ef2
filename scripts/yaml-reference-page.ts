// Owns the reference of workflow files as a document: every field with its meaning and an example, as the schema notes
// them, and for each type of stage a file that can be copied.

import * as z from 'zod';
import type { Compilers } from '../src/authoring/graph/work.ts';
import { inlineYaml } from '../src/authoring/yaml/problem/schema.ts';
import { type Note, noteOf } from '../src/authoring/yaml/schema/field.ts';
import { workflowSchema } from '../src/authoring/yaml/schema/schema.ts';
import { formsOf, unwrapped } from '../src/authoring/yaml/schema/walk.ts';
import { STAGE_EXAMPLES } from './yaml-examples.ts';

type Schema = z.core.$ZodType;

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** The whole reference. */
export function yamlReferencePage(compilers: Compilers): string {
  const schema = workflowSchema(compilers);
  const { shape } = schema;
  const stages = objects(elementOf(shape.stages));
  const shared = sharedFields(stages);
  const lines = [
    '# Workflow files',
    '',
    '<!-- Written by scripts/reference.js from the schema; changes here are lost. -->',
    '',
    'A workflow file is YAML 1.2 in `.pawl/workflows/` or `.squadron/workflows/`. `pawl validate` checks it, and editors check it with `schema/pawl-workflow.schema.json`.',
    '',
    'In the tables, **T** marks texts that may have `{{ }}` templates, **E** marks expressions, with or without braces, and fields in bold must be there. Text with `{{`, `: `, ` #` or a special character at its beginning needs quotes.',
    '',
    '## The file',
    '',
    ...fieldTable(fieldsOf(schema)),
    '## Every stage',
    '',
    'Without a transition for success, a stage leads to the next one in the file, and the last one completes the run.',
    '',
    ...fieldTable(shared),
    ...stageSections(stages, shared),
    '## Checks of a gate',
    '',
    ...checkSections(stages),
    '## Where a stage leads',
    '',
    ...transitionSection(shape.stages),
    '## Hooks',
    '',
    'Workflow-level `on_complete` and `on_error` are lists of maps with one key.',
    '',
    ...fieldTable(objects(elementOf(shape.on_complete)).flatMap(fieldsOf)),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function objects(schema: Schema): z.ZodObject[] {
  return formsOf(schema).filter((form) => form instanceof z.ZodObject);
}

function elementOf(schema: Schema): Schema {
  const list = unwrapped(schema);
  return list instanceof z.ZodArray ? list.element : list;
}

function fieldsOf(object: z.ZodObject): Field[] {
  return Object.entries<Schema>(object.shape).map(([name, schema]) => ({
    name,
    schema: unwrapped(schema),
    isRequired: unwrapped(schema) === schema,
  }));
}

/** The fields that every stage has. */
function sharedFields(stages: readonly z.ZodObject[]): Field[] {
  const [first, ...others] = stages;
  if (first === undefined) return [];
  return fieldsOf(first).filter(({ name, schema }) =>
    others.every((stage) => Object.hasOwn(stage.shape, name) && unwrapped(stage.shape[name] as Schema) === schema),
  );
}

function stageSections(stages: readonly z.ZodObject[], shared: readonly Field[]): string[] {
  const known = new Set(['type', ...shared.map(({ name }) => name)]);
  return Object.entries(STAGE_EXAMPLES).flatMap(([type, { text, story }]) => {
    const forms = stages.filter((stage) => literalOf(stage.shape.type as Schema) === type);
    const own = forms.flatMap((form) => {
      const fields = fieldsOf(form).filter(({ name }) => !known.has(name));
      const heading = forms.length === 1 ? [] : [`\`action: ${literalOf(form.shape.action as Schema)}\`: ${noteOf(form).description}`, ''];
      return [...heading, ...fieldTable(fields.filter(({ name }) => forms.length === 1 || name !== 'action'))];
    });
    const meaning = forms.length === 1 ? noteOf(forms[0] as Schema).description : 'An action at the forge.';
    return [`## Stage \`${type}\``, '', meaning ?? '', '', ...own, story, '', '```yaml', text, '```', ''];
  });
}

function checkSections(stages: readonly z.ZodObject[]): string[] {
  const gate = stages.find((stage) => Object.hasOwn(stage.shape, 'conditions'));
  if (gate === undefined) return [];
  return objects(elementOf(gate.shape.conditions as Schema)).flatMap((form) => {
    const name = literalOf(form.shape.check as Schema);
    const title = name === undefined ? 'A check of your own' : `\`check: ${name}\``;
    return [
      `### ${title}`,
      '',
      noteOf(form).description ?? '',
      '',
      ...fieldTable(fieldsOf(form).filter((field) => field.name !== 'check')),
    ];
  });
}

/** `on_timeout` takes every form there is. */
function transitionSection(stages: Schema): string[] {
  const [first] = objects(elementOf(stages));
  const forms = first === undefined ? [] : objects(first.shape.on_timeout as Schema);
  const lines = [
    'A stage id, one of `complete`, `fail` and `escalate`, or one of these maps. `retry` goes with `on_error` and `on_timeout`, `extend` with `on_timeout`.',
    '',
  ];
  return [...lines, ...forms.flatMap((form) => [`### ${capital(noteOf(form).what ?? '')}`, '', ...fieldTable(fieldsOf(form))])];
}

function literalOf(schema: Schema): string | undefined {
  const inner = unwrapped(schema);
  return inner instanceof z.ZodLiteral ? [...inner.values].map(String).join() : undefined;
}

function fieldTable(fields: readonly Field[]): string[] {
  const rows = fields.flatMap((field) => rowsOf(field, ''));
  return rows.length === 0 ? [] : ['| field | | meaning | example |', '|---|---|---|---|', ...rows, ''];
}

/** A field, and below it those of the map that it holds. */
function rowsOf({ name, schema, isRequired }: Field, prefix: string): string[] {
  const note = noteOf(schema);
  const path = `${prefix}${name}`;
  const label = isRequired ? `**\`${path}\`**` : `\`${path}\``;
  const example = note.examples?.[0];
  const shown = example === undefined ? '' : `\`${cell(`${name}: ${inlineYaml(example)}`)}\``;
  const row = `| ${label} | ${markOf(note, schema)} | ${cell(note.description ?? note.accepts ?? '')} | ${shown} |`;
  const below = schema instanceof z.ZodRecord ? `${path}.<name>.` : schema instanceof z.ZodArray ? `${path}[].` : `${path}.`;
  const inner = mapsWithin(schema).flatMap((map) => fieldsOf(map).flatMap((field) => rowsOf(field, below)));
  return [row, ...inner];
}

/** The maps that a field holds, but for those that have a section of their own. */
function mapsWithin(schema: Schema): z.ZodObject[] {
  if (schema instanceof z.ZodRecord) return objects(schema.valueType);
  const held = schema instanceof z.ZodArray ? unwrapped(schema.element) : schema;
  const isOwn = ['stage', 'branch', 'check', 'hook'].includes(noteOf(held).id ?? '');
  const forms = objects(held);
  return isOwn || forms.some((form) => Object.hasOwn(form.shape, 'goto') && Object.hasOwn(form.shape, 'then')) ? [] : forms;
}

function markOf(note: Note, schema: Schema): string {
  const role =
    note.role ??
    formsOf(schema)
      .map((form) => noteOf(form).role)
      .find((one) => one === 'template');
  const inside = schema instanceof z.ZodRecord ? noteOf(schema.valueType).role : undefined;
  if (role === 'condition') return 'E';
  return [role, inside].some((one) => one === 'template' || one === 'tree') ? 'T' : '';
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
