// Owns what a step of a skill says, as data: a title and actions. An action is a line or paragraph of text, or a block,
// which is one whole XML element, as the functions in `blocks/` make them. What a step says may depend on the context.
//
// An action with markup that came in as a parameter is never a block: text from outside cannot pose as an instruction.

import type { Json, JsonObject } from '../base/json.ts';
import type { QRState } from './qr-state.ts';

/** How sure an agent is, from not at all to fully. */
export const CONFIDENCES = ['exploring', 'low', 'medium', 'high', 'certain'] as const;

/** How often a step that iterates is visited at most. */
export const ITERATIONS_MAX = 5;

/** How sure an agent is. */
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

/** An action as a renderer sees it. */
export type ActionPart =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'block';
      /** The name of its element. */
      readonly name: string;
      readonly xml: string;
    };

const BLOCK = /^<([A-Za-z_][\w-]*)(?:\s[^<>]*)?>.*<\/\1>$/s;

/** Tells texts from blocks. `params` are values from outside. */
export function partsOf(actions: readonly string[], params: JsonObject): ActionPart[] {
  const outside = textsIn(params).filter((text) => text.includes('<'));
  return actions.map((action) => {
    const [, name] = BLOCK.exec(action) ?? [];
    if (name === undefined || outside.some((text) => action.includes(text))) return { kind: 'text', text: action };
    return { kind: 'block', name, xml: action };
  });
}

/** All texts in a value. */
function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap((inner: Json) => textsIn(inner)) : [];
}
