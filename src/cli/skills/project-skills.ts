// Owns the skills that a project can use: its own, whose files are only run if they are trusted, and those that Pawl ships. A
// skill of the project takes precedence over a shipped one with the same name.

import { readFileSync } from 'node:fs';
import { importDefault, loadFailure } from '../../api/module/import.ts';
import { EngineError } from '../../base/error.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Skill } from '../../skills/skill.ts';
import { usageError } from '../command.ts';
import { moduleFailure } from '../module-failure.ts';
import type { Project } from '../project.ts';
import type { Shell } from '../shell.ts';
import { assertTrusted } from '../trust/trust.ts';
import { SKILL_MODULES, type SkillFolder, skillFolders } from './folders.ts';
import { findShippedSkill, loadShipped, shippedSkills } from './shipped.ts';

/** A skill as a list shows it. */
export type ListedSkill = {
  readonly name: string;
  /** Null if it is only known by running the file. */
  readonly totalSteps: number | null;
  readonly description: string;
} & (
  | {
      readonly origin: 'project';
      readonly file: string;
      readonly replacesShipped?: true;
    }
  | {
      readonly origin: 'shipped';
      readonly aliases: readonly string[];
      /** The skill that sends sub-agents to this one. */
      readonly partOf?: string;
    }
);

/** The skills of a project and those that Pawl ships, without running them, and why others could not be listed. */
export async function listSkills(shell: Shell, project: Project): Promise<{ readonly skills: ListedSkill[]; readonly problems: string[] }> {
  const { readSkillOutline } = await import('../../skills/outline.ts');
  const skills: ListedSkill[] = [];
  const problems: string[] = [];
  for (const { name, folder, file } of skillFolders(project)) {
    if (file === undefined) {
      problems.push(`${shell.shownFile(folder)}: it has no ${SKILL_MODULES.join(', ')}, so it is not a skill of Pawl`);
      continue;
    }
    const outline = await readSkillOutline(file, readFileSync(file, 'utf8'));
    if ('code' in outline) problems.push(`${shell.shownFile(file)}:${outline.line}:${outline.column}: ${outline.message}; ${outline.hint}`);
    else {
      const { totalSteps = null, description = '' } = outline;
      const replaces = findShippedSkill(name) === undefined ? {} : { replacesShipped: true as const };
      skills.push({ name, totalSteps, description, origin: 'project', file, ...replaces });
    }
  }
  const isOwn = ({ name }: { readonly name: string }): boolean => skills.some((own) => own.name === name);
  const shipped = shippedSkills().filter((skill) => !isOwn(skill));
  return { skills: [...skills, ...shipped.map(({ digest: _, ...skill }) => ({ ...skill, origin: 'shipped' as const }))], problems };
}

/** A loaded skill, with the digest of its code. */
type LoadedSkill = { readonly skill: Skill; readonly digest: string } & (
  | { readonly origin: 'project'; readonly folder: string; readonly file: string }
  | { readonly origin: 'shipped' }
);

/** Loads a skill by its name; one of the project must be trusted. */
export async function loadSkill(shell: Shell, project: Project, name: string): Promise<LoadedSkill> {
  const found = skillFolders(project).find((one) => one.name === name);
  const shipped = found === undefined ? findShippedSkill(name) : undefined;
  if (shipped !== undefined) return { origin: 'shipped', skill: loadShipped(shipped), digest: shipped.digest };
  if (found?.file === undefined) throw skillUnknown(project, name);
  return loadProjectSkill(shell, project, { ...found, file: found.file });
}

function skillUnknown(project: Project, name: string): EngineError {
  const names = [...skillFolders(project), ...shippedSkills()].map((one) => one.name);
  return usageError(
    `there is no skill "${name}" in ${project.root}${didYouMean(name, names)}; "pawl skill list" shows what there is, and "pawl skill new ${name}" writes one`,
  );
}

async function loadProjectSkill(shell: Shell, project: Project, found: SkillFolder & { readonly file: string }): Promise<LoadedSkill> {
  const { name } = found;
  const duplicate = skillFolders(project).find((one) => one.name === name && one.folder !== found.folder);
  const other = found.others[0] ?? duplicate?.folder;
  if (other !== undefined)
    throw invalid(`the skill "${name}" is defined twice: ${shell.shownFile(found.file)} and ${shell.shownFile(other)}; remove one`);
  const checked = await assertTrusted(shell, project, { file: found.file, use: SKILL_USE });
  let entry: unknown;
  try {
    entry = await importDefault(found.file, checked);
  } catch (cause) {
    throw moduleFailure(shell, found.file, { ...loadFailure(cause), cause });
  }
  if (!isSkill(entry)) throw invalid(`${shell.shownFile(found.file)} does not export a skill; write export default defineSkill({ … })`);
  if (entry.name !== name)
    throw invalid(`${shell.shownFile(found.file)} defines the skill "${entry.name}"; its folder must have the same name`);
  return { origin: 'project', folder: found.folder, file: found.file, skill: entry, digest: checked.digest };
}

function invalid(message: string): EngineError {
  return new EngineError('DEFINITION_INVALID', message);
}

const SKILL_USE = { why: 'rendering a skill runs its code', question: 'Load it?' };

function isSkill(value: unknown): value is Skill {
  return typeof value === 'object' && value !== null && 'totalSteps' in value && 'steps' in value && Array.isArray(value.steps);
}
