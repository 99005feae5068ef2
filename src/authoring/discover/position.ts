// Locates a problem of a definition in its module: at the name that the message quotes, if the step contains it, otherwise at
// the step, otherwise at the call that creates the workflow.

import type { AnyNode } from 'acorn';
import { splitName } from '../../definition/address.ts';
import type { Problem } from '../../definition/validation/problem.ts';
import type { Reference } from '../../definition/validation/reference.ts';
import { type ModuleNames, nameOf, propertyOf } from './names.ts';
import type { Outline } from './outline.ts';
import { type FilePosition, nodesIn, placeAt, type SourceProblem } from './syntax.ts';

/** A step in the source: the position of its id, and the node with its fields. */
interface SourceStep {
  readonly id: string | undefined;
  readonly at: AnyNode;
  readonly node: AnyNode;
}

/** Problems that follow from others; they come last. */
const FOLLOWING = ['UNREACHABLE', 'DEAD_END', 'NO_END', 'LOOP_UNBOUNDED', 'LOOP_REENTERED'];
/** Problems that make other steps unreachable, so that their unreachability need not be reported. */
const CUTTING = ['TARGET_UNKNOWN', 'TARGET_IN_BRANCH', 'ENTRY_UNKNOWN', 'NEXT_MISSING'];
const QUOTED = /["`]([^"`]+)["`]/g;

/** The problems of a definition with their positions: causes first, in the order of the file. */
export function locate(outline: Outline, problems: readonly Problem[]): SourceProblem[] {
  const isCut = problems.some(({ code }) => CUTTING.includes(code));
  const located = problems
    .filter(({ code }) => !(isCut && code === 'UNREACHABLE'))
    .map((problem) => {
      const { code, message, hint, step } = problem;
      const place = placeAt(outline.module.text, nodeOf(outline, problem).start);
      return { code, message: step === undefined ? message : `step "${step}": ${message}`, hint, ...place };
    });
  const rank = ({ code }: SourceProblem): number => (FOLLOWING.includes(code) ? 1 : 0);
  const isFirst = (problem: SourceProblem, index: number): boolean =>
    located.findIndex(({ code, line, column }) => code === problem.code && line === problem.line && column === problem.column) === index;
  return located.filter(isFirst).sort((a, b) => rank(a) - rank(b) || a.line - b.line || a.column - b.column);
}

/** The position of a reference: its name in the step, or else the step. */
export function placeOfReference(outline: Outline, reference: Reference): FilePosition {
  const step = stepOf(outline, reference.step);
  const name = reference.kind === 'group' ? reference.from[0] : reference.name;
  const written = step === undefined || name === undefined ? undefined : findText(step.node, name);
  return placeAt(outline.module.text, (written ?? step?.at ?? outline.call).start);
}

/** Whether a step has a field; a step that is built elsewhere may have any. */
export function hasField({ names, ...outline }: Outline, step: string, field: string): boolean {
  const { node } = stepOf({ names, ...outline }, step) ?? {};
  return node === undefined || fieldOf(names, node, field) !== undefined;
}

function nodeOf(outline: Outline, { step: id, code, message }: Problem): AnyNode {
  const step = id === undefined ? undefined : stepOf(outline, id, code === 'STEP_DUPLICATE');
  if (id !== undefined && step === undefined) return outline.call;
  const within = step?.node ?? outline.spec ?? outline.call;
  const quoted = [...message.replace(/ \(did you mean .*?\)/, '').matchAll(QUOTED)].map(([, text = '']) => text);
  const written = quoted.reverse().map((text) => findText(within, text));
  return written.find((node) => node !== undefined) ?? step?.at ?? outline.call;
}

/** The step or member of a path such as `group/member`; of two with one id, the first or the second. */
function stepOf({ names, spec, call }: Outline, path: string, isSecond = false): SourceStep | undefined {
  const { id: first, member } = splitName(path);
  const steps = propertyOf(spec, 'steps');
  const written = steps === undefined ? call.arguments.slice(1).flatMap((node) => inList(names, node)) : stepsIn(names, steps.value);
  const named = written.filter(({ id }, index) => (id ?? `step-${index + 1}`) === first);
  const step = (isSecond ? named[1] : undefined) ?? named[0];
  if (step === undefined || member === undefined) return step;
  const parallel = fieldOf(names, step.node, 'parallel');
  const branches = parallel === undefined ? undefined : fieldOf(names, parallel, 'branches');
  return (branches === undefined ? [] : stepsIn(names, branches)).find(({ id }) => id === member) ?? step;
}

function fieldOf(names: ModuleNames, node: AnyNode, key: string): AnyNode | undefined {
  const value = node.type === 'ObjectExpression' ? propertyOf(node, key)?.value : undefined;
  return value === undefined ? undefined : names.follow(value);
}

/** The steps or branches of a record or a list. */
function stepsIn(names: ModuleNames, node: AnyNode): SourceStep[] {
  const list = names.follow(node);
  if (list.type === 'ArrayExpression') return list.elements.flatMap((element) => (element === null ? [] : inList(names, element)));
  if (list.type !== 'ObjectExpression') return [];
  return list.properties.flatMap((property) =>
    property.type === 'SpreadElement'
      ? stepsIn(names, property.argument)
      : [{ id: nameOf(property.key), at: property.key, node: fieldsOf(names, property.value) }],
  );
}

function inList(names: ModuleNames, node: AnyNode): SourceStep[] {
  if (node.type === 'SpreadElement') return stepsIn(names, node.argument);
  const fields = fieldsOf(names, node);
  const id = fields.type === 'ObjectExpression' ? (propertyOf(fields, 'id') ?? propertyOf(fields, 'name'))?.value : undefined;
  return [{ id: names.text(id), at: id ?? fields, node: fields }];
}

/** The object of a step, also inside a call such as `StepDef({ … })`. */
function fieldsOf(names: ModuleNames, node: AnyNode): AnyNode {
  const at = names.follow(node);
  const [first] = at.type === 'CallExpression' ? at.arguments : [];
  return first === undefined ? at : names.follow(first);
}

/** The first text or key inside a node that equals the given text. */
function findText(node: AnyNode, text: string): AnyNode | undefined {
  for (const inner of nodesIn(node)) {
    if (inner.type === 'Literal' && inner.value === text) return inner;
    if (inner.type === 'Property' && !inner.computed && nameOf(inner.key) === text) return inner.key;
  }
  return undefined;
}
