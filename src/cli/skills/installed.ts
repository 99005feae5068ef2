// Owns the SKILL.md files that Pawl writes into the folders of agent programs. The last line of each has the digest of the
// text above it, so that a file that a person changed is recognised, and neither overwritten nor removed.

import { readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { digestText } from '../../base/digest.ts';
import { isInsideFolder } from '../../base/inside-folder.ts';
import { entryAt } from '../../base/plain-file.ts';
import { SKILL_FILE } from '../../skills/skill-file-text.ts';
import { usageError } from '../command.ts';
import { writeInFolder } from '../init/files.ts';
import { namesIn } from '../project.ts';

const DIGITS = 16;
const MARK = /<!-- written by pawl: ([0-9a-f]{16}) -->\n?/;

/** The text of a SKILL.md, with the line that identifies it. */
export function markedFile(text: string): string {
  return `${text}\n<!-- written by pawl: ${digestText(text).slice(0, DIGITS)} -->\n`;
}

/** `ours`: Pawl wrote the file and it is unchanged. `changed`: it was changed since. `foreign`: Pawl did not write it. */
type FileState = 'none' | 'ours' | 'changed' | 'foreign';

function fileState(file: string): FileState {
  const facts = entryAt(file);
  if (facts === undefined) return 'none';
  if (!facts.isFile()) return 'foreign';
  const text = readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
  const found = MARK.exec(text);
  if (found === null) return 'foreign';
  const isLast = found.index + found[0].length === text.length;
  return isLast && digestText(text.slice(0, found.index - 1)).slice(0, DIGITS) === found[1] ? 'ours' : 'changed';
}

/** What happened to a file, or would happen without --dry-run. */
export interface FileOutcome {
  readonly file: string;
  readonly outcome: 'written' | 'updated' | 'unchanged' | 'kept' | 'removed';
  readonly why?: string;
}

interface WriteOptions {
  readonly dryRun: boolean;
  readonly force: boolean;
  /** The folder that links must not lead out of. */
  readonly root: string | undefined;
}

/** Writes a SKILL.md; one that a person changed, or wrote, is kept unless `force` is set. */
export function writeSkillFile(file: string, text: string, { dryRun, force, root }: WriteOptions): FileOutcome {
  const state = fileState(file);
  if (state === 'ours' && readFileSync(file, 'utf8') === text) return { file, outcome: 'unchanged' };
  if ((state === 'changed' || state === 'foreign') && !force) return { file, outcome: 'kept', why: KEPT_BECAUSE[state] };
  if (root !== undefined && !isInsideFolder(root, file))
    throw usageError(`${file} leads out of ${root} through a link; remove the link, or name the folder with --to`);
  // A link is replaced; the file that it leads to does not change.
  if (!dryRun && entryAt(file)?.isSymbolicLink() === true) rmSync(file);
  if (!dryRun) writeInFolder(file, text);
  return { file, outcome: state === 'none' ? 'written' : 'updated' };
}

/** Why a file is kept. */
export const KEPT_BECAUSE: Readonly<Record<'changed' | 'foreign', string>> = {
  changed: 'it was changed after Pawl wrote it',
  foreign: 'Pawl did not write it',
};

/** The SKILL.md files of Pawl in a folder of skills, by the name of the skill. */
export function installedIn(folder: string): { readonly name: string; readonly file: string; readonly state: 'ours' | 'changed' }[] {
  return namesIn(folder).flatMap((name) => {
    const file = join(folder, name, SKILL_FILE);
    const state = fileState(file);
    return state === 'ours' || state === 'changed' ? [{ name, file, state }] : [];
  });
}

/** Removes a SKILL.md that Pawl wrote, and the folders of the skill, of all skills and of the program if they are empty. */
export function removeSkillFile(file: string): void {
  rmSync(file);
  const skill = dirname(file);
  try {
    for (const folder of [skill, dirname(skill), dirname(dirname(skill))]) rmdirSync(folder);
  } catch {
    // The folder contains something else.
  }
}
