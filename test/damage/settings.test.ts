// The damage matrix of a project's settings: each file is damaged in each way; commands say so or use the documented
// default, and a damaged file never lifts a limit that the project had.

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CliRig } from '../cli/rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const FLOW = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: ask }
stages:
  - { id: ask, type: human, prompt: "Go?" }
`;

/** The ways in which a file is damaged. */
const DAMAGE: readonly [string, (file: string) => void][] = [
  ['half of its text', (file) => writeFileSync(file, 'decisions: [sig')],
  ['bytes that are no text', (file) => writeFileSync(file, Buffer.from([0xff, 0xfe, 0x00, 0x80]))],
  ['zeros', (file) => writeFileSync(file, Buffer.alloc(64))],
  ['a folder', (file) => replaced(file, () => mkdirSync(file))],
  ['a named pipe', (file) => replaced(file, () => execFileSync('/usr/bin/env', ['mkfifo', file]))],
  ['a device', (file) => replaced(file, () => symlinkSync('/dev/zero', file))],
];

function replaced(file: string, make: () => void): void {
  rmSync(file);
  make();
}

describe.each(['.pawl/config.yaml', '.pawl/config.local.yaml'])('%s', (name) => {
  test.each(DAMAGE)('a settings file with %s is rejected by every command that needs the settings, with its path', async (_, damage) => {
    damage(rig.write(name, 'limits: { steps: 1 }\n'));
    for (const words of [['runs'], ['run', 'ask'], ['config']]) {
      const { code, stderr } = await rig.run(words);
      expect([words, code, stderr]).toEqual([words, expect.any(Number), expect.stringContaining(name)]);
      expect(code, words.join(' ')).toBeGreaterThan(0);
    }
  });
});

test.each<[string, (file: string) => void]>([
  ['empty', (file) => writeFileSync(file, '')],
  ['removed', (file) => rmSync(file)],
])('a project that required signatures still does when its settings and the list of such projects are %s', async (_, damage) => {
  rig.write('.pawl/workflows/ask.yaml', FLOW);
  mkdirSync(rig.state, { mode: 0o700 });
  const trust = { folders: { [rig.project]: new Date(0).toISOString() }, files: {} };
  writeFileSync(join(rig.state, 'trust.json'), JSON.stringify(trust));
  const file = rig.write('.pawl/config.yaml', 'decisions: signed\n');
  const refused = { code: 4, stderr: expect.stringContaining('[KEY_MISSING]') };
  expect(await rig.run(['run', 'ask'])).toMatchObject(refused);
  damage(file);
  for (const name of ['signed-projects.json', 'signed-projects.json.sum']) rmSync(join(rig.state, name));
  expect(await rig.run(['run', 'ask'])).toMatchObject(refused);
});
