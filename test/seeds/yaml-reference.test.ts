// Owns the rule that the reference of workflow files is what the schema says, and that its examples can be copied.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readYamlWorkflow } from '../../src/authoring/yaml/read.ts';
import { STAGE_EXAMPLES, yamlReferencePage } from '../../src/authoring/yaml/schema-reference.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'reference', 'yaml.md'), 'utf8');

it('docs/reference/yaml.md is what the schema says; "node scripts/yaml-reference.js" writes it', () => {
  expect(page).toBe(yamlReferencePage());
});

it.each(Object.entries(STAGE_EXAMPLES))('the example of a %s stage can be copied into a file', (type, example) => {
  expect(page).toContain(`\`\`\`yaml\n${example}\n\`\`\``);
  const text = `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\nstages:\n${example.replaceAll(/^/gm, '  ')}\n`;
  const { document, problems } = readYamlWorkflow(text, 'w.yaml');
  expect(problems).toEqual([]);
  expect(document?.stages[0]?.type).toBe(type);
});
