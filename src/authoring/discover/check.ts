// Owns the check of a definition file without running it: its syntax tree is read as data, and the same compiler that
// runs when the file is imported says what is wrong with it. What could not be read is told, and no fault is reported
// that may come from that.

import { EngineError, messageOf } from '../../base/error.ts';
import type { Problem, ProblemCode } from '../../definition/problem.ts';
import { type Quorum, quorumsIn } from '../../definition/quorum.ts';
import { compileGraph, compileWorkflow } from '../graph/graph.ts';
import type { GraphSpec } from '../graph/spec.ts';
import type { Compilers } from '../graph/work.ts';
import { checkFlow } from './flow.ts';
import { nodeOfProblem } from './position.ts';
import { type DiscoveredWorkflow, describeReading, isReading, type Reading, readModule, stepsIn } from './reading.ts';
import { type Place, placeAt, type SourceProblem } from './syntax.ts';

/** Something that only running the file would tell. */
export interface Unseen extends Place {
  readonly what: string;
}

/** What a check found in one file. */
export interface CheckedModule {
  readonly workflow?: DiscoveredWorkflow;
  readonly errors: readonly SourceProblem[];
  readonly warnings: readonly SourceProblem[];
  readonly unseen: readonly Unseen[];
  /** Where people of named groups have to agree. */
  readonly quorums?: readonly (Quorum & Place)[];
}

/** Faults that follow from others, and are told last. */
const FOLLOWS: readonly ProblemCode[] = ['UNREACHABLE', 'DEAD_END', 'NO_END', 'LOOP_UNBOUNDED', 'LOOP_REENTERED'];
/** Faults that a target without a step makes by itself. */
const OF_WRONG_TARGET: readonly ProblemCode[] = ['TARGET_UNKNOWN', 'TARGET_IN_BRANCH', 'ENTRY_UNKNOWN'];
/** Faults of the graph as a whole, which say nothing while some of its edges are not seen. */
const OF_GRAPH: readonly ProblemCode[] = [...FOLLOWS, 'NEXT_MISSING'];
/** Faults about which steps there are, which say nothing while some steps are not seen. */
const OF_STEPS: readonly ProblemCode[] = [...OF_GRAPH, ...OF_WRONG_TARGET, 'NO_STEPS', 'LOOP_REENTERED'];
/** Faults of a step that stay true whatever else it has. */
const STAY: readonly ProblemCode[] = [
  'FIELD_UNKNOWN',
  'TARGET_UNKNOWN',
  'TARGET_IN_BRANCH',
  'STEP_DUPLICATE',
  'STEP_RESERVED',
  'TIMEOUT_INVALID',
  'NUMBER_INVALID',
  'CONDITION_INVALID',
  'ARG_INVALID',
];
const EDGE_FIELDS = ['next', 'human', 'humanGate', 'id', 'name', '*'];

/** Checks a file by its text. */
export async function checkModule(file: string, text: string, compilers: Compilers): Promise<CheckedModule> {
  const read = await readModule(file, text);
  if (!isReading(read)) return { errors: [read], warnings: [], unseen: [] };
  const found = read.entry.spelling === 'flow' ? checkFlow(read) : { ...checkGraph(read, compilers), warnings: [] };
  const unseen = read.evaluator.gaps.map(({ node, what }) => ({ what, ...placeAt(text, node.start) }));
  return { workflow: describeReading(read), ...found, warnings: [...found.warnings].sort(byPlace), unseen: unseen.filter(isFirst) };
}

function isFirst({ line, column }: Unseen, index: number, all: readonly Unseen[]): boolean {
  return all.findIndex((other) => other.line === line && other.column === column) === index;
}

function checkGraph(reading: Reading, compilers: Compilers): Pick<CheckedModule, 'errors' | 'quorums'> {
  const { spec, evaluator, module, entry } = reading;
  if (evaluator.gapsOf(spec).has('steps') || (spec.steps === undefined && evaluator.gapsOf(spec).has('*'))) return { errors: [] };
  try {
    const isList = Array.isArray(spec.steps) && entry.source !== 'pawl';
    const { definition } =
      isList || entry.spelling === 'steps'
        ? compileGraph(spec as unknown as GraphSpec, compilers)
        : compileWorkflow(spec as never, compilers);
    return { errors: [], quorums: quorumsIn(definition.steps).map((quorum) => ({ ...quorum, ...placeOf(reading, quorum.step) })) };
  } catch (error) {
    if (error instanceof EngineError && Array.isArray(error.details.problems))
      return { errors: told(reading, withoutDoubt(reading, error.details.problems as readonly Problem[])) };
    // What is so wrong that it cannot be told as a fault of a step: a step that is no object, a field of the wrong type.
    const message = `the definition cannot be read: ${messageOf(error)}`;
    const place = placeAt(module.text, entry.call.start);
    return { errors: [{ code: 'DEFINITION_INVALID', message, hint: 'compare it with an example', ...place }] };
  }
}

function placeOf(reading: Reading, step: string): Place {
  return placeAt(reading.module.text, nodeOfProblem(reading, { step, code: 'GATE_INVALID', message: '', hint: '' }).start);
}

function located(reading: Reading, problem: Problem): SourceProblem {
  const { code, message, hint, step } = problem;
  const place = placeAt(reading.module.text, nodeOfProblem(reading, problem).start);
  return { code, message: step === undefined ? message : `step "${step}": ${message}`, hint, ...place };
}

/** The faults that are there whatever the unseen parts are. */
function withoutDoubt(reading: Reading, problems: readonly Problem[]): Problem[] {
  const { spec, evaluator } = reading;
  const gaps = stepsIn(spec.steps).map(({ id, step }) => ({ id, fields: deepGaps(reading, step) }));
  const areStepsSeen =
    evaluator.gapsOf(spec.steps).size === 0 && gaps.every(({ fields }) => !['id', 'name', '*'].some((key) => fields.has(key)));
  const areEdgesSeen = areStepsSeen && gaps.every(({ fields }) => !EDGE_FIELDS.some((key) => fields.has(key)));
  const own = evaluator.gapsOf(spec);
  return problems.filter(({ code, step }) => {
    if (!areStepsSeen && OF_STEPS.includes(code)) return false;
    if (!areEdgesSeen && OF_GRAPH.includes(code)) return false;
    if (step === undefined) return own.size === 0 || code === 'FIELD_UNKNOWN';
    const part = gaps.find(({ id }, index) => (id ?? `step-${index + 1}`) === step.split('/')[0]);
    return part === undefined || part.fields.size === 0 || STAY.includes(code) || OF_GRAPH.includes(code);
  });
}

/** The names of all fields that are not seen, in an object and whatever is inside it. */
function deepGaps({ evaluator }: Reading, value: unknown): Set<string> {
  const found = new Set<string>();
  const visit = (inner: unknown, under: string | undefined): void => {
    if (typeof inner !== 'object' || inner === null) return;
    for (const key of evaluator.gapsOf(inner)) found.add(under ?? key);
    for (const [key, child] of Object.entries(inner)) visit(child, under ?? key);
  };
  visit(value, undefined);
  return found;
}

/** Causes first, in the order of the file; what a missing or wrong way makes by itself is left out. */
function told(reading: Reading, problems: readonly Problem[]): SourceProblem[] {
  const isCut = problems.some(({ code }) => OF_WRONG_TARGET.includes(code) || code === 'NEXT_MISSING');
  const own = problems.filter(({ code }) => !(isCut && code === 'UNREACHABLE'));
  const causes = own.filter(({ code }) => !FOLLOWS.includes(code));
  const following = own.filter(({ code }) => FOLLOWS.includes(code));
  const all = [causes, following].flatMap((group) => group.map((problem) => located(reading, problem)).sort(byPlace));
  return all.filter((one, index) => all.findIndex((other) => other.code === one.code && byPlace(other, one) === 0) === index);
}

function byPlace(a: Place, b: Place): number {
  return a.line - b.line || a.column - b.column;
}
