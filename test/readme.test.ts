// The README's program is run as it stands there, in an empty folder.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from './temp-folder.ts';

test('the program of the README parks for a person and completes after the decision', () => {
  const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync('README.md', 'utf8')) ?? [];
  const library = new URL('../src/index.ts', import.meta.url).href;
  const dir = tempFolder();
  writeFileSync(join(dir, 'program.ts'), program.replace("'pawl'", `'${library}'`));
  const printed = execFileSync(process.execPath, ['--no-warnings', 'program.ts'], { cwd: dir, encoding: 'utf8', timeout: 60_000 });
  expect(printed).toBe('human\ncompleted\n');
  expect(readFileSync(join(dir, 'NOTES.md'), 'utf8')).toBe('- it ratchets\n');
});
