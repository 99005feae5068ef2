// Owns docs/skills.md: the skills that come with Pawl, each with figures that are measured and not claimed: how many steps it
// has, how much reading them costs the agent, and how many of them an agent cannot get away with.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { attackSkill } from '../src/proof/hostile/skill.ts';
import { renderStep } from '../src/skills/render.ts';
import type { Skill } from '../src/skills/skill.ts';

/** A skill of the catalogue. */
export interface ShippedSkill {
  readonly skill: Skill;
  /** The skill whose sub-agents follow it. */
  readonly partOf?: string;
}

/** The skills of the catalogue, by name. */
export async function loadCatalogue(folder: string): Promise<ShippedSkill[]> {
  const names = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  const modules = names.sort().map((name) => import(pathToFileURL(join(folder, name, 'skill.ts')).href));
  return (await Promise.all(modules)).map(({ default: skill, partOf }) => ({ skill, ...(partOf === undefined ? {} : { partOf }) }));
}

/** What was measured of a skill. */
export interface SkillFigures {
  readonly steps: number;
  readonly enforced: number;
  /** The steps that are not enforced, by their ids. */
  readonly advised: readonly string[];
  /** What reading all its steps costs, and the longest one. */
  readonly tokens: { readonly sum: number; readonly largest: number };
}

const CHARACTERS_PER_TOKEN = 4;

/** Measures a skill among those that it sends sub-agents to. */
export function measureSkill(skill: Skill, all: readonly ShippedSkill[]): SkillFigures {
  const { steps, enforced } = attackSkill(skill, { skillNamed: (name) => all.find((one) => one.skill.name === name)?.skill });
  const tokens = skill.steps.map((_, index) => {
    const params = Object.fromEntries(
      Object.entries(skill.params).flatMap(([name, { required }]) => (required === true ? [[name, 'x']] : [])),
    );
    const text = renderStep(skill, { step: index + 1, params }, { script: `pawl skill step ${skill.name}` });
    return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
  });
  const advised = steps.flatMap((step) => (step.enforced ? [] : [step.id]));
  return {
    steps: steps.length,
    enforced,
    advised,
    tokens: { sum: tokens.reduce((sum, one) => sum + one, 0), largest: Math.max(...tokens) },
  };
}

/** The share of a catalogue's steps that are enforced, in percent with one place. */
export function enforcedShare(figures: readonly SkillFigures[]): string {
  const [enforced, steps] = [sumOf(figures.map((one) => one.enforced)), sumOf(figures.map((one) => one.steps))];
  return ((enforced / steps) * 100).toFixed(1);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

/** The page. `hasPage` says which skills have a page of their own. */
export function skillsPage(all: readonly ShippedSkill[], hasPage: (name: string) => boolean): string {
  const measured = all.map((one) => ({ ...one, ...measureSkill(one.skill, all) }));
  const named = (name: string): string => (hasPage(name) ? `[${name}](skills/${name}.md)` : name);
  const figures = ({ steps, enforced, tokens }: SkillFigures): string =>
    `${steps} | ${thousands(tokens.sum)} | ${thousands(tokens.largest)} | ${enforced} of ${steps}`;
  const own = measured.filter(({ partOf }) => partOf === undefined);
  const parts = measured.filter(({ partOf }) => partOf !== undefined);
  const advised = measured.flatMap(({ skill, advised: ids }) => (ids.length === 0 ? [] : [`\`${skill.name}\`: ${ids.join(', ')}`]));
  return `# The skills that come with Pawl

<!-- Written by "npm run reference" from src/skills/catalogue; do not edit. -->

\`pawl run NAME --attended\` runs one, \`pawl skill install\` lets agent programs find them, and [Skills](guides/skills.md) explains how they work and how to write your own. Each page says what its skill is for, its parameters, and what is checked after each step. Three of them show a whole run on a small project: codebase-analysis, doc-sync, and planner with its executor.

| skill | for | steps | tokens, all steps | tokens, longest step | enforced |
|---|---|---|---|---|---|
${own.map((one) => `| ${named(one.skill.name)} | ${purposeOf(one.skill)} | ${figures(one)} |`).join('\n')}

These are for the sub-agents of another skill:

| skill | of | steps | tokens, all steps | tokens, longest step | enforced |
|---|---|---|---|---|---|
${parts.map((one) => `| ${named(one.skill.name)} | ${one.partOf} | ${figures(one)} |`).join('\n')}

## What the figures mean

- **Tokens**: the characters of a step as XML with the default parameters, divided by ${CHARACTERS_PER_TOKEN}. An agent reads one step at a time, and those of a loop once per round.
- **Enforced**: in a run, the step is refused for every agent of the [hostile kit](guides/hostile-agents.md) that does not do its work: one that skips it, leaves documents empty, writes placeholders or its headings again, copies another document, or hands in that of the last visit. Over the catalogue that is ${sumOf(measured.map((one) => one.enforced))} of ${sumOf(measured.map((one) => one.steps))} steps, ${enforcedShare(measured)} %. Without a run (\`pawl skill step\`) nothing is checked.

The other steps only return what documents say that were checked before: ${advised.join('; ')}.
`;
}

function thousands(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** What a skill does: its description up to when to use it. */
function purposeOf({ description }: Skill): string {
  return description.replace(/\s*Use it [\s\S]*$/, '').replace(/\.$/, '');
}
