// Owns what `pawl test` tests: the named workflows, or all of the project and all its skills. One that cannot be loaded is a failed test;
// one that is not trusted ends the command, because its tests would run its code.

import { isEngineError, messageOf } from '../../base/error.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { ParsedArgs } from '../command.ts';
import { checkedFiles } from '../commands/validate.ts';
import { discoverProject } from '../definitions.ts';
import { loadWorkflow } from '../load.ts';
import type { Project } from '../project.ts';
import { isSettingsFile } from '../settings/settings.ts';
import type { Shell } from '../shell.ts';
import { shownFile } from '../shown-file.ts';
import { SKILL_MODULES, skillFolders } from '../skills/folders.ts';

/** A workflow to test, or why there is none. */
export interface TestSubject {
  readonly name: string;
  /** What names it on a command line. */
  readonly reference: string;
  readonly file?: string;
  readonly loaded: { readonly workflow: CompiledWorkflow } | { readonly problem: string };
  /** What "pawl validate" finds in its file. */
  readonly problems: readonly string[];
}

/** Codes of errors that end the command: a person has to do something first. */
const NOT_TESTED: ReadonlySet<string> = new Set(['NOT_TRUSTED', 'NOT_ALLOWED', 'WORKFLOW_UNKNOWN']);

/** Loads what is to be tested. */
export async function testSubjects(
  shell: Shell,
  project: Project,
  { names, validates }: { readonly names: readonly string[]; readonly validates: boolean },
): Promise<readonly TestSubject[]> {
  const found = names.length > 0 ? { workflows: names.map((name) => ({ name })), problems: [] } : await discoverProject(project);
  const skills = names.length > 0 ? [] : skillFolders(project);
  const loaded: Omit<TestSubject, 'problems'>[] = [];
  const runnable = skills.flatMap(({ name, file }) => (file === undefined ? [] : [name]));
  const references = new Set([...found.workflows.map(({ name }) => name), ...runnable]);
  for (const reference of [...references].sort()) loaded.push(await load(shell, project, reference));
  const unread = found.problems.map(({ file, line, message, hint }) => ({
    name: shownFile(shell, file),
    reference: shownFile(shell, file),
    loaded: { problem: `line ${line}: ${message}; ${hint}` },
    problems: [],
  }));
  const empty = skills.flatMap(({ name, folder, file }) =>
    file === undefined && !references.has(name)
      ? [
          {
            name,
            reference: name,
            loaded: { problem: `${shownFile(shell, folder)} has none of ${SKILL_MODULES.join(', ')}` },
            problems: [],
          },
        ]
      : [],
  );
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
  const options = new Map(shell.named.map(([option, value]) => [option, [value]]));
  const checked = await checkedFiles(shell, new ParsedArgs(new Map([['FILE', files]]), options, new Set()));
  return new Map(
    checked.map(({ file, errors }) => [
      file,
      errors.map(({ code, message, hint, line, column }) => `${shownFile(shell, file)}:${line}:${column}: ${message}; ${hint} (${code})`),
    ]),
  );
}
