// Checks the names that templates and conditions of a workflow file begin with: each must exist, because a missing name would
// otherwise be found only when the run gets there.

import { didYouMean } from '../../../base/suggest.ts';
import type { FreePath } from '../../../expr/free-paths.ts';
import { branchesOf } from '../compile/part.ts';
import { transitionKeysOf, transitionOf } from '../compile/transition.ts';
import type { YamlPath } from '../position/position.ts';
import { problemAt, type YamlProblem } from '../problem/problem.ts';
import type { YamlExpression } from '../read/template.ts';
import type { YamlWorkflow } from '../schema/schema.ts';

/** The root names of expressions in a workflow file; any other name refers to the run's data. */
const ROOTS: readonly string[] = [
  'params',
  'trigger',
  'context',
  'config',
  'outputs',
  'result',
  'gate',
  'action',
  'branches',
  'github',
  'run',
  'step',
  'checkpoint',
];

/** Facts that every run on a forge has in its context. */
const FACTS: readonly string[] = ['issue_number', 'pr_number', 'labels', 'base_branch'];

/** The type of stage whose own transitions have a root. */
const OWN_ROOTS: Readonly<Record<string, string>> = { gate: 'gate', action: 'action', branches: 'parallel' };

/** Reports names that do not exist. */
export function nameProblems(document: YamlWorkflow, expressions: readonly YamlExpression[]): YamlProblem[] {
  const known = { context: contextNames(document), outputs: outputNames(document), document };
  return expressions
    .filter(({ path }) => path.at(-1) !== 'expect')
    .flatMap(({ path, paths }) => paths.flatMap((read) => problemOf(read, path, known)));
}

interface KnownNames {
  readonly context: ReadonlySet<string>;
  readonly outputs: ReadonlyMap<string, readonly string[]>;
  readonly document: YamlWorkflow;
}

function problemOf({ segments, position }: FreePath, path: YamlPath, known: KnownNames): YamlProblem[] {
  const [root, first, second] = segments;
  const problem = (message: string, hint: string): YamlProblem[] => [problemAt(position, { code: 'NAME_UNKNOWN', message, hint })];
  if (typeof root !== 'string') return [];
  if (root === 'context' && typeof first === 'string' && first !== 'outputs' && !known.context.has(first))
    return problem(
      `the context has no "${first}"${didYouMean(first, known.context)}`,
      'name it under context:, or in the context of a transition',
    );
  const output = root === 'outputs' ? first : root === 'context' && first === 'outputs' ? second : undefined;
  if (typeof output === 'string') return outputProblem(output, position, known);
  if (root === 'params' && typeof first === 'string' && !Object.hasOwn(known.document.params ?? {}, first))
    return problem(
      `there is no parameter "${first}"${didYouMean(first, Object.keys(known.document.params ?? {}))}`,
      'declare it under params:',
    );
  const type = OWN_ROOTS[root];
  if (type !== undefined && !isOwnTransition(known.document, path, type) && !known.context.has(root))
    return problem(
      `"${root}" exists only in the context of a transition of a ${type} stage`,
      `pass the values that you need in the context of a transition there`,
    );
  if (ROOTS.includes(root) || root === 'secrets' || known.context.has(root)) return [];
  const names = [...ROOTS, ...known.context];
  return problem(
    `there is no name "${root}"${didYouMean(root, names)}`,
    `begin with one of ${ROOTS.join(', ')}, or with a name in the context`,
  );
}

/** Separates a stage and its branch; no id contains it. */
const BRANCH = '/';

function pathOf(producer: string, name: string): string {
  return `outputs.${producer.replace(BRANCH, '.')}.${name}`;
}

function outputProblem(name: string, position: FreePath['position'], { outputs }: KnownNames): YamlProblem[] {
  const producers = outputs.get(name);
  if (producers === undefined) {
    const message = `no stage and no output is called "${name}"${didYouMean(name, outputs.keys())}`;
    return [problemAt(position, { code: 'NAME_UNKNOWN', message, hint: 'write outputs.<stage>' })];
  }
  const [only] = producers;
  // The result of a parallel stage contains those of its branches; only stages can be read by the names of their outputs.
  if (producers.length === 1 && only?.includes(BRANCH)) {
    const message = `"${name}" is an output of a branch, so its stage and its branch must be named too`;
    return [problemAt(position, { code: 'NAME_UNKNOWN', message, hint: `write ${pathOf(only, name)}` })];
  }
  if (producers.length < 2) return [];
  const message = `"${name}" is an output of ${producers.map((id) => `"${id}"`).join(' and ')}, so the name is ambiguous`;
  const hint = `name the stage as well: ${producers.map((id) => pathOf(id, name)).join(' or ')}`;
  return [problemAt(position, { code: 'NAME_AMBIGUOUS', message, hint })];
}

/** Whether a path is in a stage's own transition, where the result of the stage is available. */
function isOwnTransition({ stages }: YamlWorkflow, [field, index, key, part]: YamlPath, type: string): boolean {
  const stage = field === 'stages' && typeof index === 'number' ? stages[index] : undefined;
  return stage?.type === type && part === 'context' && transitionKeysOf(stage).some((known) => known === key);
}

/** All names that can be in the context: the initial ones, those that transitions add, and the facts of a forge. */
function contextNames({ context, stages }: YamlWorkflow): Set<string> {
  const added = stages.flatMap((stage) => transitionKeysOf(stage).flatMap((key) => Object.keys(transitionOf(stage, key)?.context ?? {})));
  return new Set([...Object.keys(context ?? {}), ...added, ...FACTS]);
}

/** The names that can be read as outputs (stages and their outputs), with their producers. */
function outputNames({ stages }: YamlWorkflow): Map<string, readonly string[]> {
  const producers = new Map<string, string[]>();
  const add = (work: object, place: string): void => {
    const { outputs = [] } = work as { readonly outputs?: readonly { readonly name: string }[] };
    const names = new Set(outputs.map(({ name }) => name));
    for (const name of names) producers.set(name, [...(producers.get(name) ?? []), place]);
  };
  for (const stage of stages) {
    add(stage, stage.id);
    for (const branch of branchesOf(stage)) add(branch, `${stage.id}${BRANCH}${branch.id}`);
  }
  // A stage takes precedence over an output of the same name.
  return new Map([...producers, ...stages.map(({ id }): [string, string[]] => [id, [id]])]);
}
