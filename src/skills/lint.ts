// Owns the rules that a skill should follow beside being valid: every step says something, and a review loop has all
// three parts without which an agent skips the review: a banner that says where it is, a gate that stops it, and a review
// that knows that it looks again. The rules look at what the steps print, in every context that a step can tell apart.

import { messageOf } from '../base/error.ts';
import { everyContext } from './contexts.ts';
import { contractFindings } from './lint-contract.ts';
import { renderStep } from './render.ts';
import { driftedCopies } from './resources/copies.ts';
import { type Skill, type SkillStep, waysOf } from './skill.ts';

/** The codes of findings. They are stable. */
export const SKILL_FINDINGS = [
  'SKILL_NOT_LOADED',
  'SKILL_STEP_EMPTY',
  'SKILL_STEP_FAILED',
  'SKILL_LOOP_BANNER',
  'SKILL_LOOP_STOP',
  'SKILL_LOOP_REVERIFY',
  'SKILL_DISPATCH_ACTION',
  'SKILL_STEP_UNCHECKED',
  'SKILL_CONTRACT_INVALID',
  'SKILL_RESOURCE_DRIFTED',
  'SKILL_FILE_MISSING',
  'SKILL_FILE_INVALID',
  'SKILL_FILE_DIFFERS',
  'SKILL_FILE_LONG',
] as const;

/** The code of a finding. */
export type SkillFindingCode = (typeof SKILL_FINDINGS)[number];

/** A finding about a skill. */
export interface SkillFinding {
  readonly code: SkillFindingCode;
  readonly message: string;
  /** What to do about it. */
  readonly hint: string;
  /** The number of the step. */
  readonly step?: number;
}

/** The findings about a skill. */
export function lintSkill(skill: Skill): SkillFinding[] {
  const printed = skill.steps.map((_, index) => printedBy(skill, index + 1));
  const failed = printed.flatMap((outputs) => (Array.isArray(outputs) ? [] : [outputs]));
  if (failed.length > 0) return failed;
  const outputs = printed as (readonly PrintedStep[])[];
  return [
    ...skill.steps.flatMap((step, index) => emptyFindings(step, index + 1, skill)),
    ...loopsOf(skill).flatMap((loop) => loopFindings(skill, loop, outputs)),
    ...contractFindings(skill),
    ...outputs.flatMap((printed, index) => copyFindings(printed, index + 1)),
  ];
}

interface PrintedStep {
  readonly round: number;
  readonly xml: string;
}

function printedBy(skill: Skill, step: number): PrintedStep[] | SkillFinding {
  try {
    return everyContext(skill, step).map(({ params, confidence, iteration, qr }) => {
      const iterates = skill.steps.some((one) => one.iterates === true);
      const reviews = skill.steps.some(({ gate }) => gate !== undefined);
      const request = { step, params, ...(iterates ? { confidence, iteration } : {}), ...(reviews ? { qr } : {}) };
      return { round: qr.iteration, xml: renderStep(skill, request, { script: skill.name }) };
    });
  } catch (error) {
    return {
      code: 'SKILL_STEP_FAILED',
      step,
      message: `step ${step} cannot be rendered: ${messageOf(error)}`,
      hint: 'fix the function that builds its actions',
    };
  }
}

function emptyFindings(step: SkillStep, number: number, skill: Skill): SkillFinding[] {
  const { actions } = step;
  if (actions === undefined) return [];
  const texts = typeof actions === 'function' ? everyContext(skill, number).map(actions) : [actions];
  const isEmpty = texts.some((built) => ('title' in built ? built.actions : built).every((action) => action.trim() === ''));
  if (!isEmpty) return [];
  return [
    {
      code: 'SKILL_STEP_EMPTY',
      step: number,
      message: `step ${number} ("${step.title}") says nothing`,
      hint: 'write what the agent has to do',
    },
  ];
}

/** Texts in a step that were copied from a convention or format of Pawl and differ from it. */
function copyFindings(printed: readonly PrintedStep[], step: number): SkillFinding[] {
  const names = new Set(printed.flatMap(({ xml }) => driftedCopies(xml).map(({ name }) => name)));
  return [...names].map((name) => ({
    code: 'SKILL_RESOURCE_DRIFTED',
    step,
    message: `step ${step} has a copy of "${name}" that is not what the original says`,
    hint: `build it with formatReference('${name}') in place of the copy`,
  }));
}

/** A way back: from a step to an earlier one that it lets the work be done again in. */
interface Loop {
  readonly from: number;
  readonly to: number;
}

function loopsOf(skill: Skill): Loop[] {
  return skill.steps.flatMap((_, index) => {
    const from = index + 1;
    return waysOf(skill, from).flatMap((to) => (to !== null && to < from ? [{ from, to }] : []));
  });
}

const DISPATCH = /<subagent_dispatch[ >]/;

function loopFindings(skill: Skill, { from, to }: Loop, outputs: readonly (readonly PrintedStep[])[]): SkillFinding[] {
  const gate = skill.steps[from - 1]?.gate;
  if (gate === undefined)
    return [
      {
        code: 'SKILL_LOOP_STOP',
        step: from,
        message: `step ${from} leads back to step ${to} without a gate, so nothing stops the loop`,
        hint: 'lead to a step with "gate" and let that lead back',
      },
    ];
  const inside = outputs.slice(to - 1, from - 1);
  const loop = `the loop from step ${to} to step ${from}`;
  const banner = gate.qrName.toUpperCase();
  const hasBanner = inside.flat().some(({ xml }) => xml.includes('<state_banner') || xml.includes(banner));
  const findings: (SkillFinding | undefined)[] = [
    hasBanner
      ? undefined
      : {
          code: 'SKILL_LOOP_BANNER',
          step: from,
          message: `no step of ${loop} says in which round it is`,
          hint: 'begin the review with formatQrBanner({ qr, qrName })',
        },
    inside.some(looksAgain)
      ? undefined
      : {
          code: 'SKILL_LOOP_REVERIFY',
          step: from,
          message: `no step of ${loop} says anything else in a later round`,
          hint: 'build the actions of the review from the context: ({ qr }) => […]',
        },
    ...inside.map((printed, index) => dispatchFinding(printed, to + index)),
  ];
  return findings.filter((finding) => finding !== undefined);
}

function dispatchFinding(printed: readonly PrintedStep[], step: number): SkillFinding | undefined {
  if (!printed.some(({ xml }) => DISPATCH.test(xml) && !xml.includes('<orchestrator_action>'))) return undefined;
  return {
    code: 'SKILL_DISPATCH_ACTION',
    step,
    message: `step ${step} sends a sub-agent off in a review loop, but does not say what happens when it returns`,
    hint: 'tell the sub-agent to end with the block of formatQrFileOutput(…), which has <orchestrator_action>',
  };
}

/** Whether the instructions differ between the first round and a later one; the commands differ always. */
function looksAgain(printed: readonly PrintedStep[]): boolean {
  const texts = (rounds: readonly PrintedStep[]): Set<string> => new Set(rounds.map(({ xml }) => /<DO>.*<\/DO>/s.exec(xml)?.[0] ?? ''));
  const first = texts(printed.filter(({ round }) => round === 1));
  return [...texts(printed.filter(({ round }) => round > 1))].some((text) => !first.has(text));
}
