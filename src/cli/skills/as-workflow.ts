// Turns skills into workflows: a name that no workflow has can be that of a skill. The code of a skill is identified by
// its own digest, so that a new version of Pawl that does not change the skill can continue an open run.

import { realpathSync } from 'node:fs';
import { compileWorkflow } from '../../authoring/graph/graph.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { skillWorkflow } from '../../skills/workflow.ts';
import type { Project } from '../project.ts';
import type { Shell } from '../shell.ts';
import { skillFolders } from './folders.ts';
import { loadSkill } from './project-skills.ts';
import { findShippedSkill, shippedFile, shippedSkills } from './shipped.ts';

interface RunnableSkill {
  readonly skill: string;
  readonly file: string;
}

/** The skill with a name; one of the project takes precedence over a shipped one. */
export function findRunnableSkill(project: Project, name: string): RunnableSkill | undefined {
  const folder = skillFolders(project).find((one) => one.name === name);
  if (folder !== undefined) return folder.file === undefined ? undefined : { skill: name, file: folder.file };
  const shipped = findShippedSkill(name);
  return shipped === undefined ? undefined : { skill: shipped.name, file: shippedFile(shipped) };
}

/** The skill whose module is a file. */
export function runnableSkillOf(project: Project, file: string): RunnableSkill | undefined {
  const folder = skillFolders(project).find((one) => one.file !== undefined && samePath(one.file, file));
  if (folder?.file !== undefined) return { skill: folder.name, file: folder.file };
  const shipped = shippedSkills().find((one) => samePath(shippedFile(one), file));
  return shipped === undefined ? undefined : { skill: shipped.name, file: shippedFile(shipped) };
}

function samePath(one: string, other: string): boolean {
  try {
    return one === other || realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}

/** The names of the skills that can be run, without those that are part of another one. */
export function runnableSkills(project: Project): string[] {
  const folder = skillFolders(project).flatMap(({ name, file }) => (file === undefined ? [] : [name]));
  return [...new Set([...folder, ...shippedSkills().flatMap(({ name, partOf }) => (partOf === undefined ? [name] : []))])];
}

/** Loads a skill as a workflow; one of the project must be trusted. */
export async function loadSkillWorkflow(shell: Shell, project: Project, { skill: name }: RunnableSkill): Promise<CompiledWorkflow> {
  const { skill, digest } = await loadSkill(shell, project, name);
  return Object.freeze({ ...compileWorkflow({ ...skillWorkflow(skill), name: skill.name }, REGISTRY), codeHash: digest });
}
