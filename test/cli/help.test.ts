import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/catalogue.ts';
import { helpOf, helpOfAll } from '../../src/cli/help.ts';
import { parseCommand } from '../../src/cli/parse.ts';
import { type Display, widthOf } from '../../src/cli/terminal.ts';
import { CliRig } from './rig.ts';

const FOLDER = join(import.meta.dirname, 'golden', 'help');
const COLUMNS = 80;

let rig: CliRig;
beforeAll(() => {
  rig = new CliRig();
});
afterAll(() => rig.close());

/** Compares with a golden file; UPDATE_GOLDEN=1 writes it instead. */
function expectGolden(name: string, text: string): void {
  const file = join(FOLDER, `${name}.txt`);
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, 'utf8'));
}

/** The words of an example up to where its shell takes over: a pipe, a redirection, a second command, a comment. */
function wordsOf(line: string): string[] {
  const words = [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replace(/['"]/g, ''));
  const end = words.findIndex((word) => ['|', '>', '<', '&&', ';', '#'].includes(word));
  return end === -1 ? words : words.slice(0, end);
}

describe('help', () => {
  test('the help of every command is as reviewed, and fits 80 columns', async () => {
    for (const { name } of COMMANDS) {
      const { code, stdout, stderr } = await rig.run([name, '--help']);
      expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: '' });
      expectGolden(name, stdout);
      expect(stdout.split('\n').filter((line) => widthOf(line) > COLUMNS)).toEqual([]);
    }
  });

  test('the help of all commands is as reviewed, by each of the ways to ask for it', async () => {
    const { stdout } = await rig.run(['--help']);
    expectGolden('pawl', stdout);
    expect(stdout.split('\n').filter((line) => widthOf(line) > COLUMNS)).toEqual([]);
    for (const words of [[], ['-h'], ['help']]) expect((await rig.run(words)).stdout).toBe(stdout);
    expect((await rig.run(['help', 'runs'])).stdout).toBe((await rig.run(['runs', '-h'])).stdout);
  });

  test('a golden file belongs to a command that exists', () => {
    const known = [...COMMANDS.map(({ name }) => `${name}.txt`), 'pawl.txt'].sort();
    expect(readdirSync(FOLDER).sort()).toEqual(known);
  });

  test('on a terminal of 40 columns only commands to copy are longer', () => {
    const look: Display = { isTerminal: true, hasColor: false, hasUnicode: true, columns: 40 };
    for (const spec of COMMANDS)
      expect(helpOf(look, spec).filter((line) => widthOf(line) > 40 && !/^ {2}pawl |^Usage/.test(line))).toEqual([]);
    expect(helpOfAll(look, COMMANDS).filter((line) => widthOf(line) > 40)).toEqual([]);
  });

  test('help with --json is one JSON object', async () => {
    expect(await rig.json(['runs', '--help'])).toMatchObject({ code: 0, schemaVersion: 1, usage: 'pawl runs [OPTIONS]' });
    expect(await rig.json(['--help'])).toMatchObject({ code: 0, schemaVersion: 1, usage: 'pawl COMMAND [OPTIONS]' });
    expect(await rig.json(['--version'])).toMatchObject({ code: 0, schemaVersion: 1, version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  });
});

describe('examples', () => {
  const examples = COMMANDS.flatMap((spec) => spec.examples.map(({ line }) => ({ spec, line })));

  test('every command has an example', () => {
    expect(COMMANDS.filter((command) => command.examples.length === 0).map(({ name }) => name)).toEqual([]);
  });

  test.each(examples)('the example $line can be parsed', ({ spec, line }) => {
    const words = wordsOf(line);
    const at = words.findIndex((word, index) => word === 'pawl' && words[index + 1] === spec.name);
    expect(at).toBeGreaterThanOrEqual(0);
    expect(() => parseCommand(spec, words.slice(at + 2))).not.toThrow();
  });
});

describe('mistakes on a command line', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['a command that does not exist', ['shwo']],
    ['a command that is like no other', ['xyzzy']],
    ['an empty command', ['']],
    ['an option before the command', ['--all', 'runs']],
    ['an option that does not exist', ['runs', '--stauts', 'failed']],
    ['an option like no other', ['runs', '--xyzzy']],
    ['a short option that does not exist', ['runs', '-x']],
    ['an option of one dash and many letters', ['runs', '-status', 'failed']],
    ['an argument that is missing', ['cancel']],
    ['a value that is missing at the end', ['runs', '--status']],
    ['a value that is missing before an option', ['runs', '--status', '--all']],
    ['a value for a switch', ['runs', '--all=yes']],
    ['an option given twice', ['runs', '--limit', '1', '--limit', '2']],
    ['a choice that does not exist', ['runs', '--status', 'faild']],
    ['a choice of an argument that does not exist', ['completion', 'csh']],
    ['an empty choice', ['runs', '--status=']],
    ['one word too many', ['runs', 'now']],
    ['an empty word too many', ['runs', '']],
    ['an option after --', ['runs', '--', '--all']],
    ['a number that is none', ['runs', '--limit', 'ten']],
    ['a run that does not exist', ['show', 'zzz']],
    ['an empty run', ['show', '']],
    ['a word that steers the terminal', ['runs', '\u001b[31mred\u001b[0m\u0007']],
    ['help for a command that does not exist', ['help', 'rnus']],
  ];

  test('each mistake on a command line is one sentence on stderr, as reviewed', async () => {
    const told: string[] = [];
    for (const [what, words] of cases) {
      const { code, stdout, stderr } = await rig.run(words);
      expect({ what, stdout, code }).toEqual({ what, stdout: '', code: 2 });
      told.push(`${what}\n$ pawl ${words.map((word) => (/^[\w=-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')}\n${stderr}`);
    }
    const file = join(import.meta.dirname, 'golden', 'errors.txt');
    const text = told
      .join('\n')
      .replaceAll(rig.folder, 'FOLDER')
      .replace(/project-[0-9a-f]{12}/g, 'project-KEY');
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, 'utf8'));
  });

  test('with --json a mistake is one JSON object with its code, and the sentence is still on stderr', async () => {
    const { code, stdout, stderr } = await rig.run(['runs', '--xyzzy', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      schemaVersion: 1,
      error: { code: 'USAGE', message: expect.stringContaining('--xyzzy'), retry: 'after-change', details: {} },
    });
    expect({ code, stderr: stderr.split('\n').length }).toEqual({ code: 2, stderr: 2 });
  });
});
