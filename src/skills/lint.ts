// Owns the rules for valid skills: every step has instructions, and a review loop has the three parts without which agents
// skip the review: a banner with the round, a gate that stops the loop, and a review that differs in later rounds. The rules
// check the output of the steps, in every context that a step can distinguish.

import { messageOf } from '../base/error.ts';
import { everyContext } from './contexts.ts';
import { contractFindings } from './lint-contract.ts';
import { renderStep } from './render.ts';
import { driftedCopies } from './resources/copies.ts';
import { type Skill, type SkillStep, targetsOf } from './skill.ts';

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
  const rendered = skill.steps.map((_, index) => renderStepOutputs(skill, index + 1));
  const failed = rendered.flatMap((outputs) => (Array.isArray(outputs) ? [] : [outputs]));
  if (failed.length > 0) return failed;
  const outputs = rendered as (readonly StepOutput[])[];
  return [
    ...skill.steps.flatMap((step, index) => emptyFindings(step, index + 1, skill)),
    ...loopsOf(skill).flatMap((loop) => loopFindings(skill, loop, outputs)),
    ...contractFindings(skill),
    ...outputs.flatMap((rounds, index) => copyFindings(rounds, index + 1)),
  ];
}

interface StepOutput {
  readonly round: number;
  readonly xml: string;
}

function renderStepOutputs(skill: Skill, step: number): StepOutput[] | SkillFinding {
  try {
    return everyContext(skill, step).map(({ params, confidence, iteration, qr }) => {
      const iterates = skill.steps.some((candidate) => candidate.iterates === true);
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
      message: `step ${number} ("${step.title}") has no instructions`,
      hint: 'write what the agent has to do',
    },
  ];
}

/** Findings about texts in a step that were copied from a convention or format of Pawl and differ from it. */
function copyFindings(outputs: readonly StepOutput[], step: number): SkillFinding[] {
  const names = new Set(outputs.flatMap(({ xml }) => driftedCopies(xml).map(({ name }) => name)));
  return [...names].map((name) => ({
    code: 'SKILL_RESOURCE_DRIFTED',
    step,
    message: `step ${step} has a copy of "${name}" that differs from the original`,
    hint: `replace the copy by formatReference('${name}')`,
  }));
}

/** A loop: from a step back to an earlier one. */
interface Loop {
  readonly from: number;
  readonly to: number;
}

function loopsOf(skill: Skill): Loop[] {
  return skill.steps.flatMap((_, index) => {
    const from = index + 1;
    return targetsOf(skill, from).flatMap((to) => (to !== null && to < from ? [{ from, to }] : []));
  });
}

const DISPATCH = /<subagent_dispatch[ >]/;

function loopFindings(skill: Skill, { from, to }: Loop, outputs: readonly (readonly StepOutput[])[]): SkillFinding[] {
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
          message: `no step of ${loop} names the round`,
          hint: 'begin the review with formatQrBanner({ qr, qrName })',
        },
    inside.some(differsInLaterRounds)
      ? undefined
      : {
          code: 'SKILL_LOOP_REVERIFY',
          step: from,
          message: `no step of ${loop} has other instructions in a later round`,
          hint: 'build the actions of the review from the context: ({ qr }) => […]',
        },
    ...inside.map((rounds, index) => dispatchFinding(rounds, to + index)),
  ];
  return findings.filter((finding) => finding !== undefined);
}

function dispatchFinding(outputs: readonly StepOutput[], step: number): SkillFinding | undefined {
  if (!outputs.some(({ xml }) => DISPATCH.test(xml) && !xml.includes('<orchestrator_action>'))) return undefined;
  return {
    code: 'SKILL_DISPATCH_ACTION',
    step,
    message: `step ${step} starts a sub-agent in a review loop, but does not say what to do when it returns`,
    hint: 'tell the sub-agent to end with the block of formatQrFileOutput(…), which has <orchestrator_action>',
  };
}

/** Whether the instructions differ between the first round and a later one. The commands always differ. */
function differsInLaterRounds(outputs: readonly StepOutput[]): boolean {
  const texts = (rounds: readonly StepOutput[]): Set<string> => new Set(rounds.map(({ xml }) => /<DO>.*<\/DO>/s.exec(xml)?.[0] ?? ''));
  const first = texts(outputs.filter(({ round }) => round === 1));
  return [...texts(outputs.filter(({ round }) => round > 1))].some((text) => !first.has(text));
}
