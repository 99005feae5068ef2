// Compares a run that was killed with an uninterrupted one, and lists the differences.
//
// - The end is the same: status, output, data, every attempt with its outcome and output, every effect.
// - What was acknowledged before a kill does not happen again, and no person is asked again.
// - An attempt starts once, and once more for each recovery in the log.
// - An effect happens once, unless its attempt is run again without checking what it did.

import type { CrashEnd } from './end.ts';
import type { LedgerLine } from './ledger.ts';

/** The differences; empty if the kill made none. */
export function compareEnds(baseline: CrashEnd, killed: CrashEnd, options: { readonly rivals?: boolean } = {}): readonly string[] {
  return [
    ...killed.problems,
    ...differentFacts(baseline.facts, killed.facts),
    ...repeated(killed.ledger),
    ...tooOften(killed),
    ...(options.rivals === true ? [] : askedTwice(killed.ledger)),
  ];
}

function differentFacts(expected: CrashEnd['facts'], actual: CrashEnd['facts']): string[] {
  const names = new Set([...expected.keys(), ...actual.keys()]);
  return [...names].flatMap((name) => {
    const [before, after] = [expected.get(name), actual.get(name)];
    return before === after ? [] : [`${name}: baseline ${before ?? 'absent'}, killed ${after ?? 'absent'}`];
  });
}

function repeated(ledger: readonly LedgerLine[]): string[] {
  const acknowledged = new Set<string>();
  const violations: string[] = [];
  for (const line of ledger) {
    if (line.at === 'opened') for (const key of line.acknowledged) acknowledged.add(key);
    else if (acknowledged.has(line.key)) violations.push(`${line.key} was acknowledged, and ${line.at} again`);
  }
  return violations;
}

function tooOften({ ledger, reruns, unchecked }: CrashEnd): string[] {
  const begun = countKeys(ledger, 'begun');
  const done = countKeys(ledger, 'done');
  const found: string[] = [];
  for (const key of new Set([...begun.keys(), ...done.keys()])) {
    const times = begun.get(key) ?? 0;
    const allowed = 1 + (reruns.get(key) ?? 0);
    if (times > allowed) found.push(`${key} began ${times} times, but the log allows ${allowed}`);
    const effects = 1 + (unchecked.get(key) ?? 0);
    if ((done.get(key) ?? 0) > effects) found.push(`${key} took effect ${done.get(key)} times, but at most ${effects} can be explained`);
  }
  return found;
}

function countKeys(ledger: readonly LedgerLine[], at: 'begun' | 'done' | 'asked'): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of ledger) if (line.at === at) counts.set(line.key, (counts.get(line.key) ?? 0) + 1);
  return counts;
}

/** A process asks once. The next one asks again only if the answer had not reached the disk; `repeated` checks that case. */
function askedTwice(ledger: readonly LedgerLine[]): string[] {
  let asked = new Set<string>();
  const found: string[] = [];
  for (const line of ledger) {
    if (line.at === 'opened') asked = new Set();
    if (line.at !== 'asked') continue;
    if (asked.has(line.key)) found.push(`${line.key} was asked twice by one process`);
    asked.add(line.key);
  }
  return found;
}
