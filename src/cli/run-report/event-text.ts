// Owns the texts of the events of a run's log: one line per event, with stable wording, so that lines can be searched and
// compared.

import { stepWaits } from '../../attended/wait-words.ts';
import { formatDuration } from '../../base/duration.ts';
import { unreachable } from '../../base/invariant.ts';
import type { Budget } from '../../definition/budget.ts';
import type { Group } from '../../definition/group/join.ts';
import { type Activation, type Wait, waitOf } from '../../kernel/activation.ts';
import type { EventOf, RunEvent } from '../../kernel/event.ts';
import { counted, oneLine } from '../terminal.ts';
import { countTexts } from './text.ts';

/** The path of an event's step; empty for events of the run as a whole. */
export function eventPath(event: RunEvent): string {
  if (event.type === 'run.started' || event.type === 'run.changed') return '';
  if (event.type === 'edge.taken') return event.from ?? '';
  return ('activation' in event ? event.activation.path : event.path) ?? '';
}

/** An event as one line. */
export function eventText(event: RunEvent): string {
  return oneLine(textOf(event));
}

function textOf(event: RunEvent): string {
  switch (event.type) {
    case 'run.started':
      return `run of ${event.run.workflow} started${event.fork === undefined ? '' : `, forked from ${event.fork.run} at ${event.fork.step}`}`;
    case 'run.changed':
      return runText(event);
    case 'step.opened':
      return openedText(event.activation);
    case 'step.changed':
      return changedText(event);
    case 'step.settled':
      return settledText(event);
    case 'edge.taken':
      return `on ${event.outcome} goes to ${event.to}${event.exhausted === true ? ', because the loop reached its limit' : ''}`;
    case 'group.joined':
      return `joined with ${event.outcome}: ${countsOf(event.counters)}`;
    case 'step.reopened':
      return `reopened${by(event.actor)}, attempt ${event.activation.attempt}`;
    case 'input.ignored':
      return `ignored "${event.input}": ${IGNORED[event.reason]}`;
    default:
      return unreachable(event);
  }
}

const IGNORED = {
  late: 'it arrived too late',
  final: 'the run has ended',
  duplicate: 'it is a duplicate',
  'stale-digest': 'its digest does not match the current content',
  'no-wait': 'nothing was waiting for it',
  'not-allowed': 'it is not possible here',
} as const;

function by(actor: string | undefined): string {
  return actor === undefined ? '' : ` by ${actor}`;
}

function runText(event: EventOf<'run.changed'>): string {
  const who = by(event.actor);
  switch (event.change) {
    case 'ended':
      return `run ${event.status}${who}${after(event.note)}`;
    case 'halted':
      return `run ${event.status}: ${event.halt.message}`;
    case 'resumed':
      return `resumed${who}${after(event.note)}`;
    case 'cancelling':
      return `being cancelled${who}${after(event.note)}`;
    case 'undoing':
      return `its work is undone before it ends ${event.ending.status}${who}`;
    case 'nothing-undone':
      return 'there was nothing to undo';
    case 'paused':
      return `paused${who}`;
    case 'unpaused':
      return `pause ended${who}`;
    case 'code-accepted':
      return `changed code accepted${who}`;
    case 'budget-granted':
      return `may use ${budgetText(event.granted)} more${who}`;
    case 'bound-extended':
      return `${event.edge} allowed ${event.by} more times${who}`;
    case 'overridden':
      return `${event.override.actor} overrode ${event.override.passed.join(', ')} (${event.override.how})`;
    case 'decided': {
      const { actor, option, step, input } = event.decision;
      return `${actor} chose "${option}" at ${step}${after(input)}`;
    }
    case 'signed':
      return `signed${who}: ${event.signed.on === 'control' ? event.signed.action.do : `answers at ${event.signed.path}`}`;
    case 'noted':
      return event.notes.length === 0 ? 'notes from people were passed on' : `notes for the next agent${who}${after(event.note)}`;
    case 'set-back':
      return event.setbacks.length === 0
        ? 'nothing is left to tell the next agent'
        : `to tell the next agent: ${event.setbacks.map(({ step, outcome }) => `${step} ended "${outcome}"`).join(', ')}`;
    case 'assumed':
      return `assumed without asking: ${event.assumptions.map(({ id, path, severity }) => `${id} at ${path} (${severity})`).join(', ')}`;
    case 'assumption-answered':
      return `assumption ${event.assumption} ${event.answer.agrees ? 'confirmed' : 'answered differently'}${who}`;
    case 'reacted':
      return `${event.reaction.event} at the forge${who}, delivery ${event.reaction.eventId}: ${event.reaction.do}`;
    case 'warned':
      return `warning: near a circuit breaker, ${event.message}`;
    case 'files-undone':
      return `${counted(event.files, 'file')} restored to before ${event.to}${who}`;
    case 'detoured':
      return event.detour === null
        ? 'no more questions to ask again'
        : `asks again: ${event.detour.asks.map(({ step }) => step).join(', ')}`;
    case 'merged':
      return 'data added';
    case 'signal-queued':
      return `signal "${event.name}" queued`;
    case 'signal-taken':
      return `signal "${event.name}" received`;
    default:
      return unreachable(event);
  }
}

function after(text: string | undefined): string {
  return text === undefined ? '' : `: ${text}`;
}

function budgetText({ tokens, costUsd, turns, timeMs, unknown }: Budget): string {
  const amounts = [
    tokens === undefined ? undefined : `${tokens} tokens`,
    costUsd === undefined ? undefined : `$${costUsd}`,
    turns === undefined ? undefined : `${turns} turns`,
    timeMs === undefined ? undefined : `${formatDuration(timeMs)} of work`,
    unknown === undefined ? undefined : `unknown usage: ${unknown}`,
  ];
  return amounts.filter((amount) => amount !== undefined).join(', ');
}

function openedText(activation: Activation): string {
  const { kind, state, attempt } = activation;
  const wait = waitOf(activation);
  if (wait !== undefined && wait.kind !== 'members') return waitText(wait);
  if (state === 'running') return attempt === 1 ? `${kind} started` : `${kind} started, attempt ${attempt}`;
  return `${kind} opened${state === 'queued' ? ', queued' : ''}`;
}

function changedText({ activation, failed, group, actor, note }: EventOf<'step.changed'>): string {
  const parts = [
    failed === undefined ? undefined : `attempt ${failed.attempt} failed: ${failed.error.message}`,
    group === undefined ? stateText(activation) : groupText(group),
    actor === undefined ? undefined : `changed by ${actor}${note === undefined ? '' : `: ${note}`}`,
  ];
  return parts.filter((part) => part !== undefined).join('; ');
}

function groupText({ total, again = [] }: Group): string {
  return again.length === 0 ? `${total} members started` : `sent back: ${again.map(({ key }) => key).join(', ')}`;
}

function stateText(activation: Activation): string {
  const attempt = activation.attempt > 1 ? `, attempt ${activation.attempt}` : '';
  if (activation.state === 'waiting') return waitText(activation.wait);
  const states = {
    running: `started${attempt}`,
    verifying: 'reported as done, being verified',
    reconciling: 'checking whether it took effect',
    queued: `queued${attempt}`,
    unknown: 'a crash left no record of how it ended',
    preparing: `checking preconditions${attempt}`,
  };
  return states[activation.state];
}

function waitText(wait: Wait): string {
  if (wait.kind === 'human' && wait.digest !== undefined) return `${stepWaits(wait)}, shown ${wait.digest.slice(0, 12)}`;
  return wait.kind === 'checks' ? `${stepWaits(wait)}, and checks again on the next event` : stepWaits(wait);
}

function settledText({ outcome, error, actor, attempt }: EventOf<'step.settled'>): string {
  const tries = attempt > 1 ? ` at attempt ${attempt}` : '';
  return `${outcome}${tries}${by(actor)}${error === undefined ? '' : `: ${error.message}`}`;
}

function countsOf({ total, ok, reject, fail, skip }: Pick<Group, 'total' | 'ok' | 'reject' | 'fail' | 'skip'>): string {
  return [`${ok} of ${total} ok`, ...countTexts({ rejected: reject, failed: fail, skipped: skip })].join(', ');
}
