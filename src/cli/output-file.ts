// Writes a file whose path the user chose.

import { writeFileSync } from 'node:fs';
import { messageOf, systemCodeOf } from '../base/error.ts';
import { usageError } from './command.ts';

/** The name of the content for error messages, and whether the file must not exist yet. */
interface OutputFile {
  /** Such as "the graph". */
  readonly label: string;
  readonly isNew?: boolean;
  readonly mode?: number;
}

/** Writes a file, or reports why it cannot be written. */
export function writeOutput(path: string, text: string, { label, isNew = false, mode = 0o666 }: OutputFile): void {
  try {
    writeFileSync(path, text, { flag: isNew ? 'wx' : 'w', mode });
  } catch (cause) {
    const exists = systemCodeOf(cause) === 'EEXIST';
    const why = exists ? 'it already exists; choose another file with --out, or remove it' : messageOf(cause);
    throw usageError(`cannot write ${label} to ${path}: ${why}`, { cause });
  }
}
