import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Skill } from '../index.ts';

const SKILLS = [
  ...['planner', 'planner-executor', 'dev-fill-diffs', 'tw-plan-scrub', 'tw-post-impl'],
  ...['qr-plan-completeness', 'qr-plan-code', 'qr-plan-docs', 'qr-post-impl-code', 'qr-post-impl-docs'],
];

test.each(SKILLS)('the page of %s has its steps, its parameters and its number of steps', async (name) => {
  const page = readFileSync(new URL(`../../../docs/skills/${name}.md`, import.meta.url), 'utf8');
  const { default: skill } = (await import(`./${name}/skill.ts`)) as { readonly default: Skill };
  const rows = page.split('\n').filter((line) => /^\| \d+ /.test(line));
  expect(rows.map((row) => row.split(' | ')[0])).toEqual(skill.steps.map(({ title }, index) => `| ${index + 1} ${title}`));
  expect(Object.keys(skill.params).filter((param) => !page.includes(`\`${param}\``))).toEqual([]);
  expect(page).toContain(`pawl skill step ${name} --step 1 --total-steps ${skill.totalSteps}`);
});
