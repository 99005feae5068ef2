// Every command of the tutorial is given as it stands there, each page in an empty folder, and prints what the page says.

import { spawnSync } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CliRig } from './rig.ts';
import { type Deed, escaped, patternOf, readPage, readTyped } from './tutorial-page.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = globSync('docs/tutorial/*.md', { cwd: ROOT }).sort();
const START = join(import.meta.dirname, 'start.js');

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

describe('the tutorial', () => {
  test('has six pages', () => {
    expect(PAGES.map((page) => page.split('/').at(-1)?.slice(0, 2))).toEqual(['01', '02', '03', '04', '05', '06']);
  });

  test.each(PAGES)('%s does what it says', async (page) => {
    const bin = join(rig.folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'pawl'), `#!/bin/sh\nexec '${process.execPath}' '${START}' "$@"\n`);
    chmodSync(join(bin, 'pawl'), 0o755);
    let reader: Reader = { path: `${bin}:${process.env.PATH}`, id: '', token: '' };
    for (const deed of readPage(readFileSync(join(ROOT, page), 'utf8'))) reader = { ...reader, ...(await perform(deed, reader)) };
  });
});

/** Who follows a page: what is on their path, and the last id of a run and the last token that they were shown. */
interface Reader {
  readonly path: string;
  readonly id: string;
  readonly token: string;
}

/** Does what a page says; gives what was printed for the reader to use. */
async function perform(deed: Deed, reader: Reader): Promise<Partial<Reader> | undefined> {
  if (deed.do === 'write') {
    rig.write(deed.path, deed.text);
    return undefined;
  }
  const line = deed.line.replaceAll('<id>', reader.id).replaceAll('<token>', reader.token);
  if (deed.place === 'terminal') return atTerminal(line, deed.printed);
  const env = rig.env({ PATH: reader.path, ...rig.rightFor(line.split(' ').slice(1)) });
  const { stdout } = spawnSync('sh', ['-c', `exec 2>&1; ${line}`], { cwd: rig.project, env, encoding: 'utf8', timeout: 60_000 });
  return matched(line, stdout, deed.printed);
}

function matched(line: string, output: string, printed: readonly string[]): Partial<Reader> | undefined {
  const text = output === '' || output.endsWith('\n') ? output : `${output}\n`;
  const found = patternOf(printed).exec(text);
  expect(found === null ? `$ ${line}\n${text}` : 'as the page says').toBe(
    found === null ? `$ ${line}\n${printed.join('\n')}\n` : 'as the page says',
  );
  return found?.groups;
}

/** Types what the page types; what a terminal redraws comes several times, so the lines are looked for in their order. */
async function atTerminal(line: string, printed: readonly string[]): Promise<Partial<Reader> | undefined> {
  const [program, ...words] = line.split(' ');
  expect(program).toBe('pawl');
  const terminal = rig.terminal(words);
  const prompts: string[] = [];
  for (const typed of printed.map(readTyped).filter((one) => one !== undefined)) {
    prompts.push(escaped(typed.prompt));
    await terminal.until(new RegExp(prompts.join('[\\s\\S]+')));
    terminal.type(`${typed.answer}\r`);
  }
  await terminal.ended;
  const text = `${terminal.text().replaceAll('\r', '')}\n`;
  const lines = printed.flatMap((expected) => (expected === '…' ? [] : ['…', expected]));
  return matched(line, text, [...lines, '…']);
}

test('a page whose output differs from what it shows is reported', () => {
  expect(patternOf(['run <id> of notes', '…', 'decide <id>']).test('run 4vv8c5j2dynhhy0e of notes\n\ndecide 4vv8c5j2dynhhy0e\n')).toBe(
    true,
  );
  expect(patternOf(['run <id> of notes', '…', 'decide <id>']).test('run 4vv8c5j2dynhhy0e of notes\n\ndecide 4vv8c5j2dynhhy0f\n')).toBe(
    false,
  );
  expect(patternOf(['one']).test('one\ntwo\n')).toBe(false);
  expect(() => readPage('```ts\nconst a = 1;\n```\n')).toThrow('names no file');
});
