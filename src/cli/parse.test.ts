import { describe, expect, test } from 'vitest';
import type { CommandSpec } from './command.ts';
import { parseCommand } from './parse.ts';

const SPEC: CommandSpec = {
  name: 'try',
  group: 'Inspect',
  summary: 'a command for the tests',
  args: [
    { name: 'RUN', about: 'a run', required: true },
    { name: 'FILE', about: 'files', many: true },
  ],
  options: [
    { name: 'param', short: 'p', value: 'NAME=VALUE', about: 'a value', many: true },
    { name: 'limit', short: 'n', value: 'N', about: 'a number', formerly: 'most' },
    { name: 'force', short: 'f', about: 'a flag' },
    { name: 'strict', value: 'BOOL', alone: 'true', about: 'a flag that takes a value', choices: ['true', 'false'] },
  ],
  examples: [],
  load: () => Promise.reject(new Error('not run here')),
};

function params(...argv: readonly string[]): readonly string[] {
  return parseCommand(SPEC, ['run', ...argv]).options('param');
}

describe('a value', () => {
  test('a value follows its option after a space, after "=", or directly after a short option', () => {
    expect(params('--param', 'a=1', '--param=b=2', '-p', 'c=3', '-pd=4', '-p=e=5')).toEqual(['a=1', 'b=2', 'c=3', 'd=4', 'e=5']);
  });

  test('a value can be omitted if the option has a default for that; then only "=" sets another', () => {
    const strict = (...argv: readonly string[]) => parseCommand(SPEC, ['run', ...argv]);
    expect(strict('--strict', 'a.txt').option('strict')).toBe('true');
    expect(strict('--strict', 'a.txt').allWords('FILE')).toEqual(['a.txt']);
    expect(strict('--strict', '--force').option('strict')).toBe('true');
    expect(strict('--strict=false').option('strict')).toBe('false');
    expect(() => strict('--strict=maybe')).toThrow('must be one of true, false');
  });

  test('an option works under its older name', () => {
    expect(parseCommand(SPEC, ['run', '--most', '5']).option('limit')).toBe('5');
    expect(parseCommand(SPEC, ['run', '--most=5']).option('limit')).toBe('5');
    expect(() => parseCommand(SPEC, ['run', '--most', '5', '--limit', '6'])).toThrow('option "--limit" may be given only once');
  });

  test('a value can be empty', () => {
    expect(params('--param', '', '--param=', '-p', '', '-p=', '--force')).toEqual(['', '', '', '']);
  });

  test('a value can begin with a dash; with two only after "="', () => {
    expect(params('-p', '-1', '--param', '-x', '--param=--y')).toEqual(['-1', '-x', '--y']);
    expect(() => params('--param', '--y')).toThrow('option "--param" needs a value: --param NAME=VALUE');
  });

  test('an option may be given once, unless it takes many values', () => {
    expect(() => parseCommand(SPEC, ['run', '-n', '1', '--limit=2'])).toThrow('option "--limit" may be given only once');
  });
});

describe('a word', () => {
  test('an argument may come before, between and after options', () => {
    const args = parseCommand(SPEC, ['run', '-f', 'one', '--limit', '3', 'two']);
    expect([args.word('RUN'), args.allWords('FILE'), args.option('limit'), args.has('force')]).toEqual(['run', ['one', 'two'], '3', true]);
  });

  test('a word after "--" is an argument, even with a dash', () => {
    const args = parseCommand(SPEC, ['--', '--force', '-p', '--']);
    expect([args.word('RUN'), args.allWords('FILE'), args.has('force')]).toEqual(['--force', ['-p', '--'], false]);
  });

  test('an argument may be a dash or a negative number', () => {
    expect(parseCommand(SPEC, ['-', '-1']).allWords('FILE')).toEqual(['-1']);
  });
});

describe('a flag', () => {
  test('a flag does not take a value', () => {
    expect(() => parseCommand(SPEC, ['run', '--force=yes'])).toThrow('option "--force" does not take a value');
    expect(() => parseCommand(SPEC, ['run', '-fyes'])).toThrow('option "-f" does not take a value, so "-fyes" is invalid');
  });

  test('a flag may be given twice', () => {
    expect(parseCommand(SPEC, ['run', '-f', '--force']).has('force')).toBe(true);
  });
});

test('help is shown even if an argument is missing', () => {
  expect(parseCommand(SPEC, ['-h']).has('help')).toBe(true);
});

test('a short option with two dashes, or a long one with one, gets the correct option as a suggestion', () => {
  expect(() => parseCommand(SPEC, ['run', '-limit', '3'])).toThrow('unknown option "-limit" (did you mean "--limit"?)');
  expect(() => parseCommand(SPEC, ['run', '--f'])).toThrow('unknown option "--f" (did you mean "-f"?)');
});
