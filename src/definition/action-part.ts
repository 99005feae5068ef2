// Owns the parts of a step's action: a line or paragraph of text, or a block, which is one whole XML element that its
// author wrote. Renderers print blocks as they are and escape everything else.
//
// An action with markup from outside is never a block, so that such text cannot pass as an instruction.

import type { Json } from '../base/json.ts';

/** An action as a renderer sees it. */
export type ActionPart =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'block';
      /** The name of the XML element. */
      readonly name: string;
      readonly xml: string;
    };

const BLOCK = /^<([A-Za-z_][\w-]*)(?:\s[^<>]*)?>.*<\/\1>$/s;

/** Distinguishes texts from blocks. `outside` are values that the author did not write: parameters and results. */
export function partsOf(actions: readonly string[], outside: Json): ActionPart[] {
  const texts = textsIn(outside).filter((text) => text.includes('<'));
  return actions.map((action) => {
    const [, name] = BLOCK.exec(action) ?? [];
    if (name === undefined || texts.some((text) => action.includes(text))) return { kind: 'text', text: action };
    return { kind: 'block', name, xml: action };
  });
}

/** All texts in a value. */
function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap((inner: Json) => textsIn(inner)) : [];
}

/** A part as plain text. */
export function partText(part: ActionPart): string {
  return part.kind === 'block' ? part.xml : part.text;
}
