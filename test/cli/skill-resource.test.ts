// Conventions and formats on the command line: listed, printed, copied with marks, and copies that drifted.

import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { getConvention } from '../../src/skills/index.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

test('skill resources are listed and printed, and an unknown name lists those that exist', async () => {
  const { stdout } = await rig.run(['skill', 'resource']);
  expect(stdout).toMatch(/^severity +convention +[0-9a-f]{12} +Severity$/m);
  expect(await rig.run(['skill', 'resource', 'temporal'])).toEqual({ code: 0, stdout: getConvention('temporal'), stderr: '' });
  const { resource } = await rig.json<{ resource: object }>(['skill', 'resource', 'temporal']);
  expect(resource).toMatchObject({ name: 'temporal', kind: 'convention', text: getConvention('temporal') });
  const unknown = await rig.run(['skill', 'resource', 'tempral']);
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('did you mean "temporal"')]);
  expect((await rig.run(['skill', 'lint', '--copy'])).stderr).toContain('--copy is not an option of "pawl skill lint"');
});

test('lint finds copies that drifted in prompts of the project, and follows no link out of it', async () => {
  const { stdout: copy } = await rig.run(['skill', 'resource', 'severity', '--copy']);
  for (const file of ['AGENTS.md', '.pawl/agents/reviewer.md', '.claude/skills/x/SKILL.md']) rig.write(file, `# Ours\n\n${copy}`);
  expect((await rig.run(['skill', 'lint'])).code).toBe(0);
  const edited = copy.replace('COULD', 'MAY');
  rig.write('.pawl/agents/reviewer.md', `# Ours\n\n${edited}`);
  rig.write('GEMINI.md', edited.replace(/ [0-9a-f]{12} /, ' 0123456789ab '));
  rig.write('elsewhere/notes.md', edited);
  symlinkSync(join(rig.project, 'elsewhere'), join(rig.project, '.gemini'));
  const found = await rig.json<{ copies: { file: string; line: number; state: string }[] }>(['skill', 'lint']);
  expect(found.code).toBe(1);
  expect(found.copies.map(({ file, line, state }) => [file, line, state])).toEqual([
    ['.pawl/agents/reviewer.md', 3, 'edited'],
    ['GEMINI.md', 1, 'edited'],
  ]);
  expect((await rig.run(['skill', 'lint'])).stdout).toContain(
    '✗ .pawl/agents/reviewer.md:3: the copy of "severity" was changed; "pawl skill resource severity --copy" prints the current one [SKILL_RESOURCE_DRIFTED]',
  );
});
