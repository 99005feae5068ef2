// Owns the wording for what a run waits for, so that the command line, MCP and the comments at a forge say the same. They
// add times, commands and layout.

import type { OpenWait } from '../engine/status.ts';
import type { Wait } from '../kernel/activation.ts';

/** The subject of each kind of wait, and the word between it and the place: "more budget", "for". */
const WORDS: Readonly<Record<OpenWait['kind'], readonly [subject: string, beforePlace: string]>> = {
  human: ['a person to decide', ''],
  answer: ['a person to answer the questions', 'of'],
  report: ["an agent's report", 'on'],
  child: ['a child run', 'of'],
  signal: ['a signal', 'at'],
  checks: ['the checks', 'of'],
  capacity: ['capacity', 'for'],
  budget: ['more budget', 'for'],
  assumptions: ['a person to answer what was assumed', 'at'],
  delay: ['time to pass', 'at'],
  pause: ['a person to resume it', 'at'],
  escalation: ['a person to choose how to continue', 'at'],
  unknown: ['a person to say how an interrupted step ended', 'at'],
};

/** The subject of a wait of this kind: the object of "waits for". */
export function waitName(kind: OpenWait['kind']): string {
  return WORDS[kind][0];
}

type NamedWait =
  | { readonly kind: 'signal'; readonly name: string }
  | { readonly kind: 'child'; readonly child: string }
  | { readonly kind: Exclude<OpenWait['kind'], 'signal' | 'child'> };

/** The subject of a wait, with the name of its signal or child run, and with the place if one is passed. */
export function waitText(wait: NamedWait, place?: string): string {
  const [subject, beforePlace] = WORDS[wait.kind];
  const name = wait.kind === 'signal' ? `the signal "${wait.name}"` : wait.kind === 'child' ? `the child run ${wait.child}` : subject;
  return [name, ...(place === undefined ? [] : [beforePlace, place])].filter((word) => word !== '').join(' ');
}

const STEP_WORDS: Readonly<Record<Exclude<Wait['kind'], 'signal' | 'child'>, string>> = {
  human: 'waits for a person',
  answer: 'waits for an answer',
  report: 'waits for its agent to report',
  members: 'waits for its members',
  repair: 'waits for the fix',
  delay: 'waits for time to pass',
  retry: 'waits before the next attempt',
  checks: 'has no result yet',
  capacity: 'waits for capacity',
  budget: 'waits for budget',
  assumptions: 'waits for answers to assumptions of an agent',
};

/** The text after a waiting step's path in a line of a log. Programs read these lines, so the wording is stable. */
export function stepWaits(wait: Wait): string {
  if (wait.kind === 'signal') return `waits for signal "${wait.name}"`;
  return wait.kind === 'child' ? `waits for run ${wait.run}` : STEP_WORDS[wait.kind];
}

/** Why a gate is pending, if its checks say nothing. */
export const NO_VERDICT = 'its checks have no verdict yet';
