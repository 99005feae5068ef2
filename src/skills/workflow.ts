// Converts a skill into a workflow: each step becomes a step of an agent, which an attended run hands out after the one
// before was accepted. The engine counts iterations and rounds, chooses transitions and decides gates; an agent cannot
// change any of it.
//
// - A step of the skill is one step of the workflow, in the same order. Extra steps, such as the question to a person when a
//   review does not end, follow after them.

import { EngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { isJsonObject, type Json } from '../base/json.ts';
import type { ActionsBuilder, RouteChoice, StepContext } from '../definition/code.ts';
import { defineStepKind } from '../definition/custom-kind.ts';
import { type ArgSpecs, arg } from '../definition/param/arg.ts';
import { dispatchWork, itemsStep, itemsStepId, type NumberedDispatch, VISITS_MAX, withAuthorSource } from './dispatch-steps.ts';
import { exhaustedPrompt, skillGate } from './gate-kind.ts';
import { CONFIDENCES, ITERATIONS_MAX } from './guidance.ts';
import { instructionsOf } from './render.ts';
import type { Routing } from './routing.ts';
import { confidenceIn, loopPosition, runContext } from './run-context.ts';
import { gateAfter, routingOf, type Skill, type SkillGateStep, type SkillStep, type SkillWorkStep, targetsOf } from './skill.ts';

/** A step of the workflow; the fields about its work are internal. */
export interface SkillWorkflowStep {
  readonly title: string;
  readonly actions: ActionsBuilder;
  readonly next: string | null;
}

/** The argument of `defineWorkflow`. */
export interface SkillWorkflow {
  readonly name: string;
  readonly description: string;
  readonly params: ArgSpecs;
  readonly entry?: string;
  readonly steps: Readonly<Record<string, SkillWorkflowStep>>;
}

/** Options for converting a skill into a workflow. */
export interface SkillWorkflowOptions {
  /** The role that does its steps if the run is not attended. Default: `agent`. */
  readonly role?: string;
}

/**
 * Converts a skill into a workflow, for `defineWorkflow({ ...skillWorkflow(skill), name: 'review' })`. The name is written out
 * so that `pawl list` finds it without running the file.
 */
export function skillWorkflow(skill: Skill, { role = 'agent' }: SkillWorkflowOptions = {}): SkillWorkflow {
  const { name, params } = skill;
  // The advice on when to use the skill is removed, because it would be part of the instructions of every step.
  const description = skill.description.replace(/\s+(?:Use it|Not for|Invoke it)\b.*$/s, '');
  const steps = skill.steps.map((step, index): [string, object] => [step.id, stepOf(skill, { step, number: index + 1, role })]);
  const extra = skill.steps.flatMap((step, index) => extraSteps(skill, step, index + 1));
  const [first] = skill.steps;
  const entry = first !== undefined && entryId(first) !== first.id ? { entry: entryId(first) } : {};
  return { name, description, params, ...entry, steps: Object.fromEntries([...steps, ...extra]) as unknown as SkillWorkflow['steps'] };
}

function stepOf(skill: Skill, placed: Omit<NumberedStep, 'step'> & { readonly step: SkillStep }): object {
  const { step, number } = placed;
  if (step.gate !== undefined) return gateStep(skill, step, number);
  return step.dispatch === undefined
    ? workStep(skill, { ...placed, step })
    : dispatchStep({ skill, step: { ...step, dispatch: step.dispatch }, number });
}

/** The extra steps for a step of the skill: a question to a person, the entries of a list, a choice after sub-agents. */
function extraSteps(skill: Skill, step: SkillStep, number: number): [string, object][] {
  if (step.gate !== undefined) return [[personStepId(step.id), personStep(skill, step)]];
  if (step.dispatch === undefined) return [];
  return [...itemsStep({ ...step, dispatch: step.dispatch }), ...routeStep(skill, step, number)];
}

/** The first step of the workflow for a step of the skill. */
function entryId(step: SkillStep): string {
  const each = step.gate === undefined ? step.dispatch?.each : undefined;
  return each !== undefined && 'document' in each ? itemsStepId(step.id) : step.id;
}

function workflowStepId(skill: Skill, to: number | null): string | null {
  return to === null ? null : entryId(skill.steps[to - 1] as SkillStep);
}

/** The id of the question to a person about a gate. */
function personStepId(gate: string): string {
  return `${gate}.person`;
}

interface NumberedStep {
  readonly step: SkillWorkStep;
  readonly number: number;
  readonly role: string;
}

function workStep(skill: Skill, { step, number, role }: NumberedStep): object {
  const { title, iterates, contract, fresh } = step;
  const gate = gateAfter(skill, number);
  const documents = documentsOf(gate);
  const isReported = gate !== undefined && documents === undefined;
  const actions: ActionsBuilder = (params, at) => {
    const context = runContext(skill, number, { params, ...at });
    const loop = loopPosition(skill, context);
    return { ...instructionsOf(skill, context), ...omitUndefined({ loop }) };
  };
  return {
    title,
    agent: role,
    actions: withAuthorSource(actions, step),
    merges: false,
    ...(iterates === true ? { args: { confidence: CONFIDENCE } } : {}),
    ...omitUndefined({ contract }),
    ...(contract?.report === undefined ? {} : { schema: contract.report }),
    ...(fresh === true ? { independent: true } : {}),
    ...(gate === undefined ? {} : { reviewOf: { gate: gate.id, ...documents } }),
    ...transitionsOf(skill, { step, number, isReported }),
  };
}

/** A step that sub-agents carry out. */
function dispatchStep(dispatched: NumberedDispatch): object {
  const { skill, step, number } = dispatched;
  const { title, contract } = step;
  const gate = gateAfter(skill, number);
  const documents = documentsOf(gate);
  const to = hasChoice(skill, step, number) ? routeStepId(step.id) : workflowStepId(skill, targetsOf(skill, number)[0] ?? null);
  return {
    title,
    ...dispatchWork(dispatched),
    merges: false,
    ...omitUndefined({ contract }),
    ...(gate === undefined || documents === undefined ? {} : { reviewOf: { gate: gate.id, ...documents } }),
    next: gate === undefined ? to : { ok: to, reject: to },
  };
}

/** Whether a step has several possible targets. */
function hasChoice(skill: Skill, step: SkillWorkStep, number: number): boolean {
  return targetsOf(skill, number).length > 1 && step.gate === undefined;
}

function routeStepId(step: string): string {
  return `${step}.route`;
}

/** The step that chooses the target after sub-agents, by the routing and by their verdict. */
function routeStep(skill: Skill, step: SkillWorkStep, number: number): [string, object][] {
  if (!hasChoice(skill, step, number)) return [];
  const successors = targetsOf(skill, number);
  const targets = Object.fromEntries(
    successors.map((to, index) => [outcomeOf(skill, to, index), { to: workflowStepId(skill, to), maxIterations: VISITS_MAX }]),
  );
  const choose = chooser(skill, step, { number, successors });
  const kind = defineStepKind({
    kind: 'skill-route',
    outcomes: Object.keys(targets).filter((outcome) => outcome !== 'ok'),
    recovery: 'rerun',
    parse: (config) => config,
    run({ ctx }) {
      const { results } = ctx.checkpoint;
      const output = results[step.id] ?? null;
      return choose({ outcome: rejects(output) ? 'reject' : 'ok', output, params: ctx.params, visit: 1, results });
    },
  });
  withAuthorSource(kind.run, step);
  return [[routeStepId(step.id), { title: `${step.title}: what follows`, use: kind(null), next: targets }]];
}

function rejects(output: Json): boolean {
  return isJsonObject(output) && (output.verdict === 'reject' || output.status === 'FAIL');
}

const CONFIDENCE = arg({ type: 'string', choices: [...CONFIDENCES], required: true, description: 'how sure you are now' });

/** The transitions of a step, and the function that chooses one. */
function transitionsOf(skill: Skill, { step, number, isReported }: Omit<NumberedStep, 'role'> & { readonly isReported: boolean }): object {
  const successors = targetsOf(skill, number).filter((to) => to !== number || step.iterates !== true);
  const fixed = typeof step.routing === 'function' ? undefined : routingOf(skill, { step: number });
  if (fixed?.kind === 'branch') return { reviews: true, ...verdictTransitions(skill, fixed) };
  const again = step.iterates === true ? { iterate: { to: step.id, maxIterations: ITERATIONS_MAX - 1 } } : {};
  const [first = null, ...others] = successors;
  const toGate = successors.length === 1 && first !== null && skill.steps[first - 1]?.gate !== undefined;
  if (toGate && step.iterates !== true) return { reviews: isReported, ...verdictTransitions(skill, { ifPass: first, ifFail: first }) };
  if (others.length === 0 && step.iterates !== true) return { next: workflowStepId(skill, first) };
  const targets = Object.fromEntries(successors.map((to, index) => [outcomeOf(skill, to, index), workflowStepId(skill, to)]));
  return {
    next: { ...targets, ...again },
    route: {
      outcomes: [...Object.keys(again), ...Object.keys(targets).slice(1)],
      choose: withAuthorSource(chooser(skill, step, { number, successors }), step),
    },
    reviews: false,
  };
}

function verdictTransitions(skill: Skill, { ifPass, ifFail }: { readonly ifPass: number; readonly ifFail: number }): object {
  const [pass, fail] = [workflowStepId(skill, ifPass), workflowStepId(skill, ifFail)];
  return { next: { ok: pass, fail, reject: fail } };
}

/** The outcome that leads to a step: `ok` for the first target, otherwise one that names the step. */
function outcomeOf(skill: Skill, to: number | null, index: number): string {
  return index === 0 ? 'ok' : to === null ? 'ends' : `to-${workflowStepId(skill, to)}`;
}

/** Chooses the target by the confidence of the agent, then by the routing of the skill for this run. */
function chooser(
  skill: Skill,
  step: SkillWorkStep,
  { number, successors }: { readonly number: number; readonly successors: readonly (number | null)[] },
): RouteChoice {
  return ({ outcome, output, params, visit, results }) => {
    const confidence = confidenceIn(output);
    const isSure = confidence === 'high' || confidence === 'certain';
    const isCapped = step.iterates === true && !isSure && visit >= ITERATIONS_MAX;
    if (step.iterates === true && !isSure && !isCapped) return { outcome: 'iterate', output };
    const context = { ...runContext(skill, number, { params, visit, results }), ...(step.iterates === true ? { confidence } : {}) };
    const routing = routingOf(skill, context);
    if (outcome === 'reject' && routing.kind !== 'branch') return { outcome, output };
    const to = targetOf(routing, number, outcome);
    const index = successors.indexOf(to);
    if (index === -1)
      throw new EngineError(
        'DEFINITION_INVALID',
        `the routing of step ${number} leads to ${to ?? 'the end'}, but not for any values of its parameters that are known`,
      );
    return { outcome: outcomeOf(skill, to, index), output: isCapped ? capped(output) : output };
  };
}

/** The result of a step after its last visit, if the confidence is still low. */
function capped(output: Json): Json {
  return { ...(isJsonObject(output) ? output : { output }), confidence: 'capped' };
}

function targetOf(routing: Routing, number: number, outcome: 'ok' | 'reject'): number | null {
  if (routing.kind === 'terminal') return null;
  if (routing.kind === 'linear') return routing.to ?? number + 1;
  return outcome === 'reject' ? routing.ifFail : routing.ifPass;
}

/** The documents that a gate reads; undefined if it reads the report of its review. */
function documentsOf(step: SkillGateStep | undefined): { readonly items: string; readonly verdicts: string } | undefined {
  const { items, verdicts } = step?.gate ?? {};
  return items === undefined || verdicts === undefined ? undefined : { items, verdicts };
}

function gateStep(skill: Skill, step: SkillGateStep, number: number): object {
  const { id, title, gate } = step;
  const { qrName, passStep, workStep: work } = gate;
  const person = personStepId(id);
  return {
    title,
    use: skillGate({ qrName, review: reviewBefore(skill, number), ...documentsOf(step) }),
    next: {
      ok: workflowStepId(skill, passStep),
      again: { to: workflowStepId(skill, work), maxIterations: VISITS_MAX, onExhausted: person },
      exhausted: person,
    },
  };
}

/** The review whose report a gate without documents reads: the nearest earlier step that leads to the gate. */
function reviewBefore(skill: Skill, number: number): string {
  const before = skill.steps.findLastIndex((_, index) => index < number - 1 && targetsOf(skill, index + 1).includes(number));
  return (skill.steps[before === -1 ? 0 : before] as SkillWorkStep).id;
}

const PERSON_OPTIONS = {
  'accept as it is': 'the skill goes on as if the review had passed',
  'allow more rounds': 'the findings are fixed and reviewed in more rounds; then you are asked again if something still stops the work',
  stop: 'the run ends here',
} as const;

function personStep(skill: Skill, { id, gate }: SkillGateStep): object {
  const { qrName, passStep, workStep: work } = gate;
  const passed = workflowStepId(skill, passStep);
  return {
    title: `${qrName}: a person decides`,
    human: {
      prompt: withAuthorSource((ctx: StepContext) => exhaustedPrompt(qrName, ctx.checkpoint.results[id], PERSON_OPTIONS), gate),
      options: [
        { label: 'accept as it is', nextStep: passed ?? 'complete' },
        { label: 'allow more rounds', nextStep: workflowStepId(skill, work) },
        { label: 'stop', nextStep: 'reject' },
      ],
    },
  };
}
