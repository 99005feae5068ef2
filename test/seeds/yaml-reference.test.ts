// Owns the rule that the reference of workflow files is what the schema says, and that its examples can be copied.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { STAGE_EXAMPLES } from '../../scripts/yaml-examples.ts';
import { yamlReferencePage } from '../../scripts/yaml-reference-page.ts';
import { readYamlWorkflow } from '../../src/authoring/yaml/read/read.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'reference', 'yaml.md'), 'utf8');

it('docs/reference/yaml.md is what the schema says; "npm run reference" writes it', () => {
  expect(page).toBe(yamlReferencePage(REGISTRY));
});

it.each(Object.entries(STAGE_EXAMPLES))(
  'the example of a %s stage is on the page with how it ends, and is a whole file',
  (type, example) => {
    expect(page).toContain(`${example.story}\n\n\`\`\`yaml\n${example.text}\n\`\`\``);
    const { document, problems } = readYamlWorkflow(`${example.text}\n`, 'w.yaml', { compilers: REGISTRY });
    expect(problems).toEqual([]);
    expect(document?.stages.map((stage) => stage.type)).toContain(type);
  },
);
