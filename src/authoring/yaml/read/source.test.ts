// Owns the rules of the file as YAML: what is refused, where, how quickly, and what plain values mean.

import { describe, expect, it } from 'vitest';
import { cpuTimeMs } from '../../../../test/cpu-time.ts';
import { readSource } from './source.ts';

const read = (text: string) => readSource(text).root?.value;
const firstOf = (text: string) => {
  const [problem] = readSource(text).problems;
  return problem === undefined ? undefined : `${problem.line}:${problem.column} ${problem.code}`;
};
const messageOf = (text: string) => readSource(text).problems[0]?.message;

/** The least of three, since other work on the machine only ever adds time. */
function quickly(action: () => void, limitMs: number): void {
  const times = [1, 2, 3].map(() => {
    const start = cpuTimeMs();
    action();
    return cpuTimeMs() - start;
  });
  expect(Math.min(...times)).toBeLessThan(limitMs);
}

const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${[...'bcdefghi']
  .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[index]}`).join(', ')}]`)
  .join('\n')}\n`;

describe('a file built to exhaust the parser is refused at once, with the limit named', () => {
  it.each([
    ['an alias bomb', bomb, 'YAML_TOO_LARGE', '20000 values'],
    ['10,000 aliases in a merge key', `a: &a {b: 1}\nc:\n  <<: [${'*a, '.repeat(10_000)}]\n`, 'YAML_ALIAS', '100 aliases'],
    ['10,000 anchors', `a: ${'&a '.repeat(10_000)}`, 'YAML_ALIAS', '100 aliases'],
    ['10,000 open lists', '['.repeat(10_000), 'YAML_TOO_DEEP', '64 levels'],
    ['10,000 closed lists', '['.repeat(10_000) + ']'.repeat(10_000), 'YAML_TOO_DEEP', '64 levels'],
    ['10,000 open maps', '{a: '.repeat(10_000), 'YAML_TOO_DEEP', '64 levels'],
    ['10,000 dashes', '- '.repeat(10_000), 'YAML_TOO_DEEP', '64 levels'],
    ['10,000 question marks', '? '.repeat(10_000), 'YAML_TOO_DEEP', '64 levels'],
    ['50 MB of text', `a: ${'x'.repeat(50_000_000)}`, 'YAML_TOO_LARGE', '1 MB'],
    ['a little over 1 MB in wide characters', `a: "${'é'.repeat(500_001)}"`, 'YAML_TOO_LARGE', '1 MB'],
    ['a value that holds itself', 'a: &a [*a]', 'YAML_ALIAS', 'itself'],
  ])('%s', (_, text, ...[code, limit]) => {
    quickly(() => {
      const { root, problems } = readSource(text);
      expect(root).toBeUndefined();
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatchObject({ code, message: expect.stringContaining(limit), severity: 'error' });
    }, 200);
  });

  it('a file with too many tokens is refused at the first one too many', () => {
    expect(firstOf('- 1\n'.repeat(40_000))).toMatch(/^\d{5}:\d+ YAML_TOO_LARGE$/);
    expect(messageOf('- 1\n'.repeat(40_000))).toContain('100000 tokens');
  });

  it('64 levels are read, 65 are not', () => {
    expect(read('['.repeat(64) + ']'.repeat(64))).toBeDefined();
    expect(firstOf('['.repeat(65) + ']'.repeat(65))).toBe('1:65 YAML_TOO_DEEP');
  });
});

describe('plain values are what YAML 1.2 core says', () => {
  it.each([
    ['yes', 'yes'],
    ['NO', 'NO'],
    ['on', 'on'],
    ['1_000', '1_000'],
    ['0o14', 12],
    ['014', 14],
    ['0x1F', 31],
    ['2024-01-01', '2024-01-01'],
    ['12:30', '12:30'],
    ['1e3', 1000],
    ['80%', '80%'],
    ['~', null],
    ['true', true],
    ['!!str 5', '5'],
    ['"\\u00e9"', 'é'],
    ['=', '='],
  ])('%s', (written, value) => {
    expect(read(`a: ${written}\n`)).toStrictEqual({ a: value });
  });

  it('keys are text, whatever they look like', () => {
    expect(read('on: 1\n1: 2\ntrue: 3\n')).toStrictEqual({ on: 1, '1': 2, true: 3 });
  });

  it('an alias repeats the value it names', () => {
    expect(read('a: &x { b: 1 }\nc: *x\nd: [*x]\n')).toStrictEqual({ a: { b: 1 }, c: { b: 1 }, d: [{ b: 1 }] });
    expect(read('a: &x text\nb: *x\n')).toStrictEqual({ a: 'text', b: 'text' });
  });
});

describe('anything but plain data is refused at its position', () => {
  it.each([
    ['a function', 'a: !!js/function "x"\n', '1:4 YAML_TAG'],
    ["a tag of one's own", 'a:\n  b: !mine x\n', '2:6 YAML_TAG'],
    ['a tag on a list', 'a: !!set [x]\n', '1:4 YAML_TAG'],
    ['a tag on a key', '!!binary a: x\n', '1:1 YAML_TAG'],
    ['a merge key', 'a: &a {b: 1}\nc:\n  <<: *a\n', '3:3 YAML_MERGE_KEY'],
    ['a prototype', 'a:\n  __proto__: {b: 1}\n', '2:3 YAML_KEY'],
    ['a constructor', 'constructor: x\n', '1:1 YAML_KEY'],
    ['a method of every object', 'toString: x\n', '1:1 YAML_KEY'],
    ['a key that is a list', '? [a]\n: b\n', '1:3 YAML_KEY'],
    ['an empty key', ': a\n', '1:1 YAML_KEY'],
    ['the same key twice', 'a: 1\nb: 2\na: 3\n', '3:1 YAML_DUPLICATE_KEY'],
    ['the same key in two spellings', 'a: 1\n"a": 3\n', '2:1 YAML_DUPLICATE_KEY'],
    ['an alias to nothing', 'a: *b\n', '1:4 YAML_ALIAS'],
    ['infinity', 'a: .inf\n', '1:4 YAML_NUMBER'],
    ['a number that would be rounded', 'a: 12345678901234567890\n', '1:4 YAML_NUMBER'],
    ['a second document', 'a: 1\n---\nb: 2\n', '2:1 YAML_DOCUMENTS'],
    ['another version', '%YAML 1.1\n---\na: yes\n', '1:1 YAML_DIRECTIVE'],
    ['an empty file', '', '1:1 YAML_EMPTY'],
    ['a file of comments', '# nothing\n', '1:1 YAML_EMPTY'],
    ['a control character', 'a: b\u0007\n', '1:5 YAML_CHARACTER'],
    ['half a character', 'a: b\ud800\n', '1:5 YAML_CHARACTER'],
    ['a tab as indentation', 'a:\n\tb: 1\n', '2:1 YAML_SYNTAX'],
    ['a template without quotes', 'a: {{ b }}\n', '1:4 TEMPLATE_UNQUOTED'],
    ['text after a template without quotes', 'x: 1\na: {{ b }} c\n', '2:12 TEMPLATE_UNQUOTED'],
    ['a quote that is not closed', 'a: 1\nb: "x\nc: 2\n', '2:4 YAML_SYNTAX'],
    ['a bracket that is not closed', 'a: 1\nb: [x, y\nc: 2\n', '2:4 YAML_SYNTAX'],
  ])('%s', (_, text, problem) => {
    expect(firstOf(text)).toBe(problem);
    expect(readSource(text).root).toBeUndefined();
  });

  it('a key such as __proto__ changes no prototype', () => {
    readSource('__proto__: { polluted: 1 }\nconstructor: { prototype: { polluted: 1 } }\n<<: { __proto__: { polluted: 1 } }\n');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('all of it at once, in the order of the file', () => {
    const codes = readSource('a: !x 1\nb: 1\nb: 2\nc: .nan\n').problems.map(({ code }) => code);
    expect(codes).toEqual(['YAML_TAG', 'YAML_DUPLICATE_KEY', 'YAML_NUMBER']);
  });
});

describe('lines and columns count what an editor counts', () => {
  it.each([
    ['a byte order mark', '\ufeffa: 1\na: 2\n', '2:1 YAML_DUPLICATE_KEY'],
    ['Windows line ends', 'a: 1\r\nb:\r\n  c: 1\r\n  c: 2\r\n', '4:3 YAML_DUPLICATE_KEY'],
    ['wide characters before', 'a: { "é😀": 1, "é😀": 2 }\n', '1:16 YAML_DUPLICATE_KEY'],
  ])('%s', (_, text, problem) => {
    expect(firstOf(text)).toBe(problem);
  });
});
