// Owns `pawl skill step`: prints a step of a skill for an agent. It is called once per step, so for a shipped skill nothing
// else is loaded; `project-skills.ts` loads a skill of the project.

import { shellWord } from '../../base/shell-word.ts';
import { type Renderer, renderStep, type StepFormat } from '../../skills/render.ts';
import { readStepFlags, type StepFlags } from '../../skills/run-skill.ts';
import type { Skill } from '../../skills/skill.ts';
import { type ParsedArgs, usageError } from '../command.ts';
import { readNamed } from '../params.ts';
import type { Project } from '../project.ts';
import type { Shell } from '../shell.ts';
import { skillFolders } from './folders.ts';
import { findShippedSkill, loadShipped } from './shipped.ts';

/** The options of `pawl skill step`, without `--step`. */
export const STEP_OPTIONS: ReadonlySet<string> = new Set([
  ...['total-steps', 'param', 'mode', 'decision', 'confidence', 'iteration', 'qr-iteration', 'qr-fail', 'qr-status', 'format'],
]);

/** Prints the step that the options ask for. */
export async function printStep(shell: Shell, project: Project, args: ParsedArgs): Promise<number> {
  const skill = await skillNamed(shell, project, nameOf(args));
  const format = shell.wantsJson ? 'json' : ((shell.format ?? 'xml') as StepFormat);
  shell.write(renderStep(skill, readStepFlags(skill, flagsOf(args)), { ...rendererFor(shell, skill), format }));
  return 0;
}

async function skillNamed(shell: Shell, project: Project, name: string): Promise<Skill> {
  const shipped = skillFolders(project).some((one) => one.name === name) ? undefined : findShippedSkill(name);
  if (shipped !== undefined) return loadShipped(shipped);
  return (await (await import('./project-skills.ts')).loadSkill(shell, project, name)).skill;
}

/** The required NAME of an action. */
export function nameOf(args: ParsedArgs): string {
  const name = args.maybe('NAME');
  if (name === undefined) throw usageError(`NAME is missing: pawl skill ${args.word('ACTION')} NAME`);
  return name;
}

/** Parameters that are options of the command; all others are passed with -p. */
const NAMED = ['mode', 'decision'];

/** The form of the commands in a printed step. */
export function rendererFor(shell: Shell, skill: Skill): Renderer {
  return {
    script: shell.pasteable(`pawl skill step ${skill.name}`),
    paramFlag: (name: string, value: string) =>
      NAMED.includes(name) && !value.startsWith('-') ? `--${name} ${shellWord(value)}` : `-p ${shellWord(`${name}=${value}`)}`,
  };
}

function flagsOf(args: ParsedArgs): StepFlags {
  const named = readNamed(args.options('param'), { option: '-p', example: '-p depth=2' });
  const options = ['step', ...STEP_OPTIONS]
    .filter((name) => name !== 'param' && name !== 'format')
    .flatMap((name): [string, string][] => {
      const value = args.option(name);
      return value === undefined ? [] : [[name, value]];
    });
  const option = named.find(([name]) => name === 'step' || (STEP_OPTIONS.has(name) && !NAMED.includes(name)));
  if (option !== undefined) throw usageError(`"${option[0]}" is not a parameter; give it as --${option[0]}`);
  const twice = named.find(([name]) => options.some(([option]) => option === name));
  if (twice !== undefined) throw usageError(`"${twice[0]}" is given as an option and with -p; give it once`);
  return Object.fromEntries([...options, ...named]);
}
