// Owns the checks of `pawl doctor` on the workflows of a project: how many are valid, and which are not. It does not ask
// whether to load a module that is not trusted, and only counts it.

import { isEngineError } from '../../base/error.ts';
import { shortList } from '../../base/short-text.ts';
import { internalArgs, type ParsedArgs } from '../command.ts';
import { type CheckedFile, checkedFiles } from '../commands/validate.ts';
import { Shell } from '../shell.ts';
import { counted } from '../terminal.ts';
import { type Check, okCheck, problem, warning } from './doctor.ts';

const NAMED_MAX = 3;

/** Checks the workflows of the project. */
export async function checkWorkflows(shell: Shell, args: ParsedArgs): Promise<Check[]> {
  try {
    const files = await checkedFiles(new Shell(shell.context, internalArgs(args.location)), args);
    if (files.length === 0) return [{ ...okCheck('workflows', 'no workflows are defined'), hint: '"pawl init" writes a first one' }];
    const broken = files.filter(({ errors }) => errors.some(({ code }) => code !== 'NOT_TRUSTED'));
    const untrusted = files.filter((file) => !broken.includes(file) && file.errors.length > 0);
    const attended = files.filter(({ warnings }) => warnings.some(({ code }) => code === 'ROLE_UNKNOWN'));
    const valid = files.length - broken.length - untrusted.length;
    const attendedText = `${counted(attended.length, 'workflow file')} with roles that are not defined, so only an attended run can do them`;
    return [
      ...(valid === 0 ? [] : [okCheck('workflows', `${counted(valid, 'workflow file')} of ${files.length} without errors`)]),
      ...(attended.length === 0 ? [] : [okCheck('workflows', `${attendedText}: ${fileNames(shell, attended)}`)]),
      ...(broken.length === 0 ? [] : [brokenCheck(shell, broken)]),
      ...(untrusted.length === 0 ? [] : [untrustedCheck(shell, untrusted)]),
    ];
  } catch (error) {
    if (!isEngineError(error)) throw error;
    return [problem('workflows', `the workflows could not be checked: ${error.message}`)];
  }
}

function brokenCheck(shell: Shell, files: readonly CheckedFile[]): Check {
  const roles = files.flatMap(({ errors }) => errors.filter(({ code }) => code === 'ROLE_UNKNOWN'));
  const missing = roles.length === 0 ? '' : `; ${roles.length} of the errors ${roles.length === 1 ? 'is' : 'are'} about missing roles`;
  const what = `${counted(files.length, 'workflow file')} with errors: ${fileNames(shell, files)}${missing}`;
  return problem('workflows', what, '"pawl validate" shows the errors and what to do');
}

function untrustedCheck(shell: Shell, files: readonly CheckedFile[]): Check {
  const what = `${counted(files.length, 'workflow file')} not trusted, so only the syntax was checked: ${fileNames(shell, files)}`;
  return warning('workflows', what, 'review them, then run "pawl trust"');
}

function fileNames(shell: Shell, files: readonly CheckedFile[]): string {
  return shortList(
    files.map(({ file }) => shell.shownFile(file)),
    NAMED_MAX,
  );
}
