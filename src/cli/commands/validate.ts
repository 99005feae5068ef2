// `pawl validate`: reports errors in definitions the way a compiler does. Checking a workflow file runs no code. A module
// is parsed; if it is trusted, it is also loaded in a separate process, and its definition is checked.

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { LoadFailure } from '../../api/module/import.ts';
import { type CheckedModule, duplicates, readDefinition, YAML_FILE } from '../../authoring/discover/discover.ts';
import type { DeclaredPart } from '../../authoring/discover/own-parts.ts';
import type { Place, SourceProblem } from '../../authoring/discover/syntax.ts';
import { EngineError, isEngineError } from '../../base/error.ts';
import type { Severity } from '../../definition/validation/finding.ts';
import { type Problem, severityOf } from '../../definition/validation/problem.ts';
import type { Reference } from '../../definition/validation/reference.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import type { CommandRun, ParsedArgs } from '../command.ts';
import { discoverProject, workflowFolders } from '../definitions.ts';
import { codeFrame } from '../frame.ts';
import { wrap } from '../help.ts';
import { assertPartsTrusted, declaredRegistry, type ProjectParts, partFilesOf, partsUsedBy, readProjectParts } from '../own-parts.ts';
import { findProject, type Project } from '../project.ts';
import { isSettingsFile } from '../settings/settings.ts';
import type { Shell } from '../shell.ts';
import { shownFile } from '../shown-file.ts';
import { oneLine } from '../terminal.ts';
import { assertTrusted, CHECK_USE } from '../trust/trust.ts';

/** What a check found in one file: a workflow, or step kinds and gate checks. */
interface Checked extends CheckedModule {
  readonly parts?: readonly DeclaredPart[];
}

/** A file and its problems. */
export interface CheckedFile extends Checked {
  readonly file: string;
  readonly text: string;
}

/** A file to check, and the step kinds and gate checks of its project. */
interface Source {
  readonly file: string;
  readonly text: string;
  readonly project: Project;
  readonly own: ProjectParts;
}

const EXIT_INVALID = 2;
const EXIT_NOT_TRUSTED = 4;
const TRUST_ALL = 'checking more than the syntax of a module runs its code; review them, then run "pawl trust" to trust these versions';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  if (given.has('schema')) return printSchema(shell, given);
  const checked = await checkedFiles(shell, given);
  const judged = given.has('strict') ? checked.map(strictly) : checked;
  const showsHints = given.has('hints');
  shell.result({ files: judged.map(rowOf) }, () => judged.flatMap((file) => linesOf(shell, file, showsHints)));
  if (!shell.wantsJson) shell.warn(summaryOf(judged, showsHints));
  const errors = judged.flatMap((file) => file.errors);
  return errors.length === 0 ? 0 : errors.every(isTrustProblem) ? EXIT_NOT_TRUSTED : EXIT_INVALID;
};

/** The files that were named, or all of the project, each with its problems. */
export async function checkedFiles(shell: Shell, given: ParsedArgs): Promise<readonly CheckedFile[]> {
  return await withProject(shell, given, await checkFiles(shell, given, await chosenFiles(shell, given)));
}

/** Prints the schema for editors. It knows the step kinds of this project; nothing is run to read them. */
async function printSchema(shell: Shell, given: ParsedArgs): Promise<number> {
  const { workflowJsonSchema } = await import('../../authoring/yaml/json-schema.ts');
  const schema = workflowJsonSchema(declaredRegistry(await readProjectParts(findProject(shell, given))));
  shell.write(`${JSON.stringify(schema, null, 2)}\n`);
  return 0;
}

async function chosenFiles(shell: Shell, given: ParsedArgs): Promise<string[]> {
  const named = given.allWords('FILE').map((word) => resolve(shell.cwd, word));
  const missing = named.find((file) => !existsSync(file));
  if (missing !== undefined) throw new EngineError('USAGE', `file ${missing} does not exist; "pawl list" shows the files of this project`);
  if (named.length > 0) return named;
  const { findFiles } = await import('../../authoring/discover/discover.ts');
  const project = findProject(shell, given);
  const workflows = await Promise.all(workflowFolders(project).map(findFiles));
  return [...workflows.flatMap(({ found }) => found), ...partFilesOf(project)];
}

async function checkFiles(shell: Shell, given: ParsedArgs, files: readonly string[]): Promise<CheckedFile[]> {
  // Imported once: importing a module again takes as long as reading a small file.
  const yaml = files.some((file) => YAML_FILE.test(file)) ? await import('../../authoring/yaml/check/check.ts') : undefined;
  const project = findProject(shell, given);
  const own = await readProjectParts(project);
  const checks: (Checked | Promise<Checked>)[] = [];
  const texts = files.map(readDefinition);
  // One after the other, since each may be asked about; what was trusted is loaded meanwhile.
  for (const [index, file] of files.entries()) {
    const text = texts[index] as string | SourceProblem;
    if (typeof text !== 'string') checks.push({ errors: [text], warnings: [] });
    else {
      const source = { file, text, project, own };
      if (yaml !== undefined && YAML_FILE.test(file)) checks.push((await prepareYaml(shell, yaml, source))());
      else if (partFilesOf(project).includes(file)) checks.push((await prepareParts(shell, source))());
      else checks.push((await prepareModule(shell, source))());
    }
  }
  const found = await Promise.all(checks);
  return files.map((file, index) => {
    const text = texts[index];
    return { ...(found[index] as CheckedModule), file, text: typeof text === 'string' ? text : '' };
  });
}

type Check = () => Checked | Promise<Checked>;

/**
 * Parses a module and asks whether it is trusted. The check is returned as a function, so that loading a module does not
 * delay the next question.
 */
async function prepareModule(shell: Shell, { file, text, project }: Source): Promise<Check> {
  const { isOutline, readOutline } = await import('../../authoring/discover/outline.ts');
  const read = await readOutline(file, text);
  if (!isOutline(read)) return () => ({ errors: read, warnings: [] });
  return ifTrusted(read.workflow, { workflow: read.workflow }, async () => {
    const checked = await assertTrusted(shell, project, { file, use: CHECK_USE });
    const { checkModule } = await import('../../api/module/check.ts');
    return () => checkModule(read, checked);
  });
}

/** Checks a workflow file; if it names step kinds or gate checks of the project, these are loaded to check how it uses them. */
async function prepareYaml(shell: Shell, yaml: typeof import('../../authoring/yaml/check/check.ts'), source: Source): Promise<Check> {
  const { file, text, project, own } = source;
  if (own.declared.length === 0) return () => yaml.findYamlProblems(file, text, REGISTRY);
  const { compiled, ...checked } = yaml.checkYaml(file, text, declaredRegistry(own));
  const used = compiled === undefined ? [] : partsUsedBy(compiled.definition, own);
  const { workflow } = checked;
  // What is wrong with the parts themselves is reported at their files.
  const isSound = used.every((one) => !own.problems.some((problem) => problem.file === one.file));
  if (used.length === 0 || workflow === undefined || !isSound) return () => checked;
  return ifTrusted(workflow, checked, async () => {
    const contents = await assertPartsTrusted(shell, project, { used, problems: own.problems });
    const { checkYamlApart } = await import('../../api/module/load-apart.ts');
    return async () => {
      const result = await checkYamlApart(file, text, contents);
      return 'checked' in result ? result.checked : { ...checked, errors: [failureOf(result, workflow)] };
    };
  });
}

/** Checks a file with step kinds and gate checks: what it defines when it is loaded is what its text says. */
async function prepareParts(shell: Shell, { file, project, own }: Source): Promise<Check> {
  const parts = own.declared.filter((one) => one.file === file);
  const errors = own.problems.filter((problem) => problem.file === file).map(withoutFile);
  const [first] = parts;
  if (first === undefined || errors.length > 0) return () => ({ errors, warnings: [], parts });
  return ifTrusted(first, { parts }, async () => {
    const checked = await assertTrusted(shell, project, { file, use: CHECK_USE });
    const { loadPartsApart } = await import('../../api/module/load-apart.ts');
    return async () => {
      const result = await loadPartsApart([checked]);
      if ('failure' in result) return { parts, errors: [failureOf(result, first)], warnings: [] };
      const missing = parts.filter(({ part, name }) => !(part === 'kind' ? result.kinds : result.checks).includes(name));
      return { parts, errors: missing.map(otherName), warnings: [] };
    };
  });
}

function otherName({ name, line, column }: DeclaredPart): SourceProblem {
  const message = `loading the file defines no "${name}": what it exports has another name`;
  return { code: 'NAME_UNSEEN', message, hint: 'make the names equal', line, column };
}

function failureOf({ failure }: { readonly failure: LoadFailure }, { line, column }: Place): SourceProblem {
  return { code: failure.code, message: failure.message, hint: 'loading the file runs it: fix this, or catch the error', line, column };
}

/** Prepares a check that runs code; without trust the syntax is all that is checked. */
async function ifTrusted(place: Place, checked: Partial<Checked>, prepare: () => Promise<Check>): Promise<Check> {
  try {
    return await prepare();
  } catch (error) {
    if (!isEngineError(error) || error.code !== 'NOT_TRUSTED') throw error;
    const end = error.message.lastIndexOf('; ');
    const [message, hint] = [error.message.slice(0, end), error.message.slice(end + 2)];
    const { line, column } = place;
    return () => ({ warnings: [], ...checked, errors: [{ code: error.code, message, hint, line, column }] });
  }
}

function isTrustProblem({ code }: SourceProblem): boolean {
  return code === 'NOT_TRUSTED';
}

/** Adds what the files need outside themselves and the project does not have. */
async function withProject(shell: Shell, given: ParsedArgs, files: readonly CheckedFile[]): Promise<CheckedFile[]> {
  const project = findProject(shell, given);
  const references = files.flatMap((file) => file.references ?? []);
  const isTriggered = files.some((file) => file.trigger !== undefined);
  // Without names, the files are all that the project has.
  const others = given.allWords('FILE').length === 0 ? [] : await otherWorkflows(project, files);
  if (references.length === 0 && !isTriggered) return files.map((file) => withDuplicates(file, [...files, ...others]));
  const { surroundingsOf, cycleProblem } = await import('../surroundings.ts');
  const { referenceProblems } = await import('../../definition/validation/reference.ts');
  const { readSettings } = await import('../settings/settings.ts');
  const { overlapProblems } = await import('../trigger/overlap.ts');
  const settings = await readSettings(shell, project);
  const known = new Map(
    [...others, ...files].flatMap((file) => (file.workflow === undefined ? [] : [[file.workflow.name, file] as const])),
  );
  const around = { ...(await surroundingsOf(project, { references, settings })), workflows: known };
  const childrenOf = (name: string): string[] => childReferences(known.get(name)).map((child) => child.name);
  return files.map((found) => {
    const file = { ...found, warnings: [...found.warnings, ...overlapProblems(found, settings.roles)] };
    const missing = referenceProblems(file.references ?? [], around).map(({ reference, problem }) => ({
      ...problem,
      ...placeOf(reference),
    }));
    const cycle = file.workflow === undefined ? undefined : cycleProblem(file.workflow.name, childrenOf);
    const [first] = childReferences(file);
    return withDuplicates(
      withProblems(file, [
        ...missing,
        ...(cycle === undefined || first === undefined ? [] : [{ ...cycle, step: first.step, ...placeOf(first) }]),
      ]),
      [...files, ...others],
    );
  });
}

type ChildReference = Extract<Reference, { kind: 'workflow' }> & Place;

function childReferences(file: Pick<CheckedFile, 'references'> | undefined): ChildReference[] {
  return (file?.references ?? []).filter((reference): reference is ChildReference => reference.kind === 'workflow');
}

function placeOf({ line, column }: Place): Place {
  return { line, column };
}

function withProblems(file: CheckedFile, problems: readonly (Problem & Place)[]): CheckedFile {
  const word = YAML_FILE.test(file.file) ? 'stage' : 'step';
  const of = (wanted: Severity): SourceProblem[] =>
    problems
      .filter((problem) => severityOf(problem) === wanted)
      .map(({ code, message, hint, line, column, step }) => ({ code, message: `${word} "${step}": ${message}`, hint, line, column }));
  return {
    ...file,
    errors: [...file.errors, ...of('error')].sort(byPlace),
    warnings: [...file.warnings, ...of('warning')].sort(byPlace),
  };
}

function byPlace(a: Place, b: Place): number {
  return a.line - b.line || a.column - b.column;
}

/** The workflows of the project whose files were not named: other files may start them, or have the same name. */
async function otherWorkflows(project: Project, files: readonly CheckedFile[]): Promise<CheckedFile[]> {
  const folders = workflowFolders(project);
  const isInside = files.some(({ file }) => folders.some((folder) => file.startsWith(folder)));
  if (!isInside && files.every((file) => childReferences(file).length === 0)) return [];
  const { workflows } = await discoverProject(project);
  const named = new Set(files.map(({ file }) => file));
  const yaml = await import('../../authoring/yaml/check/check.ts');
  return workflows
    .filter(({ file }) => !named.has(file))
    .map((workflow) => {
      const { file } = workflow;
      const text = YAML_FILE.test(file) && !isSettingsFile(project, file) ? readFileSync(file, 'utf8') : '';
      const found = text === '' ? { errors: [], warnings: [] } : yaml.findYamlProblems(file, text, REGISTRY);
      return { ...found, workflow, file, text };
    });
}

/** Adds an error if another workflow of the project has the same name. */
function withDuplicates(file: CheckedFile, all: readonly CheckedFile[]): CheckedFile {
  const same = all.filter(({ workflow }) => workflow !== undefined && workflow.name === file.workflow?.name);
  const twice = duplicates(same.flatMap(({ workflow }) => workflow ?? [])).filter((problem) => problem.file === file.file);
  return { ...file, errors: [...file.errors, ...twice.map(withoutFile), ...commandTwice(file, all)] };
}

/** The error if another workflow is started by the same command. */
function commandTwice({ file, command }: CheckedFile, all: readonly CheckedFile[]): SourceProblem[] {
  const others = command === undefined ? [] : all.filter((one) => one.file !== file && one.command?.name === command.name);
  if (command === undefined || others.length === 0) return [];
  const { name, line, column } = command;
  const message = `two workflows are started by the command "/${name}": one is here, one in ${others.map((one) => one.file).join(' and in ')}`;
  return [{ code: 'COMMAND_DUPLICATE', message, hint: 'rename one of the commands; until then neither starts by it', line, column }];
}

function withoutFile({ code, message, hint, line, column }: SourceProblem): SourceProblem {
  return { code, message, hint, line, column };
}

/** With --strict, warnings are errors. */
function strictly(file: CheckedFile): CheckedFile {
  return { ...file, errors: [...file.errors, ...file.warnings], warnings: [] };
}

function rowOf({ file, workflow, parts, errors, warnings, hints = [] }: CheckedFile): object {
  return {
    file,
    ok: errors.length === 0,
    ...(workflow === undefined ? {} : { workflow: workflow.name, form: workflow.form }),
    ...(parts === undefined ? {} : { parts: parts.map(({ part, name }) => ({ part, name })) }),
    checked: errors.some(isTrustProblem) ? 'syntax' : 'whole',
    errors,
    warnings,
    hints,
  };
}

function linesOf(shell: Shell, checked: CheckedFile, showsHints: boolean): string[] {
  const { file, errors, warnings, hints = [], workflow, parts = [] } = checked;
  const lines = [
    ...errors.filter((problem) => !isTrustProblem(problem)).flatMap((problem) => problemLines(shell, checked, { problem, level: 'error' })),
    ...warnings.flatMap((problem) => problemLines(shell, checked, { problem, level: 'warning' })),
    ...(showsHints ? hints : []).flatMap((problem) => problemLines(shell, checked, { problem, level: 'hint' })),
  ];
  const names = [...(workflow === undefined ? [] : [workflow.name]), ...parts.map(({ name }) => name)];
  const name = `${shownFile(shell, file)}  ${oneLine(names.join(', '))}`;
  if (errors.some(isTrustProblem))
    return [...lines, `${shell.style('yellow', shell.symbol('waiting'))} ${name}, only its syntax was checked`];
  if (errors.length > 0) return lines;
  const { steps = [], form } = workflow ?? {};
  if (workflow === undefined) return [...lines, `${shell.style('green', shell.symbol('done'))} ${name}, ${kindsOf(parts)}`];
  const about = form === 'flow' ? 'a flow' : `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`;
  return [...lines, `${shell.style('green', shell.symbol('done'))} ${name}, ${about}`];
}

function kindsOf(parts: readonly DeclaredPart[]): string {
  const kinds = parts.some(({ part }) => part === 'kind');
  const checks = parts.some(({ part }) => part === 'check');
  return [...(kinds ? ['step kind'] : []), ...(checks ? ['gate check'] : [])].join(' and ');
}
const COLOURS = { error: 'red', warning: 'yellow', hint: 'blue' } as const;

function problemLines(
  shell: Shell,
  { file, text }: CheckedFile,
  { problem, level }: { readonly problem: SourceProblem; readonly level: Severity },
): string[] {
  const { code, message, hint, line, column } = problem;
  const head = `${shownFile(shell, file)}:${line}:${column}`;
  const label = shell.style(COLOURS[level], `${level} ${code}`);
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

function summaryOf(files: readonly CheckedFile[], showsHints: boolean): string {
  if (files.length === 0) return 'no workflows here; "pawl init" writes a first one';
  const count = (list: readonly unknown[], one: string): string => `${list.length} ${one}${list.length === 1 ? '' : 's'}`;
  const errors = files.flatMap((file) => file.errors);
  const warnings = files.flatMap((file) => file.warnings);
  const hints = files.flatMap((file) => file.hints ?? []);
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
      ...(showsHints ? [count(hints, 'hint')] : []),
      ...(untrusted.length === 0 ? [] : [`${untrusted.length} not trusted`]),
    ].join(', '),
    ...(untrusted.length === 0 ? [] : [trust]),
  ].join('\n');
}
