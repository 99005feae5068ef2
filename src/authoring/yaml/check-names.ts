// Owns the names that templates and conditions of a workflow file begin with: each must be something that exists, since
// a name that is missing would be found only when the run gets there.

import { didYouMean } from '../../base/suggest.ts';
import type { FreePath } from '../../expr/expression.ts';
import { YAML_ROOTS } from './compile.ts';
import type { YamlStage, YamlTransition, YamlWorkflow } from './document.ts';
import type { YamlPath } from './position.ts';
import { problemAt, type YamlProblem } from './problem.ts';
import type { YamlExpression } from './read-template.ts';

/** Facts that every run on a forge has in its context. */
const FACTS: readonly string[] = ['issue_number', 'pr_number', 'labels', 'base_branch'];

/** Which type of stage has a root in its own transitions. */
const OWN_ROOTS: Readonly<Record<string, YamlStage['type']>> = { gate: 'gate', action: 'action', branches: 'parallel' };

/** Names that nothing in the file or around it stands for. */
export function nameProblems(document: YamlWorkflow, expressions: readonly YamlExpression[]): YamlProblem[] {
  const known = { context: contextNames(document), outputs: outputNames(document), document };
  return expressions
    .filter(({ path }) => path.at(-1) !== 'expect')
    .flatMap(({ path, paths }) => paths.flatMap((read) => problemOf(read, path, known)));
}

interface Known {
  readonly context: ReadonlySet<string>;
  readonly outputs: ReadonlySet<string>;
  readonly document: YamlWorkflow;
}

function problemOf({ segments, position }: FreePath, path: YamlPath, known: Known): YamlProblem[] {
  const [root, first] = segments;
  const wrong = (message: string, hint: string): YamlProblem[] => [problemAt(position, { code: 'NAME_UNKNOWN', message, hint })];
  if (typeof root !== 'string') return [];
  if (root === 'context' && typeof first === 'string' && first !== 'outputs' && !known.context.has(first))
    return wrong(
      `the context has no "${first}"${didYouMean(first, known.context)}`,
      'name it under context:, or in the context of a transition',
    );
  if (root === 'outputs' && typeof first === 'string' && !known.outputs.has(first))
    return wrong(`no stage and no output is called "${first}"${didYouMean(first, known.outputs)}`, 'outputs are read as outputs.<stage>');
  if (root === 'params' && typeof first === 'string' && !Object.hasOwn(known.document.params, first))
    return wrong(`there is no parameter "${first}"${didYouMean(first, Object.keys(known.document.params))}`, 'declare it under params:');
  const type = OWN_ROOTS[root];
  if (type !== undefined && stageAt(known.document, path)?.type !== type && !known.context.has(root))
    return wrong(
      `"${root}" exists only in the transitions of a ${type} stage`,
      `pass what you need along in the context of a transition there`,
    );
  if (YAML_ROOTS.includes(root) || root === 'secrets' || known.context.has(root)) return [];
  const names = [...YAML_ROOTS, ...known.context];
  return wrong(
    `there is no name "${root}"${didYouMean(root, names)}`,
    `names begin with one of ${YAML_ROOTS.join(', ')}, or are in the context`,
  );
}

function stageAt(document: YamlWorkflow, [field, index]: YamlPath): YamlStage | undefined {
  return field === 'stages' && typeof index === 'number' ? document.stages[index] : undefined;
}

/** Everything that can be in the context: what it begins with, what transitions add, and the facts of a forge. */
function contextNames({ context, stages }: YamlWorkflow): Set<string> {
  const added = stages.flatMap(({ transitions }) => Object.values(transitions).flatMap((transition: YamlTransition) => transition.context));
  return new Set([...context, ...added].map(({ name }) => name).concat(FACTS));
}

function outputNames({ stages }: YamlWorkflow): Set<string> {
  const works = stages.flatMap((stage) => (stage.type === 'parallel' ? stage.branches : [stage]));
  const outputs = works.flatMap((work) => ('outputs' in work ? work.outputs : []));
  return new Set([...stages.map(({ id }) => id), ...outputs.map(({ name }) => name)]);
}
