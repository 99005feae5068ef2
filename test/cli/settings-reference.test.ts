import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SETTING_NOTES, settingsReferencePage } from '../../scripts/settings-reference-page.ts';
import { readSettingsFile } from '../../src/cli/settings/file.ts';
import { knownSettings } from '../../src/cli/settings/known-settings.ts';
import { tempFolder } from '../temp-folder.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = tempFolder();

test('docs/reference/settings.md matches the settings; "npm run reference" writes it', () => {
  expect(readFileSync(join(root, 'docs', 'reference', 'settings.md'), 'utf8')).toBe(settingsReferencePage());
});

test('every setting is described, and no others', () => {
  expect(Object.keys(SETTING_NOTES)).toEqual(knownSettings().map(({ key }) => key));
});

test.each(Object.entries(SETTING_NOTES))('the example of %s sets it', async (key, { example }) => {
  const file = join(folder, 'config.yaml');
  writeFileSync(file, example);
  const pattern = new RegExp(`^${key.replaceAll('.', '\\.').replace('<name>', '[^.]+')}$`);
  expect((await readSettingsFile(file)).map((setting) => setting.key)).toContainEqual(expect.stringMatching(pattern));
});
