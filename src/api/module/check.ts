// Owns the full check of a module: it is loaded in a separate process, and errors are shown at their position in its text.

import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type CheckedModule, type Discovery, discoverWorkflows, YAML_FILE } from '../../authoring/discover/discover.ts';
import { propertyOf } from '../../authoring/discover/names.ts';
import { isOutline, type Outline, readOutline } from '../../authoring/discover/outline.ts';
import { hasField, locate, placeOfReference } from '../../authoring/discover/position.ts';
import { type FilePosition, placeAt, type SourceProblem } from '../../authoring/discover/syntax.ts';
import { lintFlow } from '../../authoring/flow/lint.ts';
import { flowReferences } from '../../authoring/flow/references.ts';
import type { Compilers } from '../../authoring/graph/work.ts';
import type { Definition } from '../../definition/model.ts';
import { adviceOn } from '../../definition/validation/advice.ts';
import type { Severity } from '../../definition/validation/finding.ts';
import { severityOf } from '../../definition/validation/problem.ts';
import { type Reference, referencesIn } from '../../definition/validation/reference.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import type { LoadFailure } from './import.ts';
import { loadInSubprocess } from './load-in-subprocess.ts';
import type { CheckedContent } from './restrict-loads.ts';

/** The workflows in folders, with every module loaded and checked. Callers check that the folders are trusted first. */
export async function checkFolders(folders: readonly string[], registry: Compilers): Promise<Discovery> {
  const found = await discoverWorkflows(folders, registry);
  const checked = await Promise.all(
    found.workflows.map(async (workflow) => {
      const read = YAML_FILE.test(workflow.file) ? [] : await readOutline(workflow.file, await readFile(workflow.file, 'utf8'));
      return { workflow, errors: [], ...(isOutline(read) ? await checkModule(read) : {}) };
    }),
  );
  const problems = checked.flatMap(({ workflow: { file }, errors }) => errors.map((error) => ({ ...error, file })));
  return {
    workflows: checked.filter(({ errors }) => errors.length === 0).map(({ workflow }) => workflow),
    problems: [...found.problems, ...problems],
  };
}

/** Checks a module whose workflow was found. This runs its code: callers check that it is trusted first. */
export async function checkModule(outline: Outline, checked?: CheckedContent): Promise<CheckedModule> {
  const { workflow } = outline;
  const lint = workflow.form === 'flow' ? lintFlow(outline) : { errors: [], warnings: [] };
  const loaded = await loadInSubprocess(workflow.file, checked);
  if ('failure' in loaded) {
    const { problems } = loaded.failure;
    const errors = problems === undefined ? [failureProblem(outline, loaded.failure)] : locate(outline, problems);
    return { workflow, warnings: lint.warnings, errors: [...errors, ...lint.errors] };
  }
  const { definition, children, checks, command } = loaded.workflow;
  const { name, params, steps } = definition;
  const advice = adviceOn(definition, REGISTRY).filter(
    ({ code, step = '' }) =>
      code !== 'RECOVERY_DEFAULT' || !(hasField(outline, step, 'recovery') || propertyOf(outline.spec, 'recovery') !== undefined),
  );
  const adviceOf = (severity: Severity): SourceProblem[] =>
    locate(
      outline,
      advice.filter((problem) => severityOf(problem) === severity),
    );
  return {
    workflow: { ...workflow, params: Object.keys(params), ...(workflow.form === 'flow' ? {} : { steps: steps.map(({ id }) => id) }) },
    errors: [...(name === workflow.name ? [] : [otherName(outline, name)]), ...lint.errors],
    warnings: [...lint.warnings, ...adviceOf('warning')],
    hints: adviceOf('hint'),
    params,
    ...(command === undefined ? {} : { command: { name: command, ...placeOfCommand(outline) } }),
    references: referencesOf(outline, definition, checks).filter((one) => one.kind !== 'workflow' || !children.includes(one.name)),
  };
}

/** What a workflow needs outside its file, each at its position. */
function referencesOf(outline: Outline, definition: Definition, contained: readonly string[]): (Reference & FilePosition)[] {
  if (definition.form === 'flow') return flowReferences(outline);
  return referencesIn(definition, contained).map((reference) => ({ ...reference, ...placeOfReference(outline, reference) }));
}

function failureProblem(outline: Outline, { code, message, position, missing }: LoadFailure): SourceProblem {
  // Node names files by their real paths.
  const file = realpathSync(outline.workflow.file);
  if (missing !== undefined && missing.from === file)
    return { code: 'IMPORT_NOT_FOUND', message, hint: 'install the package, or fix the name', ...importPlace(outline, missing.specifier) };
  const elsewhere = missing?.from ?? (position?.file === file ? undefined : position?.file);
  const where = elsewhere === undefined ? '' : ` (in ${elsewhere}${missing === undefined ? `:${position?.line}:${position?.column}` : ''})`;
  const { line, column } = position === undefined || position.file !== file ? outline.workflow : position;
  // Errors of ours end with what to do.
  const [what = '', ...hints] = code === 'MODULE_FAILED' ? [message] : message.split('; ');
  const hint = hints.join('; ') || 'loading the file runs it: fix this, or catch the error';
  return { code, message: `${what}${where}`, hint, line, column };
}

function placeOfCommand({ module, spec, workflow }: Outline): FilePosition {
  const trigger = propertyOf(spec, 'trigger');
  const { line, column } = trigger === undefined ? workflow : placeAt(module.text, trigger.start);
  return { line, column };
}

function importPlace({ module, workflow }: Outline, specifier: string): FilePosition {
  for (const node of module.tree.body)
    if ('source' in node && node.source?.value === specifier) return placeAt(module.text, node.source.start);
  return workflow;
}

function otherName({ workflow: { name, line, column } }: Outline, loaded: string): SourceProblem {
  const message = `the workflow is called "${loaded}" when it is loaded, and "${name}" in the file, so it is not found by its name`;
  return { code: 'NAME_UNSEEN', message, hint: "write the name as a text: name: 'review'", line, column };
}
