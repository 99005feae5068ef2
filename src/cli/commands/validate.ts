// `pawl validate`: reports errors in definitions the way a compiler does. Runs none of their code.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CheckedModule } from '../../authoring/discover/check.ts';
import type { SourceProblem } from '../../authoring/discover/syntax.ts';
import { EngineError } from '../../base/error.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import type { CommandRun, ParsedArgs } from '../command.ts';
import { shownFile, workflowFolders } from '../definitions.ts';
import { codeFrame } from '../frame.ts';
import { wrap } from '../help.ts';
import { findProject } from '../project.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';

/** A file and its problems. */
interface CheckedFile extends CheckedModule {
  readonly file: string;
  readonly text: string;
}

const EXIT_INVALID = 2;
const UNSEEN_SHOWN = 5;

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const strict = given.has('strict');
  const checked = await checkFiles(await chosenFiles(shell, given));
  const files = checked.some(({ quorums = [] }) => quorums.length > 0) ? await withGroups(shell, given, checked) : checked;
  const judged = strict ? files.map(strictly) : files;
  shell.result({ files: judged.map(rowOf) }, () => judged.flatMap((file) => linesOf(shell, file)));
  if (!shell.wantsJson) shell.warn(summaryOf(judged));
  return judged.some(({ errors }) => errors.length > 0) ? EXIT_INVALID : 0;
};

async function chosenFiles(shell: Shell, given: ParsedArgs): Promise<string[]> {
  const named = given.allWords('FILE').map((word) => resolve(shell.cwd, word));
  const missing = named.find((file) => !existsSync(file));
  if (missing !== undefined) throw new EngineError('USAGE', `file ${missing} does not exist; "pawl list" shows the files of this project`);
  const { findFiles } = await import('../../authoring/discover/discover.ts');
  const folders = named.length > 0 ? [] : workflowFolders(findProject(shell, given));
  return [...named, ...(await Promise.all(folders.map(findFiles))).flatMap(({ found }) => found)];
}

async function checkFiles(files: readonly string[]): Promise<CheckedFile[]> {
  const { duplicates, readDefinition, YAML_FILE } = await import('../../authoring/discover/discover.ts');
  // Imported once: importing a module again takes as long as reading a small file.
  const yaml = files.some((file) => YAML_FILE.test(file)) ? await import('../../authoring/yaml/check/check.ts') : undefined;
  const check = async (file: string, text: string): Promise<CheckedModule> => {
    if (yaml !== undefined && YAML_FILE.test(file)) return yaml.lookAtYaml(file, text, REGISTRY);
    return (await import('../../authoring/discover/check.ts')).checkModule(file, text, REGISTRY);
  };
  const checked: CheckedFile[] = [];
  for (const file of files) {
    const text = readDefinition(file);
    if (typeof text === 'string') checked.push({ file, text, ...(await check(file, text)) });
    else checked.push({ file, text: '', errors: [text], warnings: [], unseen: [] });
  }
  const same = duplicates(checked.flatMap(({ workflow }) => workflow ?? []));
  return checked.map((one) => ({ ...one, errors: [...one.errors, ...same.filter(({ file }) => file === one.file).map(withoutFile)] }));
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

/** With --strict, warnings and unchecked parts are errors. */
function strictly(file: CheckedFile): CheckedFile {
  const unseen = file.unseen.map(({ what, line, column }) => ({
    code: 'UNSEEN',
    message: `${what} is only known by running the file, so it was not checked`,
    hint: 'write the value here, or put it into a constant of this file',
    line,
    column,
  }));
  return { ...file, errors: [...file.errors, ...file.warnings, ...unseen], warnings: [] };
}

function rowOf({ file, workflow, errors, warnings, unseen }: CheckedFile): object {
  return {
    file,
    ok: errors.length === 0,
    ...(workflow === undefined ? {} : { workflow: workflow.name, form: workflow.form }),
    checked: workflow !== undefined && unseen.length === 0 ? 'whole' : 'partly',
    errors,
    warnings,
    unseen,
  };
}

function linesOf(shell: Shell, checked: CheckedFile): string[] {
  const { file, errors, warnings, unseen, workflow } = checked;
  const name = shownFile(shell, file);
  const problems = [
    ...errors.flatMap((problem) => problemLines(shell, checked, { problem, level: 'error' })),
    ...warnings.flatMap((problem) => problemLines(shell, checked, { problem, level: 'warning' })),
  ];
  const hidden = [
    ...unseen.slice(0, UNSEEN_SHOWN).map(({ line, column, what }) => `    ${name}:${line}:${column}  ${oneLine(what)}`),
    ...(unseen.length > UNSEEN_SHOWN ? [`    and ${unseen.length - UNSEEN_SHOWN} more`] : []),
  ];
  if (errors.length > 0)
    return unseen.length === 0 || errors.some(({ code }) => code === 'UNSEEN')
      ? problems
      : [...problems, `${name}  not checked, because it is only known by running the file:`, ...hidden, ''];
  const mark = shell.style(unseen.length === 0 ? 'green' : 'yellow', shell.symbol(unseen.length === 0 ? 'done' : 'waiting'));
  const steps =
    workflow === undefined || workflow.form === 'flow'
      ? 'a flow'
      : `${workflow.steps.length} ${workflow.steps.length === 1 ? 'step' : 'steps'}`;
  if (unseen.length === 0) return [...problems, `${mark} ${name}  ${oneLine(workflow?.name ?? '')}, ${steps}`];
  return [
    ...problems,
    `${mark} ${name}  ${oneLine(workflow?.name ?? '')}, partly checked; the rest is only known by running it:`,
    ...hidden,
  ];
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
  const partly = files.filter((file) => file.errors.length === 0 && file.unseen.length > 0);
  return [
    count(files, 'file'),
    count(errors, 'error'),
    ...(warnings.length === 0 ? [] : [count(warnings, 'warning')]),
    ...(partly.length === 0 ? [] : [`${partly.length} partly checked`]),
  ].join(', ');
}
