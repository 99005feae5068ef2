import { expect, test } from 'vitest';
import { compareEnds } from './compare.ts';
import type { CrashEnd } from './end.ts';
import type { LedgerLine } from './ledger.ts';

const opened = (...acknowledged: string[]): LedgerLine => ({ at: 'opened', pid: 1, acknowledged });
const begun = (key: string): LedgerLine => ({ at: 'begun', key });
const done = (key: string): LedgerLine => ({ at: 'done', key, output: null });
const asked = (key: string): LedgerLine => ({ at: 'asked', key });

function endOf(fields: Partial<CrashEnd>): CrashEnd {
  return {
    facts: new Map([['r status', 'completed']]),
    reruns: new Map(),
    unchecked: new Map(),
    interrupted: new Set(),
    ledger: [],
    problems: [],
    ...fields,
  };
}

test('the same end with a clean ledger is no violation', () => {
  const ledger = [opened(), begun('a'), done('a'), asked('g'), opened('a'), asked('g'), begun('b'), done('b')];
  expect(compareEnds(endOf({}), endOf({ ledger }))).toEqual([]);
});

test.each<[string, Partial<CrashEnd>, string]>([
  ['another value', { facts: new Map([['r status', 'failed']]) }, 'r status: baseline completed, killed failed'],
  ['something that is missing', { facts: new Map() }, 'r status: baseline completed, killed absent'],
  [
    'something more',
    {
      facts: new Map([
        ['r status', 'completed'],
        ['effect x', 'null'],
      ]),
    },
    'effect x: baseline absent, killed null',
  ],
  ['an acknowledged step that begins again', { ledger: [opened('a'), begun('a')] }, 'a was acknowledged, and begun again'],
  ['a person who is asked again', { ledger: [opened('g'), asked('g')] }, 'g was acknowledged, and asked again'],
  ['a person who is asked twice by one process', { ledger: [opened(), asked('g'), asked('g')] }, 'g was asked twice by one process'],
  ['a second beginning that the log does not know', { ledger: [begun('a'), begun('a')] }, 'a began 2 times, but the log allows 1'],
  ['a damaged store', { problems: ['the store is damaged'] }, 'the store is damaged'],
])('%s is a difference', (_what, fields, difference) => {
  expect(compareEnds(endOf({}), endOf(fields))).toEqual([difference]);
});

test('a step may begin again as often as the log says, and no more often', () => {
  const reruns = new Map([['a', 1]]);
  expect(compareEnds(endOf({}), endOf({ reruns, ledger: [begun('a'), opened(), begun('a'), done('a')] }))).toEqual([]);
  expect(compareEnds(endOf({}), endOf({ reruns, ledger: [begun('a'), begun('a'), begun('a')] }))).toHaveLength(1);
});

test('an effect may happen twice only if the interrupted attempt was not checked first', () => {
  const twice = { reruns: new Map([['a', 1]]), ledger: [begun('a'), done('a'), opened(), begun('a'), done('a')] };
  expect(compareEnds(endOf({}), endOf({ ...twice, unchecked: new Map([['a', 1]]) }))).toEqual([]);
  expect(compareEnds(endOf({}), endOf(twice))).toEqual(['a took effect 2 times, but at most 1 can be explained']);
});
