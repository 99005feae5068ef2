import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  blockingSeverities,
  type FindingSeverity,
  itemFaults,
  itemsToVerify,
  judgeRound,
  REVIEW_ITEMS_MAX,
  REVIEW_ROUNDS_MAX,
  type ReviewItem,
  type ReviewState,
  roundFaults,
  SEVERITIES,
  startReview,
} from './review.ts';

const item = (id: string, severity: FindingSeverity = 'MUST'): ReviewItem => ({ id, severity, question: `Is ${id} right?` });
const pass = (id: string) => ({ id, status: 'pass' as const, evidence: `saw ${id}` });
const fail = (id: string) => ({ id, status: 'fail' as const, evidence: `${id} is wrong` });
/** Rounds in which the same items fail. */
const roundsOf = (state: ReviewState, rounds: number, failing: readonly string[]): ReviewState => {
  let now = state;
  for (let round = 0; round < rounds; round += 1) {
    const verdicts = itemsToVerify(now).map(({ id }) => (failing.includes(id) ? fail(id) : pass(id)));
    now = judgeRound(now, { verdicts, findings: [] }).state;
  }
  return now;
};

test('fewer severities block in later rounds', () => {
  expect([1, 2, 3, 4, 5, 6, 8].map((round) => blockingSeverities(round).join('+'))).toEqual([
    ...['MUST+SHOULD+COULD', 'MUST+SHOULD+COULD', 'MUST+SHOULD', 'MUST+SHOULD', 'MUST', 'MUST', 'MUST'],
  ]);
});

describe('a round', () => {
  test('passes if every item passed', () => {
    const decision = judgeRound(startReview([item('a'), item('b', 'COULD')]), { verdicts: [pass('a'), pass('b')], findings: [] });
    expect(decision).toMatchObject({ status: 'passed', blocking: [], followUps: [], trend: 'first', state: { round: 1 } });
  });

  test('at first every failed item repeats the round, later only severe ones do', () => {
    const start = startReview([item('m'), item('s', 'SHOULD'), item('c', 'COULD')]);
    const blockingIn = (round: number) => {
      const state = roundsOf(start, round - 1, ['m', 's', 'c']);
      const verdicts = itemsToVerify(state).map(({ id }) => fail(id));
      return judgeRound(state, { verdicts, findings: [] }).blocking.map(({ id }) => id);
    };
    expect([1, 2, 3, 4, 5].map(blockingIn)).toEqual([['m', 's', 'c'], ['m', 's', 'c'], ['m', 's'], ['m', 's'], ['m']]);
  });

  test('leaves what stops it no longer as follow-ups', () => {
    const state = roundsOf(startReview([item('m'), item('c', 'COULD')]), 2, ['c', 'm']);
    expect(judgeRound(state, { verdicts: [pass('m')], findings: [] })).toMatchObject({
      status: 'passed',
      followUps: [{ id: 'c', severity: 'COULD', evidence: 'c is wrong' }],
    });
  });

  test('a late MUST joins the items, and any other late finding becomes a follow-up', () => {
    const decision = judgeRound(startReview([item('a')]), {
      verdicts: [pass('a')],
      findings: [
        { severity: 'MUST', text: 'The key is printed.' },
        { severity: 'SHOULD', text: 'A name is long.' },
      ],
    });
    expect(decision).toMatchObject({
      status: 'again',
      blocking: [{ id: 'late-1-1', severity: 'MUST', text: 'The key is printed.' }],
      followUps: [{ severity: 'SHOULD', text: 'A name is long.' }],
    });
    expect(itemsToVerify(decision.state).map(({ id }) => id)).toEqual(['a', 'late-1-1']);
  });

  test('counts a late finding once, however many reviewers and rounds say it in the same words', () => {
    const leak = { severity: 'MUST' as const, text: 'It leaks a password.' };
    const date = { severity: 'SHOULD' as const, text: 'Add a date.' };
    const again = [leak, { ...leak, text: ' it leaks a  password.\n' }, date, date];
    const first = judgeRound(startReview([item('a'), item('b')]), { verdicts: [pass('a'), pass('b')], findings: again }).state;
    expect(first.items.map(({ id }) => id)).toEqual(['a', 'b', 'late-1-1']);
    const second = judgeRound(first, { verdicts: [pass('a'), pass('b'), fail('late-1-1')], findings: again });
    expect(second.state).toMatchObject({ items: first.items, followUps: [date], history: [1, 1] });
    expect(second.blocking).toMatchObject([{ id: 'late-1-1', evidence: 'late-1-1 is wrong' }]);
  });

  test('a late MUST is open as long as one reviewer still reports it', () => {
    const leak = { severity: 'MUST' as const, text: 'It leaks a password.' };
    const first = judgeRound(startReview([item('a')]), { verdicts: [pass('a')], findings: [leak] }).state;
    const second = judgeRound(first, { verdicts: [pass('a'), pass('late-1-1')], findings: [leak] });
    expect(second).toMatchObject({ status: 'again', blocking: [{ id: 'late-1-1', evidence: leak.text }], state: { items: first.items } });
    const third = judgeRound(second.state, { verdicts: [pass('a'), pass('late-1-1')], findings: [] });
    expect(third).toMatchObject({ status: 'passed', blocking: [] });
  });

  test('gives a late MUST an id of its own, so that no other verdict counts for it', () => {
    const { state } = judgeRound(startReview([item('late-1-1')]), {
      verdicts: [pass('late-1-1')],
      findings: [{ severity: 'MUST', text: 'The key is printed.' }],
    });
    expect(state.items.map(({ id }) => id)).toEqual(['late-1-1', 'late-1-2']);
    expect(roundFaults(state, { verdicts: [pass('late-1-1')], findings: [] })).toEqual(['the item "late-1-2" has no verdict']);
  });

  test('a late MUST stops the round even if no item can be added', () => {
    const items = Array.from({ length: REVIEW_ITEMS_MAX }, (_, index) => item(`i${index}`, 'COULD'));
    const grave = { severity: 'MUST' as const, text: 'The key is printed.' };
    const round = { verdicts: items.map(({ id }) => pass(id)), findings: [grave] };
    const first = judgeRound(startReview(items), round);
    expect(first).toMatchObject({ status: 'again', blocking: [grave], followUps: [grave] });
    expect(judgeRound(first.state, round)).toMatchObject({ status: 'again', blocking: [grave], followUps: [grave] });
  });

  test('a round says whether the work gets better', () => {
    const start = startReview([item('a'), item('b')]);
    const once = judgeRound(start, { verdicts: [fail('a'), pass('b')], findings: [] }).state;
    const trend = (verdicts: ReturnType<typeof fail | typeof pass>[]) => judgeRound(once, { verdicts, findings: [] }).trend;
    expect(trend([pass('a'), pass('b')])).toBe('better');
    expect(trend([pass('a'), fail('b')])).toBe('same');
    expect(trend([fail('a'), fail('b')])).toBe('worse');
  });
});

test('a review ends within its bound, whatever the reviewers say', () => {
  const severity = fc.constantFrom(...SEVERITIES);
  const finding = fc.record({ severity, text: fc.constantFrom('one', 'two', 'three') });
  const rounds = fc.array(fc.record({ failing: fc.infiniteStream(fc.boolean()), findings: fc.array(finding, { maxLength: 60 }) }), {
    minLength: REVIEW_ROUNDS_MAX,
    maxLength: REVIEW_ROUNDS_MAX,
  });
  fc.assert(
    fc.property(fc.array(severity, { minLength: 1, maxLength: 12 }), rounds, (severities, played) => {
      let state = startReview(severities.map((one, index) => item(`i${index}`, one)));
      for (const { failing, findings } of played) {
        const verdicts = itemsToVerify(state).map(({ id }) => (failing.next().value === true ? fail(id) : pass(id)));
        expect(roundFaults(state, { verdicts, findings })).toEqual([]);
        const decision = judgeRound(state, { verdicts, findings });
        expect(decision.state.items.length).toBeLessThanOrEqual(REVIEW_ITEMS_MAX);
        // Nothing that was found is lost: it is an item, it blocks or it is left for later.
        const told = [...decision.blocking, ...decision.followUps];
        for (const { severity: grave, text } of findings)
          expect(told.some((one) => one.severity === grave && one.text === text)).toBe(true);
        if (decision.status !== 'again') {
          expect(decision.blocking.length === 0).toBe(decision.status === 'passed');
          return;
        }
        state = decision.state;
      }
      expect.unreachable('the last round neither passed nor was the last');
    }),
    { numRuns: 200 },
  );
});

test.each([
  [[], 'there are no items, so nothing would be reviewed'],
  [[item('a'), item('a')], 'two items have the id "a"'],
  [[item('a b')], '"id" must be'],
  [[{ ...item('a'), severity: 'HIGH' as never }], '"severity" must be one of MUST, SHOULD, COULD'],
  [[{ ...item('a'), question: ' ' }], 'has no question'],
  [Array.from({ length: REVIEW_ITEMS_MAX + 1 }, (_, index) => item(`i${index}`)), 'at most 200 are allowed'],
])('the items of a review are rejected: %#', (items, message) => {
  expect(itemFaults(items).join('; ')).toContain(message);
});

test.each([
  [[], [], 'the item "a" has no verdict'],
  [[pass('a'), pass('a')], [], 'the item "a" has two verdicts'],
  [[pass('a'), pass('x')], [], '"x" is not an item of this review'],
  [[{ ...pass('a'), evidence: '' }], [], 'has no evidence'],
  [[{ ...pass('a'), status: 'ok' as never }], [], 'must be pass or fail'],
  [[pass('a')], [{ severity: 'BAD' as never, text: 'x' }], 'has no severity'],
  [[pass('a')], [{ severity: 'MUST' as const, text: ' ' }], 'a finding has no text'],
])('the verdicts of a round are rejected: %#', (verdicts, findings, message) => {
  expect(roundFaults(startReview([item('a')]), { verdicts, findings }).join('; ')).toContain(message);
});
