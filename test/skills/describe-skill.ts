// Owns the tests of every skill of the catalogue: it has the expected steps and transitions, lint finds nothing, every context
// renders within the limit of tokens, and its sub-agents get skills that exist. The test file of a skill calls `describeSkill`.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { everyContext, type StepRequest } from '../../src/skills/contexts.ts';
import { lintSkill } from '../../src/skills/lint.ts';
import { renderStep, STEP_FORMATS, stepGuidance } from '../../src/skills/render.ts';
import { type Skill, type SkillStep, type SkillWorkStep, targetsOf } from '../../src/skills/skill.ts';

const CATALOGUE = join(import.meta.dirname, '../../src/skills/catalogue');

/** The steps of a reviewing sub-skill. */
export const REVIEW_STEPS: readonly string[] = [
  '1 decompose "Decompose into Items" → 2',
  '2 verify "Verify Each Item" → 3',
  '3 challenge "Challenge the Verdicts" → 4',
  '4 verdict "Return the Verdict" → end',
];

/** How many tokens (of four characters) a step may have, without the reference texts that it embeds. */
const STEP_TOKENS_MAX = 700;

/** What a skill must be like. */
export interface ExpectedSkill {
  /** One line per step: `1 context "Context Discovery" → 2`. A way to `end` ends the skill. */
  readonly steps: readonly string[];
  /** The folder of the skill: `import.meta.dirname`. */
  readonly folder: string;
  /** Steps whose three forms are kept in `golden/NAME.txt`. */
  readonly golden: Readonly<Record<string, StepRequest>>;
}

/** Tests a skill of the catalogue. */
export function describeSkill(skill: Skill, { steps, folder, golden }: ExpectedSkill): void {
  describe(skill.name, () => {
    test('the skill has its steps in order, and each leads where it should', () => {
      expect(outline(skill)).toEqual(steps);
    });

    test('the skill has no lint findings', () => {
      expect(lintSkill(skill)).toEqual([]);
    });

    test('the skill renders in every context, within the limit of tokens', () => {
      expect(skill.steps.flatMap((_, index) => renderFaults(skill, index + 1))).toEqual([]);
    });

    test('the skill starts sub-agents only for existing skills, with their declared parameters', async () => {
      expect(await dispatchFaults(skill)).toEqual([]);
    });

    test.each(Object.entries(golden))('the skill prints %s as stored in its golden file', async (name, request) => {
      const forms = STEP_FORMATS.map((format) => renderStep(skill, request, { ...BY_COMMAND(skill), format }));
      await expect(forms.join('\n')).toMatchFileSnapshot(join(folder, 'golden', `${name}.txt`));
    });
  });
}

const BY_COMMAND = (skill: Skill) => ({
  script: `pawl skill step ${skill.name}`,
  paramFlag: (name: string, value: string) => `-p ${name}=${value}`,
});

/** A line per step: its number, id and title, and where it can lead. */
function outline(skill: Skill): string[] {
  return skill.steps.map(({ id, title }, index) => {
    const ways = targetsOf(skill, index + 1).map((to) => (to === null ? 'end' : String(to)));
    return `${index + 1} ${id} "${title}" → ${ways.join(', ')}`;
  });
}

/** What a rendered text must never contain: a missing value, or a parameter that was not filled in. */
const UNFILLED = /\bundefined\b|\bNaN\b|\[object |\{(?:folder|test|item|round)\}/;

/** A request for each context that a step can tell apart. */
function requestsOf(skill: Skill, step: number): StepRequest[] {
  const iterates = skill.steps.some((one) => one.iterates === true);
  const reviews = skill.steps.some(({ gate }) => gate !== undefined);
  return everyContext(skill, step).map(({ params, confidence, iteration, qr }) => {
    return { step, params, ...(iterates ? { confidence, iteration } : {}), ...(reviews ? { qr } : {}) };
  });
}

function renderFaults(skill: Skill, step: number): string[] {
  const faults = requestsOf(skill, step).flatMap((request) => {
    const { parts } = stepGuidance(skill, request, BY_COMMAND(skill));
    const said = parts.map((part) => (part.kind === 'block' ? part.xml : part.text));
    const own = parts.flatMap((part, index) => (part.kind === 'block' && part.name === 'resource' ? [] : [said[index]]));
    const tokens = Math.ceil(own.join('\n').length / 4);
    return [
      ...(tokens > STEP_TOKENS_MAX ? [`step ${step} has ${tokens} tokens; ${STEP_TOKENS_MAX} at most`] : []),
      ...(UNFILLED.test(said.join('\n')) ? [`step ${step} prints ${UNFILLED.exec(said.join('\n'))?.[0]}`] : []),
    ];
  });
  return [...new Set(faults)];
}

/** `pawl skill step NAME … --step 1 --total-steps N`, as a block names the skill of a sub-agent. */
const INVOKED = /pawl skill step ([a-z-]+)[^<\n]* --step (\d+) --total-steps (\d+)/g;

async function dispatchFaults(skill: Skill): Promise<string[]> {
  const declared = skill.steps.flatMap((step) => dispatchesOf(step));
  const invoked = skill.steps.flatMap((_, index) => requestsOf(skill, index + 1)).flatMap((request) => invokedBy(skill, request));
  const faults: string[] = [];
  for (const { id, dispatch } of declared) {
    const other = await skillNamed(dispatch.skill);
    if (other === undefined) faults.push(`${id}: there is no skill "${dispatch.skill}"`);
    for (const name of Object.keys(dispatch.params ?? {}))
      if (other !== undefined && !Object.hasOwn(other.params, name)) faults.push(`${id}: "${dispatch.skill}" has no parameter "${name}"`);
    if (!invoked.some(([, name]) => name === dispatch.skill)) faults.push(`${id}: its actions send nobody to "${dispatch.skill}"`);
  }
  for (const [, name = '', step, total] of invoked) {
    const other = name === skill.name ? skill : await skillNamed(name);
    if (other === undefined) faults.push(`a command names the skill "${name}", which is not there`);
    else if (String(other.totalSteps) !== total || Number(step) > other.totalSteps)
      faults.push(`a command names step ${step} of ${total} of "${name}", which has ${other.totalSteps}`);
  }
  return [...new Set(faults)];
}

function dispatchesOf(step: SkillStep): { readonly id: string; readonly dispatch: NonNullable<SkillWorkStep['dispatch']> }[] {
  return step.gate === undefined && step.dispatch !== undefined ? [{ id: step.id, dispatch: step.dispatch }] : [];
}

/** Which steps of which skills the actions of a step name in commands. */
function invokedBy(skill: Skill, request: StepRequest): RegExpExecArray[] {
  const { parts } = stepGuidance(skill, request, BY_COMMAND(skill));
  return parts.flatMap((part) => (part.kind === 'block' ? [...part.xml.matchAll(INVOKED)] : []));
}

async function skillNamed(name: string): Promise<Skill | undefined> {
  const file = join(CATALOGUE, name, 'skill.ts');
  if (!existsSync(file)) return undefined;
  return ((await import(file)) as { readonly default: Skill }).default;
}
