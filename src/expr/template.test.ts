import { describe, expect, test } from 'vitest';
import { cpuTimeMs } from '../../test/cpu-time.ts';
import { EngineError } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import { parseTemplate, readsSecrets, renderTemplate } from './template.ts';
import type { Origin } from './template-placeholder.ts';

const SCOPE: Json = {
  issue: { title: '{{ secrets.TOKEN }}', number: 7, draft: false, none: null, labels: ['bug', 'ui'], author: { name: 'Ann', id: 3 } },
  secrets: { TOKEN: 'hunter2' },
  empty: '',
};

const render = (text: string, scope: Json = SCOPE) => renderTemplate(parseTemplate(text), scope);

function failure(text: string, origin: Origin = {}, scope: Json = SCOPE): EngineError {
  try {
    renderTemplate(parseTemplate(text, origin), scope);
  } catch (thrown) {
    if (thrown instanceof EngineError) return thrown;
    throw thrown;
  }
  throw new Error(`${text} was rendered`);
}

describe('a template is text with the values of its placeholders', () => {
  test.each<[string, Json]>([
    ['Fix #{{ issue.number }}', 'Fix #7'],
    ['{{issue.author.name}} and {{ issue.labels | join(" ") }}', 'Ann and bug ui'],
    ['draft: {{ issue.draft }}', 'draft: false'],
    ['labels={{ issue.labels }}', 'labels=["bug","ui"]'],
    ['{"author":{{ issue.author }}}', '{"author":{"id":3,"name":"Ann"}}'],
    ['[{{ empty }}]', '[]'],
    ["{{ issue.none ?? 'nobody' }}!", 'nobody!'],
    ["{{ issue.assignee.name | default('nobody') }}!", 'nobody!'],
    ['{{ issue.number }}{{ issue.number }}', '77'],
    ['', ''],
    ['é {{ issue.number }} 😀', 'é 7 😀'],
    ['{{\n  issue.draft\n    ? "draft"\n    : "ready"\n}}.', 'ready.'],
  ])('%s', (text, expected) => {
    expect(render(text)).toStrictEqual(expected);
  });
});

describe('a template that is a single placeholder keeps the type of its value', () => {
  test.each<[string, Json]>([
    ['{{ issue.number }}', 7],
    ['  {{ issue.labels }}\n', ['bug', 'ui']],
    ['{{ issue.draft }}', false],
    ['{{ issue.none }}', null],
    ['{{ issue.author }}', { name: 'Ann', id: 3 }],
    ['{{ issue.number }}.', '7.'],
    ['{{ issue.number }} {{ empty }}', '7 '],
  ])('%j', (text, expected) => {
    expect(render(text)).toStrictEqual(expected);
  });

  test('a template says before it is rendered whether it keeps the type of its value', () => {
    expect(parseTemplate(' {{ a }}\n')).toMatchObject({ isWhole: true, hasPlaceholders: true, source: ' {{ a }}\n' });
    expect(parseTemplate('{{ a }}{{ b }}')).toMatchObject({ isWhole: false, hasPlaceholders: true });
    expect(parseTemplate('  ')).toMatchObject({ isWhole: false, hasPlaceholders: false });
  });
});

describe('everything outside the placeholders is text', () => {
  test.each([
    'plain',
    'a }} b }}',
    '{ {a} }',
    '{"a": {"b": {}}}',
    '{% if x %} {# no #} <% x %> $(x) `x` \\{',
    '$' + '{x}',
    "it's",
    'line\r\nline\n',
    '{',
    '\u0000{\ud800}',
  ])('%j', (text) => {
    expect(render(text)).toBe(text);
    expect(parseTemplate(text).hasPlaceholders).toBe(false);
  });

  test.each<[string, string]>([
    ["{{ '{{' }} x {{ '}}' }}", '{{ x }}'],
    ["a {{ '{{ secrets.TOKEN }}' }}", 'a {{ secrets.TOKEN }}'],
    ['{{ "}}" + \'"}}\' }}.', '}}"}}.'],
    ["{{ '\\'}}' }}.", "'}}."],
    ["{{ '\\\\' }}}}", '\\}}'],
  ])('braces inside the quotes of a placeholder are text too: %s', (text, expected) => {
    expect(render(text)).toBe(expected);
  });
});

test('a value is never read as a template', () => {
  expect(render('Title: {{ issue.title }}')).toBe('Title: {{ secrets.TOKEN }}');
  expect(render('{{ issue.title }}')).toBe('{{ secrets.TOKEN }}');
  expect(render("{{ '{' }}{{ '{ secrets.TOKEN }}' }}")).toBe('{{ secrets.TOKEN }}');
});

describe('an invalid template is refused at its position', () => {
  test.each([
    ['a {{ issue.number', 3, 'no closing }}'],
    ['a {{ issue.number }', 3, 'no closing }}'],
    ['{{ a }} {{', 9, 'no closing }}'],
    ['{{ a. It is {{ b }}', 1, 'before the next {{'],
    ["{{ a. It's over", 1, 'no closing }}'],
    ["{{ a == 'x }}", 9, "no closing '"],
    ['{{}}', 3, 'empty'],
    ['{{  }}', 5, 'empty'],
    ['{{{ a }}}', 3, '{ is not part of the language'],
    ['x {{ a + }}', 10, 'the end'],
    ['x {{ a; b }}', 7, 'semicolon'],
    ['{{ issue.title() }}', 15, 'cannot be called'],
    ['{{ "\\}}" }}', 5, 'escapes'],
  ])('%s', (text, column, hint) => {
    const error = failure(text, { file: 'w.yaml', line: 4 });
    expect(error.code).toBe('EXPRESSION_SYNTAX');
    expect(error.position).toEqual({ file: 'w.yaml', line: 4, column });
    expect(error.message).toContain(hint);
  });
});

describe('a placeholder without a value is an error, never a gap', () => {
  test.each([
    ['rm -rf {{ issue.titel }}/*', 17, 'did you mean "title"'],
    ['rm -rf {{ isue.title }}/*', 11, 'did you mean "issue"'],
    ['{{ issue.titel }}', 10, 'did you mean "title"'],
    ['by {{ issue.none }}', 7, "null, which has no text; give a default: a.b ?? 'none'"],
    ['by {{ issue.draft ? 1 : issue.none }}', 19, 'null, which has no text'],
    ['by {{ issue.number + issue.none }}', 20, 'two numbers'],
  ])('%s', (text, column, hint) => {
    const error = failure(text);
    expect(error.code).toBe('EXPRESSION_EVALUATION');
    expect(error.position).toEqual({ line: 1, column });
    expect(error.message).toContain(hint);
  });
});

describe('a position is a place in the file', () => {
  test.each<[string, string, { from: Origin; is: object }]>([
    ['on the first line, from the column the text begins at', 'a {{ x }}', { from: { line: 3, column: 10 }, is: { line: 3, column: 15 } }],
    ['on a further line, from its beginning', 'a\r\nb {{ x }}', { from: { line: 3, column: 10 }, is: { line: 4, column: 6 } }],
    [
      'in a block scalar, behind the indentation that its value lacks',
      '\nb {{ x }}',
      { from: { column: 5, indent: 4 }, is: { line: 2, column: 10 } },
    ],
    [
      'on the further lines of a placeholder',
      '{{\n x\n}}',
      { from: { file: 'f', line: 7, column: 5, indent: 4 }, is: { file: 'f', line: 8, column: 6 } },
    ],
    [
      'behind a placeholder of several lines',
      '{{ 1 +\n 1 }} {{ x }}',
      { from: { line: 7, column: 5, indent: 4 }, is: { line: 8, column: 14 } },
    ],
  ])('%s', (_, text, { from: origin, is: position }) => {
    expect(parseTemplate(text, origin).paths).toEqual([{ segments: ['x'], position }]);
    expect(failure(text, origin).position).toEqual(position);
  });

  test('a syntax error has its position in the file', () => {
    expect(failure('a\n{{ 1 +\n +2 }}', { line: 5, column: 3, indent: 2 }).position).toEqual({ line: 7, column: 4 });
    expect(failure('a\n {{ 1', { line: 5, column: 3, indent: 2 }).position).toEqual({ line: 6, column: 4 });
    expect(failure("a\n {{ 1 \n 'x }}", { line: 5, column: 3, indent: 2 }).position).toEqual({ line: 7, column: 4 });
  });
});

describe('secrets', () => {
  test('secrets are found without rendering', () => {
    const template = parseTemplate("{{ a ? secrets.A : b }}{{ c['secrets'] }}\n{{ secrets[d] }}", { file: 'f' });
    expect(readsSecrets(template)).toEqual([
      { file: 'f', line: 1, column: 8 },
      { file: 'f', line: 2, column: 4 },
    ]);
    expect(readsSecrets(parseTemplate('secrets.A {{ "secrets.A" }}'))).toEqual([]);
  });

  test.each(['x {{ secrets.TOKEN + 1 }}', '{{ -secrets.TOKEN }}', '{{ secrets.TOKEN.x }}', '{{ secrets.TOKEN | sum }}'])(
    'are not quoted in the message of %s',
    (text) => {
      const { message } = failure(text);
      expect(message).toContain('a text');
      expect(message).not.toContain('hunter2');
    },
  );

  test.each([
    '{{ issue[secrets.TOKEN] }}',
    '{{ issue.labels[secrets.TOKEN] }}',
    '{{ secrets.TOKEN[secrets.TOKEN] }}',
    'x {{ [issue] | map(secrets.TOKEN) }}',
    'x {{ issue.labels | map(secrets.TOKEN) }}',
  ])('are not named as a key in the message of %s', (text) => {
    const { message, code } = failure(text);
    expect(code).toBe('EXPRESSION_EVALUATION');
    expect(message).toMatch(/no such field|cannot read a field of|of that name/);
    expect(message).not.toContain('hunter2');
  });

  test('a misspelled secret is named', () => {
    expect(failure('{{ secrets.TOKN }}').message).toContain('did you mean "TOKEN"');
  });
});

describe('a template has bounds', () => {
  const quickly = (action: () => void, limitMs = 50) => {
    const times = [1, 2, 3].map(() => {
      const start = cpuTimeMs();
      action();
      return cpuTimeMs() - start;
    });
    expect(Math.min(...times)).toBeLessThan(limitMs);
  };

  test.each([
    ['a megabyte of text', 'x'.repeat(1_000_000), { code: 'EXPRESSION_LIMIT', column: 1 }],
    ['a megabyte of placeholders', '{{ a }}'.repeat(150_000), { code: 'EXPRESSION_LIMIT', column: 1 }],
    ['10,000 placeholders', '{{ a }}'.repeat(10_000), { code: 'EXPRESSION_LIMIT', column: 7_001 }],
    ['10,000 placeholders on as many lines', '{{ a }}\n'.repeat(10_000), { code: 'EXPRESSION_LIMIT', column: 1 }],
    ['100,000 opening braces', '{'.repeat(100_000), { code: 'EXPRESSION_SYNTAX', column: 1 }],
    ['100,000 lines and an opening brace', `${'\n'.repeat(100_000)}{{`, { code: 'EXPRESSION_SYNTAX', column: 1 }],
    ['100,000 quotes in a placeholder', `{{ ${"'".repeat(99_999)} }}`, { code: 'EXPRESSION_SYNTAX', column: 100_002 }],
    ['a placeholder of 20,000 characters', `{{ ${'1+'.repeat(10_000)}1 }}`, { code: 'EXPRESSION_LIMIT', column: 3 }],
    ['a placeholder nested 900 deep', `{{ ${'('.repeat(900)}1${')'.repeat(900)} }}`, { code: 'EXPRESSION_LIMIT', column: 69 }],
  ])('%s is refused at once', (_, text, { code, column }) => {
    quickly(() =>
      expect(() => parseTemplate(text)).toThrow(expect.objectContaining({ code, position: expect.objectContaining({ column }) })),
    );
  });

  test('100,000 closing braces are text', () => {
    quickly(() => expect(render('}'.repeat(100_000))).toBe('}'.repeat(100_000)));
  });

  test('a template just within the limits is rendered', () => {
    quickly(() => expect(render('{{ issue.number }}\n'.repeat(1_000))).toBe('7\n'.repeat(1_000)));
    expect(render('x'.repeat(200_000))).toBe('x'.repeat(200_000));
    const large = { a: 'x'.repeat(500_000) };
    expect(render('{{ a }}{{ a }}', large)).toHaveLength(1_000_000);
  });

  test.each<[string, string, Json]>([
    ['text in all placeholders together', '{{ a }}{{ a }}{{ 1 }}', { a: 'x'.repeat(500_000) }],
    ['JSON in all placeholders together', 'x{{ a }}{{ a }}', { a: ['x'.repeat(600_000)] }],
    ['work in all placeholders together', '{{ 1 in a }}'.repeat(1_000), { a: Array.from({ length: 1_000 }, () => 0) }],
    ['work in one placeholder', 'x{{ 1 in a }}', { a: Array.from({ length: 200_000 }, () => 0) }],
  ])('too much %s is refused', (_, text, scope) => {
    const template = parseTemplate(text);
    const refused = expect.objectContaining({ code: 'EXPRESSION_EVALUATION', message: expect.stringContaining('more than ') });
    quickly(() => expect(() => renderTemplate(template, scope)).toThrow(refused), 500);
  });

  test('data that is too deep to print is an error', () => {
    let deep: Json = 1;
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    expect(failure('x{{ a }}', {}, { a: deep }).message).toContain('nested deeper');
    expect(render('{{ a }}', { a: deep })).toBe(deep);
  });
});
