// Owns the decisions of people: whether one counts, how many it takes, and what happens when the question is about
// something else by now.
//
// K8. A decision counts only for what was shown: another digest changes nothing and is logged.
// K13. Where the question is about things outside (files, a pull request), they are looked at before it is put, and again
//      before a decision counts. When they differ, the question is put anew and every earlier decision is void.
// K14. It takes `count` people who chose the same way on; a person counts once, for the last they said. One who chose an
//      option that lets nothing pass (it goes back, or its outcome is not `ok`) is enough.
// K17. People who chose different ways on have not decided: their votes are void and the question is put anew. The third
//      time the step ends with an error, so that a split vote never waits for ever.

import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { isSamePerson } from '../base/person.ts';
import type { GateOptionModel, HumanGateModel } from '../definition/model.ts';
import { ignore } from './ignored.ts';
import type { DecidedInput, ObservedInput } from './input.ts';
import { subjectsDigest } from './question-digest.ts';
import type { Activation, Decision, Ref, Wait } from './run-state.ts';
import { withSaid } from './said.ts';
import { attemptFailed, conclude, finishWork } from './settle.ts';
import type { Turn } from './turn.ts';

/** A person chose. Where the question is about something outside, that is looked at first. */
export function takeDecision(turn: Turn, input: DecidedInput): void {
  const { path, actor, digest } = input;
  const activation = turn.activation(path);
  const wait = activation?.wait;
  if (activation === undefined || wait?.kind !== 'human') return ignore(turn, { input: 'decided', path }, 'no-wait');
  if (wait.digest === undefined || wait.digest !== digest) return ignore(turn, { input: 'decided', path }, 'stale-digest');
  const option = optionOf(turn, activation, input.option);
  const lacksText = option?.requiresInput === true && (input.text ?? '').trim() === '';
  if (option === undefined || lacksText) return ignore(turn, { input: 'decided', path }, 'not-allowed');
  const decision: Decision = {
    option: option.label,
    actor,
    ...(input.text === undefined ? {} : { text: input.text }),
    ...(input.output === undefined ? {} : { output: input.output }),
    ...(input.signature === undefined ? {} : { signature: input.signature }),
  };
  if (wait.question === undefined) return count(turn, activation, decision);
  turn.emit({ type: 'step.changed', at: turn.at, path, set: { wait: { ...wait, decided: [...(wait.decided ?? []), decision] } } });
}

function optionOf(turn: Turn, activation: Activation, label: string): GateOptionModel | undefined {
  return (turn.model(activation).gate as HumanGateModel).options.find((option) => option.label === label);
}

/** The host has looked at what lies outside: facts that expressions read, or what a question is about. */
export function takeObserved(turn: Turn, input: ObservedInput): void {
  if ('facts' in input) return turn.emit({ type: 'run.changed', at: turn.at, merge: input.facts });
  const activation = turn.activation(input.path);
  const wait = activation?.wait;
  if (activation === undefined || wait?.kind !== 'human' || wait.question === undefined || activation.attempt !== input.attempt)
    return ignore(turn, { input: 'observed', path: input.path, attempt: input.attempt }, 'late');
  const digest = subjectsDigest(wait.question, turn.view.value(input.subjects));
  if (wait.digest === digest) confirm(turn, activation, input.after);
  else putAnew(turn, activation, { subjects: input.subjects, digest });
}

/** Nothing has changed: what was decided before the look counts, in its order. */
function confirm(turn: Turn, activation: Activation, after: number): void {
  const { path } = activation;
  const { decided = [], ...wait } = activation.wait as Wait;
  const [taken, rest] = [decided.slice(0, after), decided.slice(after)];
  const set = { wait: { ...wait, ...(rest.length === 0 ? {} : { decided: rest }) } };
  turn.emit({ type: 'step.changed', at: turn.at, path, set });
  for (const decision of taken) {
    const now = turn.activation(path);
    if (now?.wait?.kind === 'human') count(turn, now, decision);
    else ignore(turn, { input: 'decided', path }, 'no-wait');
  }
}

function putAnew(turn: Turn, { path, wait }: Activation, seen: { readonly subjects: Ref; readonly digest: string }): void {
  const { decided = [], votes: _, subjects, ...rest } = wait as Wait;
  const note = subjects === undefined ? undefined : changesBetween(turn.view.value(subjects), turn.view.value(seen.subjects));
  const round = subjects === undefined ? {} : { round: (rest.round ?? 0) + 1 };
  turn.emit({
    type: 'step.changed',
    at: turn.at,
    path,
    set: { wait: { ...rest, ...seen, ...round } },
    ...(note === undefined ? {} : { note }),
  });
  for (const _decision of decided) ignore(turn, { input: 'decided', path }, 'stale-digest');
}

/** What of the things that a question is about has changed, in words. */
function changesBetween(before: Json, after: Json): string {
  const [was, is] = [leaves(before), leaves(after)];
  const names = [...new Set([...was.keys(), ...is.keys()])].filter((name) => was.get(name) !== is.get(name)).sort();
  const words = names.map((name) => `${name} ${!was.has(name) ? 'is new' : !is.has(name) ? 'is gone' : 'changed'}`);
  return `changed since it was shown: ${words.slice(0, CHANGES_MAX).join(', ')}${words.length > CHANGES_MAX ? ` and ${words.length - CHANGES_MAX} more` : ''}`;
}

const CHANGES_MAX = 10;

/** Subjects by the name that people know: `pull request 7`, `src/a.ts`. */
function leaves(subjects: Json): Map<string, string> {
  const found = new Map<string, string>();
  const { pr, files, problem } = isJsonObject(subjects) ? subjects : {};
  if (problem !== undefined) found.set('what could not be looked at', JSON.stringify(problem));
  if (isJsonObject(pr)) found.set(`the head of pull request ${String(pr.number)}`, JSON.stringify(pr));
  for (const [path, digest] of Object.entries(isJsonObject(files) ? files : {})) found.set(path, JSON.stringify(digest));
  return found;
}

/** A decision counts: it settles the question, or is one of several that it takes. */
function count(turn: Turn, activation: Activation, decision: Decision): void {
  const { path, step } = activation;
  const model = turn.model(activation);
  const gate = model.gate as HumanGateModel;
  const option = optionOf(turn, activation, decision.option) as GateOptionModel;
  const { actor, text, signature } = decision;
  const made = { gate: step, option: option.label, actor, ...(text === undefined ? {} : { input: text }) };
  const said = text === undefined ? {} : withSaid(turn.run, { by: 'choice', actor, path, option: option.label, text });
  const wait = activation.wait as Wait;
  const signed = signature === undefined ? {} : { signed: { on: 'decision' as const, path, digest: wait.digest ?? '', signature } };
  turn.emit({ type: 'run.changed', at: turn.at, decision: made, actor, ...said, ...signed });
  const votes = [...(wait.votes ?? []).filter((vote) => !isSamePerson(vote.actor, actor)), { option: option.label, actor }];
  const agreed = votes.filter((vote) => vote.option === option.label).map((vote) => vote.actor);
  const needed = gate.count ?? 1;
  if (needed > 1 && letsPass(turn, activation, option)) {
    if (agreed.length < votes.length) return disagree(turn, activation, { votes, actor });
    if (agreed.length < needed) return turn.emit({ type: 'step.changed', at: turn.at, path, set: { wait: { ...wait, votes } }, actor });
  }
  const choice = { outcome: option.outcome, choice: option.label, actor };
  if (model.kind !== 'human')
    return conclude(turn, path, { ...choice, ...(activation.held?.output === undefined ? {} : { output: activation.held.output }) });
  const output = outputOf(turn, wait, { decision, agreed, option });
  finishWork(turn, path, { ...choice, ...(output === undefined ? {} : { output }) });
}

/** Whether the work goes on behind the question by an option: not when it ends the run otherwise, or goes back. */
function letsPass(turn: Turn, { step }: Activation, { outcome, to }: GateOptionModel): boolean {
  if (outcome !== 'ok' || to === undefined) return outcome === 'ok';
  return 'step' in to ? !turn.program.goesBack(step, to.step) : to.end === 'complete';
}

const SPLITS_MAX = 3;

/** People chose different ways on. */
function disagree(
  turn: Turn,
  { path, step, wait }: Activation,
  { votes, actor }: { votes: NonNullable<Wait['votes']>; actor: string },
): void {
  const { votes: _, ...rest } = wait as Wait;
  const times = (rest.split?.times ?? 0) + 1;
  const note = `people chose differently: ${votes.map((vote) => `${vote.actor} "${vote.option}"`).join(', ')}`;
  if (times >= SPLITS_MAX) {
    const message = `the question of step "${step}" was put ${times} times, and each time ${note}`;
    return attemptFailed(turn, path, { error: { code: 'STEP_FAILED', message, reason: 'error', retryable: false } });
  }
  const set = { wait: { ...rest, round: (rest.round ?? 0) + 1, split: { times, votes } } };
  turn.emit({ type: 'step.changed', at: turn.at, path, set, actor, note: `${note}; the votes are void, and the question is put anew` });
}

interface Counted {
  readonly decision: Decision;
  readonly agreed: readonly string[];
  readonly option: GateOptionModel;
}

/** The decision as the step's result: who agreed where it took several, and which head was approved where there is one. */
function outputOf(turn: Turn, wait: Wait, { decision, agreed, option }: Counted): Ref | undefined {
  const head = option.outcome === 'ok' && wait.subjects !== undefined ? headIn(turn.view.value(wait.subjects)) : undefined;
  if (agreed.length === 1 && head === undefined) return decision.output;
  const { actor, text } = decision;
  const value: JsonObject = {
    option: option.label,
    actor,
    digest: wait.digest ?? '',
    ...(text === undefined ? {} : { input: text }),
    ...(agreed.length === 1 ? {} : { people: [...agreed] }),
    ...(head === undefined ? {} : { approved_head: head }),
  };
  return turn.view.keep(value);
}

function headIn(subjects: Json): string | undefined {
  const pr = isJsonObject(subjects) ? subjects.pr : undefined;
  return isJsonObject(pr) && typeof pr.head === 'string' ? pr.head : undefined;
}
