// The workflow files of seed 002 as definitions: every one compiles as it stands.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { draftYaml } from '../../src/authoring/yaml/compile/compile.ts';
import { readYamlWorkflow } from '../../src/authoring/yaml/read/read.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';

function compiled(name: string) {
  const text = readFileSync(join(import.meta.dirname, '002', `${name}.yaml`), 'utf8');
  const { document, problems } = readYamlWorkflow(text, `${name}.yaml`, { compilers: REGISTRY });
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  if (document === undefined) throw new Error('no document');
  return draftYaml(document, REGISTRY);
}

describe('seed 002', () => {
  test.each([
    ['feature-development', 'feature-development'],
    ['simple-review', 'simple-review'],
    ['bug-fix', 'bug-fix-workflow'],
    ['security-feature', 'security-feature'],
  ])('%s compiles unchanged', (file, name) => {
    const { finish, problems } = compiled(file);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(finish?.().definition.name).toBe(name);
  });
});
