// Reads the reactions of a workflow file.

import { omitUndefined } from '../../../base/fields.ts';
import { camel } from '../../../base/letter-case.ts';
import type { ReactionSpec } from '../../spec/reaction.ts';
import type { YamlPath } from '../position/position.ts';
import type { YamlReaction } from '../schema/reaction.ts';
import type { YamlWorkflow } from '../schema/schema.ts';

/** The reactions of a file, in order; `targetOf` returns the first step of a stage. */
export function reactionsOf(file: YamlWorkflow, targetOf: (stage: string) => string): readonly ReactionSpec[] | undefined {
  if (file.on_events === undefined) return undefined;
  return reactionsIn(file).map(({ reaction: { event, conditions, do: kind, stage, max, notify, message } }) => ({
    event,
    do: kind,
    ...omitUndefined({ conditions: conditions && omitUndefined(camel(conditions)), step: stage && targetOf(stage), max, notify, message }),
  }));
}

/** The path of the reaction with this number. */
export function reactionPath(file: YamlWorkflow, index: number): YamlPath {
  return reactionsIn(file)[index]?.path ?? ['on_events'];
}

function reactionsIn({ on_events: reactions = [] }: YamlWorkflow): { readonly reaction: YamlReaction; readonly path: YamlPath }[] {
  if (Array.isArray(reactions)) return reactions.map((reaction: YamlReaction, index) => ({ reaction, path: ['on_events', index] }));
  return Object.entries(reactions).map(([event, reaction]) => ({
    reaction: typeof reaction === 'string' ? { event, do: reaction } : { event, ...reaction },
    path: ['on_events', event],
  }));
}
