// Parses and checks SKILL.md, in which agent programs find a skill: front matter with `name` and `description`, and a body
// that starts the engine.

import { parseDocument } from 'yaml';
import { messageOf } from '../base/error.ts';
import type { SkillFinding } from './lint.ts';
import type { Skill } from './skill.ts';
import { SKILL_FILE } from './skill-file-text.ts';
import { descriptionFault, nameFault } from './skill-name.ts';

const LINES_MAX = 500;
const FRONT = /^---[ \t]*\n(.*?)\n---[ \t]*(?:\n|$)(.*)$/s;

/** The content of a SKILL.md. */
interface SkillFile {
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

/** Parses a SKILL.md, or returns what is wrong with it. */
function parseSkillFile(text: string): SkillFile | string {
  const [, front, body = ''] = FRONT.exec(text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')) ?? [];
  if (front === undefined) return 'it has no front matter; begin it with a line "---", the fields name and description, and a line "---"';
  try {
    const document = parseDocument(front, { version: '1.2', schema: 'core', uniqueKeys: true, prettyErrors: false });
    const [error] = document.errors;
    if (error !== undefined) return `its front matter cannot be parsed: ${error.message}`;
    const fields: unknown = document.toJS({ maxAliasCount: 0 });
    if (typeof fields !== 'object' || fields === null) return 'its front matter must be a mapping of fields to values';
    const { name, description } = fields as { readonly name?: unknown; readonly description?: unknown };
    if (typeof name !== 'string' || typeof description !== 'string')
      return 'its front matter must have a name and a description, both strings';
    return { name, description, body };
  } catch (error) {
    return `its front matter cannot be parsed: ${messageOf(error)}`;
  }
}

/** The findings about the SKILL.md of a skill in a folder of this name. */
export function lintSkillFile(text: string, folder: string, skill: Skill): SkillFinding[] {
  const file = parseSkillFile(text);
  if (typeof file === 'string') return [{ code: 'SKILL_FILE_INVALID', message: `${SKILL_FILE}: ${file}`, hint: 'fix the front matter' }];
  const faults = [nameFault(file.name), descriptionFault(file.description)].filter((fault) => fault !== undefined);
  const found: SkillFinding[] = faults.map((fault) => ({
    code: 'SKILL_FILE_INVALID',
    message: `${SKILL_FILE}: ${fault}`,
    hint: 'change it',
  }));
  const differs = (message: string, hint: string): void =>
    void found.push({ code: 'SKILL_FILE_DIFFERS', message: `${SKILL_FILE}: ${message}`, hint });
  if (file.name !== folder)
    differs(`its name is "${file.name}", but its folder is "${folder}"`, 'agent programs need the same name: rename one');
  if (file.name !== skill.name) differs(`its name is "${file.name}", but the skill is "${skill.name}"`, 'rename one');
  if (file.description !== skill.description) differs("its description differs from the skill's", 'copy the description of the skill');
  const total = /--total-steps[ =](\d+)/.exec(file.body)?.[1];
  if (total !== undefined && Number(total) !== skill.totalSteps)
    differs(
      `it starts the skill with --total-steps ${total}, but the skill has ${skill.totalSteps} steps`,
      `write --total-steps ${skill.totalSteps}`,
    );
  const lines = file.body.trimEnd().split('\n').length;
  if (lines >= LINES_MAX)
    found.push({
      code: 'SKILL_FILE_LONG',
      message: `${SKILL_FILE}: its body has ${lines} lines; it must have fewer than ${LINES_MAX}`,
      hint: 'move the detail into the steps of the skill',
    });
  return found;
}
