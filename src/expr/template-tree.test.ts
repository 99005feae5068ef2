import { describe, expect, test } from 'vitest';
import { cpuTimeMs } from '../../test/cpu-time.ts';
import { EngineError } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import { readsSecrets } from './template.ts';
import { parseTemplateTree, renderTemplateTree } from './template-tree.ts';

const SCOPE: Json = { n: 7, list: [1, { a: 2 }], name: 'Ann', none: null, tricky: '{{ n }}', secrets: { TOKEN: 'hunter2' } };

const render = (json: Json, scope: Json = SCOPE) => renderTemplateTree(parseTemplateTree(json), scope);

function failure(action: () => unknown): EngineError {
  try {
    action();
  } catch (thrown) {
    if (thrown instanceof EngineError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}

describe('a tree is rendered as a whole', () => {
  test.each<[Json, Json]>([
    [
      { a: '{{ n }}', b: 'n={{ n }}', c: 'n' },
      { a: 7, b: 'n=7', c: 'n' },
    ],
    [
      ['{{ list }}', ['{{ none }}'], 'x'],
      [[1, { a: 2 }], [null], 'x'],
    ],
    ['Hi {{ name }}', 'Hi Ann'],
    [{ deep: { er: [{ still: '{{ name }}' }] } }, { deep: { er: [{ still: 'Ann' }] } }],
    [{ a: '{{ tricky }}' }, { a: '{{ n }}' }],
    [{ '{{ n }}': '{{ n }}' }, { '{{ n }}': 7 }],
    [null, null],
    [3, 3],
    [[], []],
    [{}, {}],
  ])('%j', (json, expected) => {
    expect(render(json)).toStrictEqual(expected);
  });

  test('a tree without placeholders is returned unchanged', () => {
    const kept = { a: [1, { b: 'text' }], c: null };
    const rendered = render({ kept, filled: '{{ n }}' });
    expect(rendered).toStrictEqual({ kept, filled: 7 });
    expect((rendered as { kept: Json }).kept).toBe(kept);
    expect(render(kept)).toBe(kept);
    expect(parseTemplateTree(kept)).toMatchObject({ hasPlaceholders: false, paths: [] });
    expect(parseTemplateTree([['{{ n }}']]).hasPlaceholders).toBe(true);
  });

  test('a key that is called __proto__ is data', () => {
    const rendered = render(JSON.parse('{"__proto__": "{{ n }}", "constructor": "{{ n }}"}') as Json) as object;
    expect(JSON.stringify(rendered)).toBe('{"__proto__":7,"constructor":7}');
    expect(Object.getPrototypeOf(rendered)).toBe(Object.prototype);
  });
});

test('errors, paths and secrets have the place that the caller gives for their text', () => {
  const lines: Record<string, number> = { 'with.0': 3, 'with.1.token': 5 };
  const json = { with: ['{{ nme }}', { token: 'x\n{{ secrets.TOKEN }}' }] };
  const tree = parseTemplateTree(json, (path) => ({ file: 'f', line: lines[path.join('.')] ?? 99, column: 4, indent: 3 }));
  expect(tree.paths).toEqual([
    { segments: ['nme'], position: { file: 'f', line: 3, column: 7 } },
    { segments: ['secrets', 'TOKEN'], position: { file: 'f', line: 6, column: 7 } },
  ]);
  expect(readsSecrets(tree)).toEqual([{ file: 'f', line: 6, column: 7 }]);
  expect(failure(() => renderTemplateTree(tree, SCOPE))).toMatchObject({
    code: 'EXPRESSION_EVALUATION',
    message: expect.stringContaining('did you mean "name"'),
    position: { file: 'f', line: 3, column: 7 },
  });
});

describe('a tree has bounds', () => {
  const nested = (depth: number): Json => {
    let json: Json = '{{ n }}';
    for (let level = 0; level < depth; level += 1) json = [json];
    return json;
  };

  test.each<[string, Json, string]>([
    ['100,000 levels', nested(100_000), 'nested deeper than 64'],
    ['a million items', Array.from({ length: 1_000_000 }, () => 0), 'more than 10000 values'],
    ['over 10,000 values in all', Array.from({ length: 74 }, () => Array.from({ length: 135 }, () => 0)), 'more than 10000 values'],
    ['over a million characters', Array.from({ length: 6 }, () => 'x'.repeat(190_000)), 'more than 1000000 characters'],
    ['1,001 placeholders', [...Array.from({ length: 100 }, () => '{{ n }}'.repeat(10)), '{{ n }}'], 'more than 1000 placeholders'],
    ['a text of a megabyte', { a: 'x'.repeat(1_000_000) }, 'at most 200000'],
  ])('%s are refused at once', (_, json, hint) => {
    const times = [1, 2, 3].map(() => {
      const start = cpuTimeMs();
      const error = failure(() => parseTemplateTree(json, () => ({ line: 8, column: 2 })));
      expect(error).toMatchObject({ code: 'EXPRESSION_LIMIT', message: expect.stringContaining(hint), position: { line: 8, column: 2 } });
      return cpuTimeMs() - start;
    });
    expect(Math.min(...times)).toBeLessThan(50);
  });

  test('a value that is put in many times counts each time', () => {
    const scope = { a: 'x'.repeat(300_000), b: ['x'.repeat(300_000)] };
    expect(render(['{{ a }}', '{{ b }}', '{{ b }}'], scope)).toStrictEqual([scope.a, scope.b, scope.b]);
    for (const json of [
      ['{{ a }}', 'x{{ a }}', '{{ a }}', '{{ a }}'],
      ['{{ b }}', '{{ b }}', '{{ b }}', '{{ b }}'],
    ]) {
      expect(failure(() => render(json, scope))).toMatchObject({
        code: 'EXPRESSION_EVALUATION',
        message: expect.stringContaining('all placeholders together produce more than 1000000 characters'),
      });
    }
  });

  test('a tree just within the limits is rendered', () => {
    expect(render(nested(64))).toStrictEqual(JSON.parse(JSON.stringify(nested(64)).replace('"{{ n }}"', '7')));
    expect(render(Array.from({ length: 1_000 }, () => '{{ n }}'))).toHaveLength(1_000);
    expect(render(Array.from({ length: 10_000 }, () => 'x'))).toHaveLength(10_000);
  });
});
