// The rules for every skill that Pawl ships: it is called like its folder, nothing is wrong with it, agent programs can
// take it as it is, and a test of its own reads what it says.

import { globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../scripts/bundle.js';
import { partText } from '../../src/definition/action-part.ts';
import { filledContract } from '../../src/definition/contract/step-contract.ts';
import { everyContext } from '../../src/skills/contexts.ts';
import { arg, defineSkill, lintSkill, type Skill, stepGuidance } from '../../src/skills/index.ts';
import { lintSkillFile } from '../../src/skills/skill-file.ts';
import { skillFileText } from '../../src/skills/skill-file-text.ts';
import { uncoveredSkills } from './uncovered-skills.ts';

const CATALOGUE = join(root, 'src/skills/catalogue');
const names = readdirSync(CATALOGUE, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

test.each(names)('%s is called like its folder, and lint finds nothing', async (name) => {
  const { default: skill } = (await import(join(CATALOGUE, name, 'skill.ts'))) as { default: Skill };
  expect(skill.name).toBe(name);
  expect(lintSkill(skill)).toEqual([]);
  for (const how of [{ form: 'durable' }, { form: 'stateless', totalSteps: skill.totalSteps }] as const)
    expect(lintSkillFile(skillFileText(skill, how), name, skill)).toEqual([]);
});

test.each(names)(
  '%s says in its own words which documents and sections each step writes, and headings of a document do not pass for its own',
  async (name) => {
    const { default: skill } = (await import(join(CATALOGUE, name, 'skill.ts'))) as { default: Skill };
    // Steps that go on with a document do not say its sections again.
    const told = new Map<string, string>();
    const silent = skill.steps.flatMap((step, index) => {
      const [context] = everyContext(skill, index + 1);
      // What sub-agents write is said to them.
      if (context === undefined || step.gate !== undefined || step.contract === undefined || step.dispatch !== undefined) return [];
      const { id, contract } = step;
      const { params } = context;
      const { parts } = stepGuidance(skill, { step: index + 1, params }, { script: name });
      const text = parts.map(partText).filter((part) => !part.startsWith('<done_when>'));
      const { documents = [] } = filledContract(contract, params);
      const unnamed = documents.filter(({ path }) => !text.some((part) => part.includes(basename(path))));
      const headings = text.filter((part) => part.startsWith('#'));
      const untold = documents.flatMap(({ path, sections = [] }) => {
        const words = [told.get(path), ...text].join('\n').toLowerCase();
        told.set(path, words);
        const titles = sections.map((section) => (typeof section === 'string' ? section : section.title));
        return titles.filter((title) => !words.includes(title.toLowerCase())).map((title) => `${path}, section "${title}"`);
      });
      return [...unnamed.map(({ path }) => path), ...untold, ...headings].map((fault) => `${id}: ${fault}`);
    });
    expect(silent).toEqual([]);
  },
);

test.each(names)('%s ends by showing a person what came of it, unless it is a part of another skill', async (name) => {
  const { default: skill, partOf } = (await import(join(CATALOGUE, name, 'skill.ts'))) as { default: Skill; partOf?: string };
  if (partOf !== undefined) return;
  const last = skill.totalSteps;
  const { parts } = stepGuidance(skill, { step: last, params: everyContext(skill, last)[0]?.params ?? {} }, { script: name });
  expect(parts.map(partText).join('\n')).toMatch(/\bshow (?:it to )?the person\b/i);
});

test('every skill is read by a test of its own', () => {
  const own = globSync('**/*.test.ts', { cwd: CATALOGUE }).map((file) => ({ file, text: readFileSync(join(CATALOGUE, file), 'utf8') }));
  const others = globSync('test/{skills,proof}/**/*.test.ts', { cwd: root });
  const read = [...own, ...others.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))];
  expect(uncoveredSkills(names, read)).toEqual([]);
});

test('a skill that no test imports is found', () => {
  const tests = [
    { file: 'planner/skill.test.ts', text: "import skill from './skill.ts';\nimport part from '../qr-plan-code/skill.ts';" },
    { file: 'test/skills/whole.test.ts', text: "import deepthink from '../../src/skills/catalogue/deepthink/skill.ts';" },
    { file: 'refactor/texts.test.ts', text: "import { TEXTS } from './texts.ts';" },
  ];
  expect(uncoveredSkills(['planner', 'qr-plan-code', 'deepthink', 'refactor'], tests)).toEqual(['refactor']);
});

test('a SKILL.md starts the skill and never retells its steps', () => {
  const skill = defineSkill({
    name: 'sample',
    description: 'Says: "hello" # not a comment. Use it at once.',
    steps: [{ id: 'one', title: 'A title of a step', actions: ['Say it.'] }],
  });
  const durable = skillFileText(skill, { form: 'durable' });
  expect(durable).toContain('    pawl run sample --attended\n');
  expect(skillFileText(skill, { form: 'stateless', totalSteps: 1 })).toContain('    pawl skill step sample --step 1 --total-steps 1\n');
  expect(durable).not.toContain('A title of a step');
  expect(lintSkillFile(durable, 'sample', skill)).toEqual([]);
  const params = { mode: arg({ choices: ['quick', 'full'], description: 'how thorough' }), of: arg({ type: 'string', required: true }) };
  const named = skillFileText({ ...skill, params }, { form: 'durable', call: 'npx pawl' });
  expect(named).toContain('    npx pawl run sample --attended\n');
  expect(named).toContain('- `-p mode=…`: how thorough; quick | full\n- `-p of=…` (required): a value\n');
});
