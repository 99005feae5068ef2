// Writes the files of `pawl init`: those that do not exist yet, and the lines that say which.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { messageOf } from '../../base/error.ts';
import { entryAt } from '../../base/plain-file.ts';
import { type ParsedArgs, usageError } from '../command.ts';
import type { Shell } from '../shell.ts';

/** Which files were written, and which existed. */
export interface InitFiles {
  readonly written: readonly string[];
  readonly left: readonly string[];
}

/** Writes the files that do not exist yet; with --dry-run, only returns which. */
export function writeAll(files: ReadonlyMap<string, string>, args: ParsedArgs): InitFiles {
  const write = args.has('dry-run') ? (file: string) => !exists(file) : writeNew;
  const written = [...files].filter(([file, text]) => write(file, text)).map(([file]) => file);
  return { written, left: [...files.keys()].filter((file) => !written.includes(file)) };
}

/** The files for `--json`. */
export function filesJson(args: ParsedArgs, files: InitFiles): object {
  return args.has('dry-run') ? { dryRun: true, ...files } : files;
}

/** The files, a line each. */
export function fileLines(shell: Shell, args: ParsedArgs, { written, left }: InitFiles): string[] {
  const show = (file: string): string => relative(shell.cwd, file) || '.';
  const did = args.has('dry-run') ? 'would write' : 'wrote      ';
  return [
    ...written.map((file) => `${shell.style('green', did)} ${show(file)}`),
    ...left.map((file) => `${shell.style('dim', 'unchanged ')}  ${show(file)}`),
  ];
}

/** Writes a new file; returns false if it, or a link of that name, already exists. */
function writeNew(file: string, text: string): boolean {
  if (exists(file)) return false;
  writeInFolder(file, text, 'wx');
  return true;
}

/** Writes a file, and creates its folder. */
export function writeInFolder(file: string, text: string, flag: 'w' | 'wx' = 'w'): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag });
  } catch (cause) {
    throw usageError(`cannot write ${file}: ${messageOf(cause)}; files written before it are kept`, { cause });
  }
}

function exists(file: string): boolean {
  return entryAt(file) !== undefined;
}
