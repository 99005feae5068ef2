// Owns getting from a name or a file to a workflow that can be run, or to its definition. Only what is asked for is loaded,
// and only when its content is trusted.

import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { importWorkflow, type LoadFailure, loadFailure } from '../api/module/import.ts';
import { digestText } from '../base/digest.ts';
import { EngineError } from '../base/error.ts';
import { didYouMean } from '../base/suggest.ts';
import { childNames } from '../definition/children.ts';
import type { CompiledWorkflow } from '../definition/code.ts';
import type { Definition } from '../definition/model.ts';
import { frozenWorkflow, isWhole } from '../definition/plain-workflow.ts';
import { REGISTRY } from '../kinds/registry.ts';
import type { RunOrigin } from '../store/store.ts';
import { discoverProject, shownFile } from './definitions.ts';
import type { Project } from './project.ts';
import { isSettingsFile } from './settings/settings.ts';
import type { Shell } from './shell.ts';
import { oneLine } from './terminal.ts';
import { assertTrusted, type TrustedContent } from './trust/trust.ts';

/** A workflow whose module is loaded, and its file. */
export interface LoadedWorkflow {
  readonly workflow: CompiledWorkflow;
  readonly file: string;
}

const MODULE_FILE = /\.m?[tj]s$/;
const YAML_FILE = /\.ya?ml$/;

/** Loads a workflow by its name or its file; one whose content is not trusted is refused, or asked about on a terminal. */
export async function loadWorkflow(shell: Shell, project: Project, reference: string): Promise<LoadedWorkflow> {
  const file = isPath(reference) ? fileAt(shell, reference) : await fileOfName(shell, project, reference);
  return { workflow: await loadFile(shell, project, { file, name: reference, above: [] }), file };
}

/** The definition of a workflow by its name or its file; a module is loaded in a process of its own. */
export async function loadDefinition(shell: Shell, project: Project, reference: string): Promise<Definition> {
  const file = isPath(reference) ? fileAt(shell, reference) : await fileOfName(shell, project, reference);
  const checked = await assertTrusted(shell, project, { file });
  const review = await reviewOf(project, file, reference);
  if (review !== undefined) return review.definition;
  if (YAML_FILE.test(file)) return (await compileFile(file, checked)).definition;
  const { loadApart } = await import('../api/module/load-apart.ts');
  const loaded = await loadApart(file, checked);
  if ('definition' in loaded) return loaded.definition;
  throw moduleFailure(shell, file, loaded.failure);
}

/**
 * Loads a file and, beside it, the workflows that its steps start by name; `above` are the names that led here. Of a file
 * of settings it is the workflow of that name.
 */
async function loadFile(
  shell: Shell,
  project: Project,
  { file, name: called, above }: { readonly file: string; readonly name: string; readonly above: readonly string[] },
): Promise<CompiledWorkflow> {
  const checked = await assertTrusted(shell, project, { file });
  const workflow =
    (await reviewOf(project, file, called)) ??
    (YAML_FILE.test(file) ? await compileFile(file, checked) : await loadModule(shell, file, checked));
  const trail = [...above, workflow.definition.name];
  const missing = childNames(workflow).filter((name) => !workflow.children.has(name) && !trail.includes(name));
  if (missing.length === 0) return workflow;
  const { workflows } = await discoverProject(project);
  const children = new Map(workflow.children);
  // The engine reports a child that does not exist, and the search by name one that exists twice.
  for (const name of missing) {
    if (!workflows.some((found) => found.name === name)) continue;
    const childFile = await fileOfName(shell, project, name);
    children.set(name, await loadFile(shell, project, { file: childFile, name, above: trail }));
  }
  return Object.freeze({ ...workflow, children });
}

/** The workflow that a rule of the review policy stands for, when the file is one of settings. */
async function reviewOf(project: Project, file: string, name: string): Promise<CompiledWorkflow | undefined> {
  if (!isSettingsFile(project, file)) return undefined;
  const { reviewWorkflows } = await import('./settings/reviews.ts');
  return (await reviewWorkflows(project)).find(({ listed }) => listed.name === name)?.compiled;
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

async function fileOfName(shell: Shell, project: Project, name: string): Promise<string> {
  const { workflows, problems } = await discoverProject(project);
  const found = workflows.filter((workflow) => workflow.name === name);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.file;
  if (only !== undefined)
    throw new EngineError(
      'WORKFLOW_DUPLICATE',
      `${found.length} workflows are called "${name}": ${found.map(({ file }) => shownFile(shell, file)).join(', ')}; rename one, or name the file`,
      { details: { name, origins: found.map(({ file }) => file) } },
    );
  const bad = [...new Set(problems.map(({ file }) => shownFile(shell, file)))];
  const unread = bad.length === 0 ? '' : `; ${bad.join(', ')} could not be read, and "pawl validate" says why`;
  const names = workflows.map((workflow) => workflow.name);
  throw new EngineError(
    'WORKFLOW_UNKNOWN',
    `there is no workflow "${name}" in ${project.root}${didYouMean(name, names)}; "pawl list" shows what there is${unread}`,
    { details: { name } },
  );
}

/** Compiles a workflow file with the content it had when it was looked at. */
async function compileFile(file: string, checked: TrustedContent): Promise<CompiledWorkflow> {
  const text = await readFile(file, 'utf8');
  if (digestText(text) !== checked.files.get(checked.file))
    throw new EngineError('NOT_TRUSTED', `${file} changed after its content was checked; start again`);
  const { checkYaml } = await import('../authoring/yaml/check/check.ts');
  const { compiled, errors } = checkYaml(file, text, REGISTRY);
  if (compiled !== undefined) return compiled;
  const [first, ...more] = errors;
  const others = more.length === 0 ? '' : `; and ${more.length} more: "pawl validate" shows them all`;
  throw new EngineError('DEFINITION_INVALID', `${first?.message ?? 'it is no workflow'}; ${first?.hint ?? ''}${others}`, {
    ...(first === undefined ? {} : { position: { file, line: first.line, column: first.column } }),
  });
}

async function loadModule(shell: Shell, file: string, checked: TrustedContent): Promise<CompiledWorkflow> {
  try {
    return await importWorkflow(file, checked);
  } catch (cause) {
    throw moduleFailure(shell, file, { ...loadFailure(cause), cause });
  }
}

/** A failed load, with the place in the user's file and without our own part of the stack. */
function moduleFailure(shell: Shell, file: string, failure: LoadFailure & { readonly cause?: unknown }): EngineError {
  const { code, message, position, problems, cause } = failure;
  if (code === 'NOT_TRUSTED') return new EngineError(code, message);
  const where = position?.file === undefined || position.file === file ? file : `${file} (in ${shownFile(shell, position.file)})`;
  const hint = code === 'MODULE_FAILED' ? 'loading the file runs it: fix this, or catch the error' : '"pawl validate" shows where';
  return new EngineError('MODULE_FAILED', `${where} could not be loaded: ${oneLine(message)}; ${hint}`, {
    ...(cause === undefined ? {} : { cause }),
    details: { ...(code === 'MODULE_FAILED' ? {} : { code }), ...(problems === undefined ? {} : { problems }) },
    ...(position === undefined ? {} : { position }),
  });
}
