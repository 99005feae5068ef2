// Owns the name of a user's file in messages, and the error if the file cannot be loaded.

import { isAbsolute, relative } from 'node:path';
import type { LoadFailure } from '../api/module/import.ts';
import { EngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import type { Shell } from './shell.ts';
import { oneLine } from './terminal.ts';

/** The path of a file for people: relative if the file is below the current folder. */
export function shownFile(shell: Shell, file: string): string {
  const path = relative(shell.cwd, file);
  return oneLine(path === '' || path.startsWith('..') || isAbsolute(path) ? file : path);
}

/** The error for a file that could not be loaded, with the position in the user's code. */
export function moduleFailure(shell: Shell, file: string, failure: LoadFailure & { readonly cause?: unknown }): EngineError {
  const { code, message, position, problems, cause } = failure;
  if (code === 'NOT_TRUSTED') return new EngineError(code, message);
  const where = position?.file === undefined || position.file === file ? file : `${file} (in ${shownFile(shell, position.file)})`;
  const hint = code === 'MODULE_FAILED' ? 'loading the file runs it: fix this, or catch the error' : '"pawl validate" shows where';
  return new EngineError('MODULE_FAILED', `${where} could not be loaded: ${oneLine(message)}; ${hint}`, {
    ...omitUndefined({ cause }),
    details: { ...(code === 'MODULE_FAILED' ? {} : { code }), ...omitUndefined({ problems }) },
    ...omitUndefined({ position }),
  });
}
