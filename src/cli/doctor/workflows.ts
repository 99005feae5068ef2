// Owns the checks of `pawl doctor` on the workflows of a project: how many can run, and which cannot. Nobody is asked
// whether a module may be loaded: one that is not trusted is only counted.

import { isEngineError } from '../../base/error.ts';
import type { ParsedArgs } from '../command.ts';
import { type CheckedFile, checkedFiles } from '../commands/validate.ts';
import type { Shell } from '../shell.ts';
import { shownFile } from '../shown-file.ts';
import { type Check, okCheck } from './doctor.ts';

const NAMED_MAX = 3;

/** Checks the workflows of the project. */
export async function checkWorkflows(shell: Shell, given: ParsedArgs): Promise<Check[]> {
  try {
    const files = await checkedFiles(quiet(shell), given);
    if (files.length === 0) return [{ ...okCheck('workflows', 'no workflows are defined'), hint: '"pawl init" writes a first one' }];
    const broken = files.filter(({ errors }) => errors.some(({ code }) => code !== 'NOT_TRUSTED'));
    const untrusted = files.filter((file) => !broken.includes(file) && file.errors.length > 0);
    const attended = files.filter(({ warnings }) => warnings.some(({ code }) => code === 'ROLE_UNKNOWN'));
    const sound = files.length - broken.length - untrusted.length;
    return [
      ...(sound === 0 ? [] : [okCheck('workflows', `${countOf(sound)} of ${files.length} without errors`)]),
      ...(attended.length === 0
        ? []
        : [
            okCheck(
              'workflows',
              `${countOf(attended.length)} with roles that are not defined, so only an attended run can do them: ${named(shell, attended)}`,
            ),
          ]),
      ...(broken.length === 0 ? [] : [brokenCheck(shell, broken)]),
      ...(untrusted.length === 0 ? [] : [untrustedCheck(shell, untrusted)]),
    ];
  } catch (error) {
    if (!isEngineError(error)) throw error;
    return [{ id: 'workflows', status: 'problem', what: `the workflows could not be checked: ${error.message}`, hint: '' }];
  }
}

/** The same shell, in which nobody can be asked. */
function quiet(shell: Shell): Shell {
  return Object.create(shell, { isInteractive: { value: false } }) as Shell;
}

function brokenCheck(shell: Shell, files: readonly CheckedFile[]): Check {
  const roles = files.flatMap(({ errors }) => errors.filter(({ code }) => code === 'ROLE_UNKNOWN'));
  const missing = roles.length === 0 ? '' : `; ${roles.length} of the errors ${roles.length === 1 ? 'is' : 'are'} about missing roles`;
  const what = `${countOf(files.length)} with errors: ${named(shell, files)}${missing}`;
  return { id: 'workflows', status: 'problem', what, hint: '"pawl validate" shows the errors and what to do' };
}

function untrustedCheck(shell: Shell, files: readonly CheckedFile[]): Check {
  const what = `${countOf(files.length)} not trusted, so only the syntax was checked: ${named(shell, files)}`;
  return { id: 'workflows', status: 'warning', what, hint: 'review them, then run "pawl trust"' };
}

function countOf(count: number): string {
  return count === 1 ? '1 workflow file' : `${count} workflow files`;
}

function named(shell: Shell, files: readonly CheckedFile[]): string {
  const more = files.length > NAMED_MAX ? ` and ${files.length - NAMED_MAX} more` : '';
  return `${files
    .slice(0, NAMED_MAX)
    .map(({ file }) => shownFile(shell, file))
    .join(', ')}${more}`;
}
