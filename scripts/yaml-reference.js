// Writes what the schema of workflow files says: docs/reference/yaml.md for people, schema/pawl-workflow.schema.json for
// editors.

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SCHEMA_FILE, workflowJsonSchema } from '../src/authoring/yaml/json-schema.ts';
import { REGISTRY } from '../src/kinds/registry.ts';
import { root } from './bundle.js';
import { yamlReferencePage } from './yaml-reference-page.ts';

write(join(root, 'docs', 'reference', 'yaml.md'), yamlReferencePage(REGISTRY));
const schema = join(root, SCHEMA_FILE);
write(schema, JSON.stringify(workflowJsonSchema(REGISTRY)));
// The formatter of the project has its own idea of where lists break.
const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
process.exitCode = spawnSync(process.execPath, [biome, 'format', '--write', schema], { cwd: root, stdio: 'ignore' }).status ?? 1;

/** @param {string} file @param {string} text */
function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
