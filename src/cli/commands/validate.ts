// `pawl validate`: reports errors in definitions the way a compiler does. Checking a workflow file runs no code. A module
// is parsed; if it is trusted, it is also loaded in a separate process, and its definition is checked.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CheckedModule } from '../../authoring/discover/discover.ts';
import type { Outline } from '../../authoring/discover/outline.ts';
import type { SourceProblem } from '../../authoring/discover/syntax.ts';
import { EngineError, isEngineError } from '../../base/error.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import type { CommandRun, ParsedArgs } from '../command.ts';
import { shownFile, workflowFolders } from '../definitions.ts';
import { codeFrame } from '../frame.ts';
import { wrap } from '../help.ts';
import { findProject } from '../project.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';
import { assertTrusted, CHECK_USE } from '../trust/trust.ts';

/** A file and its problems. */
interface CheckedFile extends CheckedModule {
  readonly file: string;
  readonly text: string;
}

const EXIT_INVALID = 2;
const EXIT_NOT_TRUSTED = 4;
const TRUST_ALL = 'checking more than the syntax of a module runs its code; review them, then run "pawl trust" to trust these versions';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const checked = await checkFiles(shell, given, await chosenFiles(shell, given));
  const files = checked.some(({ quorums = [] }) => quorums.length > 0) ? await withGroups(shell, given, checked) : checked;
  const judged = given.has('strict') ? files.map(strictly) : files;
  shell.result({ files: judged.map(rowOf) }, () => judged.flatMap((file) => linesOf(shell, file)));
  if (!shell.wantsJson) shell.warn(summaryOf(judged));
  const errors = judged.flatMap((file) => file.errors);
  return errors.length === 0 ? 0 : errors.every(isTrustProblem) ? EXIT_NOT_TRUSTED : EXIT_INVALID;
};

async function chosenFiles(shell: Shell, given: ParsedArgs): Promise<string[]> {
  const named = given.allWords('FILE').map((word) => resolve(shell.cwd, word));
  const missing = named.find((file) => !existsSync(file));
  if (missing !== undefined) throw new EngineError('USAGE', `file ${missing} does not exist; "pawl list" shows the files of this project`);
  const { findFiles } = await import('../../authoring/discover/discover.ts');
  const folders = named.length > 0 ? [] : workflowFolders(findProject(shell, given));
  return [...named, ...(await Promise.all(folders.map(findFiles))).flatMap(({ found }) => found)];
}

async function checkFiles(shell: Shell, given: ParsedArgs, files: readonly string[]): Promise<CheckedFile[]> {
  const { duplicates, readDefinition, YAML_FILE } = await import('../../authoring/discover/discover.ts');
  // Imported once: importing a module again takes as long as reading a small file.
  const yaml = files.some((file) => YAML_FILE.test(file)) ? await import('../../authoring/yaml/check/check.ts') : undefined;
  const checks: (CheckedModule | Promise<CheckedModule>)[] = [];
  const texts = files.map(readDefinition);
  // One after the other, since each may be asked about; what was trusted is loaded meanwhile.
  for (const [index, file] of files.entries()) {
    const text = texts[index] as string | SourceProblem;
    if (typeof text !== 'string') checks.push({ errors: [text], warnings: [] });
    else if (yaml !== undefined && YAML_FILE.test(file)) checks.push(yaml.lookAtYaml(file, text, REGISTRY));
    else checks.push((await prepareModule(shell, given, { file, text }))());
  }
  const found = await Promise.all(checks);
  const same = duplicates(found.flatMap(({ workflow }) => workflow ?? []));
  return files.map((file, index) => {
    const one = found[index] as CheckedModule;
    const text = texts[index];
    const twice = same.filter((problem) => problem.file === file).map(withoutFile);
    return { ...one, file, text: typeof text === 'string' ? text : '', errors: [...one.errors, ...twice] };
  });
}

/**
 * Parses a module and asks whether it is trusted. The check is returned as a function, so that loading a module does not
 * delay the next question.
 */
async function prepareModule(
  shell: Shell,
  given: ParsedArgs,
  { file, text }: { readonly file: string; readonly text: string },
): Promise<() => CheckedModule | Promise<CheckedModule>> {
  const { isOutline, readOutline } = await import('../../authoring/discover/outline.ts');
  const read = await readOutline(file, text);
  if (!isOutline(read)) return () => ({ errors: read, warnings: [] });
  try {
    const checked = await assertTrusted(shell, findProject(shell, given), { file, use: CHECK_USE });
    const { checkModule } = await import('../../api/module/check.ts');
    return () => checkModule(read, checked);
  } catch (error) {
    if (!isEngineError(error) || error.code !== 'NOT_TRUSTED') throw error;
    return () => untrusted(read, error);
  }
}

function untrusted({ workflow }: Outline, { code, message: text }: EngineError): CheckedModule {
  const end = text.lastIndexOf('; ');
  const [message, hint] = [text.slice(0, end), text.slice(end + 2)];
  return { workflow, warnings: [], errors: [{ code, message, hint, line: workflow.line, column: workflow.column }] };
}

function isTrustProblem({ code }: SourceProblem): boolean {
  return code === 'NOT_TRUSTED';
}

/** Adds a warning for each approval that needs more people than its groups have. Groups not set here may be set elsewhere. */
async function withGroups(shell: Shell, given: ParsedArgs, files: readonly CheckedFile[]): Promise<CheckedFile[]> {
  const [{ readSettings }, { membersOf }] = await Promise.all([import('../settings/settings.ts'), import('../../forge/people.ts')]);
  const { groups = {} } = await readSettings(shell, findProject(shell, given));
  return files.map((file) => {
    const short = (file.quorums ?? []).flatMap(({ step, from, count, line, column }) => {
      if (!from.every((name) => Object.hasOwn(groups, name))) return [];
      const { length } = membersOf(groups, from);
      if (length >= count) return [];
      const message = `step "${step}" needs ${count} people of ${from.join(' or ')}, but there ${length === 1 ? 'is only 1' : `are only ${length}`}`;
      return [{ code: 'GROUP_TOO_SMALL', message, hint: 'add people under "groups" in the settings, or lower `count`', line, column }];
    });
    return { ...file, warnings: [...file.warnings, ...short] };
  });
}

function withoutFile({ code, message, hint, line, column }: SourceProblem): SourceProblem {
  return { code, message, hint, line, column };
}

/** With --strict, warnings are errors. */
function strictly(file: CheckedFile): CheckedFile {
  return { ...file, errors: [...file.errors, ...file.warnings], warnings: [] };
}

function rowOf({ file, workflow, errors, warnings }: CheckedFile): object {
  return {
    file,
    ok: errors.length === 0,
    ...(workflow === undefined ? {} : { workflow: workflow.name, form: workflow.form }),
    checked: errors.some(isTrustProblem) ? 'syntax' : 'whole',
    errors,
    warnings,
  };
}

function linesOf(shell: Shell, checked: CheckedFile): string[] {
  const { file, errors, warnings, workflow } = checked;
  const lines = [
    ...errors.filter((problem) => !isTrustProblem(problem)).flatMap((problem) => problemLines(shell, checked, { problem, level: 'error' })),
    ...warnings.flatMap((problem) => problemLines(shell, checked, { problem, level: 'warning' })),
  ];
  const name = `${shownFile(shell, file)}  ${oneLine(workflow?.name ?? '')}`;
  if (errors.some(isTrustProblem))
    return [...lines, `${shell.style('yellow', shell.symbol('waiting'))} ${name}, only its syntax was checked`];
  if (errors.length > 0) return lines;
  const { steps = [], form } = workflow ?? {};
  const about = form === 'flow' ? 'a flow' : `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`;
  return [...lines, `${shell.style('green', shell.symbol('done'))} ${name}, ${about}`];
}

function problemLines(
  shell: Shell,
  { file, text }: CheckedFile,
  { problem, level }: { readonly problem: SourceProblem; readonly level: 'error' | 'warning' },
): string[] {
  const { code, message, hint, line, column } = problem;
  const head = `${shownFile(shell, file)}:${line}:${column}`;
  const label = shell.style(level === 'error' ? 'red' : 'yellow', `${level} ${code}`);
  const arrow = shell.symbol('arrow');
  const indent = ' '.repeat(arrow.length + 1);
  const room = Math.max(40, Math.min(shell.look.columns, 100));
  return [
    `${shell.style('bold', head)}  ${label}`,
    ...wrap(oneLine(message), room),
    ...(text === '' ? [] : codeFrame(shell, text, { line, column })),
    ...wrap(oneLine(hint), room - indent.length).map((row, index) => `${index === 0 ? `${arrow} ` : indent}${row}`),
    '',
  ];
}

function summaryOf(files: readonly CheckedFile[]): string {
  if (files.length === 0) return 'no workflows here; "pawl init" writes a first one';
  const count = (list: readonly unknown[], one: string): string => `${list.length} ${one}${list.length === 1 ? '' : 's'}`;
  const errors = files.flatMap((file) => file.errors);
  const warnings = files.flatMap((file) => file.warnings);
  const untrusted = errors.filter(isTrustProblem);
  const trust = untrusted.length === 1 ? `${untrusted[0]?.message}; ${untrusted[0]?.hint}` : TRUST_ALL;
  return [
    [
      count(files, 'file'),
      count(
        errors.filter((error) => !isTrustProblem(error)),
        'error',
      ),
      ...(warnings.length === 0 ? [] : [count(warnings, 'warning')]),
      ...(untrusted.length === 0 ? [] : [`${untrusted.length} not trusted`]),
    ].join(', '),
    ...(untrusted.length === 0 ? [] : [trust]),
  ].join('\n');
}
