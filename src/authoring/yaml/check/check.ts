// Owns a workflow file as a whole: read and compiled in one go, with everything that is wrong told at its place.

import type { CompiledWorkflow } from '../../../definition/code.ts';
import type { KindRegistry } from '../../../definition/kind.ts';
import type { Definition } from '../../../definition/model.ts';
import { workflowOf } from '../../../definition/plain-workflow.ts';
import { quorumsIn } from '../../../definition/quorum.ts';
import type { TriggerModel } from '../../../definition/trigger.ts';
import type { CheckedModule } from '../../discover/discover.ts';
import type { SourceProblem } from '../../discover/syntax.ts';
import { draftYaml } from '../compile/compile.ts';
import { readYamlWorkflow } from '../read/read.ts';
import { nameProblems } from './names.ts';

/** What was found in a workflow file, and the workflow when nothing is wrong with it. */
export interface CheckedYaml extends CheckedModule {
  readonly compiled?: CompiledWorkflow;
}

/** Checks the text of a workflow file and compiles it; nothing of it is run. */
export function checkYaml(file: string, text: string, registry: KindRegistry): CheckedYaml {
  const { definition, trigger, ...found } = examine(file, text, registry);
  return definition === undefined ? found : { ...found, compiled: workflowOf(definition, trigger) };
}

/** Checks the text of a workflow file only: a project has many files that are looked at for each one that is run. */
export function lookAtYaml(file: string, text: string, registry: KindRegistry): CheckedModule {
  const { definition: _, trigger: __, ...found } = examine(file, text, registry);
  return found;
}

/** What is wrong with a file, and the definition in it when nothing is. */
function examine(
  file: string,
  text: string,
  registry: KindRegistry,
): CheckedModule & { readonly definition?: Definition; readonly trigger?: TriggerModel } {
  const { document, problems, positionOf, expressions } = readYamlWorkflow(text, file);
  const names = document === undefined ? [] : nameProblems(document, expressions);
  const read = [...problems, ...names].map(({ severity, code, message, hint = '', line, column }) => ({
    severity,
    code,
    message,
    hint,
    line,
    column,
  }));
  if (document === undefined) return sorted(read);
  const { definition, problems: faults } = draftYaml(document, registry);
  const isSound = names.length === 0;
  const compiled = faults.map(({ severity, code, message, hint, path, step }) => {
    const { line, column } = positionOf(path);
    return { severity, code, message: step === undefined ? message : `stage "${step}": ${message}`, hint, line, column };
  });
  const found = sorted([...read, ...compiled].sort((a, b) => a.line - b.line || a.column - b.column));
  const { line, column } = positionOf(['metadata', 'name']);
  const { name, title = name, description = '', params, stages } = document;
  const described = {
    name,
    title,
    description,
    form: 'graph' as const,
    params: Object.keys(params),
    steps: stages.map(({ id }) => id),
    file,
    line,
    column,
  };
  if (definition === undefined || !isSound) return { ...found, workflow: described };
  const placeOf = (step: string) =>
    positionOf([
      'stages',
      Math.max(
        0,
        stages.findIndex(({ id }) => id === step.split('/')[0]),
      ),
    ]);
  const quorums = quorumsIn(definition.steps).map((quorum) => ({ ...quorum, ...placeOf(quorum.step) }));
  const { trigger } = document;
  return { ...found, workflow: described, definition, quorums, ...(trigger === undefined ? {} : { trigger }) };
}

type Judged = SourceProblem & { readonly severity: 'error' | 'warning' };

function sorted(problems: readonly Judged[]): CheckedModule {
  const of = (wanted: Judged['severity']): SourceProblem[] =>
    problems.filter(({ severity }) => severity === wanted).map(({ severity: _, ...problem }) => problem);
  return { errors: of('error'), warnings: of('warning') };
}
