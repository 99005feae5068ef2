// Owns the decisions of people: whether one counts, how many are needed, and what happens when the subjects of the
// question have changed.
//
// K8. A decision counts only for what was shown: another digest changes nothing and is logged.
// K13. Subjects outside the run (files, a pull request) are observed before the question is asked, and again before a
//      decision counts. If they differ, the question is asked again and every earlier decision is void.
// K14. A question needs `count` people who chose the same option; a person counts once, for their last choice. A single
//      vote is enough for an option that lets nothing pass (it goes back, or its outcome is not `ok`).
// K17. People who chose different options have not decided: their votes are void and the question is asked again. The
//      third time the step ends with an error, so that a split vote never waits for ever.

import { isSamePerson } from '../base/person.ts';
import type { ApprovalOptionModel } from '../definition/model.ts';
import type { Decision, HumanWait, Vote } from '../definition/question/asked-question.ts';
import { decisionValue } from '../definition/question/decision-value.ts';
import { withNote } from '../definition/question/notes.ts';
import { subjectsDigest } from '../definition/question/question-digest.ts';
import { type Activation, type ActivationIn, heldBy, humanWaitOf } from './activation.ts';
import type { Inputs } from './input.ts';
import { attemptFailed, conclude, finishWork } from './settle.ts';
import type { Turn } from './turn.ts';

const SPLITS_MAX = 3;

/** An activation that waits for a person. */
type OpenQuestion = { readonly activation: ActivationIn<'waiting'>; readonly wait: HumanWait };

/** One whose question was shown, with the digest of what people saw. */
type ShownQuestion = OpenQuestion & { readonly digest: string };

function askingAt(turn: Turn, path: string): OpenQuestion | undefined {
  const activation = turn.run.live[path];
  const wait = humanWaitOf(activation);
  return activation?.state === 'waiting' && wait !== undefined ? { activation, wait } : undefined;
}

/** A person chose an option. Subjects outside the run are observed before it counts (K13). */
export function onDecided(turn: Turn, input: Inputs['decided']): void {
  const { path, actor, digest, text, output, signature } = input;
  const asking = askingAt(turn, path);
  if (asking === undefined) return turn.ignore({ input: 'decided', path }, 'no-wait');
  const { activation, wait } = asking;
  if (wait.digest === undefined || wait.digest !== digest) return turn.ignore({ input: 'decided', path }, 'stale-digest');
  const option = optionOf(turn, activation, input.option);
  const lacksText = option?.requiresInput === true && (text ?? '').trim() === '';
  if (option === undefined || lacksText) return turn.ignore({ input: 'decided', path }, 'not-allowed');
  const decision: Decision = { option: option.label, actor, text, output, signature };
  if (wait.outside === undefined) return count(turn, { ...asking, digest }, decision);
  const outside = { ...wait.outside, decided: [...(wait.outside.decided ?? []), decision] };
  turn.change({ ...activation, wait: { ...wait, outside } });
}

function optionOf(turn: Turn, activation: Activation, label: string): ApprovalOptionModel | undefined {
  return turn.question(activation).options.find((option) => option.label === label);
}

/** The host observed the subjects of a question. */
export function onObserved(turn: Turn, input: Inputs['observed']): void {
  const { path, attempt, seen, changes, after } = input;
  const asking = askingAt(turn, path);
  const outside = asking?.wait.outside;
  if (asking === undefined || outside === undefined || asking.activation.attempt !== attempt)
    return turn.ignore({ input: 'observed', path, attempt }, 'late');
  const { activation, wait } = asking;
  const digest = subjectsDigest(outside.question, turn.view.value(seen.subjects));
  const decided = outside.decided ?? [];
  if (wait.digest === digest) {
    // Nothing has changed: decisions made before the observation count, in their order.
    const rest = decided.slice(after);
    const left = rest.length === 0 ? undefined : rest;
    turn.change({ ...activation, wait: { ...wait, outside: { ...outside, seen, decided: left } } });
    for (const decision of decided.slice(0, after)) {
      const still = askingAt(turn, path);
      if (still === undefined) turn.ignore({ input: 'decided', path }, 'no-wait');
      else count(turn, { ...still, digest }, decision);
    }
    return;
  }
  const round = outside.seen === undefined ? wait.round : (wait.round ?? 0) + 1;
  const { question } = outside;
  turn.change({ ...activation, wait: { ...wait, digest, round, votes: undefined, outside: { question, seen } } }, { note: changes });
  for (const _decision of decided) turn.ignore({ input: 'decided', path }, 'stale-digest');
}

/** Counts a decision: it settles the question, or is one of several votes that are needed. */
function count(turn: Turn, asking: ShownQuestion, decision: Decision): void {
  const { activation, wait, digest } = asking;
  const { path, step } = activation;
  const { actor, text, signature } = decision;
  const model = turn.model(activation);
  const option = optionOf(turn, activation, decision.option);
  if (option === undefined) return turn.ignore({ input: 'decided', path }, 'not-allowed');
  const votes = [...(wait.votes ?? []).filter((vote) => !isSamePerson(vote.actor, actor)), { option: option.label, actor }];
  const agreed = votes.filter((vote) => vote.option === option.label).map((vote) => vote.actor);
  const needed = model.question?.count ?? 1;
  const takesMore = needed > 1 && letsPass(turn, activation, option);
  const isSplit = takesMore && agreed.length < votes.length;
  const isOpen = takesMore && agreed.length < needed;
  // The event after a decision is the one about its step.
  const merge = option.outcome === 'ok' ? wait.outside?.seen?.approved : wait.outside?.seen?.refused;
  if (!isSplit && !isOpen && merge !== undefined) turn.changeRun({ change: 'merged', merge });
  const decided = { step, option: option.label, actor, input: text };
  // The next worker must know that a person sent the work back, even without a reason.
  const says = (text ?? '').trim() !== '' || (!isSplit && !letsPass(turn, activation, option));
  const notes = says ? withNote(turn.run, { by: 'choice', actor, path, option: option.label, text: text ?? '' }) : undefined;
  const signed = signature === undefined ? undefined : { on: 'decision' as const, path, digest, signature };
  turn.changeRun({ change: 'decided', decision: decided, notes, signed }, actor);
  if (isSplit) return disagree(turn, asking, { votes, actor });
  if (isOpen) return turn.change({ ...activation, wait: { ...wait, votes } }, { actor });
  const choice = { outcome: option.outcome, choice: option.label, actor };
  if (model.kind !== 'human') return conclude(turn, path, { ...choice, output: heldBy(activation)?.output });
  const extra = option.outcome === 'ok' ? wait.outside?.seen?.output : undefined;
  const isPlain = agreed.length === 1 && extra === undefined;
  if (isPlain) return finishWork(turn, path, { ...choice, output: decision.output });
  const added = extra === undefined ? null : turn.view.value(extra);
  const value = decisionValue(decision, { digest, people: agreed, added });
  finishWork(turn, path, { ...choice, output: turn.view.keep(value) });
}

/** Whether an option lets the work continue after the question: not if it ends the run otherwise, or goes back. */
function letsPass(turn: Turn, { step }: Activation, { outcome, to }: ApprovalOptionModel): boolean {
  if (outcome !== 'ok' || to === undefined) return outcome === 'ok';
  return 'step' in to ? !turn.program.goesBack(step, to.step) : to.end === 'complete';
}

/** People chose different options (K17). */
function disagree(turn: Turn, { activation, wait }: OpenQuestion, { votes, actor }: { votes: readonly Vote[]; actor: string }): void {
  const times = (wait.split?.times ?? 0) + 1;
  const note = `people chose differently: ${votes.map((vote) => `${vote.actor} "${vote.option}"`).join(', ')}`;
  if (times >= SPLITS_MAX) {
    const message = `the question of step "${activation.step}" was asked ${times} times, and each time ${note}`;
    return attemptFailed(turn, activation.path, { error: { code: 'STEP_FAILED', message, reason: 'error', retryable: false } });
  }
  const again: HumanWait = { ...wait, votes: undefined, round: (wait.round ?? 0) + 1, split: { times, votes } };
  turn.change({ ...activation, wait: again }, { actor, note: `${note}; the votes are void, and the question is asked again` });
}
