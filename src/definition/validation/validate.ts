// Owns the rejection of workflows that cannot work: the five structural checks and everything else that can be known
// before a run. All faults are reported at once.
//
// - A valid definition has an entry, every step can be reached from it, and from every step the run can end.
// - A valid definition has no unbounded cycle except through decisions of a person: every run ends.
// - The time is linear in the size of the definition.

import type { Json } from '../../base/json.ts';
import { createGraph, cyclesOf, type Graph, reachable, reversed, successorsOf, type Transition } from '../analysis.ts';
import { breakersFault } from '../breakers.ts';
import { budgetFault } from '../budget.ts';
import { databasesFault } from '../database.ts';
import { targetName } from '../describe.ts';
import type { KindRegistry } from '../kind.ts';
import { type ArgModel, type Definition, type GraphDefinition, membersOf, type StepModel, type Target } from '../model.ts';
import { argFaults } from '../param/arg.ts';
import { sharedVariables } from '../scope/param-variables.ts';
import { CONDITION_ROOTS } from '../scope/scope-root.ts';
import { checkReactions } from '../trigger/reaction.ts';
import { checkNamedSteps } from './named-steps.ts';
import { checkOutputReads } from './output-reads.ts';
import { type Problem, ProblemList } from './problem.ts';
import { checkStep, type StepPlace } from './validate-step.ts';

/** What a definition is validated against. */
interface ValidateOptions {
  /** All step kinds and checks. */
  readonly registry: KindRegistry;
  /** The allowed root names of conditions, if they are more than those of a graph. */
  readonly roots?: readonly string[] | 'any';
}

/** Returns all faults of a definition; none if it can run. */
export function findProblems(definition: Definition, options: ValidateOptions): readonly Problem[] {
  const problems = new ProblemList();
  checkDefinition(definition, problems, options);
  return problems.found;
}

/** Adds all faults of a definition to a list, which may already contain faults from parsing. */
export function checkDefinition(definition: Definition, problems: ProblemList, options: ValidateOptions): void {
  checkHeader(definition, problems);
  if (definition.form === 'flow') return;
  checkIds(definition, problems);
  const { registry, roots = CONDITION_ROOTS } = options;
  for (const place of placesOf(definition.steps)) {
    checkStep(place, { problems, roots, registry });
    checkArgs(place.step.args, problems, place.at);
  }
  checkNamedSteps(definition, placesOf(definition.steps), { problems, registry });
  checkGraph(definition, problems);
  checkOutputReads(definition, problems);
}

/** Whether commands take a text for the path of a workflow file instead of the name of a workflow. */
export function looksLikePath(text: string): boolean {
  return /[\\/]/.test(text) || /\.(?:[mc]?[tj]s|ya?ml)$/.test(text);
}

/** Adds the faults of a definition that have nothing to do with its steps: all that a flow can have. */
export function checkHeader(definition: Definition, problems: ProblemList): void {
  const named = JSON.stringify(definition.name);
  const hint = 'write a name such as "release"';
  if (definition.name.trim() === '' || /[\p{Cc}]/u.test(definition.name)) {
    const message = `the name of a workflow must have visible characters and no control characters, not ${named}`;
    problems.add({ code: 'NAME_INVALID', message, hint });
  } else if (looksLikePath(definition.name))
    problems.add({ code: 'NAME_INVALID', message: `the name of a workflow must not look like the path of a file, as ${named} does`, hint });
  checkArgs(definition.params, problems);
  checkVariables(Object.keys(definition.params), problems);
  checkBudget(definition.budget, problems);
  checkDatabases(definition.databases, problems);
  checkReactions(definition, problems);
  const fault = definition.breakers === undefined ? undefined : breakersFault(definition.breakers);
  if (fault !== undefined)
    problems.add({
      code: 'NUMBER_INVALID',
      message: `the circuit breakers are invalid: ${fault}`,
      hint: 'write a limit that is allowed, or remove it',
    });
  checkLimits(definition, problems);
}

function checkDatabases(databases: Definition['databases'], problems: ProblemList): void {
  const fault = databases === undefined ? undefined : databasesFault(databases as Json);
  if (fault !== undefined)
    problems.add({
      code: 'FIELD_INVALID',
      message: `\`databases\` ${fault}`,
      hint: 'write a list of names, or a map such as { book: read }',
    });
}

/** Returns every step and member with its name in messages. */
function placesOf(steps: readonly StepModel[]): StepPlace[] {
  const places = steps.flatMap((step): StepPlace[] => [
    { step, at: step.id },
    ...membersOf(step).map((member) => ({ step: member, at: `${step.id}/${member.id}`, group: step })),
  ]);
  return places.flatMap(({ step: { undo }, ...place }, index) => {
    const { step } = places[index] as StepPlace;
    return undo === undefined
      ? [{ ...place, step }]
      : [
          { ...place, step },
          { step: undo, at: `${place.at}/undo`, group: step },
        ];
  });
}

function checkArgs(args: Readonly<Record<string, ArgModel>>, problems: ProblemList, step?: string): void {
  for (const [name, model] of Object.entries(args)) {
    const faults = name in {} ? ['the name has another meaning in JavaScript'] : argFaults(model);
    for (const fault of faults)
      problems.add({
        ...(step === undefined ? { param: name } : { step }),
        code: 'ARG_INVALID',
        message: `parameter "${name}": ${fault}`,
        hint: `change the parameter under \`${step === undefined ? 'params' : 'args'}\``,
      });
  }
}

/** Programs get parameters in variables, and two parameters cannot be in one. */
function checkVariables(params: readonly string[], problems: ProblemList): void {
  for (const { variable, names } of sharedVariables(params))
    problems.add({
      param: names.at(-1) as string,
      code: 'ARG_INVALID',
      message: `the parameters ${names.map((name) => `"${name}"`).join(' and ')} would both be in the environment variable ${variable}`,
      hint: 'rename one of them',
    });
}

function checkBudget(budget: unknown, problems: ProblemList): void {
  const fault = budget === undefined ? undefined : budgetFault(budget);
  if (fault === undefined) return;
  problems.add({
    code: 'NUMBER_INVALID',
    message: `\`budget\` is invalid: ${fault}`,
    hint: 'write an amount that is allowed, or remove it',
  });
}

function checkLimits(definition: Definition, problems: ProblemList): void {
  const { maxIterations } = definition.limits;
  if (Number.isSafeInteger(maxIterations) && maxIterations > 0) return;
  problems.add({
    code: 'NUMBER_INVALID',
    message: `\`limits.maxIterations\` must be a positive integer, not ${maxIterations}`,
    hint: 'write how often a step may be visited, such as 50',
  });
}

function checkIds(definition: Definition, problems: ProblemList): void {
  if (definition.steps.length === 0) problems.add({ code: 'NO_STEPS', message: 'there are no steps', hint: 'add at least one' });
  const seen = new Set<string>();
  for (const { id } of definition.steps) {
    if (seen.has(id))
      problems.add({ step: id, code: 'STEP_DUPLICATE', message: 'there are two steps with this id', hint: 'rename one of them' });
    seen.add(id);
  }
}

interface WholeGraph extends Graph {
  readonly successors: readonly (readonly number[])[];
}

function checkGraph(definition: GraphDefinition, problems: ProblemList): void {
  const graph = createGraph(definition.steps);
  const successors = successorsOf(graph);
  checkTargets(definition, graph, problems);
  checkReachability(definition, { ...graph, successors }, problems);
  checkEnds(definition, { ...graph, successors }, problems);
  checkLoops(definition, graph, problems);
}

function checkTargets(definition: Definition, graph: Graph, problems: ProblemList): void {
  const branches = branchesOf(definition.steps);
  for (const transition of graph.transitions.flatMap((ways) => distinctWays(ways.filter((way) => leadsNowhere(graph, way))))) {
    const target = targetName(transition.to);
    const group = branches.get(target);
    if (group === undefined) problems.add(unknownTarget(transition, target, problems.suggest(target, graph.position.keys())));
    else problems.add(targetInBranch(transition, target, group));
  }
}

function leadsNowhere({ position }: Graph, { to }: Transition): boolean {
  return 'step' in to && !position.has(to.step);
}

/** A string next is stored under two outcomes, but its faults are reported once. */
function distinctWays(transitions: readonly Transition[]): Transition[] {
  if (transitions.length < 2) return [...transitions];
  const ways = new Map<string, Transition>();
  for (const transition of transitions) {
    const { via, to, condition, on } = transition;
    const key = JSON.stringify([via, to, condition, via === 'option' && on]);
    if (!ways.has(key)) ways.set(key, transition);
  }
  return [...ways.values()];
}

function branchesOf(steps: readonly StepModel[]): Map<string, string> {
  const branches = new Map<string, string>();
  for (const step of steps) {
    for (const { id } of membersOf(step)) branches.set(id, step.id).set(`${step.id}/${id}`, step.id);
  }
  return branches;
}

function unknownTarget(transition: Transition, target: string, suggestion: string): Problem {
  const message = `${describe(transition)} leads to "${target}", which does not exist${suggestion}`;
  return { step: transition.from, code: 'TARGET_UNKNOWN', message, hint: 'name a step, or null to end the run' };
}

function targetInBranch(transition: Transition, target: string, group: string): Problem {
  const message = `${describe(transition)} leads to "${target}", which is a branch of "${group}"`;
  return { step: transition.from, code: 'TARGET_IN_BRANCH', message, hint: `a branch starts with its group; lead to "${group}"` };
}

function describe({ via, on, condition }: Transition): string {
  if (via === 'option') return `the option "${on}"`;
  const when = condition === undefined ? '' : ` with a ${condition.is} condition`;
  return via === 'bound' ? `the loop limit of "${on}"${when}` : `the outcome "${on}"${when}`;
}

function checkReachability(definition: GraphDefinition, graph: WholeGraph, problems: ProblemList): void {
  if (definition.steps.length === 0) return;
  const entry = graph.position.get(definition.entry);
  if (entry === undefined) {
    const suggestion = problems.suggest(definition.entry, graph.position.keys());
    const message = `the entry "${definition.entry}" does not exist${suggestion}`;
    problems.add({ code: 'ENTRY_UNKNOWN', message, hint: 'name the step the run starts with' });
    return;
  }
  // Steps behind a transition that could not be read only seem unreachable.
  if (problems.mistyped.size > 0) return;
  const sides = definition.steps.flatMap(({ side }, index) => (side === true ? [index] : []));
  const seen = reachable(graph.successors, [entry, ...sides]);
  definition.steps.forEach(({ id }, index) => {
    if (seen[graph.position.get(id) ?? index] !== true)
      problems.add({
        step: id,
        code: 'UNREACHABLE',
        message: `no path leads here from the entry "${definition.entry}"`,
        hint: 'add a transition to it, or remove it',
      });
  });
}

function checkEnds(definition: Definition, graph: WholeGraph, problems: ProblemList): void {
  // A step with a missing or unknown target has its own fault, which is not reported again for all steps before it.
  const isBroken = (transitions: readonly Transition[]) => transitions.length === 0 || transitions.some((way) => leadsNowhere(graph, way));
  if (!graph.transitions.some((transitions) => isBroken(transitions) || transitions.some(({ to }) => isTerminal(to)))) {
    if (definition.steps.length > 0)
      problems.add({
        code: 'NO_END',
        message: 'no transition ends the run',
        hint: 'write `next: null` at the last step, or lead an outcome to null',
      });
    return;
  }
  const ends = graph.transitions.flatMap((transitions, index) => (isBroken(transitions) || transitions.some(isWayOut) ? [index] : []));
  const escapes = reachable(reversed(graph.successors), ends);
  definition.steps.forEach(({ id, side }, index) => {
    if (escapes[index] !== true && side !== true)
      problems.add({
        step: id,
        code: 'DEAD_END',
        message: 'from here the run can never end',
        hint: 'lead one of its outcomes, or one of a later step, to an end',
      });
  });
}

/** An escalation waits for a person, so it does not make a workflow finite. */
function isTerminal(target: Target): boolean {
  return 'end' in target && target.end !== 'escalate';
}

/** An escalation that the author wrote is a way out; the implicit one of every bounded loop is not. */
function isWayOut({ to, via }: Transition): boolean {
  return isTerminal(to) || ('end' in to && via !== 'bound');
}

function checkLoops(definition: Definition, graph: Graph, problems: ProblemList): void {
  const isFree = ({ via, max }: Transition) => via === 'bound' || (via === 'edge' && max === undefined);
  for (const cycle of cyclesOf(successorsOf(graph, isFree))) {
    const members = new Set(cycle.map((position) => (definition.steps[position] as StepModel).id));
    const inside = cycle.flatMap((position) => graph.transitions[position] ?? []).filter(({ to }) => 'step' in to && members.has(to.step));
    const bounds = inside.filter(({ via }) => via === 'bound');
    for (const transition of distinctWays(bounds)) problems.add(reenteredLoop(transition));
    if (bounds.length === 0) problems.add(unboundedLoop([...members].sort()));
  }
}

function reenteredLoop(transition: Transition): Problem {
  const target = targetName(transition.to);
  const message = `${describe(transition)} leads to "${target}", and from there back into the same loop without a limit`;
  return { step: transition.from, code: 'LOOP_REENTERED', message, hint: 'let `onExhausted` lead out of the loop, or to "escalate"' };
}

function unboundedLoop(members: readonly string[]): Problem {
  const message = `the steps ${members.map((id) => `"${id}"`).join(', ')} form a loop without a limit`;
  return {
    step: members[0] as string,
    code: 'LOOP_UNBOUNDED',
    message,
    hint: 'limit one of its transitions with maxIterations (max_iterations in a file)',
  };
}
