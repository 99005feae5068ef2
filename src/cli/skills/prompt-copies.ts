// Finds copies of conventions in the prompts of a project (its skills and roles, the settings of agent programs, the
// files in its root) that differ from the original.

import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { messageOf } from '../../base/error.ts';
import { entryAt, readPlainFile } from '../../base/plain-file.ts';
import { type DriftedCopy, driftedCopies } from '../../skills/resources/copies.ts';
import { HOMES, type Project } from '../project.ts';

/** A copy that differs from its original, and its file relative to the project. */
interface FileCopy extends DriftedCopy {
  readonly file: string;
}

const FOLDERS = [...HOMES, '.claude', '.agents', '.codex', '.gemini', '.opencode'];
const PROMPT = /\.(?:md|mdc|toml|txt)$/;
const BYTES_MAX = 1_000_000;
const FILES_MAX = 5_000;

/** The differing copies in the prompts of a project, by file and line, and the files that could not be read. */
export function driftedInPrompts({ root }: Pick<Project, 'root'>): { readonly copies: FileCopy[]; readonly unread: string[] } {
  const files = [
    ...namesIn(root).flatMap((entry) => (entry.isFile() ? [join(root, entry.name)] : [])),
    ...FOLDERS.map((name) => join(root, name))
      // Not a link, which may lead out of the project.
      .filter((folder) => entryAt(folder)?.isDirectory() === true)
      .flatMap(filesBelow),
  ];
  const unread: string[] = [];
  const copies = files
    .filter((file) => PROMPT.test(file))
    .sort()
    .flatMap((file) => {
      const shown = relative(root, file);
      try {
        if (lstatSync(file).size > BYTES_MAX) return [];
        return driftedCopies(readPlainFile(file).toString('utf8')).map((copy) => ({ ...copy, file: shown }));
      } catch (error) {
        unread.push(`${shown}: ${messageOf(error)}`);
        return [];
      }
    });
  return { copies, unread };
}

/** The files below a folder, without those behind links and in packages. */
function filesBelow(folder: string): string[] {
  const found: string[] = [];
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined && found.length < FILES_MAX; next = folders.pop())
    for (const entry of namesIn(next)) {
      const path = join(next, entry.name);
      if (entry.isDirectory() && entry.name !== 'node_modules') folders.push(path);
      else if (entry.isFile()) found.push(path);
    }
  return found;
}

function namesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Most projects have only some of these folders.
    return [];
  }
}
