// Owns the rule that editors and `pawl validate` agree: what the JSON Schema accepts is what the validator accepts, for
// whatever document, and the published file is the schema.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { STAGE_EXAMPLES } from '../../../scripts/yaml-examples.ts';
import { casesOf } from '../../../test/cases.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { SCHEMA_FILE, workflowJsonSchema } from './json-schema.ts';
import { schemaVerdict } from './problem/schema.ts';
import { workflowSchema } from './schema/schema.ts';

const SCHEMA = workflowJsonSchema(REGISTRY);
const KNOWN_WORDS = new Set(
  '$schema $ref $defs title description examples type properties required additionalProperties propertyNames items minItems anyOf oneOf enum const pattern minimum maximum exclusiveMinimum'.split(
    ' ',
  ),
);

/** As much of JSON Schema as the schema uses; a word that is not known here fails. */
function accepts(schema: JsonObject, value: Json): boolean {
  for (const word of Object.keys(schema)) if (!KNOWN_WORDS.has(word)) throw new Error(`the check does not know "${word}"`);
  const { $ref } = schema;
  if (typeof $ref === 'string' && !accepts((SCHEMA.$defs as JsonObject)[$ref.replace('#/$defs/', '')] as JsonObject, value)) return false;
  const matching = (key: string) => ((schema[key] ?? []) as JsonObject[]).filter((one) => accepts(one, value)).length;
  if (schema.anyOf !== undefined && matching('anyOf') === 0) return false;
  if (schema.oneOf !== undefined && matching('oneOf') !== 1) return false;
  if (schema.const !== undefined && schema.const !== value) return false;
  if (schema.enum !== undefined && !(schema.enum as readonly Json[]).includes(value)) return false;
  return hasType(schema.type, value) && withinBounds(schema, value) && membersAccepted(schema, value);
}

function hasType(type: Json | undefined, value: Json): boolean {
  if (type === undefined) return true;
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function withinBounds(schema: JsonObject, value: Json): boolean {
  if (typeof value === 'string') return schema.pattern === undefined || new RegExp(String(schema.pattern), 'u').test(value);
  if (Array.isArray(value)) return value.length >= Number(schema.minItems ?? 0);
  if (typeof value !== 'number') return true;
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity } = schema;
  return value >= Number(minimum) && value <= Number(maximum) && value > Number(exclusiveMinimum);
}

function membersAccepted(schema: JsonObject, value: Json): boolean {
  if (Array.isArray(value)) return schema.items === undefined || value.every((item: Json) => accepts(schema.items as JsonObject, item));
  if (typeof value !== 'object' || value === null) return true;
  const properties = (schema.properties ?? {}) as JsonObject;
  if (!((schema.required ?? []) as string[]).every((name) => Object.hasOwn(value, name))) return false;
  return Object.entries(value).every(([name, member]) => {
    if (schema.propertyNames !== undefined && !accepts(schema.propertyNames as JsonObject, name)) return false;
    if (Object.hasOwn(properties, name)) return accepts(properties[name] as JsonObject, member);
    const more = schema.additionalProperties;
    return more === undefined || (more !== false && accepts(more as JsonObject, member));
  });
}

const seed = (name: string): Json => parse(readFileSync(new URL(`../../../test/seeds/002/${name}.yaml`, import.meta.url), 'utf8')) as Json;
const HEAD = { apiVersion: 'pawl.dev/v1', kind: 'Workflow', metadata: { name: 'w' } };
const EVERYTHING: Json = {
  ...HEAD,
  trigger: 'push',
  override_triggers: true,
  params: { v: { type: 'integer', min: 1, max: 3, default: 2, choices: [1, 2], required: false, description: 'd' } },
  concurrency: { max: 1, key: 'k' },
  budget: { tokens: 1, cost_usd: 0.1, turns: 1, time: '1h' },
  permissions: { issues: 'read' },
  limits: { max_iterations: 3 },
  stages: Object.values(STAGE_EXAMPLES).flatMap(({ text }) => (parse(text) as { stages: Json[] }).stages),
  on_complete: [{ create_issue: { title: 't', body: 'b', labels: 'l' } }, { merge_pr: {} }, { label: { add: ['a'], remove: 'b' } }],
};
const VALID: readonly Json[] = [
  EVERYTHING,
  ...['feature-development', 'simple-review', 'bug-fix', 'security-feature'].map(seed),
  ...['agent', 'gate', 'parallel', 'delay', 'action', 'webhook'].map((type) => ({ ...HEAD, stages: seed(`stage-${type}`) })),
];

it.each(VALID.map((document, index) => [index, document] as const))('both accept the valid document %i', (_, document) => {
  expect(workflowSchema(REGISTRY).safeParse(document).error).toBeUndefined();
  expect(accepts(SCHEMA, document)).toBe(true);
});

const ODD: readonly Json[] = [
  ...[
    null,
    true,
    false,
    0,
    1,
    0.5,
    80,
    101,
    200,
    -1,
    '',
    ' ',
    'x',
    'all',
    'any',
    '2-of-3',
    '80%',
    '0.8',
    '30s',
    '10 m',
    'agent',
    'gate',
    'merge_pr',
  ],
  ...[
    'command',
    'own',
    '{{ x }}',
    'https://a.example',
    'a b',
    [],
    ['x'],
    [''],
    [1],
    {},
    { x: 1 },
    { 'a b': 1 },
    { goto: 'x' },
    { retry: 2 },
  ],
  ...[
    { extend: '1h' },
    { target: 'x' },
    { then: 'x' },
    { delay: '1s', then: 'x' },
    { check: 'own', x: 1 },
    [{ check: 'command', run: 'x' }],
  ],
];

/** Every place of a document, as paths. */
function placesOf(value: Json, path: readonly (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [[...path]];
  const entries: [string | number, Json][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [[...path], ...entries.flatMap(([key, member]) => placesOf(member, [...path, key]))];
}

type Change = (holder: Record<string | number, unknown>, key: string | number) => void;

function changed(document: Json, path: readonly (string | number)[], change: Change): Json {
  const copy = { root: structuredClone(document) } as Record<string | number, unknown>;
  let holder = copy;
  const whole = ['root', ...path];
  for (const key of whole.slice(0, -1)) holder = holder[key] as Record<string | number, unknown>;
  change(holder, whole.at(-1) as string | number);
  return copy.root as Json;
}

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constantFrom(...ODD).map(
    (value): Change =>
      (holder, key) => {
        holder[key] = structuredClone(value);
      },
  ),
  // A letter is lost: a field is misspelt, and the one that was meant is missing.
  fc.constant<Change>((holder, key) => {
    if (typeof key !== 'string' || key === 'root') return;
    holder[key.slice(0, -1)] = holder[key];
    delete holder[key];
  }),
  fc.constant<Change>((holder, key) => {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  }),
  fc
    .constantFrom(
      'type',
      'check',
      'action',
      'then',
      'goto',
      'on_fail',
      'on_complete',
      'retry',
      'notify',
      'timeout',
      'run',
      'unknown',
      'on_enter',
    )
    .chain((name) =>
      fc.constantFrom(...ODD).map(
        (value): Change =>
          (holder, key) => {
            const inside = holder[key];
            if (typeof inside === 'object' && inside !== null && !Array.isArray(inside))
              (inside as Record<string, unknown>)[name] = structuredClone(value);
          },
      ),
    ),
);

it('both agree on every mutation of a valid document', () => {
  const counts = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(fc.constantFrom(...VALID), fc.nat(), fc.array(change, { minLength: 1, maxLength: 2 }), (document, choice, changes) => {
      let made = document;
      for (const one of changes) {
        const places = placesOf(made);
        made = changed(made, places[choice % places.length] ?? [], one);
        if (made === undefined) return;
      }
      const isValid = workflowSchema(REGISTRY).safeParse(made).success;
      counts[isValid ? 'accepted' : 'refused'] += 1;
      expect(accepts(SCHEMA, made)).toBe(isValid);
      expect(schemaVerdict(workflowSchema(REGISTRY), made).faults.length === 0).toBe(isValid);
    }),
    { numRuns: casesOf(4_000), seed: 2 },
  );
  // A test in which one side is rare would prove little.
  expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(casesOf(400));
});

it('the published file is the schema; "npm run reference" writes it', () => {
  const file = new URL(`../../../${SCHEMA_FILE}`, import.meta.url);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(SCHEMA);
});

it('every field that can be written is described', () => {
  const undescribed = Object.entries(SCHEMA.$defs as Record<string, JsonObject>).flatMap(([name, definition]) =>
    Object.entries((definition.properties ?? {}) as Record<string, JsonObject>)
      .filter(([field, schema]) => field !== 'check' && describedIn(schema) === undefined)
      .map(([field]) => `${name}.${field}`),
  );
  expect(undescribed).toEqual([]);
});

function describedIn(schema: JsonObject): Json | undefined {
  const target =
    typeof schema.$ref === 'string' ? (SCHEMA.$defs as Record<string, JsonObject>)[schema.$ref.replace('#/$defs/', '')] : undefined;
  return schema.description ?? target?.description;
}
