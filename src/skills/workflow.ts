// Owns a skill as a workflow: each step becomes a step of an agent, which an attended run hands out one at a time and only
// after the one before was accepted. The engine counts iterations and rounds, chooses the way, and decides the gates;
// nothing that an agent types changes any of it.
//
// - A step of the skill is one step of the workflow, in the same order. What a run needs besides, such as the question to
//   a person when a review does not end, comes after them.

import { EngineError } from '../base/error.ts';
import { present } from '../base/fields.ts';
import { isJsonObject, type Json } from '../base/json.ts';
import type { ActionsBuilder, RouteChoice, StepContext } from '../definition/code.ts';
import { defineStepKind } from '../definition/own-kind.ts';
import { type ArgSpecs, arg } from '../definition/param/arg.ts';
import { asWritten, type DispatchPlace, dispatchWork, itemsOf, itemsStep, VISITS_BOUND } from './dispatch-steps.ts';
import { exhaustedPrompt, skillGate } from './gate-kind.ts';
import { CONFIDENCES, ITERATIONS_MAX } from './guidance.ts';
import { instructionsOf } from './render.ts';
import type { Routing } from './routing.ts';
import { confidenceIn, loopPosition, runContext } from './run-context.ts';
import { type GateStep, routingOf, type Skill, type SkillStep, type WorkStep, waysOf } from './skill.ts';

/** A step of the workflow. What does its work depends on the step, and is for the engine. */
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

/** How a skill is made a workflow. */
export interface SkillWorkflowOptions {
  /** The role that does its steps where the run is not attended. Default: `agent`. */
  readonly role?: string;
}

/**
 * A skill as a workflow, for `defineWorkflow({ ...skillWorkflow(skill), name: 'review' })`; the name is written out so that
 * `pawl list` sees it without running the file.
 */
export function skillWorkflow(skill: Skill, { role = 'agent' }: SkillWorkflowOptions = {}): SkillWorkflow {
  const { name, params } = skill;
  // When to use it is for whoever looks for a skill. An agent at work would read it again with every step.
  const description = skill.description.replace(/\s+(?:Use it|Not for|Invoke it)\b.*$/s, '');
  const steps = skill.steps.map((step, index): [string, object] => [step.id, stepOf(skill, { step, number: index + 1, role })]);
  const besides = skill.steps.flatMap((step, index) => partsOfStep(skill, step, index + 1));
  const [first] = skill.steps;
  const entry = first !== undefined && entryId(first) !== first.id ? { entry: entryId(first) } : {};
  return { name, description, params, ...entry, steps: Object.fromEntries([...steps, ...besides]) as unknown as SkillWorkflow['steps'] };
}

function stepOf(skill: Skill, placed: Omit<PlacedStep, 'step'> & { readonly step: SkillStep }): object {
  const { step, number } = placed;
  if (step.gate !== undefined) return gateStep(skill, step, number);
  return step.dispatch === undefined
    ? workStep(skill, { ...placed, step })
    : sentStep({ skill, step: { ...step, dispatch: step.dispatch }, number });
}

/** What a run needs besides a step of the skill: a question to a person, the entries of a list, a choice after sub-agents. */
function partsOfStep(skill: Skill, step: SkillStep, number: number): [string, object][] {
  if (step.gate !== undefined) return [[personOf(step.id), personStep(skill, step)]];
  if (step.dispatch === undefined) return [];
  const sent = { ...step, dispatch: step.dispatch };
  return [...itemsStep(sent), ...routeStep(skill, sent, number)];
}

/** The step of the workflow that a step of the skill begins with. */
function entryId(step: SkillStep): string {
  const each = step.gate === undefined ? step.dispatch?.each : undefined;
  return each !== undefined && 'document' in each ? itemsOf(step.id) : step.id;
}

function idOf(skill: Skill, to: number | null): string | null {
  return to === null ? null : entryId(skill.steps[to - 1] as SkillStep);
}

/** The question to a person about a gate, as a part of its step. */
function personOf(gate: string): string {
  return `${gate}.person`;
}

interface PlacedStep {
  readonly step: WorkStep;
  readonly number: number;
  readonly role: string;
}

function workStep(skill: Skill, { step, number, role }: PlacedStep): object {
  const { title, iterates, contract, fresh } = step;
  const gate = gateAfter(skill, number);
  const { items, verdicts } = gate?.gate ?? {};
  const isReported = gate !== undefined && (items === undefined || verdicts === undefined);
  const actions: ActionsBuilder = (params, at) => {
    const context = runContext(skill, number, { params, ...at });
    const loop = loopPosition(skill, context);
    return { ...instructionsOf(skill, context), ...present({ loop }) };
  };
  return {
    title,
    agent: role,
    actions: asWritten(actions, step),
    merges: false,
    ...(iterates === true ? { args: { confidence: CONFIDENCE } } : {}),
    ...present({ contract }),
    ...(contract?.report === undefined ? {} : { schema: contract.report }),
    ...(fresh === true ? { independent: true } : {}),
    ...(gate === undefined ? {} : { reviewOf: { gate: gate.id, ...(isReported ? {} : { items, verdicts }) } }),
    ...waysFrom(skill, { step, number, isReported }),
  };
}

/** A step that sub-agents do. */
function sentStep(place: DispatchPlace): object {
  const { skill, step, number } = place;
  const { title, contract } = step;
  const gate = gateAfter(skill, number);
  const { items, verdicts } = gate?.gate ?? {};
  const documents = items === undefined || verdicts === undefined ? undefined : { items, verdicts };
  const to = isChosen(skill, step, number) ? routeOf(step.id) : idOf(skill, waysOf(skill, number)[0] ?? null);
  return {
    title,
    ...dispatchWork(place),
    merges: false,
    ...present({ contract }),
    ...(gate === undefined || documents === undefined ? {} : { reviewOf: { gate: gate.id, ...documents } }),
    next: gate === undefined ? to : { ok: to, reject: to },
  };
}

/** Whether something chooses where a step leads. */
function isChosen(skill: Skill, step: WorkStep, number: number): boolean {
  return waysOf(skill, number).length > 1 && step.gate === undefined;
}

function routeOf(step: string): string {
  return `${step}.route`;
}

/** The choice after a step that sub-agents do: by its routing, and by the verdict that they returned. */
function routeStep(skill: Skill, step: WorkStep, number: number): [string, object][] {
  if (!isChosen(skill, step, number)) return [];
  const ways = waysOf(skill, number);
  const targets = Object.fromEntries(
    ways.map((to, index) => [outcomeOf(skill, to, index), { to: idOf(skill, to), maxIterations: VISITS_BOUND }]),
  );
  const choose = chooser(skill, step, { number, ways });
  const kind = defineStepKind({
    kind: 'skill-route',
    outcomes: Object.keys(targets).filter((outcome) => outcome !== 'ok'),
    recovery: 'rerun',
    parse: (config) => config,
    run({ ctx }) {
      const output = ctx.results[step.id]?.output ?? null;
      const results = Object.fromEntries(Object.entries(ctx.results).map(([id, result]) => [id, result.output]));
      return choose({ outcome: rejects(output) ? 'reject' : 'ok', output, params: ctx.params, visit: 1, results });
    },
  });
  asWritten(kind.run, step);
  return [[routeOf(step.id), { title: `${step.title}: what follows`, use: kind(null), next: targets }]];
}

function rejects(output: Json): boolean {
  return isJsonObject(output) && (output.verdict === 'reject' || output.status === 'FAIL');
}

const CONFIDENCE = arg({ type: 'string', choices: [...CONFIDENCES], required: true, description: 'how sure you are now' });

/** The gate that a step can lead to, if it is the review before one. */
function gateAfter(skill: Skill, number: number): GateStep | undefined {
  const to = waysOf(skill, number).find((way) => way !== null && skill.steps[way - 1]?.gate !== undefined);
  return to === undefined || to === null ? undefined : (skill.steps[to - 1] as GateStep);
}

/** Where a step can lead, and the function that chooses. */
function waysFrom(skill: Skill, { step, number, isReported }: Omit<PlacedStep, 'role'> & { readonly isReported: boolean }): object {
  const ways = waysOf(skill, number).filter((to) => to !== number || step.iterates !== true);
  const fixed = typeof step.routing === 'function' ? undefined : routingOf(skill, { step: number });
  if (fixed?.kind === 'branch') return { reviews: true, ...verdictWays(skill, { ifPass: fixed.ifPass, ifFail: fixed.ifFail }) };
  const again = step.iterates === true ? { iterate: { to: step.id, maxIterations: ITERATIONS_MAX - 1 } } : {};
  const [first = null, ...others] = ways;
  const toGate = ways.length === 1 && first !== null && skill.steps[first - 1]?.gate !== undefined;
  if (toGate && step.iterates !== true) return { reviews: isReported, ...verdictWays(skill, { ifPass: first, ifFail: first }) };
  if (others.length === 0 && step.iterates !== true) return { next: idOf(skill, first) };
  const targets = Object.fromEntries(ways.map((to, index) => [outcomeOf(skill, to, index), idOf(skill, to)]));
  return {
    next: { ...targets, ...again },
    route: {
      outcomes: [...Object.keys(again), ...Object.keys(targets).slice(1)],
      choose: asWritten(chooser(skill, step, { number, ways }), step),
    },
    reviews: false,
  };
}

function verdictWays(skill: Skill, { ifPass, ifFail }: { readonly ifPass: number; readonly ifFail: number }): object {
  const [pass, fail] = [idOf(skill, ifPass), idOf(skill, ifFail)];
  return { next: { ok: pass, fail, reject: fail } };
}

/** The outcome that leads to a step: `ok` for the first way, then one that names the step. */
function outcomeOf(skill: Skill, to: number | null, index: number): string {
  return index === 0 ? 'ok' : to === null ? 'ends' : `to-${idOf(skill, to)}`;
}

/** Chooses by how sure the agent is, and then by the routing of the skill for this run. */
function chooser(
  skill: Skill,
  step: WorkStep,
  { number, ways }: { readonly number: number; readonly ways: readonly (number | null)[] },
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
    const index = ways.indexOf(to);
    if (index === -1)
      throw new EngineError(
        'DEFINITION_INVALID',
        `the routing of step ${number} led to ${to ?? 'the end'}, which no context of its parameters does`,
      );
    return { outcome: outcomeOf(skill, to, index), output: isCapped ? capped(output) : output };
  };
}

/** The result of a step whose agent did not become sure in its last visit. */
function capped(output: Json): Json {
  return { ...(isJsonObject(output) ? output : { output }), confidence: 'capped' };
}

function targetOf(routing: Routing, number: number, outcome: 'ok' | 'reject'): number | null {
  if (routing.kind === 'terminal') return null;
  if (routing.kind === 'linear') return routing.to ?? number + 1;
  return outcome === 'reject' ? routing.ifFail : routing.ifPass;
}

function gateStep(skill: Skill, { id, title, gate }: GateStep, number: number): object {
  const { qrName, items, verdicts, passStep, workStep: work } = gate;
  const person = personOf(id);
  const documents = items === undefined || verdicts === undefined ? {} : { items, verdicts };
  return {
    title,
    use: skillGate({ qrName, review: reviewBefore(skill, number), ...documents }),
    next: {
      ok: idOf(skill, passStep),
      again: { to: idOf(skill, work), maxIterations: VISITS_BOUND, onExhausted: person },
      exhausted: person,
    },
  };
}

/** The step whose report a gate without documents reads: the nearest before it that leads to it. */
function reviewBefore(skill: Skill, number: number): string {
  const before = skill.steps.findLastIndex((_, index) => index < number - 1 && waysOf(skill, index + 1).includes(number));
  return (skill.steps[before === -1 ? 0 : before] as WorkStep).id;
}

const PERSON_OPTIONS = {
  'accept as it is': 'the skill goes on as if the review had passed',
  'allow more rounds': 'the findings are fixed and reviewed in more rounds; then you are asked again if something still stops the work',
  stop: 'the run ends here',
} as const;

function personStep(skill: Skill, { id, gate }: GateStep): object {
  const { qrName, passStep, workStep: work } = gate;
  const passed = idOf(skill, passStep);
  return {
    title: `${qrName}: a person decides`,
    human: {
      prompt: asWritten((ctx: StepContext) => exhaustedPrompt(qrName, ctx.results[id]?.output, PERSON_OPTIONS), gate),
      options: [
        passed === null ? { label: 'accept as it is', nextStep: null, ends: 'completed' } : { label: 'accept as it is', nextStep: passed },
        { label: 'allow more rounds', nextStep: idOf(skill, work) },
        { label: 'stop', nextStep: null },
      ],
    },
  };
}
