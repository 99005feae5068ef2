// Owns `pawl skill new`: the two files of a new skill.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellWord } from '../../base/shell-word.ts';
import { nameFault } from '../../skills/skill-name.ts';
import { type ParsedArgs, usageError } from '../command.ts';
import { fileLines, writeAll } from '../init/files.ts';
import { packageRoot } from '../package.ts';
import type { Project } from '../project.ts';
import type { Shell } from '../shell.ts';
import { skillFolders } from './folders.ts';
import { nameOf } from './step.ts';

/** Writes the files that do not exist yet. */
export async function create(shell: Shell, project: Project, args: ParsedArgs): Promise<number> {
  const name = nameOf(args);
  const fault = nameFault(name);
  if (fault !== undefined) throw usageError(fault);
  const existing = skillFolders(project).find((one) => one.name === name);
  const folder = existing?.folder ?? join(project.home ?? join(project.root, '.pawl'), 'skills', name);
  const template = (file: string): string =>
    readFileSync(join(packageRoot(), 'templates', 'skill', file), 'utf8')
      .replaceAll('NAME', name)
      .replace('    pawl ', `    ${shell.program} `);
  const module: [string, string] = [existing?.file ?? join(folder, 'skill.mjs'), template('skill.mjs')];
  const files = writeAll(new Map([module, [join(folder, 'SKILL.md'), template('SKILL.md')]]), args);
  return shell.result(files, () => [
    ...fileLines(shell, args, files),
    `Trust it with "pawl trust ${shellWord(shell.shownFile(module[0]))}", then: "pawl skill step ${name} --step 1 --total-steps 2"`,
  ]);
}
