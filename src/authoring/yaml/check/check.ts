// Owns checking a workflow file: it is read and compiled, and every problem gets its place.

import type { CompiledWorkflow } from '../../../definition/code.ts';
import { quorumsIn } from '../../../definition/quorum.ts';
import type { CheckedModule } from '../../discover/discover.ts';
import type { SourceProblem } from '../../discover/syntax.ts';
import type { Compilers } from '../../graph/work.ts';
import { draftYaml } from '../compile/compile.ts';
import { readYamlWorkflow } from '../read/read.ts';
import { nameProblems } from './names.ts';

/** What was found in a workflow file, and the workflow when nothing is wrong with it. */
export interface CheckedYaml extends CheckedModule {
  readonly compiled?: CompiledWorkflow;
}

/** Checks the text of a workflow file and compiles it; nothing of it is run. */
export function checkYaml(file: string, text: string, registry: Compilers): CheckedYaml {
  const { finish, ...found } = examine(file, text, registry);
  return finish === undefined ? found : { ...found, compiled: finish() };
}

/** Checks the text of a workflow file only: a project has many files that are looked at for each one that is run. */
export function lookAtYaml(file: string, text: string, registry: Compilers): CheckedModule {
  const { finish: _, ...found } = examine(file, text, registry);
  return found;
}

/** What is wrong with a file, and what compiles it when nothing is. */
function examine(file: string, text: string, registry: Compilers): CheckedModule & { readonly finish?: () => CompiledWorkflow } {
  const { document, problems, positionOf, expressions } = readYamlWorkflow(text, file, { compilers: registry });
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
  const { definition, finish, problems: faults } = draftYaml(document, registry);
  const isSound = names.length === 0;
  const compiled = faults.map(({ severity, code, message, hint, path, step }) => {
    const { line, column } = positionOf(path);
    return { severity, code, message: step === undefined ? message : `stage "${step}": ${message}`, hint, line, column };
  });
  const found = sorted([...read, ...compiled].sort((a, b) => a.line - b.line || a.column - b.column));
  const { line, column } = positionOf(['metadata', 'name']);
  const { stages, params = {} } = document;
  const { name, title = name, description = '' } = document.metadata;
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
  if (definition === undefined || finish === undefined || !isSound) return { ...found, workflow: described };
  const placeOf = (step: string) =>
    positionOf([
      'stages',
      Math.max(
        0,
        stages.findIndex(({ id }) => id === step.split('/')[0]),
      ),
    ]);
  const quorums = quorumsIn(definition.steps).map((quorum) => ({ ...quorum, ...placeOf(quorum.step) }));
  return { ...found, workflow: described, finish, quorums };
}

type Judged = SourceProblem & { readonly severity: 'error' | 'warning' };

function sorted(problems: readonly Judged[]): CheckedModule {
  const of = (wanted: Judged['severity']): SourceProblem[] =>
    problems.filter(({ severity }) => severity === wanted).map(({ severity: _, ...problem }) => problem);
  return { errors: of('error'), warnings: of('warning') };
}
