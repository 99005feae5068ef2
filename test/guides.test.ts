// What the guides show is true: their workflow files compile without a warning, their settings and roles can be read.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseRoleFile } from '../src/agents/role-file.ts';
import { checkYaml } from '../src/authoring/yaml/check/check.ts';
import { readSettingsFile } from '../src/cli/settings/file.ts';
import { REGISTRY } from '../src/kinds/registry.ts';
import { tempFolder } from './temp-folder.ts';

const GUIDES = join(import.meta.dirname, '../docs/guides');
const folder = tempFolder();

const blocks = readdirSync(GUIDES).flatMap((guide) =>
  [...readFileSync(join(GUIDES, guide), 'utf8').matchAll(/^```(yaml|md)(?: \S+)?\n([\s\S]*?)^```/gm)].map(
    ([, language = '', text = ''], index) => ({
      name: `${guide}, block ${index + 1}`,
      language,
      text,
    }),
  ),
);

test('the guides have examples', () => {
  expect(blocks.map(({ text }) => text.split('\n')[0])).toContain('# .pawl/config.yaml');
});

test.each(blocks.filter(({ text }) => text.includes('kind: Workflow')))('the workflow in $name compiles', ({ text }) => {
  const { errors, warnings } = checkYaml('guide.yaml', text, REGISTRY);
  // A guide shows what happens to branches that write the same files.
  const others = warnings.filter(({ code }) => code !== 'WRITERS_OVERLAP');
  expect([errors, others]).toEqual([[], []]);
});

test.each(blocks.filter(({ text }) => text.startsWith('# .pawl/config.yaml')))('the settings in $name can be read', async ({ text }) => {
  const file = join(folder, 'config.yaml');
  writeFileSync(file, text);
  expect((await readSettingsFile(file)).every(({ isUsed }) => isUsed)).toBe(true);
});

test.each(blocks.filter(({ language }) => language === 'md'))('the role in $name can be read', ({ text }) => {
  const role = parseRoleFile('role.md', text.replace(/^<!--.*-->\n/, ''));
  expect(role.prompt).not.toBe('');
  expect(role.driver).toBeDefined();
});
