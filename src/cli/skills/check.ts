// Owns `pawl skill lint`: the errors in skills and in their SKILL.md. A skill that cannot be loaded does not hide the errors
// in the others.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isEngineError } from '../../base/error.ts';
import { lintSkill, type SkillFinding } from '../../skills/lint.ts';
import { lintSkillFile } from '../../skills/skill-file.ts';
import { SKILL_FILE } from '../../skills/skill-file-text.ts';
import type { ParsedArgs } from '../command.ts';
import type { Project } from '../project.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';
import { skillFolders } from './folders.ts';
import { loadSkill } from './project-skills.ts';
import { driftedInPrompts } from './prompt-copies.ts';
import { shippedSkills } from './shipped.ts';

interface CheckedSkill {
  readonly name: string;
  readonly origin: 'project' | 'shipped';
  readonly ok: boolean;
  readonly findings: readonly SkillFinding[];
}

/** Checks one skill, or all skills of the project and of Pawl and the copies of conventions in prompts. Exits with 1 on findings. */
export async function lint(shell: Shell, project: Project, args: ParsedArgs): Promise<number> {
  const named = args.maybe('NAME');
  const checked = named === undefined ? await checkAllSkills(shell, project) : [await checkSkill(shell, project, named)];
  const { copies, unread } = named === undefined ? driftedInPrompts(project) : { copies: [], unread: [] };
  shell.result({ skills: checked, copies }, () => [
    ...linesOf(shell, checked, { named: named !== undefined }),
    ...copies.map(({ file, line, message, name }) => {
      const place = `${shell.symbol('failed')} ${oneLine(file)}:${line}`;
      return `${place}: ${message}; "pawl skill resource ${name} --copy" prints the current one [SKILL_RESOURCE_DRIFTED]`;
    }),
  ]);
  for (const file of unread) shell.warn(`not checked: ${oneLine(file)}`);
  return checked.every(({ ok }) => ok) && copies.length === 0 ? 0 : 1;
}

async function checkAllSkills(shell: Shell, project: Project): Promise<CheckedSkill[]> {
  const folders = skillFolders(project).map(({ name }) => name);
  const names = [...folders, ...shippedSkills().flatMap(({ name }) => (folders.includes(name) ? [] : [name]))];
  const checked: CheckedSkill[] = [];
  for (const name of names) checked.push(await checkSkill(shell, project, name).catch((error) => notLoaded(name, error)));
  return checked;
}

function notLoaded(name: string, error: unknown): CheckedSkill {
  if (!isEngineError(error)) throw error;
  const message = `it could not be loaded: ${error.message}`;
  return { name, origin: 'project', ok: false, findings: [{ code: 'SKILL_NOT_LOADED', message, hint: 'nothing else in it was checked' }] };
}

async function checkSkill(shell: Shell, project: Project, name: string): Promise<CheckedSkill> {
  const loaded = await loadSkill(shell, project, name);
  const { skill, origin } = loaded;
  // The SKILL.md of a shipped skill is written when it is installed.
  const findings = [...lintSkill(skill), ...(loaded.origin === 'project' ? fileFindings(shell, loaded) : [])];
  return { name: skill.name, origin, ok: findings.length === 0, findings };
}

function fileFindings(
  shell: Shell,
  { folder, skill }: { readonly folder: string; readonly skill: Parameters<typeof lintSkill>[0] },
): SkillFinding[] {
  const file = join(folder, SKILL_FILE);
  if (existsSync(file)) return lintSkillFile(readFileSync(file, 'utf8'), skill.name, skill);
  return [
    {
      code: 'SKILL_FILE_MISSING',
      message: `there is no ${shell.shownFile(file)}, so agent programs do not find the skill`,
      hint: `"pawl skill new ${skill.name}" writes one next to the module`,
    },
  ];
}

/** A line per skill; shipped skills without findings share one. */
function linesOf(shell: Shell, checked: readonly CheckedSkill[], { named }: { readonly named: boolean }): string[] {
  const inOneLine = named ? [] : checked.filter(({ origin, ok }) => origin === 'shipped' && ok);
  return [
    ...checked
      .filter((one) => !inOneLine.includes(one))
      .flatMap(({ name, ok, findings }) => [
        `${shell.symbol(ok ? 'done' : 'failed')} ${oneLine(name)}`,
        ...findings.map(({ code, message, hint }) => `    ${oneLine(message)}; ${oneLine(hint)} [${code}]`),
      ]),
    ...(inOneLine.length === 0 ? [] : [`${shell.symbol('done')} ${inOneLine.length} shipped with Pawl`]),
  ];
}
