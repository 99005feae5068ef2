// Owns the definition of a skill: a name, a description and numbered steps, which are checked and frozen. A skill is data;
// `render.ts` renders its steps.
//
// - Every number that a step names is a step of the skill.
// - The skill ends somewhere, and every step can be reached.

import { EngineError } from '../base/error.ts';
import { didYouMean } from '../base/suggest.ts';
import type { StepContract } from '../definition/contract/step-contract.ts';
import { type ArgSpecs, argFaults } from '../definition/param/arg.ts';
import { everyContext } from './contexts.ts';
import type { Actions, SkillContext } from './guidance.ts';
import type { GateConfig } from './qr-state.ts';
import type { Routing } from './routing.ts';
import { descriptionFault, nameFault } from './skill-name.ts';

/** Sub-agents that carry out a step: one, or one per entry of a list. */
export interface SkillDispatch {
  /** The role, such as `quality-reviewer`. */
  readonly agent: string;
  /** The skill that it follows, by name. */
  readonly skill: string;
  /** The parameters of that skill. They may contain parameters of this skill in braces, `{item}`, and in a review `{round}` and `{late}` (items that were added after the others were frozen). */
  readonly params?: Readonly<Record<string, string>>;
  /** One sub-agent per entry, all at the same time: a fixed list, or names (`ids`) that a document defines. */
  readonly each?: readonly string[] | { readonly document: string; readonly ids: string };
  /** How many words it may return. */
  readonly returns: number;
}

/** A step in which an agent works. */
export interface SkillWorkStep {
  /** Lower case words with hyphens, unique in the skill. */
  readonly id: string;
  readonly title: string;
  readonly actions: Actions;
  /** The routing, or a function of the context. Default: to the next step; the last step ends the skill. */
  readonly routing?: Routing | ((context: SkillContext) => Routing);
  /** The agent repeats the step until its confidence is high or certain, five times at most. */
  readonly iterates?: true;
  /** What must exist when it is done. */
  readonly contract?: StepContract;
  /** Why nothing about it can be checked; instead of a contract. */
  readonly advisory?: string;
  /** Sub-agents that carry it out. */
  readonly dispatch?: SkillDispatch;
  /** It reviews work, so an agent that did none of that work must carry it out. */
  readonly fresh?: true;
  readonly gate?: never;
}

/** A step that routes by the verdict of a review. */
export interface SkillGateStep {
  readonly id: string;
  readonly title: string;
  readonly gate: GateConfig;
  readonly actions?: never;
  readonly routing?: never;
  readonly iterates?: never;
}

/** A step of a skill. */
export type SkillStep = SkillWorkStep | SkillGateStep;

/** The argument of `defineSkill`. */
export interface SkillSpec {
  /** Lower case words with hyphens, 64 characters at most: the name of its folder. */
  readonly name: string;
  /** What it does and when to use it, 1024 characters at most. */
  readonly description: string;
  readonly params?: ArgSpecs;
  /** Documents that exist before it starts, such as those of the skill that starts its agent. */
  readonly given?: readonly string[];
  readonly steps: readonly SkillStep[];
}

/** A skill, checked and frozen. */
export interface Skill extends Required<SkillSpec> {
  readonly totalSteps: number;
}

/** The flags of the script form that are not parameters. */
export const STEP_FLAGS: readonly string[] = 'step total-steps format confidence iteration qr-iteration qr-fail qr-status'.split(' ');
const RESERVED_FLAGS: ReadonlySet<string> = new Set([...STEP_FLAGS, 'json', 'db', 'project', 'no-color', 'help', 'param']);

/** Defines a skill. One error lists all mistakes. */
export function defineSkill(spec: SkillSpec): Skill {
  const { name, description, params = {}, given = [], steps } = spec;
  const skill: Skill = Object.freeze({
    name,
    description,
    params: Object.freeze({ ...params }),
    given: Object.freeze([...given]),
    steps: Object.freeze(steps.map((step) => Object.freeze({ ...step }))),
    totalSteps: steps.length,
  });
  const faults = [...unknownFields('', spec, SPEC_FIELDS), ...headFaults(skill), ...stepFaults(skill)];
  const all = faults.length > 0 ? faults : pathFaults(skill);
  if (all.length > 0)
    throw new EngineError('DEFINITION_INVALID', `the skill "${name}" is invalid: ${all.join('; ')}`, { details: { faults: all } });
  return skill;
}

const SPEC_FIELDS = ['name', 'description', 'params', 'given', 'steps', 'totalSteps'];
const STEP_FIELDS = ['id', 'title', 'actions', 'routing', 'iterates', 'contract', 'advisory', 'dispatch', 'fresh', 'gate'];

/** Finds misspelt fields. In JavaScript, nothing else checks them, and a misspelt contract would be ignored. */
function unknownFields(at: string, value: object, known: readonly string[]): string[] {
  return Object.keys(value)
    .filter((field) => !known.includes(field))
    .map((field) => `${at}there is no field "${field}"${didYouMean(field, known)}; remove it, or fix the spelling`);
}

function headFaults({ name, description, params, steps }: Skill): string[] {
  const faults = [nameFault(name), descriptionFault(description)].filter((fault) => fault !== undefined);
  for (const [param, model] of Object.entries(params)) {
    if (RESERVED_FLAGS.has(param)) faults.push(`the parameter "${param}" has the name of a flag; rename it`);
    faults.push(...argFaults(model).map((fault) => `parameter "${param}": ${fault}`));
  }
  if (steps.length === 0) faults.push('it has no steps');
  return faults;
}

function stepFaults({ steps }: Skill): string[] {
  const ids = steps.map(({ id }) => id);
  return steps.flatMap((step, index) => {
    const { id, title, gate } = step;
    const at = `step ${index + 1}`;
    return [
      ...unknownFields(`${at}: `, step, STEP_FIELDS),
      ...(nameFault(id) === undefined ? [] : [`${at}: its id must be lower case words with hyphens, not "${id}"`]),
      ...(ids.indexOf(id) === index ? [] : [`${at}: step ${ids.indexOf(id) + 1} has the id "${id}" too`]),
      ...(title.trim() === '' ? [`${at}: it has no title`] : []),
      ...(gate === undefined ? [] : gateFaults(gate, index).map((fault) => `${at}: its gate ${fault}`)),
    ];
  });
}

/** Finds faults of a gate. In JavaScript, nothing else checks its fields. */
function gateFaults({ qrName, workStep, passStep, passMessage, selfFix, fixTarget }: Partial<GateConfig>, index: number): string[] {
  return [
    ...(qrName === undefined ? ['needs "qrName", the name of the review'] : []),
    ...(workStep === undefined ? ['needs "workStep", the number of the step that a failed review leads back to'] : []),
    ...(workStep !== undefined && workStep > index ? [`must lead back to an earlier step, not to ${workStep}`] : []),
    ...(passStep === undefined ? ['needs "passStep", the number of the step after a passed review, or null for the end'] : []),
    ...(passMessage === undefined ? ['needs "passMessage", the message when the review passes'] : []),
    ...(selfFix !== true && fixTarget === undefined ? ['needs "selfFix: true", or in "fixTarget" the role that fixes what was found'] : []),
  ];
}

/** Finds steps that lead nowhere or cannot be reached, and a skill without an end. */
function pathFaults(skill: Skill): string[] {
  const targets = skill.steps.map((_, index) => targetsOf(skill, index + 1));
  const unknown = targets.flatMap((ofStep, index) =>
    ofStep
      .filter((to) => to !== null && (!Number.isInteger(to) || to < 1 || to > skill.totalSteps))
      .map((to) => `step ${index + 1} leads to step ${to}, but the skill has steps 1 to ${skill.totalSteps}`),
  );
  if (unknown.length > 0) return unknown;
  const reached = new Set([1]);
  for (const step of reached) for (const to of targets[step - 1] ?? []) if (to !== null) reached.add(to);
  const orphans = skill.steps.flatMap((_, index) => (reached.has(index + 1) ? [] : [`no step leads to step ${index + 1}`]));
  const ends = [...reached].some((step) => targets[step - 1]?.includes(null));
  return [...orphans, ...(ends ? [] : ['no step ends it; give one terminalRouting()'])];
}

/** The possible targets of a step in any context; null is the end. */
export function targetsOf(skill: Skill, number: number): (number | null)[] {
  const step = skill.steps[number - 1] as SkillStep;
  if (step.gate !== undefined) return [step.gate.passStep, step.gate.workStep];
  const routings =
    typeof step.routing === 'function'
      ? everyContext(skill, number).map((context) => routingOf(skill, context))
      : [routingOf(skill, { step: number })];
  return [
    ...new Set(
      routings.flatMap((routing) => {
        if (routing.kind === 'branch') return [routing.ifPass, routing.ifFail];
        return [routing.kind === 'linear' ? (routing.to ?? number + 1) : null];
      }),
    ),
    ...(step.iterates === true ? [number] : []),
  ];
}

/** The gate that a step leads to; undefined if it leads to none. */
export function gateAfter(skill: Skill, number: number): SkillGateStep | undefined {
  return targetsOf(skill, number)
    .map((to) => (to === null ? undefined : skill.steps[to - 1]))
    .find((step): step is SkillGateStep => step?.gate !== undefined);
}

/** The routing of a work step in a context. */
export function routingOf(skill: Skill, context: Pick<SkillContext, 'step'> & Partial<SkillContext>): Routing {
  const { routing } = skill.steps[context.step - 1] as SkillWorkStep;
  if (typeof routing === 'function') return routing(context as SkillContext);
  return routing ?? (context.step === skill.totalSteps ? { kind: 'terminal' } : { kind: 'linear' });
}
