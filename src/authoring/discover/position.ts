// Owns where in a file a fault of a definition is: the very property when the fault names one, else the step, else the
// workflow.

import type { AnyNode } from 'acorn';
import type { Problem, ProblemCode } from '../../definition/problem.ts';
import { type Reading, stepsIn } from './reading.ts';
import { nodesIn } from './syntax.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A fault that is about a step itself is shown at its id. */
const ABOUT_ID: readonly ProblemCode[] = ['STEP_DUPLICATE', 'STEP_RESERVED', 'NAME_INVALID', 'UNREACHABLE', 'DEAD_END', 'NEXT_MISSING'];

/** Fields that a message may be about, by words in it. */
const WORDS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/limits\.maxIterations/, ['limits', 'maxIterations']],
  [/no steps|no transition ends/, ['steps']],
  [/used-up bound/, ['next', 'onExhausted']],
  [/maxIterations/, ['next', 'maxIterations']],
  [/its entry/, ['entry', 'initialStep']],
  [/its name/, ['type', 'name']],
  [/its timeout/, ['timeout']],
  [/interval of its poll|its poll/, ['delay', 'poll']],
  [/its delay/, ['delay']],
  [/retried|its retries/, ['retry']],
  [/contractRetries/, ['contractRetries']],
  [/concurrency/, ['concurrency']],
  [/its join/, ['parallel', 'each', 'join']],
  [/its condition/, ['condition']],
  [/condition of/, ['next', 'condition']],
  [/next of its own|its next|a transition|conditional next|loop without a bound|its outcome/, ['next']],
  [/question|option/, ['humanGate', 'human']],
  [/recovery|reconcile/, ['recovery', 'reconcile']],
  [/its handler/, ['handler']],
  [/its agent/, ['agent']],
  [/its command|shell line|program/, ['command']],
  [/check/, ['gate', 'checks']],
];

const QUOTED = /["`]([^"`]+)["`]/g;

/** The node that shows a fault best. */
export function nodeOfProblem(reading: Reading, problem: Problem): AnyNode {
  const { evaluator, spec, entry, nameNode } = reading;
  if (problem.step === undefined) {
    if (problem.code === 'NAME_INVALID') return valueNode(nameNode);
    return within(reading, spec, problem) ?? entry.call;
  }
  const step = stepOf(reading, problem.step, problem.code === 'STEP_DUPLICATE');
  if (step === undefined) return entry.call;
  const id = evaluator.fieldOf(step, 'id') ?? evaluator.fieldOf(step, 'name');
  const own = id === undefined ? keyIn(reading, problem.step) : valueNode(id);
  if (ABOUT_ID.includes(problem.code)) return own ?? evaluator.nodeOf(step) ?? entry.call;
  return within(reading, step, problem) ?? own ?? evaluator.nodeOf(step) ?? entry.call;
}

/** The key of a step or branch that is an entry of a record. */
function keyIn(reading: Reading, path: string): AnyNode | undefined {
  const [first = '', member] = path.split('/');
  const steps = member === undefined ? reading.spec.steps : branchesOf(stepOf(reading, first, false));
  const entry = Array.isArray(steps) ? undefined : reading.evaluator.fieldOf(steps, member ?? first);
  return entry === undefined ? undefined : keyOf(entry);
}

function branchesOf(step: Fields | undefined): unknown {
  return isFields(step?.parallel) ? step.parallel.branches : undefined;
}

/** The step or member of a path such as `group/member`; of two with one id, the second. */
function stepOf({ spec }: Reading, path: string, isSecond: boolean): Fields | undefined {
  const [first = '', ...rest] = path.split('/');
  const named = stepsIn(spec.steps).filter(({ id }, index) => (id ?? `step-${index + 1}`) === first);
  const step = (named[isSecond ? 1 : 0] ?? named[0])?.step;
  if (step === undefined || rest.length === 0) return step;
  const member = rest.join('/');
  const branch = stepsIn(branchesOf(step)).find(({ id }, index) => (id ?? `branch-${index + 1}`) === member);
  return branch?.step ?? membersOf(step)[0] ?? step;
}

function membersOf(step: Fields): Fields[] {
  const { each, validate } = step;
  const inside = stepsIn(branchesOf(step)).map((branch) => branch.step);
  return [...inside, isFields(each) ? each.step : undefined, isFields(validate) ? validate.onFailure : undefined].filter(isFields);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The property or text inside an object that a message is about. */
function within(reading: Reading, object: Fields, { message, code }: Problem): AnyNode | undefined {
  const named = message.replace(/ \(did you mean .*?\)/, '');
  const section = sectionOf(reading, object, named);
  const quoted = [...named.matchAll(QUOTED)].map(([, text = '']) => text).reverse();
  if (code === 'KIND_AMBIGUOUS') quoted.reverse().shift();
  const inSection = section === undefined ? undefined : quoted.map((text) => findText(section, text)).find((node) => node !== undefined);
  if (inSection !== undefined) return inSection;
  const own = quoted.map((text) => reading.evaluator.fieldOf(object, text)).find((node) => node !== undefined);
  if (own !== undefined) return keyOf(own);
  const whole = reading.evaluator.nodeOf(object);
  const anywhere = whole === undefined ? undefined : quoted.map((text) => findText(whole, text)).find((node) => node !== undefined);
  return anywhere ?? (section === undefined ? undefined : valueNode(section));
}

/** The property that the words of a message name, as deep as they do. */
function sectionOf({ evaluator }: Reading, object: Fields, message: string): AnyNode | undefined {
  const [, path] = WORDS.find(([words]) => words.test(message)) ?? [];
  if (path === undefined) {
    const targets = /leads to/.test(message) ? ['next', 'humanGate', 'human'] : [];
    return targets.map((key) => evaluator.fieldOf(object, key)).find((node) => node !== undefined);
  }
  let found: AnyNode | undefined;
  let at: unknown = object;
  for (const key of path) {
    // A transition may be inside a map from outcomes, so what is not a field here is looked for further in.
    const node = evaluator.fieldOf(at, key) ?? (found === undefined ? undefined : findKey(found, key));
    if (node === undefined) continue;
    found = node;
    at = isFields(at) ? at[key] : undefined;
  }
  return found;
}

/** The first text or key inside a node that reads as given. */
function findText(node: AnyNode, text: string): AnyNode | undefined {
  for (const inner of nodesIn(node)) {
    if (inner.type === 'Literal' && inner.value === text) return inner;
    if (inner.type === 'Property' && inner.key.type === 'Identifier' && !inner.computed && inner.key.name === text) return inner.key;
  }
  return undefined;
}

function findKey(node: AnyNode, key: string): AnyNode | undefined {
  for (const inner of nodesIn(node))
    if (inner.type === 'Property' && inner.key.type === 'Identifier' && !inner.computed && inner.key.name === key) return inner;
  return undefined;
}

function valueNode(node: AnyNode): AnyNode {
  return node.type === 'Property' ? node.value : node;
}

function keyOf(node: AnyNode): AnyNode {
  return node.type === 'Property' ? node.key : node;
}
