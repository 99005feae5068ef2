import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../scripts/bundle.js';
import { enforcedShare, loadCatalogue, measureSkill, skillsPage } from '../../scripts/skills-page.ts';
import { defineSkill } from '../../src/skills/index.ts';

const catalogue = await loadCatalogue(join(root, 'src/skills/catalogue'));

test('docs/skills.md has the figures of the catalogue; "npm run reference" writes it', () => {
  const page = skillsPage(catalogue, (name) => existsSync(join(root, 'docs/skills', `${name}.md`)));
  expect(readFileSync(join(root, 'docs/skills.md'), 'utf8')).toBe(page);
});

test('an agent that does not do its work gets away with less than a tenth of the steps of the catalogue', () => {
  expect(Number(enforcedShare(catalogue.map(({ skill }) => measureSkill(skill, catalogue))))).toBeGreaterThanOrEqual(90);
});

test('a step that nothing checks is counted as advised, and costs what its text is long', () => {
  const contract = { documents: [{ path: 'a.md' }] };
  const steps = [
    { id: 'write', title: 'Write', actions: ['Write a.md.'], contract },
    { id: 'talk', title: 'Talk', actions: ['x'.repeat(4000)], advisory: 'it is talk' },
  ];
  const skill = defineSkill({ name: 'sample', description: 'Samples.', steps });
  const { enforced, advised, tokens } = measureSkill(skill, []);
  expect([enforced, advised]).toEqual([1, ['talk']]);
  expect([tokens.largest > 1000, tokens.largest < 1200, tokens.sum > tokens.largest]).toEqual([true, true, true]);
});

test.each([
  ['codebase-analysis', 'codebase-analysis'],
  ['doc-sync', 'doc-sync'],
  ['planner', 'planner'],
  ['planner-executor', 'planner'],
])('what the page of %s shows of a whole run is in the example', (name, example) => {
  const [, shown = ''] = readFileSync(join(root, 'docs/skills', `${name}.md`), 'utf8').split('## A whole run');
  const blocks = [...shown.matchAll(/^```(?:text|markdown)\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block.trimEnd());
  const files = globSync('{transcript.txt,notes/**/*.md}', { cwd: join(root, 'examples/skills', example) });
  const texts = files.map((file) => readFileSync(join(root, 'examples/skills', example, file), 'utf8'));
  expect(blocks.length).toBeGreaterThan(0);
  expect(blocks.filter((block) => !texts.some((text) => text.includes(block)))).toEqual([]);
});
