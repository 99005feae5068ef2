// Loads a workflow, or its definition as data, by name or file. Only the requested one and those that it starts are
// loaded, and only if their content is trusted.

import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { importWorkflow, loadFailure } from '../api/module/import.ts';
import type { LoadResult } from '../api/module/load-in-subprocess.ts';
import type { SourceProblem } from '../authoring/discover/syntax.ts';
import type { Compilers } from '../authoring/graph/work.ts';
import { digestText } from '../base/digest.ts';
import { EngineError, isEngineError } from '../base/error.ts';
import { didYouMean } from '../base/suggest.ts';
import type { CompiledWorkflow } from '../definition/code.ts';
import type { Definition } from '../definition/model.ts';
import { type DescribedWorkflow, describeWorkflow, frozenWorkflow, isWhole } from '../definition/plain-workflow.ts';
import { isFinal, type RunStatus } from '../definition/run-status.ts';
import { childNames } from '../definition/validation/children.ts';
import { looksLikePath } from '../definition/validation/validate.ts';
import { registryWith } from '../kinds/registry.ts';
import { isDriven } from '../process/owner.ts';
import type { RunOrigin } from '../store/store.ts';
import { discoverProject } from './definitions.ts';
import { moduleFailure } from './module-failure.ts';
import type { Project } from './project.ts';
import { assertPartsTrusted, declaredRegistry, loadParts, type ProjectParts, partsUsedBy, readProjectParts } from './project-parts.ts';
import { isSettingsFile } from './settings/settings.ts';
import type { Shell } from './shell.ts';
import { assertTrusted, type TrustedContent } from './trust/trust.ts';

/** A workflow whose module is loaded, and its file. */
export interface LoadedWorkflow {
  readonly workflow: CompiledWorkflow;
  readonly file: string;
  /** The name of the skill, if the file defines one. */
  readonly skill?: string;
}

/** The file that defines a workflow, or a skill that can be run as one. */
type WorkflowSource = Omit<LoadedWorkflow, 'workflow'>;

const MODULE_FILE = /\.m?[tj]s$/;
const YAML_FILE = /\.ya?ml$/;

/** Loads a workflow by its name or file. Content that is not trusted is rejected; a terminal asks first. */
export async function loadWorkflow(shell: Shell, project: Project, reference: string): Promise<LoadedWorkflow> {
  const loader = new Loader(shell, project);
  const source = await loader.find(reference);
  return { workflow: await loader.load(source, reference), ...source };
}

/** A workflow as data, its file, and the kinds and checks with which files are compiled in this project. */
export interface LoadedDescription {
  readonly workflow: DescribedWorkflow;
  readonly file: string;
  readonly registry: Compilers;
}

/** Loads a workflow as data, by its name or file; its code runs in a separate process. */
export async function loadDescription(shell: Shell, project: Project, reference: string): Promise<LoadedDescription> {
  const loader = new Loader(shell, project);
  const source = await loader.find(reference);
  const parts = await readProjectParts(project);
  return { workflow: await loader.describe(source, reference, parts), file: source.file, registry: declaredRegistry(parts) };
}

/** The workflow as stored with a run. */
interface FrozenRun {
  readonly state: { readonly workflow: string; readonly def: string };
  readonly origin: RunOrigin;
  readonly definition: Definition;
  readonly codeHash: string;
}

/**
 * Loads the workflow of a run. If the workflow has no code, the run continues with the definition stored at its start, which
 * was trusted then: the file is not read again.
 */
export async function loadWorkflowOf(shell: Shell, project: Project, run: FrozenRun): Promise<LoadedWorkflow> {
  const { file } = run.origin;
  if (file !== undefined && isWhole(run)) return { workflow: frozenWorkflow({ definition: run.definition, hash: run.state.def }), file };
  return loadCurrentWorkflow(shell, project, run);
}

/** Loads the current version of a run's workflow: from the file that the run was started from, else by its name. */
export async function loadCurrentWorkflow(
  shell: Shell,
  project: Project,
  { state, origin: { file } }: Pick<FrozenRun, 'state' | 'origin'>,
): Promise<LoadedWorkflow> {
  const exists = file !== undefined && existsSync(file) && !isSettingsFile(project, file);
  return loadWorkflow(shell, project, exists ? file : state.workflow);
}

/** The workflow to drive a run with; none if the run has ended or another process drives it, because then no code is needed. */
export async function workflowsToDrive(
  shell: Shell,
  project: Project,
  run: FrozenRun & { readonly state: { readonly status: RunStatus }; readonly owner?: string | undefined },
): Promise<readonly CompiledWorkflow[]> {
  if (isFinal(run.state.status) || isDriven(run.owner)) return [];
  return [(await loadWorkflowOf(shell, project, run)).workflow];
}

class Loader {
  private readonly shell: Shell;
  private readonly project: Project;

  constructor(shell: Shell, project: Project) {
    this.shell = shell;
    this.project = project;
  }

  /** Finds the file of a workflow by its name or path; a workflow of the project has priority over a skill of the same name. */
  async find(reference: string): Promise<WorkflowSource> {
    // A folder or a program can have the name of a workflow, so only text that looks like a path is one.
    if (!looksLikePath(reference)) return this.findByName(reference);
    const { runnableSkillOf } = await import('./skills/as-workflow.ts');
    return runnableSkillOf(this.project, resolve(this.shell.cwd, reference)) ?? { file: fileAt(this.shell, reference) };
  }

  private async findByName(name: string): Promise<WorkflowSource> {
    const { shell, project } = this;
    const { workflows, problems } = await discoverProject(project);
    const [first, ...others] = workflows.filter((workflow) => workflow.name === name).map(({ file }) => file);
    if (first !== undefined && others.length === 0) return { file: first };
    if (first !== undefined) throw workflowDuplicate(shell, name, [first, ...others]);
    const { runnableSkills, findRunnableSkill } = await import('./skills/as-workflow.ts');
    const skill = findRunnableSkill(project, name);
    if (skill !== undefined) return skill;
    const names = [...workflows.map((workflow) => workflow.name), ...runnableSkills(project)];
    throw workflowUnknown(name, { where: ` in ${project.root}`, names, unread: problems.map(({ file }) => shell.shownFile(file)) });
  }

  /** Loads a workflow and the workflows that its steps start by name; `ancestors` are the names of those that start it. */
  async load(source: WorkflowSource, name: string, ancestors: readonly string[] = []): Promise<CompiledWorkflow> {
    const workflow = await this.loadAlone(source, name);
    const trail = [...ancestors, workflow.definition.name];
    const missing = childNames(workflow).filter((child) => !workflow.children.has(child) && !trail.includes(child));
    if (missing.length === 0) return workflow;
    const children = new Map(workflow.children);
    for (const child of missing) {
      // The engine reports a child that does not exist.
      const found = await this.find(child).catch(undefinedIfUnknown);
      if (found !== undefined) children.set(child, await this.load(found, child, trail));
    }
    return Object.freeze({ ...workflow, children });
  }

  private async loadAlone({ file, skill }: WorkflowSource, name: string): Promise<CompiledWorkflow> {
    if (skill !== undefined) return this.loadSkill(file, skill);
    const trusted = await assertTrusted(this.shell, this.project, { file });
    const generated = await this.generated(file, name);
    if (generated !== undefined) return generated;
    return YAML_FILE.test(file) ? this.compileFile(file, trusted) : this.loadModule(file, trusted);
  }

  async describe({ file, skill }: WorkflowSource, name: string, parts: ProjectParts): Promise<DescribedWorkflow> {
    if (skill !== undefined) return describeWorkflow(await this.loadSkill(file, skill));
    const trusted = await assertTrusted(this.shell, this.project, { file });
    const generated = await this.generated(file, name);
    if (generated !== undefined) return describeWorkflow(generated);
    const { checkYamlInSubprocess, loadInSubprocess } = await import('../api/module/load-in-subprocess.ts');
    if (!YAML_FILE.test(file)) return this.described(file, await loadInSubprocess(file, trusted));
    const text = await readTrusted(file, trusted);
    const compiled = await compileText(file, text, declaredRegistry(parts));
    const used = partsUsedBy(compiled.definition, parts);
    if (used.length === 0) return describeWorkflow(compiled);
    const result = await checkYamlInSubprocess(file, text, await assertPartsTrusted(this.shell, this.project, { ...parts, used }));
    if ('checked' in result && result.workflow === undefined) throw invalidFile(file, result.checked.errors);
    return this.described(file, result as LoadResult);
  }

  private described(file: string, result: LoadResult): DescribedWorkflow {
    if ('failure' in result) throw moduleFailure(this.shell, file, result.failure);
    return result.workflow;
  }

  private async loadSkill(file: string, skill: string): Promise<CompiledWorkflow> {
    return (await import('./skills/as-workflow.ts')).loadSkillWorkflow(this.shell, this.project, { file, skill });
  }

  /** The workflow that a review policy or a role in a settings file stands for. */
  private async generated(file: string, name: string): Promise<CompiledWorkflow | undefined> {
    if (!isSettingsFile(this.project, file)) return undefined;
    const { generatedWorkflows } = await import('./settings/generated.ts');
    return (await generatedWorkflows(this.project)).find(({ listed }) => listed.name === name)?.compiled;
  }

  private async compileFile(file: string, trusted: TrustedContent): Promise<CompiledWorkflow> {
    const [text, parts] = [await readTrusted(file, trusted), await readProjectParts(this.project)];
    const compiled = await compileText(file, text, declaredRegistry(parts));
    const used = partsUsedBy(compiled.definition, parts);
    if (used.length === 0) return compiled;
    return compileText(file, text, registryWith(await loadParts(this.shell, this.project, { ...parts, used })));
  }

  /** Imports a module, which imports its step kinds; checks of the project that it names must be trusted too. */
  private async loadModule(file: string, trusted: TrustedContent): Promise<CompiledWorkflow> {
    const workflow = await importWorkflow(file, trusted).catch((cause: unknown) => {
      throw moduleFailure(this.shell, file, { ...loadFailure(cause), cause });
    });
    const parts = await readProjectParts(this.project);
    const used = partsUsedBy(workflow.definition, parts).filter(({ part }) => part === 'check');
    await assertPartsTrusted(this.shell, this.project, { ...parts, used });
    return workflow;
  }
}

function undefinedIfUnknown(error: unknown): undefined {
  if (!isEngineError(error) || error.code !== 'WORKFLOW_UNKNOWN') throw error;
}

function fileAt(shell: Shell, reference: string): string {
  const file = resolve(shell.cwd, reference);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    throw new EngineError('WORKFLOW_UNKNOWN', `file ${file} does not exist; "pawl list" shows the workflows of this project`);
  if (MODULE_FILE.test(file) || YAML_FILE.test(file)) return file;
  throw new EngineError('MODULE_FAILED', `${file} cannot define a workflow: its name must end in .yaml, .yml, .ts, .mts, .js or .mjs`);
}

/** The error for a name that several files define. */
export function workflowDuplicate(shell: Shell, name: string, files: readonly string[]): EngineError {
  const shown = files.map((file) => shell.shownFile(file)).join(', ');
  return new EngineError('WORKFLOW_DUPLICATE', `${files.length} workflows are called "${name}": ${shown}; rename one, or name the file`, {
    details: { name, origins: files },
  });
}

/** The error for an unknown workflow name; it also names the files that could not be read, because they may define it. */
export function workflowUnknown(
  name: string,
  { where = '', names, unread }: { readonly where?: string; readonly names: readonly string[]; readonly unread: readonly string[] },
): EngineError {
  const bad = [...new Set(unread)];
  const also = bad.length === 0 ? '' : `; ${bad.join(', ')} could not be read, and "pawl validate" shows why`;
  const message = `there is no workflow "${name}"${where}${didYouMean(name, names)}; "pawl list" lists the workflows${also}`;
  return new EngineError('WORKFLOW_UNKNOWN', message, { details: { name } });
}

/** Compiles the text of a workflow file without running anything; a file whose steps need code of the project is not compiled. */
export async function compileDeclared(project: Project, file: string, text: string): Promise<CompiledWorkflow | 'invalid' | 'uses-code'> {
  const { checkYaml } = await import('../authoring/yaml/check/check.ts');
  const parts = await readProjectParts(project);
  const { compiled } = checkYaml(file, text, declaredRegistry(parts));
  if (compiled === undefined) return 'invalid';
  return partsUsedBy(compiled.definition, parts).length === 0 ? compiled : 'uses-code';
}

async function readTrusted(file: string, { files, file: path }: TrustedContent): Promise<string> {
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
  return new EngineError('DEFINITION_INVALID', `${first?.message ?? 'it is not a workflow'}; ${first?.hint ?? ''}${others}`, {
    ...(first === undefined ? {} : { position: { file, line: first.line, column: first.column } }),
  });
}
