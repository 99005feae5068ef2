// Owns the error for a user's file that cannot be loaded.

import type { LoadFailure } from '../api/module/import.ts';
import { EngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import type { Shell } from './shell.ts';
import { oneLine } from './terminal.ts';

/** The error for a file that could not be loaded, with the position in the user's code. */
export function moduleFailure(shell: Shell, file: string, failure: LoadFailure & { readonly cause?: unknown }): EngineError {
  const { code, message, position, problems, cause } = failure;
  if (code === 'NOT_TRUSTED') return new EngineError(code, message);
  const where = position?.file === undefined || position.file === file ? file : `${file} (in ${shell.shownFile(position.file)})`;
  const hint = code === 'MODULE_FAILED' ? 'loading the file runs it: fix this, or catch the error' : '"pawl validate" shows where';
  return new EngineError('MODULE_FAILED', `${where} could not be loaded: ${oneLine(message)}; ${hint}`, {
    ...omitUndefined({ cause }),
    details: { ...(code === 'MODULE_FAILED' ? {} : { code }), ...omitUndefined({ problems }) },
    ...omitUndefined({ position }),
  });
}
