// Writes docs/reference, docs/skills.md and the schema for editors, from the commands, the schema of workflow files, the checks
// of the settings, the types of the library and the catalogue of skills.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SCHEMA_FILE, workflowJsonSchema } from '../src/authoring/yaml/json-schema.ts';
import { COMMANDS } from '../src/cli/catalogue.ts';
import { REGISTRY } from '../src/kinds/registry.ts';
import { apiPages } from './api-page.ts';
import { root } from './bundle.js';
import { referencePage } from './reference-page.ts';
import { settingsReferencePage } from './settings-reference-page.ts';
import { loadCatalogue, skillsPage } from './skills-page.ts';
import { yamlReferencePage } from './yaml-reference-page.ts';

/** @param {string} path @param {string} text */
function write(path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

write('docs/reference/cli.md', referencePage(COMMANDS));
write('docs/reference/yaml.md', yamlReferencePage(REGISTRY));
write('docs/reference/settings.md', settingsReferencePage());
for (const { file, text } of apiPages((path) => readFileSync(join(root, path), 'utf8'))) write(`docs/reference/api/${file}`, text);
const skills = await loadCatalogue(join(root, 'src', 'skills', 'catalogue'));
write(
  'docs/skills.md',
  skillsPage(skills, (name) => existsSync(join(root, 'docs', 'skills', `${name}.md`))),
);
write(SCHEMA_FILE, JSON.stringify(workflowJsonSchema(REGISTRY)));
// The formatter of the project has its own idea of where lists break.
const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
process.exitCode = spawnSync(process.execPath, [biome, 'format', '--write', SCHEMA_FILE], { cwd: root, stdio: 'ignore' }).status ?? 1;
