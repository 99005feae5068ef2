// `pawl validate`: reports errors in definitions the way a compiler does. Checking a workflow file runs no code. A module
// is parsed and, if it is trusted, loaded in a separate process to check its definition.

import { readFileSync } from 'node:fs';
import type { LoadFailure } from '../../api/module/import.ts';
import type { DeclaredPart } from '../../authoring/discover/custom-parts.ts';
import { type CheckedModule, duplicates, readDefinition, YAML_FILE } from '../../authoring/discover/discover.ts';
import type { FilePosition, SourceProblem } from '../../authoring/discover/syntax.ts';
import { isEngineError } from '../../base/error.ts';
import type { Severity } from '../../definition/validation/finding.ts';
import { type Problem, severityOf } from '../../definition/validation/problem.ts';
import type { Reference } from '../../definition/validation/reference.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import type { CommandRun, ParsedArgs } from '../command.ts';
import { discoverProject, namedFiles, workflowFiles, workflowFolders } from '../definitions.ts';
import { codeFrame } from '../frame.ts';
import { wrap } from '../help.ts';
import { findProject, type Project } from '../project.ts';
import { assertPartsTrusted, declaredRegistry, type ProjectParts, partFilesOf, partsUsedBy, readProjectParts } from '../project-parts.ts';
import { isSettingsFile } from '../settings/settings.ts';
import type { Shell } from '../shell.ts';
import { counted, oneLine } from '../terminal.ts';
import { assertTrusted, CHECK_USE } from '../trust/trust.ts';

/** The result for one file, which defines a workflow, or step kinds and gate checks. */
interface FileResult extends CheckedModule {
  readonly parts?: readonly DeclaredPart[];
}

/** A file and its problems. */
export interface CheckedFile extends FileResult {
  readonly file: string;
  /** Its text, if the position of a problem is shown in it. */
  readonly text?: string;
}

interface Source {
  readonly file: string;
  readonly text: string;
  readonly project: Project;
  readonly parts: ProjectParts;
}

const EXIT_INVALID = 2;
const EXIT_NOT_TRUSTED = 4;
const TRUST_ALL =
  'checking more than the syntax of a module runs its code; review the modules, then run "pawl trust" to trust these versions';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  if (args.has('schema')) return printSchema(shell, args);
  const checked = await checkedFiles(shell, args);
  const withErrors = (file: CheckedFile) => ({ ...file, errors: [...file.errors, ...file.warnings], warnings: [] });
  const reported = args.has('strict') ? checked.map(withErrors) : checked;
  const showsHints = args.has('hints');
  shell.result({ files: reported.map(rowOf) }, () => reported.flatMap((file) => linesOf(shell, file, showsHints)));
  if (!shell.wantsJson) shell.warn(summaryOf(reported, showsHints));
  const errors = reported.flatMap((file) => file.errors);
  return errors.length === 0 ? 0 : errors.every(isTrustProblem) ? EXIT_NOT_TRUSTED : EXIT_INVALID;
};

/** Checks the files that were named, or all of the project. */
export async function checkedFiles(shell: Shell, args: ParsedArgs): Promise<readonly CheckedFile[]> {
  const project = findProject(shell, args);
  const named = namedFiles(shell, args);
  if (named.length > 0) return checkReferences(shell, project, { files: await checkFiles(shell, project, named), isWhole: false });
  const files = await checkFiles(shell, project, [...(await workflowFiles(project)), ...partFilesOf(project)]);
  return checkReferences(shell, project, { files, isWhole: true });
}

/** Prints the schema for editors, with the step kinds of this project. Their code is not run. */
async function printSchema(shell: Shell, args: ParsedArgs): Promise<number> {
  const { workflowJsonSchema } = await import('../../authoring/yaml/json-schema.ts');
  const schema = workflowJsonSchema(declaredRegistry(await readProjectParts(findProject(shell, args))));
  shell.write(`${JSON.stringify(schema, null, 2)}\n`);
  return 0;
}

async function checkFiles(shell: Shell, project: Project, files: readonly string[]): Promise<CheckedFile[]> {
  // Imported once: importing a module again takes as long as reading a small file.
  const yaml = files.some((file) => YAML_FILE.test(file)) ? await import('../../authoring/yaml/check/check.ts') : undefined;
  const parts = await readProjectParts(project);
  const partFiles = partFilesOf(project);
  const prepare = (source: Source): Promise<Check> => {
    if (yaml !== undefined && YAML_FILE.test(source.file)) return prepareYaml(shell, yaml, source);
    return partFiles.includes(source.file) ? prepareParts(shell, source) : prepareModule(shell, source);
  };
  const checked: Promise<CheckedFile>[] = [];
  // One at a time, because each may ask for trust; files that are trusted already load meanwhile.
  for (const file of files) {
    const text = readDefinition(file);
    if (typeof text !== 'string') checked.push(Promise.resolve({ errors: [text], warnings: [], file }));
    else {
      const check = await prepare({ file, text, project, parts });
      checked.push(Promise.resolve(check()).then((result) => ({ ...result, file, text })));
    }
  }
  return Promise.all(checked);
}

type Check = () => FileResult | Promise<FileResult>;

/**
 * Parses a module and asks whether it is trusted. Returns the check as a function, so that loading a module does not delay
 * the next question.
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

/** Checks a workflow file. Step kinds and gate checks of the project that it names are loaded to check their configuration. */
async function prepareYaml(shell: Shell, yaml: typeof import('../../authoring/yaml/check/check.ts'), source: Source): Promise<Check> {
  const { file, text, project, parts } = source;
  if (parts.declared.length === 0) return () => yaml.findYamlProblems(file, text, REGISTRY);
  const { compiled, ...checked } = yaml.checkYaml(file, text, declaredRegistry(parts));
  const used = compiled === undefined ? [] : partsUsedBy(compiled.definition, parts);
  const { workflow } = checked;
  // Problems of the parts themselves are reported for their files.
  const isSound = used.every((one) => !parts.problems.some((problem) => problem.file === one.file));
  if (used.length === 0 || workflow === undefined || !isSound) return () => checked;
  return ifTrusted(workflow, checked, async () => {
    const contents = await assertPartsTrusted(shell, project, { ...parts, used });
    const { checkYamlInSubprocess } = await import('../../api/module/load-in-subprocess.ts');
    return async () => {
      const result = await checkYamlInSubprocess(file, text, contents);
      return 'checked' in result ? result.checked : { ...checked, errors: [failureOf(result, workflow)] };
    };
  });
}

/** Checks that a file defines the same step kinds and gate checks when it is loaded as when it is parsed. */
async function prepareParts(shell: Shell, { file, project, parts: all }: Source): Promise<Check> {
  const parts = all.declared.filter((one) => one.file === file);
  const errors = all.problems.filter((problem) => problem.file === file).map(withoutFile);
  const [first] = parts;
  if (first === undefined || errors.length > 0) return () => ({ errors, warnings: [], parts });
  return ifTrusted(first, { parts }, async () => {
    const checked = await assertTrusted(shell, project, { file, use: CHECK_USE });
    const { loadPartsInSubprocess } = await import('../../api/module/load-in-subprocess.ts');
    return async () => {
      const result = await loadPartsInSubprocess([checked]);
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

function failureOf({ failure }: { readonly failure: LoadFailure }, { line, column }: FilePosition): SourceProblem {
  return { code: failure.code, message: failure.message, hint: 'loading the file runs it: fix this, or catch the error', line, column };
}

/** Prepares a check that runs code; without trust, only the syntax is checked. */
async function ifTrusted({ line, column }: FilePosition, checked: Partial<FileResult>, prepare: () => Promise<Check>): Promise<Check> {
  try {
    return await prepare();
  } catch (error) {
    if (!isEngineError(error) || error.code !== 'NOT_TRUSTED') throw error;
    const end = error.message.lastIndexOf('; ');
    const [message, hint] = [error.message.slice(0, end), error.message.slice(end + 2)];
    return () => ({ warnings: [], ...checked, errors: [{ code: error.code, message, hint, line, column }] });
  }
}

function isTrustProblem({ code }: SourceProblem): boolean {
  return code === 'NOT_TRUSTED';
}

/** Adds errors about references to something that the project does not have, and about names that are used twice. */
async function checkReferences(
  shell: Shell,
  project: Project,
  { files, isWhole }: { readonly files: readonly CheckedFile[]; readonly isWhole: boolean },
): Promise<CheckedFile[]> {
  const references = files.flatMap((file) => file.references ?? []);
  const isTriggered = files.some((file) => file.trigger !== undefined);
  const all = isWhole ? files : [...files, ...(await otherWorkflows(project, files))];
  if (references.length === 0 && !isTriggered) return files.map((file) => withDuplicates(file, all));
  const { readExternalNames, cycleProblem } = await import('../reference-check.ts');
  const { referenceProblems } = await import('../../definition/validation/reference.ts');
  const { readSettings } = await import('../settings/settings.ts');
  const { overlapProblems } = await import('../trigger/overlap.ts');
  const settings = await readSettings(shell, project);
  const known = new Map(all.toReversed().flatMap((file) => (file.workflow === undefined ? [] : [[file.workflow.name, file] as const])));
  const around = { ...(await readExternalNames(project, { references, settings })), workflows: known };
  const childrenOf = (name: string): string[] => childReferences(known.get(name)).map((child) => child.name);
  return files.map((found) => {
    const file = { ...found, warnings: [...found.warnings, ...overlapProblems(found, settings.roles)] };
    const missing = referenceProblems(file.references ?? [], around).map(({ reference, problem }) => ({
      ...problem,
      ...positionOf(reference),
    }));
    const cycle = file.workflow === undefined ? undefined : cycleProblem(file.workflow.name, childrenOf);
    const [first] = childReferences(file);
    const cycles = cycle === undefined || first === undefined ? [] : [{ ...cycle, step: first.step, ...positionOf(first) }];
    return withDuplicates(withProblems(file, [...missing, ...cycles]), all);
  });
}

type ChildReference = Extract<Reference, { kind: 'workflow' }> & FilePosition;

function childReferences(file: Pick<CheckedFile, 'references'> | undefined): ChildReference[] {
  return (file?.references ?? []).filter((reference): reference is ChildReference => reference.kind === 'workflow');
}

function positionOf({ line, column }: FilePosition): FilePosition {
  return { line, column };
}

function withProblems(file: CheckedFile, problems: readonly (Problem & FilePosition)[]): CheckedFile {
  const noun = YAML_FILE.test(file.file) ? 'stage' : 'step';
  const of = (wanted: Severity): SourceProblem[] =>
    problems
      .filter((problem) => severityOf(problem) === wanted)
      .map(({ code, message, hint, line, column, step }) => ({ code, message: `${noun} "${step}": ${message}`, hint, line, column }));
  return {
    ...file,
    errors: [...file.errors, ...of('error')].sort(byPosition),
    warnings: [...file.warnings, ...of('warning')].sort(byPosition),
  };
}

function byPosition(a: FilePosition, b: FilePosition): number {
  return a.line - b.line || a.column - b.column;
}

/** The other workflows of the project: the named files may start them, or use the same name. */
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
      if (!YAML_FILE.test(file) || isSettingsFile(project, file)) return { errors: [], warnings: [], workflow, file };
      const text = readFileSync(file, 'utf8');
      return { ...yaml.findYamlProblems(file, text, REGISTRY), workflow, file, text };
    });
}

/** Adds errors if another workflow of the project has the same name or command. */
function withDuplicates(file: CheckedFile, all: readonly CheckedFile[]): CheckedFile {
  const same = all.filter(({ workflow }) => workflow !== undefined && workflow.name === file.workflow?.name);
  const problems = duplicates(same.flatMap(({ workflow }) => workflow ?? [])).filter((problem) => problem.file === file.file);
  return { ...file, errors: [...file.errors, ...problems.map(withoutFile), ...duplicateCommand(file, all)] };
}

function duplicateCommand({ file, command }: CheckedFile, all: readonly CheckedFile[]): SourceProblem[] {
  const others = command === undefined ? [] : all.filter((one) => one.file !== file && one.command?.name === command.name);
  if (command === undefined || others.length === 0) return [];
  const { name, line, column } = command;
  const message = `the command "/${name}" also starts the workflow in ${others.map((one) => one.file).join(' and in ')}`;
  return [{ code: 'COMMAND_DUPLICATE', message, hint: 'rename one of the commands; until then it starts neither workflow', line, column }];
}

function withoutFile({ code, message, hint, line, column }: SourceProblem): SourceProblem {
  return { code, message, hint, line, column };
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
  const name = `${shell.shownFile(file)}  ${oneLine(names.join(', '))}`;
  if (errors.some(isTrustProblem))
    return [...lines, `${shell.style('yellow', shell.symbol('waiting'))} ${name}, only its syntax was checked`];
  if (errors.length > 0) return lines;
  return [...lines, `${shell.style('green', shell.symbol('done'))} ${name}, ${descriptionOf(checked)}`];
}

function descriptionOf({ workflow, parts = [] }: CheckedFile): string {
  if (workflow !== undefined) return workflow.form === 'flow' ? 'a flow' : counted(workflow.steps?.length ?? 0, 'step');
  const nouns = { kind: 'step kind', check: 'gate check' };
  return [...new Set(parts.map(({ part }) => nouns[part]))].join(' and ');
}

const COLOURS = { error: 'red', warning: 'yellow', hint: 'blue' } as const;

function problemLines(
  shell: Shell,
  { file, text }: CheckedFile,
  { problem, level }: { readonly problem: SourceProblem; readonly level: Severity },
): string[] {
  const { code, message, hint, line, column } = problem;
  const head = `${shell.shownFile(file)}:${line}:${column}`;
  const label = shell.style(COLOURS[level], `${level} ${code}`);
  const arrow = shell.symbol('arrow');
  const indent = ' '.repeat(arrow.length + 1);
  const room = Math.max(40, Math.min(shell.display.columns, 100));
  return [
    `${shell.style('bold', head)}  ${label}`,
    ...wrap(oneLine(message), room),
    ...(text === undefined || text === '' ? [] : codeFrame(shell, text, { line, column })),
    ...wrap(oneLine(hint), room - indent.length).map((row, index) => `${index === 0 ? `${arrow} ` : indent}${row}`),
    '',
  ];
}

function summaryOf(files: readonly CheckedFile[], showsHints: boolean): string {
  if (files.length === 0) return 'no workflows here; "pawl init" writes a first one';
  const errors = files.flatMap((file) => file.errors);
  const warnings = files.flatMap((file) => file.warnings).length;
  const hints = files.flatMap((file) => file.hints ?? []).length;
  const untrusted = errors.filter(isTrustProblem);
  const counts = [
    counted(files.length, 'file'),
    counted(errors.length - untrusted.length, 'error'),
    ...(warnings === 0 ? [] : [counted(warnings, 'warning')]),
    ...(showsHints ? [counted(hints, 'hint')] : []),
    ...(untrusted.length === 0 ? [] : [`${untrusted.length} not trusted`]),
  ].join(', ');
  const [first, second] = untrusted;
  if (first === undefined) return counts;
  return `${counts}\n${second === undefined ? `${first.message}; ${first.hint}` : TRUST_ALL}`;
}
