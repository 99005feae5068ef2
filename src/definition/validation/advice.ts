// Owns advice about workflows that can run but probably do not do what their author wants: questions and checks that can
// be bypassed, branches that overwrite each other, loops that change nothing, attempts that multiply, and work that
// nothing verifies. The advice does not depend on the format of a workflow.

import { createGraph, cyclesOf, isChoice, reachable, reversed, successorsOf } from '../analysis.ts';
import { writtenDatabase } from '../database.ts';
import { isAgentKind, type KindFacts, type KindRegistry, traitsOf } from '../kind.ts';
import { type Definition, type Edge, membersOf, type StepModel, stepsWithin } from '../model.ts';
import { Outcome } from '../outcome.ts';
import { isReview, isSilentWriter, overlappingWriters, writtenBy } from '../overlap.ts';
import { asksPerson, checksWork } from '../skipped-steps.ts';
import { blockedWork } from './blocked-work.ts';
import { gateWarnings } from './gate-warnings.ts';
import type { Problem } from './problem.ts';
import { bypassesIn } from './rework.ts';

/** Returns the advice about a definition, which must be valid. A flow has no graph before it runs. */
export function adviceOn(definition: Definition, registry: KindRegistry): Problem[] {
  if (definition.form === 'flow') return [];
  const steps = definition.steps.map(withoutUnusedSkip);
  const loops = loopsIn(steps.map(withoutStale));
  return [
    ...bypassAdvice(steps, definition.entry, registry),
    ...approvalAdvice(steps),
    ...gateWarnings({ steps }, registry),
    ...blockedWork(steps, registry),
    ...definition.steps.flatMap((step) => uncoveredAdvice(step, registry)),
    ...steps.flatMap((step) => [...writerAdvice(step, registry), ...recoveryAdvice(step, registry)]),
    ...loops.flatMap((loop) => loopAdvice(loop, registry)),
    ...retryAdvice(loops),
    ...unverifiedAdvice(steps, registry),
    ...steps.flatMap((step) => stepsWithin(step).flatMap((one) => databaseAdvice(one, registry))),
  ];
}

/** The step without its transition for being skipped, if only a person could skip it: such a path is not relied on. */
export function withoutUnusedSkip(step: StepModel): StepModel {
  const members = membersOf(step);
  const isSkippable = step.condition !== undefined || (members.length > 0 && members.every(({ condition }) => condition !== undefined));
  if (isSkippable || step.next.ok === undefined) return step;
  const { skip: _, ...next } = step.next;
  return { ...step, next };
}

/** The step without the transitions of a merge that found changed files or a new head: then there is new work to check. */
function withoutStale(step: StepModel): StepModel {
  const { stale_tree: _tree, stale_head: _head, ...next } = step.next;
  return { ...step, next };
}

function bypassAdvice(steps: readonly StepModel[], entry: string, facts: KindFacts): Problem[] {
  return bypassesIn(steps, entry, facts).map(({ question, rework, check }) => ({
    step: question,
    code: 'CHECK_BYPASSED',
    message: `changes made by "${rework}" after a decision at "${question}" return to it without passing "${check}"`,
    hint: `lead from "${rework}" to "${check}", so that people decide about checked work`,
  }));
}

/** Commands that publish work. A merge by the engine is tied to the approved content; these are not. */
const PUBLISHES =
  /\bgit\s+push\b|\bgh\s+(?:pr\s+merge|release\s+create)\b|\b(?:npm|pnpm|yarn|cargo|twine)\s+(?:publish|upload)\b|\bdocker\s+push\b/;

function approvalAdvice(steps: readonly StepModel[]): Problem[] {
  const landings = steps.flatMap((step, index) => (publishes(step) ? [index] : []));
  const questions = steps.flatMap(({ question }, index) => (question !== undefined && question.subjects === undefined ? [index] : []));
  if (landings.length === 0) return [];
  const successors = successorsOf(createGraph(steps));
  return questions.flatMap((question): Problem[] => {
    const ahead = reachable(successors, [question]);
    const landing = landings.find((index) => ahead[index] === true);
    const step = (steps[question] as StepModel).id;
    if (landing === undefined) return [];
    const message = `the approval does not say what it is about, and "${(steps[landing] as StepModel).id}" publishes after it: files that change in between are published without another approval`;
    return [{ step, code: 'APPROVAL_UNTIED', message, hint: 'name the files or the pull request under `subjects`' }];
  });
}

function publishes(step: StepModel): boolean {
  const text = commandText(step);
  return PUBLISHES.test(text) || membersOf(step).some(publishes);
}

function writerAdvice(step: StepModel, facts: KindFacts): Problem[] {
  if ((step.kind !== 'parallel' && step.kind !== 'each') || step.concurrency === 1 || isReview(step)) return [];
  const members = membersOf(step);
  const patternsOf = (member: StepModel): readonly string[] => (isSilentWriter(facts, member) ? ['**'] : writtenBy(member));
  const rivals =
    step.kind === 'each'
      ? members.filter((member) => patternsOf(member).length > 0).map(({ id }) => id)
      : [...overlappingWriters(members, patternsOf)];
  if (rivals.length === 0) return [];
  const isDeclared = step.kind === 'parallel' && overlappingWriters(members).size > 0;
  const who = step.kind === 'each' ? 'items' : `branches ${rivals.map((id) => `"${id}"`).join(' and ')}`;
  return [
    {
      step: step.id,
      code: 'WRITERS_OVERLAP',
      ...(isDeclared ? {} : { severity: 'hint' as const }),
      message: `${who} may write the same files; each works in a separate checkout, and conflicting changes end as outcome "conflict"`,
      hint: 'declare with `writes` which files each of them changes, or run one after the other with concurrency 1',
    },
  ];
}

/** Warns about rows that are accepted without a check. */
function databaseAdvice(step: StepModel, { kinds }: KindFacts): Problem[] {
  const written = writtenDatabase(kinds, step);
  if (written === undefined || step.postconditions.length > 0 || written.expect.length > 0) return [];
  return [
    {
      step: step.id,
      code: 'DATABASE_UNVERIFIED',
      message: `nothing checks what the step writes to the database "${written.name}" before it is accepted`,
      hint: 'add a postcondition, or a query under `expect` of the database; write `access: read` if the step only reads',
    },
  ];
}

function recoveryAdvice(step: StepModel, { kinds }: KindRegistry): Problem[] {
  if (step.recovery !== 'ask' || kinds[step.kind].recovery !== 'ask' || step.side === true) return [];
  return [
    {
      step: step.id,
      code: 'RECOVERY_DEFAULT',
      message: 'if a crash interrupts this step, a person is asked whether to run it again, because nothing says that this is safe',
      hint: 'write recovery: rerun, here or once for the whole workflow, if running it twice does no harm, reconcile if code can find out, or ask to keep it so',
    },
  ];
}

/** Steps that a run can visit again, with the transitions between them. */
interface Loop {
  readonly steps: readonly StepModel[];
  readonly edges: readonly { readonly from: StepModel; readonly to: StepModel; readonly edge: Edge; readonly isBack: boolean }[];
}

function loopsIn(steps: readonly StepModel[]): Loop[] {
  const graph = createGraph(steps);
  return cyclesOf(successorsOf(graph)).map((positions) => {
    const inside = new Set(positions);
    const edges = [...inside].flatMap((from) =>
      edgesOf(steps[from] as StepModel).flatMap((edge) => {
        const to = 'step' in edge.to ? graph.position.get(edge.to.step) : undefined;
        if (to === undefined || !inside.has(to)) return [];
        return [{ from: steps[from] as StepModel, to: steps[to] as StepModel, edge, isBack: to <= from }];
      }),
    );
    return { steps: positions.map((position) => steps[position] as StepModel), edges };
  });
}

function edgesOf({ next }: StepModel): Edge[] {
  return Object.values(next).flatMap((entry) => (isChoice(entry) ? [entry.onTrue, entry.onFalse] : [entry]));
}

function loopAdvice({ steps, edges }: Loop, facts: KindFacts): Problem[] {
  const [first] = steps;
  if (first !== undefined && steps.every((step) => traitsOf(facts, step.kind).onlyLooks === true && !asksPerson(step)))
    return [
      {
        step: first.id,
        code: 'LOOP_IDLE',
        message: `nothing in the loop of ${steps.map(({ id }) => `"${id}"`).join(', ')} changes what is checked, so every round has the same result`,
        hint: 'lead back to the step that does the work, or add a delay to the loop',
      },
    ];
  // The engine explains failures, rejections and rework to the next agent; a step that succeeded explains nothing.
  const unexplained = edges.filter(
    ({ to, from, edge, isBack }) =>
      isBack &&
      isAgentKind(facts, to.kind) &&
      to.id !== from.id &&
      from.kind !== 'human' &&
      edge.context === undefined &&
      GOOD_ENDS.some((outcome) => leadsBy(from, outcome, edge)),
  );
  const sources = new Map(unexplained.map(({ from, to }) => [from.id, to.id]));
  return [...sources].map(([step, to]) => ({
    step,
    code: 'LOOP_UNEXPLAINED',
    message: `after success the run returns to the agent at "${to}", and nothing tells that agent why`,
    hint: 'pass the reason along with the transition, such as context: { reason: "{{ result.missing }}" }',
  }));
}

const GOOD_ENDS: readonly string[] = ['ok', '_default'];

function leadsBy({ next }: StepModel, outcome: string, edge: Edge): boolean {
  const entry = next[outcome];
  return entry !== undefined && (isChoice(entry) ? entry.onTrue === edge || entry.onFalse === edge : entry === edge);
}

const ATTEMPTS_MAX = 30;

function retryAdvice(loops: readonly Loop[]): Problem[] {
  return loops.flatMap((loop) => {
    // A string next is stored under two outcomes, but is one edge.
    const bounds = new Map(loop.edges.map(({ from, to, edge }) => [`${from.id}\n${to.id}`, edge.max ?? 0]));
    const returns = [...bounds.values()].reduce((sum, max) => sum + max, 0);
    return loop.steps.flatMap(({ id, retry, contractRetries }): Problem[] => {
      const attempts = (1 + retry.max + contractRetries) * (1 + returns);
      if (retry.max === 0 || returns === 0 || attempts < ATTEMPTS_MAX) return [];
      const message = `a run can make ${attempts} attempts at this step: ${1 + retry.max + contractRetries} per visit, and its loop comes back up to ${returns} times`;
      return [{ step: id, code: 'RETRIES_MULTIPLY', message, hint: 'lower `retry` or the limit of the loop, or set a budget' }];
    });
  });
}

function unverifiedAdvice(steps: readonly StepModel[], facts: KindFacts): Problem[] {
  const successors = successorsOf(createGraph(steps));
  const checks = steps.flatMap((step, index) => (checksWork(facts, step) || asksPerson(step) || isReview(step) ? [index] : []));
  const leadsToCheck = reachable(reversed(successors), checks);
  return steps.flatMap((step, index): Problem[] => {
    const unverified = [step, ...membersOf(step)].find((one) => isAgentKind(facts, one.kind) && !verifiesItself(one));
    if (unverified === undefined || verifiesItself(step)) return [];
    if (successors[index]?.some((target) => leadsToCheck[target] === true)) return [];
    const message = `nothing verifies what the agent${unverified === step ? '' : ` at "${unverified.id}"`} did: no postcondition, output, schema, gate or question follows`;
    return [{ step: step.id, code: 'STEP_UNVERIFIED', message, hint: 'add a postcondition or a required output, or a gate after it' }];
  });
}

function verifiesItself(step: StepModel): boolean {
  const hasSchema = 'config' in step && 'schema' in step.config && step.config.schema !== undefined;
  return (
    hasSchema || step.question !== undefined || step.postconditions.length > 0 || (step.outputs ?? []).some(({ required }) => required)
  );
}

/** The command line of a step that starts a program; empty for others. */
function commandText(step: StepModel): string {
  if (!('config' in step)) return '';
  const { config } = step;
  return 'run' in config && config.run !== undefined ? config.run : 'argv' in config ? (config.argv ?? []).join(' ') : '';
}

/**
 * Returns a warning for each answer, and each outcome of successful work, that leads nowhere: a run that gets there stops and asks
 * a person, and no author plans that. The engine escalates what fails, and a rejection ends the run as rejected.
 */
function uncoveredAdvice(step: StepModel, registry: KindRegistry): Problem[] {
  const { next, question, side, id } = step;
  if (side === true || next[Outcome.DEFAULT] !== undefined) return [];
  const isCovered = (outcome: string): boolean => outcome === Outcome.REJECT || next[outcome] !== undefined;
  if (question === undefined)
    return successesOf(step, registry)
      .filter((outcome) => !isCovered(outcome))
      .map((outcome) => problem(id, `\`next\` has no transition for outcome "${outcome}"`, `add \`${outcome}\` to \`next\``));
  return question.options
    .filter(({ to, outcome }) => to === undefined && !isCovered(outcome))
    .map(({ label, outcome }) =>
      problem(
        id,
        `\`next\` has no transition for the answer "${label}"${outcome === label ? '' : `, whose outcome is "${outcome}"`}`,
        `add \`${label}\` to \`next\`, or lead the answer to a step`,
      ),
    );
}

function successesOf(step: StepModel, { kinds }: KindRegistry): readonly string[] {
  const { outcomes } = kinds[step.kind];
  // Those of a built-in kind are what went wrong; those of an application's kind are listed by its author.
  return [Outcome.OK, ...(step.routes ?? []), ...(typeof outcomes === 'function' ? outcomes(step) : [])];
}

function problem(step: string, message: string, hint: string): Problem {
  return { step, code: 'OUTCOME_UNCOVERED', message: `${message}, so the run would stop and ask a person`, hint };
}
