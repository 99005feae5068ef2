// Chooses the workflows that `pawl test` tests: the named ones, or all workflows and skills of the project. One that cannot be
// loaded is a failed test; one that is not trusted ends the command, because its tests would run its code.

import { isEngineError, messageOf } from '../../base/error.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { internalArgs } from '../command.ts';
import { checkedFiles } from '../commands/validate.ts';
import { discoverProject } from '../definitions.ts';
import { loadWorkflow } from '../load.ts';
import type { Project } from '../project.ts';
import { isSettingsFile } from '../settings/settings.ts';
import type { Shell } from '../shell.ts';
import { SKILL_MODULES, skillFolders } from '../skills/folders.ts';

/** A workflow to test, or why it could not be loaded. */
export interface TestSubject {
  readonly name: string;
  /** The name or path for the command line. */
  readonly reference: string;
  readonly file?: string;
  readonly loaded: { readonly workflow: CompiledWorkflow } | { readonly problem: string };
  /** The errors that "pawl validate" reports for its file. */
  readonly problems: readonly string[];
}

/** Codes of errors that end the command, because a person must act first. */
const NOT_TESTED: ReadonlySet<string> = new Set(['NOT_TRUSTED', 'NOT_ALLOWED', 'WORKFLOW_UNKNOWN']);

/** Loads the workflows to test. */
export async function testSubjects(
  shell: Shell,
  project: Project,
  { names, validates }: { readonly names: readonly string[]; readonly validates: boolean },
): Promise<readonly TestSubject[]> {
  const found = names.length > 0 ? { workflows: names.map((name) => ({ name })), problems: [] } : await discoverProject(project);
  const skills = names.length > 0 ? [] : skillFolders(project);
  const loaded: Omit<TestSubject, 'problems'>[] = [];
  const runnable = [...found.workflows, ...skills.filter(({ file }) => file !== undefined)];
  const references = new Set(runnable.map(({ name }) => name));
  for (const reference of [...references].sort()) loaded.push(await load(shell, project, reference));
  const unread = found.problems.map(({ file, line, message, hint }) => ({
    name: shell.shownFile(file),
    reference: shell.shownFile(file),
    loaded: { problem: `line ${line}: ${message}; ${hint}` },
    problems: [],
  }));
  const empty = skills
    .filter(({ name, file }) => file === undefined && !references.has(name))
    .map(({ name, folder }) => {
      const problem = `${shell.shownFile(folder)} has none of ${SKILL_MODULES.join(', ')}`;
      return { name, reference: name, loaded: { problem }, problems: [] };
    });
  const files = loaded.flatMap(({ file }) => (file === undefined || isSettingsFile(project, file) ? [] : [file]));
  const problems = validates && files.length > 0 ? await problemsOf(shell, files) : new Map<string, readonly string[]>();
  return [...loaded.map((one) => ({ ...one, problems: problems.get(one.file ?? '') ?? [] })), ...unread, ...empty];
}

async function load(shell: Shell, project: Project, reference: string): Promise<Omit<TestSubject, 'problems'>> {
  try {
    const { workflow, file, skill } = await loadWorkflow(shell, project, reference);
    // "pawl skill lint" checks the file of a skill.
    return { name: workflow.definition.name, reference, ...(skill === undefined ? { file } : {}), loaded: { workflow } };
  } catch (error) {
    if (isEngineError(error) && NOT_TESTED.has(error.code)) throw error;
    return { name: reference, reference, loaded: { problem: messageOf(error) } };
  }
}

async function problemsOf(shell: Shell, files: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const checked = await checkedFiles(shell, internalArgs(shell.args.location, { FILE: files }));
  return new Map(
    checked.map(({ file, errors }) => [
      file,
      errors.map(({ code, message, hint, line, column }) => `${shell.shownFile(file)}:${line}:${column}: ${message}; ${hint} (${code})`),
    ]),
  );
}
