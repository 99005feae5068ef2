// Owns writing the reactions and the circuit breakers of a definition into a workflow file.

import { writeDuration } from '../../../base/duration.ts';
import { present } from '../../../base/fields.ts';
import type { Json } from '../../../base/json.ts';
import { snake } from '../../../base/letter-case.ts';
import type { Breakers } from '../../../definition/breakers.ts';
import type { ReactionModel } from '../../../definition/trigger/reaction.ts';
import { nonEmpty } from '../compile/part.ts';

/** The reactions as a list; `stageOf` returns the stage of a step. */
export function writeReactions(reactions: readonly ReactionModel[], stageOf: (step: string) => string): Json {
  return reactions.map(({ event, do: what, step, max, notify, message, ...conditions }) => {
    const { label, labels, assigneeIsBot, milestone, baseBranches, reviewState } = conditions;
    const lists = { labels: nonEmpty([...labels]), baseBranch: nonEmpty([...baseBranches]) };
    const written = present(snake({ label, assigneeIsBot, milestone, ...lists, reviewState }));
    return present({ event, conditions: nonEmpty(written), do: what, stage: step && stageOf(step), max, notify, message }) as Json;
  });
}

/** The limits; one that is off is written as `false`, because a missing one would get its default. */
export function writeBreakers({ iterations, toolCalls, turns, activeMs, sleepMs }: Breakers): Json {
  const time = (ms: number | undefined): string | false => (ms === undefined ? false : writeDuration(ms));
  return {
    ...{ max_iterations: iterations ?? false, max_tool_calls: toolCalls ?? false, max_turns: turns ?? false },
    ...{ max_active: time(activeMs), max_sleep: time(sleepMs) },
  };
}
