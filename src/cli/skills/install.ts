// Owns `pawl skill install` and `pawl skill uninstall`: a short SKILL.md per skill in the folders that agent programs read.

import { join } from 'node:path';
import type { Skill } from '../../skills/skill.ts';
import { SKILL_FILE, type SkillForm, skillFileText } from '../../skills/skill-file-text.ts';
import { type ParsedArgs, usageError } from '../command.ts';
import type { Project } from '../project.ts';
import type { Shell } from '../shell.ts';
import { skillFolders } from './folders.ts';
import { type FileOutcome, installedIn, KEPT_BECAUSE, markedFile, removeSkillFile, writeSkillFile } from './installed.ts';
import { loadSkill } from './project-skills.ts';
import { shippedSkills } from './shipped.ts';
import { allTargets, targetsOf } from './targets.ts';

/** Writes a SKILL.md for the named skills, or for all. Exits with 1 if a file was kept because a person wrote or changed it. */
export async function install(shell: Shell, project: Project, args: ParsedArgs): Promise<number> {
  const targets = targetsOf(shell, project, args);
  const files: FileOutcome[] = [];
  for (const skill of await skillsToInstall(shell, project, args)) {
    const form: SkillForm = args.has('stateless') ? { form: 'stateless', totalSteps: skill.totalSteps } : { form: 'durable' };
    const text = markedFile(skillFileText(skill, { ...form, call: shell.program }));
    files.push(...writeInto(targets, { name: skill.name, text }, args));
  }
  return reportFiles(shell, args, files);
}

/** Writes the SKILL.md of a skill into each folder. */
export function writeInto(
  { folders, root }: ReturnType<typeof targetsOf>,
  { name, text }: { readonly name: string; readonly text: string },
  args: ParsedArgs,
): FileOutcome[] {
  const options = { dryRun: args.has('dry-run'), force: args.has('force'), root };
  return folders.map((folder) => writeSkillFile(join(folder, name, SKILL_FILE), text, options));
}

async function skillsToInstall(shell: Shell, project: Project, args: ParsedArgs): Promise<Skill[]> {
  const named = args.allWords('NAME');
  const isForUser = args.has('user');
  const own = skillFolders(project).map(({ name }) => name);
  const shipped = shippedSkills().flatMap(({ name, partOf }) => (partOf === undefined && !own.includes(name) ? [name] : []));
  const names = named.length > 0 ? named : [...(isForUser ? [] : own), ...shipped];
  const skills: Skill[] = [];
  for (const name of new Set(names)) {
    const { skill, origin } = await loadSkill(shell, project, name);
    if (isForUser && origin === 'project')
      throw usageError(`the skill "${name}" is one of this project, and --user installs for all projects; leave out --user`);
    skills.push(skill);
  }
  return skills;
}

/** Removes the files that `install` wrote, unless they were changed. */
export async function uninstall(shell: Shell, project: Project, args: ParsedArgs): Promise<number> {
  const named = args.allWords('NAME');
  const found = allTargets(shell, project, args).flatMap(installedIn);
  const missing = named.find((name) => !found.some((one) => one.name === name));
  if (missing !== undefined)
    throw usageError(`no skill "${missing}" was installed by Pawl here; --user looks in your own folders, --to DIR in another`);
  const files = found
    .filter(({ name }) => named.length === 0 || named.includes(name))
    .map(({ file, state }): FileOutcome => {
      if (state === 'changed' && !args.has('force')) return { file, outcome: 'kept', why: KEPT_BECAUSE.changed };
      if (!args.has('dry-run')) removeSkillFile(file);
      return { file, outcome: 'removed' };
    });
  return reportFiles(shell, args, files);
}

const OUTCOME_TEXTS: Readonly<Record<FileOutcome['outcome'], readonly [did: string, would: string]>> = {
  written: ['wrote      ', 'would write'],
  updated: ['updated    ', 'would update'],
  removed: ['removed    ', 'would remove'],
  unchanged: ['unchanged  ', 'unchanged  '],
  kept: ['kept       ', 'would keep '],
};

/** Prints what happened to each file. */
export function reportFiles(shell: Shell, args: ParsedArgs, files: readonly FileOutcome[]): number {
  const isDry = args.has('dry-run');
  const forced = args.word('ACTION') === 'uninstall' ? 'removes' : 'replaces';
  shell.list({ ...(isDry ? { dryRun: true } : {}), files }, files, {
    none: 'There is nothing to do.',
    lines: ({ file, outcome, why }) => {
      const verb = shell.style(
        outcome === 'kept' ? 'yellow' : outcome === 'unchanged' ? 'dim' : 'green',
        OUTCOME_TEXTS[outcome][isDry ? 1 : 0],
      );
      return `${verb} ${shell.shownFile(file)}${why === undefined ? '' : `: ${why}; --force ${forced} it`}`;
    },
  });
  return files.some(({ outcome }) => outcome === 'kept') ? 1 : 0;
}
