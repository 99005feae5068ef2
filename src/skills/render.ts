// Renders one step of a skill: its guidance and its routing for a request, as XML, text or JSON. The same skill and the
// same request give the same bytes.

import { shellWord } from '../base/shell-word.ts';
import { type ActionPart, partsOf, partText } from '../definition/action-part.ts';
import { formatGateActions, gateFollowing } from './blocks/review.ts';
import { commandOf, formatStepParts, type NextCommand, type StepPosition, stepCommand } from './blocks/step.ts';
import { contextOf, type StepRequest } from './contexts.ts';
import { formatDoneWhen } from './contract-text.ts';
import { CONFIDENCES, type Guidance, guidanceOf, ITERATIONS_MAX, type SkillContext } from './guidance.ts';
import { type GateConfig, type QRState, type QRStatus, qrFlags } from './qr-state.ts';
import { routingOf, type Skill, type SkillStep, type SkillWorkStep } from './skill.ts';
import { formatTextOutput } from './text.ts';

/** The formats of a step. */
export const STEP_FORMATS = ['xml', 'text', 'json'] as const;

/** A format of a step. */
export type StepFormat = (typeof STEP_FORMATS)[number];

/** One step of a skill, ready to be rendered. */
export interface StepGuidance {
  readonly skill: string;
  readonly id: string;
  readonly step: number;
  readonly totalSteps: number;
  readonly title: string;
  readonly parts: readonly ActionPart[];
  readonly following: NextCommand;
  /** The title of the step that follows on success; null after the last one. */
  readonly nextTitle: string | null;
}

/** The program that prints a step, and its format. */
export interface Renderer {
  /** A command without its flags: `pawl skill step NAME`, or a program. */
  readonly script: string;
  /** The flag of a parameter. Default: `--NAME VALUE`. */
  readonly paramFlag?: (name: string, value: string) => string;
}

/** The output of one step. */
export function renderStep(
  skill: Skill,
  request: StepRequest,
  { format = 'xml', ...by }: Renderer & { readonly format?: StepFormat },
): string {
  const guidance = stepGuidance(skill, request, by);
  const { step, totalSteps: total, title, parts, following, nextTitle } = guidance;
  if (format === 'xml') return `${formatStepParts({ script: skill.name, step, total, title, parts, following })}\n`;
  if (format === 'json') return `${JSON.stringify(stepJson(guidance), null, 2)}\n`;
  const actions = parts.map(partText);
  return `${[formatTextOutput({ step, total, title, actions, nextTitle }), ...commandLines(following)].join('\n')}\n`;
}

function commandLines(following: NextCommand): string[] {
  if (following.kind === 'terminal') return [];
  if (following.kind === 'linear') return [`  ${following.command}`];
  return [`  if it passes: ${following.ifPass}`, `  if it fails:  ${following.ifFail}`];
}

function stepJson({ parts, following, ...rest }: StepGuidance): object {
  return { schemaVersion: 1, ...rest, actions: parts, next: commandOf(following) ?? null, invokeAfter: following };
}

/** The text of a step for a request, and the commands that follow. */
export function stepGuidance(skill: Skill, request: StepRequest, { script, paramFlag = longFlag }: Renderer): StepGuidance {
  const context = contextOf(skill, request);
  const step = skill.steps[context.step - 1] as SkillStep;
  const flags = Object.entries(request.params ?? {}).map(([name, value]) =>
    paramFlag(name, typeof value === 'string' ? value : JSON.stringify(value)),
  );
  const { title, actions } = guidanceFor(skill, context);
  const { following, next } = followingOf(skill, context, { script, step: context.step, total: skill.totalSteps, flags });
  return {
    skill: skill.name,
    id: step.id,
    step: context.step,
    totalSteps: skill.totalSteps,
    title,
    parts: partsOf(actions, context.params),
    following,
    nextTitle: next === undefined ? null : (skill.steps[next - 1] as SkillStep).title,
  };
}

function longFlag(name: string, value: string): string {
  return value.startsWith('-') ? `--${name}=${shellWord(value)}` : `--${name} ${shellWord(value)}`;
}

const CONFIDENCE_QUESTION = `When you have done this, say how sure you are (CONFIDENCE): ${CONFIDENCES.join(', ')}. "high" and "certain" end the repetition.`;

function guidanceFor(skill: Skill, context: SkillContext): Guidance {
  const step = skill.steps[context.step - 1] as SkillStep;
  if (step.gate !== undefined) return { title: step.title, actions: formatGateActions({ qr: context.qr, gate: step.gate }) };
  return instructionsOf(skill, context);
}

/** The guidance of a work step in a context: the same in the stateless form and in a run. */
export function instructionsOf(skill: Skill, context: SkillContext): Guidance {
  const step = skill.steps[context.step - 1] as SkillWorkStep;
  const { title, actions } = guidanceOf(step, context);
  const done = step.contract === undefined ? undefined : formatDoneWhen(step.contract, context.params);
  return {
    title,
    actions: [...actions, ...(done === undefined ? [] : [done]), ...(isRepeated(step, context) ? ['', CONFIDENCE_QUESTION] : [])],
  };
}

/** Whether a step is repeated: the confidence is low, and there are visits left. */
function isRepeated(step: SkillStep, { confidence, iteration }: SkillContext): boolean {
  return step.iterates === true && confidence !== 'high' && confidence !== 'certain' && iteration < ITERATIONS_MAX;
}

interface NextStep {
  readonly following: NextCommand;
  /** The step that follows on success. */
  readonly next: number | undefined;
}

function followingOf(skill: Skill, context: SkillContext, at: StepPosition): NextStep {
  const { qr } = context;
  const step = skill.steps[context.step - 1] as SkillStep;
  if (step.gate !== undefined) return afterGate(at, qr, step.gate);
  if (isRepeated(step, context)) {
    const { iteration, failed } = qr;
    const again = ['--confidence CONFIDENCE', `--iteration ${context.iteration + 1}`, ...qrFlags({ iteration, failed })];
    const command = stepCommand(at, again);
    return { following: { kind: 'linear', command }, next: context.step };
  }
  // The round is passed on until the gate, which decides about the next one. A gate is also told the verdict.
  const to = (number: number, status: QRStatus): string => {
    const { iteration, failed } = qr;
    const isGate = skill.steps[number - 1]?.gate !== undefined;
    return stepCommand({ ...at, step: number }, qrFlags(isGate ? { iteration, failed: false, status } : { iteration, failed }));
  };
  const routing = routingOf(skill, context);
  if (routing.kind === 'terminal') return { following: routing, next: undefined };
  const next = routing.kind === 'branch' ? routing.ifPass : (routing.to ?? context.step + 1);
  if (routing.kind === 'linear' && skill.steps[next - 1]?.gate === undefined)
    return { following: { kind: 'linear', command: to(next, 'pass') }, next };
  const ifFail = to(routing.kind === 'branch' ? routing.ifFail : next, 'fail');
  return { following: { kind: 'branch', ifPass: to(next, 'pass'), ifFail }, next };
}

function afterGate(at: StepPosition, qr: QRState, gate: GateConfig): NextStep {
  const following = gateFollowing(at, { qr, gate });
  if (following.kind === 'terminal') return { following, next: undefined };
  return { following, next: qr.status === 'fail' ? gate.workStep : (gate.passStep ?? undefined) };
}
