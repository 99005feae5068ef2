// Properties of templates over generated texts and data. The fuzzer of test/expr compares whole templates with the
// reference; these say in words what must hold for all of them.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { casesOf } from '../../test/cases.ts';
import { EngineError } from '../base/error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { FreePath } from './free-paths.ts';
import { parseTemplate, renderTemplate } from './template.ts';
import { parseTemplateTree, renderTemplateTree } from './template-tree.ts';

const TIMEOUT_MS = 60_000;
const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const scope = fc.record({ a: json, b: json, c: json }, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;

const anyText = fc.string({ unit: 'binary', maxLength: 40 });
const BITS = [
  '{{',
  '}}',
  '{',
  '}',
  ' ',
  '\n',
  "'",
  '"',
  '\\',
  'a',
  'b.c',
  ' | json',
  ' + ',
  '1',
  'x',
  '{{ a }}',
  "{{ '{{' }}",
  '{{ a ?? 0 }}',
];
const nearly = fc.oneof(
  anyText,
  fc.array(fc.constantFrom(...BITS), { maxLength: 12 }).map((bits) => bits.join('')),
);
const withoutPlaceholders = nearly.map((text) => text.replaceAll(/\{(?=\{)/g, ''));
/** Text that can stand before a placeholder: a brace at its end would belong to the placeholder's. */
const before = withoutPlaceholders.map((text) => text.replace(/\{$/, ''));

/** The value of the template, or its error as plain data. */
function outcome(text: string, names: JsonObject): Json {
  try {
    return { value: renderTemplate(parseTemplate(text, { line: 10, column: 20, indent: 5 }), names) };
  } catch (thrown) {
    if (!(thrown instanceof EngineError)) throw thrown;
    expect(thrown.code).toMatch(/^EXPRESSION_(SYNTAX|LIMIT|EVALUATION)$/);
    return { code: thrown.code, message: thrown.message, position: { ...(thrown.position as { line: number; column: number }) } };
  }
}

test(
  'a text without placeholders is rendered as it is',
  () => {
    fc.assert(
      fc.property(withoutPlaceholders, (text) => {
        expect(renderTemplate(parseTemplate(text), {})).toBe(text);
      }),
      { numRuns: casesOf(3_000) },
    );
  },
  TIMEOUT_MS,
);

test(
  'any text at all is rendered or refused by an EngineError, the same each time',
  () => {
    fc.assert(
      fc.property(nearly, scope, (text, names) => {
        expect(outcome(text, names)).toStrictEqual(outcome(text, names));
      }),
      { numRuns: casesOf(5_000) },
    );
  },
  TIMEOUT_MS,
);

test(
  'a text that is put in stays what it is, whatever braces it has',
  () => {
    fc.assert(
      fc.property(nearly, before, before, (inserted, first, second) => {
        const template = parseTemplate(`${first}{{ v }}${second}{{ v }}.`);
        expect(renderTemplate(template, { v: inserted })).toBe(`${first}${inserted}${second}${inserted}.`);
        expect(renderTemplate(parseTemplate(' {{ v }}'), { v: inserted })).toBe(inserted);
      }),
      { numRuns: casesOf(3_000) },
    );
  },
  TIMEOUT_MS,
);

test(
  'a position leads to the name in the file, however the text is indented there',
  () => {
    const space = fc.constantFrom('', ' ', '\n', '\n  ', ' \r\n');
    fc.assert(
      fc.property(fc.tuple(before, space, space, withoutPlaceholders), fc.nat({ max: 6 }), ([text, left, right, rest], indent) => {
        const value = `${text}{{${left}1 +${right}lost }}${rest}`;
        const lines = value.split('\n').map((line) => ' '.repeat(indent) + line);
        const template = parseTemplate(value, { file: 'f', line: 1, column: indent + 1, indent });
        const { line, column } = (template.paths[0] as FreePath).position;
        expect(lines[line - 1]?.slice(column - 1)).toMatch(/^lost \}\}/);
        expect(() => renderTemplate(template, {})).toThrow(expect.objectContaining({ position: { file: 'f', line, column } }));
      }),
      { numRuns: casesOf(3_000) },
    );
  },
  TIMEOUT_MS,
);

test(
  'a slip of syntax is placed inside the placeholder',
  () => {
    fc.assert(
      fc.property(before, nearly, (text, inside) => {
        const content = inside.replaceAll(/[{}'"\n]/g, '');
        const value = `${text}{{${content} $ $ }}`;
        const start = text.length - (text.lastIndexOf('\n') + 1);
        const error = outcome(value, {}) as { position: { line: number; column: number } };
        const column = error.position.column - (text.includes('\n') ? 6 : 20);
        expect(error.position.line).toBe(9 + text.split('\n').length);
        expect(column).toBeGreaterThanOrEqual(start + 2);
        expect(column).toBeLessThanOrEqual(start + 2 + content.length + 5);
      }),
      { numRuns: casesOf(3_000) },
    );
  },
  TIMEOUT_MS,
);

test(
  'a tree is rendered member by member, and data without placeholders is the same data',
  () => {
    fc.assert(
      fc.property(fc.array(nearly, { maxLength: 4 }), json, scope, (texts, data, names) => {
        const plain = JSON.parse(JSON.stringify(data).replaceAll('{{', '{ {')) as Json;
        expect(renderTemplateTree(parseTemplateTree(plain), names)).toBe(plain);
        const each = texts.map((text) => outcome(text, names) as { value: Json });
        fc.pre(each.every((one) => 'value' in one));
        const tree = parseTemplateTree({ texts, '{{ key }}': plain });
        expect(renderTemplateTree(tree, names)).toStrictEqual({ texts: each.map((one) => one.value), '{{ key }}': plain });
      }),
      { numRuns: casesOf(1_000) },
    );
  },
  TIMEOUT_MS,
);
