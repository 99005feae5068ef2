// Owns the questions of agents to people: finding the pending ones, matching an answer to its question, and parsing the
// answer. It reads a store and changes nothing.

import type { AgentQuestion } from '../agents/driver.ts';
import { EngineError } from '../base/error.ts';
import { type OpenQuestions, questionsOf } from '../engine/request/open-steps.ts';
import { readRunTree } from '../engine/run-tree.ts';
import type { Store } from '../store/store.ts';

/** The questions of one attempt that wait for a person. An answer that is not given at a terminal must name the digest. */
export interface WaitingQuestions extends OpenQuestions {
  readonly workflow: string;
}

/** A person's answer to one question: a string, or several if several options may be chosen. */
export type Answer = string | readonly string[];

/** The questions that wait for a person in a run and its child runs, oldest first. */
export async function readQuestions(store: Store, run: string): Promise<readonly WaitingQuestions[]> {
  const { runs } = await readRunTree(store, run);
  const all = await Promise.all(
    runs.map(async ({ state: { id, workflow } }) => (await questionsOf({ store }, id)).map((open) => ({ ...open, workflow }))),
  );
  return all.flat().sort((a, b) => a.since - b.since);
}

/** Finds the questions to answer, by their step and the digest of what the person saw. */
export function selectQuestions(
  run: string,
  waiting: readonly WaitingQuestions[],
  named: { readonly step: string | undefined; readonly digest: string | undefined },
): WaitingQuestions {
  const ofStep = waiting.filter(({ path, step }) => named.step === undefined || path === named.step || step === named.step);
  const [only, ...more] = ofStep;
  if (only === undefined) {
    const which = named.step === undefined ? '' : ` of step "${named.step}"`;
    throw new EngineError(
      'WAIT_NOT_FOUND',
      `run ${run} has no questions${which} that wait for an answer; "pawl show ${run}" shows what it waits for`,
    );
  }
  if (more.length > 0)
    throw new EngineError(
      'WAIT_NOT_FOUND',
      `${ofStep.length} steps of run ${run} ask questions; name one with --step: ${ofStep.map(({ path }) => path).join(', ')}`,
    );
  if (named.digest !== undefined && !only.digest.startsWith(named.digest))
    throw new EngineError(
      'CONTENT_CHANGED',
      `the questions of step "${only.step}" of run ${run} are not the ones you saw; "pawl inbox ${run}" shows them, with their digest`,
      { details: { digest: only.digest } },
    );
  return only;
}

/** Parses a typed answer: the label of an option, its number, or any other text. */
export function parseAnswer({ options, multiSelect }: AgentQuestion, typed: string): Answer {
  const parseWord = (word: string): string => {
    const option = options.find(({ label }) => label === word) ?? options.find(({ label }) => label.toLowerCase() === word.toLowerCase());
    return (option ?? (/^\d$/.test(word) ? options[Number(word) - 1] : undefined))?.label ?? word;
  };
  if (multiSelect !== true) return parseWord(typed.trim());
  const words = typed.split(',').map((word) => word.trim());
  return words.filter((word) => word !== '').map(parseWord);
}
