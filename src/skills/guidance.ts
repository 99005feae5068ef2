// Owns the guidance of a step, as data: a title and actions. An action is a line or paragraph of text, or a block, which is
// one XML element of a function in `blocks/`. Guidance may depend on the context.

import type { JsonObject } from '../base/json.ts';
import type { QRState } from './qr-state.ts';

/** The degrees of confidence, from none to full. */
export const CONFIDENCES = ['exploring', 'low', 'medium', 'high', 'certain'] as const;

/** How often a step that iterates is visited, at most. */
export const ITERATIONS_MAX = 5;

/** The confidence of an agent. */
export type Confidence = (typeof CONFIDENCES)[number];

/** The guidance of a step. */
export interface Guidance {
  readonly title: string;
  /** Texts and blocks, in order. An empty text is an empty line. */
  readonly actions: readonly string[];
}

/** The context that guidance can depend on. */
export interface SkillContext {
  /** The number of the step, from 1. */
  readonly step: number;
  readonly totalSteps: number;
  /** The parameters of the skill, with defaults. */
  readonly params: JsonObject;
  /** The agent's confidence at the latest visit of a step that iterates. */
  readonly confidence: Confidence;
  /** The visit of a step that iterates, from 1. */
  readonly iteration: number;
  readonly qr: QRState;
}

/** The actions of a step: fixed, or built from the context, with a title if that also depends on it. */
export type Actions = readonly string[] | ((context: SkillContext) => readonly string[] | Guidance);

/** The guidance of a step in a context. */
export function guidanceOf(step: { readonly title: string; readonly actions: Actions }, context: SkillContext): Guidance {
  const built = typeof step.actions === 'function' ? step.actions(context) : step.actions;
  return 'title' in built ? built : { title: step.title, actions: built };
}
