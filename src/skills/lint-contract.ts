// Owns the rules about contracts: every step is checked or explains why it cannot be, and documents of contracts exist.

import { contractProblems } from '../definition/contract/contract-problems.ts';
import { nameProblem } from '../definition/contract/name-pattern.ts';
import { namesIn, type StepContract } from '../definition/contract/step-contract.ts';
import type { SkillFinding } from './lint.ts';
import type { Skill, SkillGateStep, SkillWorkStep } from './skill.ts';

/** The findings about the contracts of a skill. */
export function contractFindings(skill: Skill): SkillFinding[] {
  return skill.steps.flatMap((step, index) => {
    const faults = step.gate === undefined ? workFaults(skill, step) : gateFaults(skill, step, index + 1);
    return [...uncheckedFinding(step, index + 1), ...faults.map((fault) => invalid(fault, step.title, index + 1))];
  });
}

function invalid(fault: string, title: string, step: number): SkillFinding {
  return { code: 'SKILL_CONTRACT_INVALID', step, message: `step ${step} ("${title}"): ${fault}`, hint: 'fix its contract' };
}

/** Finds unchecked steps. The engine decides gates, and the steps of sub-agents are checked in their skill. */
function uncheckedFinding(step: Skill['steps'][number], number: number): SkillFinding[] {
  if (step.gate !== undefined || step.dispatch !== undefined || step.contract !== undefined || step.advisory !== undefined) return [];
  return [
    {
      code: 'SKILL_STEP_UNCHECKED',
      step: number,
      message: `step ${number} ("${step.title}") has no contract, so an agent can skip it and report it as done`,
      hint: 'add a contract, or explain in "advisory" why nothing about it can be checked',
    },
  ];
}

function workFaults(skill: Skill, { contract, advisory, dispatch, iterates, gate: _ }: SkillWorkStep): string[] {
  const faults = [
    ...(contract !== undefined && advisory !== undefined ? ['it has a contract and "advisory"; keep one of them'] : []),
    ...(dispatch !== undefined && iterates === true
      ? ['sub-agents do it, so it cannot iterate; let the skill of the sub-agents do that']
      : []),
    ...(dispatch?.each !== undefined && 'ids' in dispatch.each ? [nameProblem(dispatch.each.ids)].flatMap((why) => why ?? []) : []),
    ...(dispatch === undefined ? [] : unknownNames(skill, Object.values(dispatch.params ?? {}), ['item', 'round', 'late'])),
  ];
  return contract === undefined ? faults : [...faults, ...contractFaults(skill, contract)];
}

function contractFaults(skill: Skill, contract: StepContract): string[] {
  const { documents = [], changes = [], command } = contract;
  const references = documents.flatMap((document) => document.references ?? []);
  const paths = [...documents.map(({ path }) => path), ...references.map(({ to }) => to)];
  return [
    ...unknownNames(skill, [...paths, ...changes, ...(command === undefined ? [] : [command])]),
    ...contractProblems(contract),
    ...references
      .filter(({ to }) => !isProvided(skill, to))
      .map(({ to }) => `it refers to ${to}, which no step writes; name it in "given" if it is there before`),
  ];
}

function unknownNames({ params }: Skill, texts: readonly string[], more: readonly string[] = []): string[] {
  const names = texts.flatMap(namesIn).filter((name) => !Object.hasOwn(params, name) && !more.includes(name));
  return [...new Set(names)].map((name) => `{${name}} is not a parameter of the skill`);
}

/** Whether a document exists: a step writes it, it is given, or a parameter names it. */
function isProvided({ steps, given }: Skill, path: string): boolean {
  if (given.includes(path) || /^\{[^{}]+\}$/.test(path)) return true;
  return steps.some((step) => step.gate === undefined && (step.contract?.documents ?? []).some((document) => document.path === path));
}

function gateFaults(skill: Skill, { gate }: SkillGateStep, number: number): string[] {
  const { items, verdicts } = gate;
  if ((items === undefined) !== (verdicts === undefined)) return ['its gate names only one of "items" and "verdicts"; give both'];
  // The skill of a sub-agent may write them.
  const hasDispatch = skill.steps
    .slice(gate.workStep - 1, number - 1)
    .some((step) => step.gate === undefined && step.dispatch !== undefined);
  const paths = [items, verdicts].flatMap((path) => path ?? []);
  return [
    ...unknownNames(skill, paths),
    ...(hasDispatch ? [] : paths.filter((path) => !isProvided(skill, path)).map((path) => `its gate reads ${path}, which no step writes`)),
  ];
}
