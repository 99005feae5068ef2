// Owns loading a workflow, or its definition, by name or file. Only the requested one is loaded, and only if its content is
// trusted.

import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { importWorkflow, loadFailure } from '../api/module/import.ts';
import type { LoadResult } from '../api/module/load-apart.ts';
import type { SourceProblem } from '../authoring/discover/syntax.ts';
import type { Compilers } from '../authoring/graph/work.ts';
import { digestText } from '../base/digest.ts';
import { EngineError, isEngineError } from '../base/error.ts';
import { didYouMean } from '../base/suggest.ts';
import type { CompiledWorkflow } from '../definition/code.ts';
import type { Definition } from '../definition/model.ts';
import { type DescribedWorkflow, describeWorkflow, frozenWorkflow, isWhole } from '../definition/plain-workflow.ts';
import { childNames } from '../definition/validation/children.ts';
import { registryWith } from '../kinds/registry.ts';
import type { RunOrigin } from '../store/store.ts';
import { discoverProject } from './definitions.ts';
import { assertPartsTrusted, declaredRegistry, loadParts, type ProjectParts, partsUsedBy, readProjectParts } from './own-parts.ts';
import type { Project } from './project.ts';
import { isSettingsFile } from './settings/settings.ts';
import type { Shell } from './shell.ts';
import { moduleFailure, shownFile } from './shown-file.ts';
import { assertTrusted, type TrustedContent } from './trust/trust.ts';

/** A workflow whose module is loaded, and its file. */
export interface LoadedWorkflow {
  readonly workflow: CompiledWorkflow;
  readonly file: string;
  /** The name of the skill that it is, if the file defines one. */
  readonly skill?: string;
}

/** Where a workflow is: a file, which may define a skill instead. */
interface WorkflowPlace {
  readonly file: string;
  readonly skill?: string;
}

const MODULE_FILE = /\.m?[tj]s$/;
const YAML_FILE = /\.ya?ml$/;

/** Loads a workflow by its name or its file; one whose content is not trusted is refused, or asked about on a terminal. */
export async function loadWorkflow(shell: Shell, project: Project, reference: string): Promise<LoadedWorkflow> {
  const place = await placeOf(shell, project, reference);
  return { workflow: await loadFile(shell, project, { place, name: reference, above: [] }), ...place };
}

/** A workflow as data, its file, and the kinds and checks with which files are read here. */
export interface LoadedDescription {
  readonly workflow: DescribedWorkflow;
  readonly file: string;
  readonly registry: Compilers;
}

/** A workflow as data, by its name or its file; its code is loaded in a process of its own. */
export async function loadDescription(shell: Shell, project: Project, reference: string): Promise<LoadedDescription> {
  const place = await placeOf(shell, project, reference);
  const { file } = place;
  const parts = await readProjectParts(project);
  if (place.skill !== undefined) {
    const { loadSkillWorkflow } = await import('./skills/as-workflow.ts');
    const workflow = describeWorkflow(await loadSkillWorkflow(shell, project, { file, skill: place.skill }));
    return { workflow, file, registry: declaredRegistry(parts) };
  }
  const checked = await assertTrusted(shell, project, { file });
  const workflow = await describeFile(shell, project, { file, name: reference, checked, parts });
  return { workflow, file, registry: declaredRegistry(parts) };
}

async function describeFile(
  shell: Shell,
  project: Project,
  {
    file,
    name,
    checked,
    parts,
  }: { readonly file: string; readonly name: string; readonly checked: TrustedContent; readonly parts: ProjectParts },
): Promise<DescribedWorkflow> {
  const review = await reviewOf(project, file, name);
  if (review !== undefined) return describeWorkflow(review);
  const { checkYamlApart, loadApart } = await import('../api/module/load-apart.ts');
  if (!YAML_FILE.test(file)) return described(shell, file, await loadApart(file, checked));
  const text = await readChecked(file, checked);
  const compiled = await compileText(file, text, declaredRegistry(parts));
  const used = partsUsedBy(compiled.definition, parts);
  if (used.length === 0) return describeWorkflow(compiled);
  const contents = await assertPartsTrusted(shell, project, { used, problems: parts.problems });
  const result = await checkYamlApart(file, text, contents);
  if ('checked' in result && result.workflow === undefined) throw invalidFile(file, result.checked.errors);
  return described(shell, file, result as LoadResult);
}

function described(shell: Shell, file: string, result: LoadResult): DescribedWorkflow {
  if ('failure' in result) throw moduleFailure(shell, file, result.failure);
  return result.workflow;
}

/**
 * Loads a file and, beside it, the workflows that its steps start by name; `above` are the names that led here. Of a file
 * of settings it is the workflow of that name.
 */
async function loadFile(
  shell: Shell,
  project: Project,
  { place, name: called, above }: { readonly place: WorkflowPlace; readonly name: string; readonly above: readonly string[] },
): Promise<CompiledWorkflow> {
  const workflow = await loadAlone(shell, project, { place, called });
  const trail = [...above, workflow.definition.name];
  const missing = childNames(workflow).filter((name) => !workflow.children.has(name) && !trail.includes(name));
  if (missing.length === 0) return workflow;
  const children = new Map(workflow.children);
  for (const name of missing) {
    // The engine reports a child that does not exist, and the search by name one that exists twice.
    const found = await placeOf(shell, project, name).catch(unlessUnknown);
    if (found !== undefined) children.set(name, await loadFile(shell, project, { place: found, name, above: trail }));
  }
  return Object.freeze({ ...workflow, children });
}

function unlessUnknown(error: unknown): undefined {
  if (!isEngineError(error) || error.code !== 'WORKFLOW_UNKNOWN') throw error;
}

/** Loads a file, or the skill that it defines, without the workflows that its steps start. */
async function loadAlone(
  shell: Shell,
  project: Project,
  { place: { file, skill }, called }: { readonly place: WorkflowPlace; readonly called: string },
): Promise<CompiledWorkflow> {
  if (skill !== undefined) return (await import('./skills/as-workflow.ts')).loadSkillWorkflow(shell, project, { file, skill });
  const checked = await assertTrusted(shell, project, { file });
  const review = await reviewOf(project, file, called);
  if (review !== undefined) return review;
  return YAML_FILE.test(file) ? compileFile(shell, project, { file, checked }) : loadModule(shell, project, { file, checked });
}

/** The workflow that a rule of the review policy or a role stands for, when the file is one of settings. */
async function reviewOf(project: Project, file: string, name: string): Promise<CompiledWorkflow | undefined> {
  if (!isSettingsFile(project, file)) return undefined;
  const { generatedWorkflows } = await import('./settings/generated.ts');
  return (await generatedWorkflows(project)).find(({ listed }) => listed.name === name)?.compiled;
}

/** What a run brings along to be driven on: where its workflow came from, and the definition it is frozen to. */
interface FrozenRun {
  readonly state: { readonly workflow: string; readonly def: string };
  readonly origin: RunOrigin;
  readonly definition: Definition;
  readonly codeHash: string;
}

/**
 * Loads the workflow of a run that exists. One without any code goes on with what it was frozen to, which was trusted
 * when it began: its file is not read again.
 */
export async function loadWorkflowOf(shell: Shell, project: Project, run: FrozenRun): Promise<LoadedWorkflow> {
  const { file } = run.origin;
  if (file !== undefined && isWhole(run)) return { workflow: frozenWorkflow({ definition: run.definition, hash: run.state.def }), file };
  return loadWorkflowAgain(shell, project, run);
}

/** Loads the workflow of a run as it is written now: from the file it was started from, else by its name. */
export async function loadWorkflowAgain(
  shell: Shell,
  project: Project,
  { state, origin: { file } }: Pick<FrozenRun, 'state' | 'origin'>,
): Promise<LoadedWorkflow> {
  const isThere = file !== undefined && existsSync(file) && !isSettingsFile(project, file);
  return loadWorkflow(shell, project, isThere ? file : state.workflow);
}

/** A folder or a program may be called like a workflow, so a path is what looks like one. */
function isPath(reference: string): boolean {
  return /[\\/]/.test(reference) || /\.(?:[mc]?[tj]s|ya?ml)$/.test(reference);
}

/** Where a workflow is, by its name or its file; a workflow of the project wins over a skill of the same name. */
async function placeOf(shell: Shell, project: Project, reference: string): Promise<WorkflowPlace> {
  if (!isPath(reference)) return placeOfName(shell, project, reference);
  const { runnableSkillOf } = await import('./skills/as-workflow.ts');
  const skill = runnableSkillOf(project, resolve(shell.cwd, reference));
  return skill ?? { file: fileAt(shell, reference) };
}

function fileAt(shell: Shell, reference: string): string {
  const file = resolve(shell.cwd, reference);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    throw new EngineError('WORKFLOW_UNKNOWN', `there is no file ${file}; "pawl list" shows the workflows of this project`);
  if (!MODULE_FILE.test(file) && !YAML_FILE.test(file))
    throw new EngineError(
      'MODULE_FAILED',
      `${file} is not a file that can define a workflow: those are .yaml, .yml, .ts, .mts, .js and .mjs`,
    );
  return file;
}

async function placeOfName(shell: Shell, project: Project, name: string): Promise<WorkflowPlace> {
  const { workflows, problems } = await discoverProject(project);
  const found = workflows.filter((workflow) => workflow.name === name);
  const [only] = found;
  if (only !== undefined && found.length === 1) return { file: only.file };
  if (only !== undefined)
    throw new EngineError(
      'WORKFLOW_DUPLICATE',
      `${found.length} workflows are called "${name}": ${found.map(({ file }) => shownFile(shell, file)).join(', ')}; rename one, or name the file`,
      { details: { name, origins: found.map(({ file }) => file) } },
    );
  const { runnableSkills, findRunnableSkill } = await import('./skills/as-workflow.ts');
  const skill = findRunnableSkill(project, name);
  if (skill !== undefined) return skill;
  const names = [...workflows.map((workflow) => workflow.name), ...runnableSkills(project)];
  throw workflowUnknown(name, { place: ` in ${project.root}`, names, unread: problems.map(({ file }) => shownFile(shell, file)) });
}

/** The error about a workflow that there is not; the files that could not be read may have it. */
export function workflowUnknown(
  name: string,
  { place = '', names, unread }: { readonly place?: string; readonly names: readonly string[]; readonly unread: readonly string[] },
): EngineError {
  const bad = [...new Set(unread)];
  const also = bad.length === 0 ? '' : `; ${bad.join(', ')} could not be read, and "pawl validate" says why`;
  const message = `there is no workflow "${name}"${place}${didYouMean(name, names)}; "pawl list" lists the workflows${also}`;
  return new EngineError('WORKFLOW_UNKNOWN', message, { details: { name } });
}

/** Compiles a workflow file with the content that was checked, and with the parts of the project that it names. */
async function compileFile(
  shell: Shell,
  project: Project,
  { file, checked }: { readonly file: string; readonly checked: TrustedContent },
): Promise<CompiledWorkflow> {
  const [text, parts] = [await readChecked(file, checked), await readProjectParts(project)];
  const compiled = await compileText(file, text, declaredRegistry(parts));
  const used = partsUsedBy(compiled.definition, parts);
  if (used.length === 0) return compiled;
  return compileText(file, text, registryWith(await loadParts(shell, project, { used, problems: parts.problems })));
}

/** Compiles the text of a workflow file without running anything; a file whose steps need code of the project is not compiled. */
export async function compileDeclared(project: Project, file: string, text: string): Promise<CompiledWorkflow | 'invalid' | 'uses-code'> {
  const { checkYaml } = await import('../authoring/yaml/check/check.ts');
  const parts = await readProjectParts(project);
  const { compiled } = checkYaml(file, text, declaredRegistry(parts));
  if (compiled === undefined) return 'invalid';
  return partsUsedBy(compiled.definition, parts).length === 0 ? compiled : 'uses-code';
}

async function readChecked(file: string, { files, file: path }: TrustedContent): Promise<string> {
  const text = await readFile(file, 'utf8');
  if (digestText(text) === files.get(path)) return text;
  throw new EngineError('NOT_TRUSTED', `${file} changed after its content was checked; start again`);
}

async function compileText(file: string, text: string, registry: Compilers): Promise<CompiledWorkflow> {
  const { checkYaml } = await import('../authoring/yaml/check/check.ts');
  const { compiled, errors } = checkYaml(file, text, registry);
  if (compiled === undefined) throw invalidFile(file, errors);
  return compiled;
}

function invalidFile(file: string, [first, ...more]: readonly SourceProblem[]): EngineError {
  const others = more.length === 0 ? '' : `; and ${more.length} more: "pawl validate" shows them all`;
  return new EngineError('DEFINITION_INVALID', `${first?.message ?? 'it is no workflow'}; ${first?.hint ?? ''}${others}`, {
    ...(first === undefined ? {} : { position: { file, line: first.line, column: first.column } }),
  });
}

/** Imports a module. The step kinds that it uses come with it; the project's checks that it names must be trusted too. */
async function loadModule(
  shell: Shell,
  project: Project,
  { file, checked }: { readonly file: string; readonly checked: TrustedContent },
): Promise<CompiledWorkflow> {
  let workflow: CompiledWorkflow;
  try {
    workflow = await importWorkflow(file, checked);
  } catch (cause) {
    throw moduleFailure(shell, file, { ...loadFailure(cause), cause });
  }
  const parts = await readProjectParts(project);
  const used = partsUsedBy(workflow.definition, parts).filter(({ part }) => part === 'check');
  await assertPartsTrusted(shell, project, { used, problems: parts.problems });
  return workflow;
}
