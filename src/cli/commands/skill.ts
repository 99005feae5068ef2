// `pawl skill`: lists, shows, checks and writes skills, and prints one step for an agent. No database is opened.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError, isEngineError } from '../../base/error.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { SkillFinding } from '../../skills/lint.ts';
import { renderStep, type StepFormat } from '../../skills/render.ts';
import { readStepFlags, type StepFlags } from '../../skills/run-skill.ts';
import { type Skill, type SkillStep, waysOf } from '../../skills/skill.ts';
import { nameFault } from '../../skills/skill-name.ts';
import { callOf, pasteable } from '../caller.ts';
import type { CommandRun, ParsedArgs } from '../command.ts';
import { shownFile } from '../definitions.ts';
import { packageRoot } from '../package.ts';
import { readNamed } from '../params.ts';
import { findProject, type Project } from '../project.ts';
import type { Shell } from '../shell.ts';
import { skillFolders } from '../skills/folders.ts';
import { listSkills, loadSkill } from '../skills/found.ts';
import { oneLine, table } from '../terminal.ts';
import { fileLines, writeAll } from './init-files.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const project = findProject(shell, given);
  const action = given.word('ACTION') as keyof typeof ACTIONS;
  assertOptions(given, action);
  return ACTIONS[action](shell, project, given);
};

const ACTIONS = { list, show, lint, new: create, step };

const STEP_OPTIONS: ReadonlySet<string> = new Set([
  ...['total-steps', 'param', 'mode', 'decision', 'confidence', 'iteration', 'qr-iteration', 'qr-fail', 'qr-status', 'format'],
]);

function assertOptions(given: ParsedArgs, action: string): void {
  const odd = given
    .names()
    .find((name) => (action !== 'step' && STEP_OPTIONS.has(name)) || (name === 'step' && !['step', 'show'].includes(action)));
  if (odd !== undefined)
    throw new EngineError('USAGE', `--${odd} is not an option of "pawl skill ${action}"; "pawl skill --help" shows the usage`);
  if (action === 'list' && given.maybe('NAME') !== undefined)
    throw new EngineError('USAGE', `unexpected argument "${given.word('NAME')}"; "pawl skill show NAME" shows one skill`);
}

function nameOf(given: ParsedArgs): string {
  const name = given.maybe('NAME');
  if (name === undefined) throw new EngineError('USAGE', `NAME is missing: pawl skill ${given.word('ACTION')} NAME`);
  return name;
}

async function list(shell: Shell, project: Project): Promise<number> {
  const { skills, problems } = await listSkills(shell, project);
  const rows = skills.map(({ name, totalSteps, description, file }) => ({ name, totalSteps, description, file }));
  shell.result({ skills: rows, problems }, () => {
    if (skills.length === 0) return [noSkills(project)];
    return table(shell.look, [
      { title: 'NAME', cells: skills.map(({ name }) => oneLine(name)), style: (cell) => shell.style('bold', cell) },
      { title: 'STEPS', cells: skills.map(({ totalSteps }) => (totalSteps === null ? '?' : String(totalSteps))) },
      { title: 'DESCRIPTION', cells: skills.map(({ description }) => oneLine(description)), shrinks: 'text' },
    ]);
  });
  for (const problem of problems) shell.warn(oneLine(problem));
  return 0;
}

async function show(shell: Shell, project: Project, given: ParsedArgs): Promise<number> {
  const { skill } = await loadSkill(shell, project, nameOf(given));
  const number = given.option('step');
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
    leadsTo: waysOf(skill, index + 1),
  }));
  const { name, description, totalSteps, params } = skill;
  return shell.result({ skill: { name, description, totalSteps, params, steps } }, () => [
    `${shell.style('bold', name)}: ${totalSteps} steps`,
    oneLine(description),
    ...Object.entries(params).map(([param, { description: about }]) => `  -p ${param}=…  ${oneLine(about)}`.trimEnd()),
    '',
    ...table(shell.look, [
      { title: 'STEP', cells: steps.map((one) => String(one.number)) },
      { title: 'TITLE', cells: steps.map((one) => oneLine(one.title)), shrinks: 'text' },
      { title: 'KIND', cells: steps.map((one) => one.kind) },
      { title: 'LEADS TO', cells: steps.map((one) => one.leadsTo.map((to) => (to === null ? 'end' : String(to))).join(', ')) },
    ]),
  ]);
}

function kindOf(step: SkillStep): 'gate' | 'repeated' | 'work' {
  if (step.gate !== undefined) return 'gate';
  return step.iterates === true ? 'repeated' : 'work';
}

interface CheckedSkill {
  readonly name: string;
  readonly ok: boolean;
  readonly findings: readonly SkillFinding[];
}

async function lint(shell: Shell, project: Project, given: ParsedArgs): Promise<number> {
  const named = given.maybe('NAME');
  const checked: CheckedSkill[] = [];
  // Of all skills, one that cannot be loaded does not hide what is wrong with the others.
  if (named !== undefined) checked.push(checkedAs(named, await findingsOf(shell, project, named)));
  else for (const { name } of skillFolders(project)) checked.push(checkedAs(name, await findingsOf(shell, project, name).catch(notLoaded)));
  shell.result({ skills: checked }, () =>
    checked.length === 0
      ? [noSkills(project)]
      : checked.flatMap(({ name, ok, findings }) => [
          `${shell.symbol(ok ? 'done' : 'failed')} ${oneLine(name)}`,
          ...findings.map(({ code, message, hint }) => `    ${oneLine(message)}; ${oneLine(hint)} [${code}]`),
        ]),
  );
  return checked.every(({ ok }) => ok) ? 0 : 1;
}

function checkedAs(name: string, findings: readonly SkillFinding[]): CheckedSkill {
  return { name, ok: findings.length === 0, findings };
}

function notLoaded(error: unknown): SkillFinding[] {
  if (!isEngineError(error)) throw error;
  return [{ code: 'SKILL_NOT_LOADED', message: `it could not be loaded: ${error.message}`, hint: 'nothing else of it was checked' }];
}

async function findingsOf(shell: Shell, project: Project, name: string): Promise<SkillFinding[]> {
  const [{ lintSkill }, { lintSkillFile, SKILL_FILE }] = await Promise.all([
    import('../../skills/lint.ts'),
    import('../../skills/skill-file.ts'),
  ]);
  const { skill, folder } = await loadSkill(shell, project, name);
  const file = join(folder, SKILL_FILE);
  if (existsSync(file)) return [...lintSkill(skill), ...lintSkillFile(readFileSync(file, 'utf8'), name, skill)];
  const missing: SkillFinding = {
    code: 'SKILL_FILE_MISSING',
    message: `there is no ${shownFile(shell, file)}, so agent programs do not find the skill`,
    hint: `"pawl skill new ${name}" writes one beside the module`,
  };
  return [...lintSkill(skill), missing];
}

function noSkills(project: Project): string {
  return `No skills in ${oneLine(project.root)}. "pawl skill new NAME" writes a first one.`;
}

async function create(shell: Shell, project: Project, given: ParsedArgs): Promise<number> {
  const name = nameOf(given);
  const fault = nameFault(name);
  if (fault !== undefined) throw new EngineError('USAGE', fault);
  const existing = skillFolders(project).find((one) => one.name === name);
  const folder = existing?.folder ?? join(project.home ?? join(project.root, '.pawl'), 'skills', name);
  const template = (file: string): string =>
    readFileSync(join(packageRoot(), 'templates', 'skill', file), 'utf8')
      .replaceAll('NAME', name)
      .replace('    pawl ', `    ${callOf(shell)} `);
  const module: [string, string] = [existing?.file ?? join(folder, 'skill.mjs'), template('skill.mjs')];
  const files = writeAll(new Map([module, [join(folder, 'SKILL.md'), template('SKILL.md')]]), given);
  return shell.result(files, () => [
    ...fileLines(shell, given, files),
    `Trust it with "pawl trust ${shownFile(shell, module[0])}", then: "pawl skill step ${name} --step 1 --total-steps 2"`,
  ]);
}

async function step(shell: Shell, project: Project, given: ParsedArgs): Promise<number> {
  const { skill } = await loadSkill(shell, project, nameOf(given));
  const format = shell.wantsJson ? 'json' : ((shell.format ?? 'xml') as StepFormat);
  shell.write(renderStep(skill, readStepFlags(skill, flagsOf(given)), { ...rendererFor(shell, skill), format }));
  return 0;
}

/** Parameters that are options of the command; all others are given with -p. */
const NAMED = ['mode', 'decision'];

function rendererFor(shell: Shell, skill: Skill) {
  return {
    script: pasteable(shell, `pawl skill step ${skill.name}`),
    paramFlag: (name: string, value: string) =>
      NAMED.includes(name) && !value.startsWith('-') ? `--${name} ${shellWord(value)}` : `-p ${shellWord(`${name}=${value}`)}`,
  };
}

function flagsOf(given: ParsedArgs): StepFlags {
  const named = readNamed(given.options('param'), { option: '-p', example: '-p depth=2' });
  const options = ['step', ...STEP_OPTIONS]
    .filter((name) => name !== 'param' && name !== 'format')
    .flatMap((name): [string, string][] => {
      const value = given.option(name);
      return value === undefined ? [] : [[name, value]];
    });
  const option = named.find(([name]) => name === 'step' || (STEP_OPTIONS.has(name) && !NAMED.includes(name)));
  if (option !== undefined) throw new EngineError('USAGE', `"${option[0]}" is not a parameter; give it as --${option[0]}`);
  const twice = named.find(([name]) => options.some(([option]) => option === name));
  if (twice !== undefined) throw new EngineError('USAGE', `"${twice[0]}" is given as an option and with -p; give it once`);
  return Object.fromEntries([...options, ...named]);
}
