// Owns what is said about mistakes: kept as files, so that a change of words is seen and judged. `vitest -u` writes them.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { frameOf } from '../../src/authoring/yaml/frame.ts';
import { readYamlWorkflow } from '../../src/authoring/yaml/read.ts';
import { MISTAKES } from './yaml-mistakes.ts';

function told(text: string): string {
  const { problems } = readYamlWorkflow(text, 'review.yaml');
  const blocks = problems.map((problem) =>
    [
      `review.yaml:${problem.line}:${problem.column}  ${problem.severity} ${problem.code}`,
      problem.message,
      ...frameOf(text, problem),
      `-> ${problem.hint}`,
    ].join('\n'),
  );
  return `${blocks.join('\n\n')}\n`;
}

it.each(Object.entries(MISTAKES))('%s is told as a good compiler would', async (name, text) => {
  await expect(told(text)).toMatchFileSnapshot(join(import.meta.dirname, '002', 'mistakes', `${name}.txt`));
});

it('every mistake is found, and says what to do', () => {
  for (const [name, text] of Object.entries(MISTAKES)) {
    const { problems } = readYamlWorkflow(text, name);
    expect(problems.length, name).toBeGreaterThan(0);
    expect(
      problems.every(({ hint }) => hint !== undefined && hint !== ''),
      name,
    ).toBe(true);
  }
});
