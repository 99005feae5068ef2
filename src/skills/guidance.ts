// Owns what a step of a skill says, as data: a title and actions. An action is a line or paragraph of text, or a block,
// which is one whole XML element, as the functions in `blocks/` make them. What a step says may depend on the context.

import type { JsonObject } from '../base/json.ts';
import type { QRState } from './qr-state.ts';

/** How sure an agent is, from not at all to fully. */
export const CONFIDENCES = ['exploring', 'low', 'medium', 'high', 'certain'] as const;

/** How often a step that iterates is visited at most. */
export const ITERATIONS_MAX = 5;

/** The confidence of an agent. */
export type Confidence = (typeof CONFIDENCES)[number];

/** What a step says. */
export interface Guidance {
  readonly title: string;
  /** Texts and blocks, in order. An empty text is an empty line. */
  readonly actions: readonly string[];
}

/** What a step can depend on. */
export interface SkillContext {
  /** The number of the step, from 1. */
  readonly step: number;
  readonly totalSteps: number;
  /** The parameters of the skill, with defaults. */
  readonly params: JsonObject;
  /** What the agent said at the latest visit of a step that iterates. */
  readonly confidence: Confidence;
  /** The visit of a step that iterates, from 1. */
  readonly iteration: number;
  readonly qr: QRState;
}

/** The actions of a step: fixed, or built from the context, with a title if that depends on it too. */
export type Actions = readonly string[] | ((context: SkillContext) => readonly string[] | Guidance);

/** What a step says in a context. */
export function guidanceOf(step: { readonly title: string; readonly actions: Actions }, context: SkillContext): Guidance {
  const built = typeof step.actions === 'function' ? step.actions(context) : step.actions;
  return 'title' in built ? built : { title: step.title, actions: built };
}
