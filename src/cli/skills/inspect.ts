// Owns `pawl skill list` and `pawl skill show`.

import { jsonText } from '../../base/json.ts';
import type { ArgModel } from '../../definition/model.ts';
import { renderStep } from '../../skills/render.ts';
import { readStepFlags } from '../../skills/run-skill.ts';
import { type SkillStep, targetsOf } from '../../skills/skill.ts';
import type { ParsedArgs } from '../command.ts';
import type { Project } from '../project.ts';
import type { Shell } from '../shell.ts';
import { counted, oneLine, table } from '../terminal.ts';
import { type ListedSkill, listSkills, loadSkill } from './project-skills.ts';
import { nameOf, rendererFor } from './step.ts';

/** Lists all skills without running any code. */
export async function list(shell: Shell, project: Project): Promise<number> {
  const { skills, problems } = await listSkills(shell, project);
  shell.result({ skills, problems }, () => listLines(shell, skills));
  for (const problem of problems) shell.warn(oneLine(problem));
  return 0;
}

/** The skills that a person can start, with their descriptions; then those that other skills start. */
function listLines(shell: Shell, all: readonly ListedSkill[]): string[] {
  const partOf = (skill: ListedSkill): string | undefined => (skill.origin === 'shipped' ? skill.partOf : undefined);
  const skills = all.filter((skill) => partOf(skill) === undefined);
  const parts = all.filter((skill) => partOf(skill) !== undefined);
  const first = (some: readonly ListedSkill[]) => [
    { title: 'NAME', cells: some.map(({ name }) => oneLine(name)), style: (cell: string) => shell.style('bold', cell) },
    { title: 'STEPS', cells: some.map(({ totalSteps }) => (totalSteps === null ? '?' : String(totalSteps))) },
  ];
  const hasOwn = skills.some(({ origin }) => origin === 'project');
  return [
    ...table(shell.display, [
      ...first(skills),
      ...(hasOwn ? [{ title: 'FROM', cells: skills.map(originOf) }] : []),
      { title: 'FOR', cells: skills.map(({ description }) => firstSentence(oneLine(description))), shrinks: 'text' as const },
    ]),
    ...(parts.length === 0
      ? []
      : [
          '',
          'Started by other skills:',
          ...table(shell.display, [...first(parts), { title: 'BY', cells: parts.map((part) => partOf(part) ?? '') }]),
        ]),
    '',
    '"pawl skill show NAME" has the whole description and the steps.',
  ];
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?= |$)/.exec(text)?.[0] ?? text;
}

function originOf(skill: ListedSkill): string {
  if (skill.origin === 'shipped') return 'shipped';
  return skill.replacesShipped === true ? 'project, replaces the shipped one' : 'project';
}

/** Shows the steps of a skill, or one step as text for people. */
export async function show(shell: Shell, project: Project, args: ParsedArgs): Promise<number> {
  const { skill, origin } = await loadSkill(shell, project, nameOf(args));
  const number = args.option('step');
  if (number !== undefined) {
    const text = renderStep(skill, readStepFlags(skill, { step: number }), {
      ...rendererFor(shell, skill),
      format: shell.wantsJson ? 'json' : 'text',
    });
    shell.write(text);
    return 0;
  }
  const steps = skill.steps.map((one, index) => ({
    number: index + 1,
    id: one.id,
    title: one.title,
    kind: kindOf(one),
    leadsTo: targetsOf(skill, index + 1),
  }));
  const { name, description, totalSteps, params } = skill;
  return shell.result({ skill: { name, description, totalSteps, origin, params, steps } }, () => [
    `${shell.style('bold', name)}: ${counted(totalSteps, 'step')}${origin === 'shipped' ? ', shipped with Pawl' : ''}`,
    oneLine(description),
    ...Object.entries(params).map(([param, model]) => `  -p ${param}=…  ${paramText(model)}`.trimEnd()),
    '',
    ...table(shell.display, [
      { title: 'STEP', cells: steps.map((one) => String(one.number)) },
      { title: 'TITLE', cells: steps.map((one) => oneLine(one.title)), shrinks: 'text' },
      { title: 'KIND', cells: steps.map((one) => one.kind) },
      { title: 'LEADS TO', cells: steps.map((one) => one.leadsTo.map((to) => (to === null ? 'end' : String(to))).join(', ')) },
    ]),
  ]);
}

function paramText({ description, choices, default: value, required }: ArgModel): string {
  const notes = [
    ...(choices === undefined ? [] : [choices.map((one) => jsonText(one)).join(' | ')]),
    ...(required ? ['required'] : []),
    ...(value === undefined || value === '' || value === null ? [] : [`default: ${jsonText(value)}`]),
  ];
  return oneLine([description, ...(notes.length === 0 ? [] : [`(${notes.join('; ')})`])].join(' ').trim());
}

function kindOf(step: SkillStep): 'gate' | 'repeated' | 'work' {
  if (step.gate !== undefined) return 'gate';
  return step.iterates === true ? 'repeated' : 'work';
}
