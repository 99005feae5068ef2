// Owns what `pawl validate` says about mistakes: kept as files, so that a change of words is seen and judged.
// `vitest -u` writes them.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CliRig } from '../cli/rig.ts';
import { MISTAKES } from './yaml-mistakes.ts';

const NAMES = Object.keys(MISTAKES);
const FOLDER = '.pawl/workflows';

const rig = new CliRig();
/** What was printed about each file. */
const told = new Map<string, string>();
let code: number | null = null;

beforeAll(async () => {
  rig.write('.pawl/config.yaml', 'roles: { feat-dev: { driver: attended }, docs-dev: { driver: attended } }\n');
  // One name for each, so that they do not get into each other's way.
  for (const [name, text] of Object.entries(MISTAKES)) rig.write(`${FOLDER}/${name}.yaml`, text.replace('name: review', `name: ${name}`));
  const ended = await rig.run(['validate']);
  code = ended.code;
  let file = '';
  for (const line of ended.stdout.split('\n')) {
    file = /^(?:\S )?\.pawl\/workflows\/([\w-]+)\.yaml/.exec(line)?.[1] ?? file;
    told.set(file, `${told.get(file) ?? ''}${line}\n`);
  }
});
afterAll(() => rig.close());

it.each(NAMES)('%s is reported with its lines, position and hint', async (name) => {
  await expect(`${told.get(name)?.trimEnd()}\n`).toMatchFileSnapshot(join(import.meta.dirname, '002', 'mistakes', `${name}.txt`));
});

it('every mistake has a position in its file and says what to do', () => {
  expect(code).toBe(2);
  const unlike = NAMES.filter((name) => {
    return !/:\d+:\d+ {2}error [A-Z_]+\n(?:.+\n)+? +\d+ │.*\n(?:.+\n)+?→ \S/.test(told.get(name) ?? '');
  });
  expect(unlike).toEqual([]);
});
