// Owns the skills of a project: what their files say without being run, and loading one that is trusted.

import { readFileSync } from 'node:fs';
import { importDefault, loadFailure } from '../../api/module/import.ts';
import { EngineError } from '../../base/error.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Skill } from '../../skills/skill.ts';
import { shownFile } from '../definitions.ts';
import { moduleFailure } from '../load.ts';
import type { Project } from '../project.ts';
import type { Shell } from '../shell.ts';
import { assertTrusted } from '../trust/trust.ts';
import { SKILL_MODULES, type SkillFolder, skillFolders } from './folders.ts';

/** A skill as its files describe it. */
export interface ListedSkill {
  readonly name: string;
  /** Null where only running the file would show it. */
  readonly totalSteps: number | null;
  readonly description: string;
  readonly file: string;
}

/** The skills of a project, read and not run, and what keeps others from being listed. */
export async function listSkills(shell: Shell, project: Project): Promise<{ readonly skills: ListedSkill[]; readonly problems: string[] }> {
  const { readSkillOutline } = await import('../../skills/outline.ts');
  const skills: ListedSkill[] = [];
  const problems: string[] = [];
  for (const { name, folder, file } of skillFolders(project)) {
    if (file === undefined) {
      problems.push(`${shownFile(shell, folder)}: it has no ${SKILL_MODULES.join(', ')}, so it is no skill of Pawl`);
      continue;
    }
    const outline = await readSkillOutline(file, readFileSync(file, 'utf8'));
    if ('code' in outline)
      problems.push(`${shownFile(shell, file)}:${outline.line}:${outline.column}: ${outline.message}; ${outline.hint}`);
    else skills.push({ name, totalSteps: outline.totalSteps ?? null, description: outline.description ?? '', file });
  }
  return { skills, problems };
}

/** A skill that was loaded. */
export interface LoadedSkill extends SkillFolder {
  readonly skill: Skill;
}

/** Loads the skill of a name; one whose content is not trusted is refused, or asked about on a terminal. */
export async function loadSkill(shell: Shell, project: Project, name: string): Promise<LoadedSkill> {
  const folders = skillFolders(project);
  const found = folders.find((one) => one.name === name);
  if (found?.file === undefined) {
    const names = folders.map((one) => one.name);
    throw new EngineError(
      'USAGE',
      `there is no skill "${name}" in ${project.root}${didYouMean(name, names)}; "pawl skill list" shows what there is, and "pawl skill new ${name}" writes one`,
    );
  }
  const [other] = [...found.others, ...folders.filter((one) => one.name === name && one !== found).map(({ folder }) => folder)];
  if (other !== undefined)
    throw new EngineError(
      'DEFINITION_INVALID',
      `the skill "${name}" is defined twice: ${shownFile(shell, found.file)} and ${shownFile(shell, other)}; remove one`,
    );
  const checked = await assertTrusted(shell, project, { file: found.file, use: SKILL_USE });
  let entry: unknown;
  try {
    entry = await importDefault(found.file, checked);
  } catch (cause) {
    throw moduleFailure(shell, found.file, { ...loadFailure(cause), cause });
  }
  if (!isSkill(entry))
    throw new EngineError(
      'DEFINITION_INVALID',
      `${shownFile(shell, found.file)} exports no skill; write export default defineSkill({ … })`,
    );
  if (entry.name !== name)
    throw new EngineError(
      'DEFINITION_INVALID',
      `${shownFile(shell, found.file)} defines the skill "${entry.name}"; its folder must have the same name`,
    );
  return { ...found, skill: entry };
}

const SKILL_USE = { why: 'rendering a skill runs its code', question: 'Load it?' };

function isSkill(value: unknown): value is Skill {
  return typeof value === 'object' && value !== null && 'totalSteps' in value && 'steps' in value && Array.isArray(value.steps);
}
