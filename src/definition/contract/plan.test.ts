// Plans: every part that hangs loose is found, with its place in the file.

import { expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import { type Plan, planFaults } from './plan.ts';

const PLAN = {
  title: 'Jobs survive a crash',
  goal: 'A job runs once.',
  decisions: [{ id: 'D-1', decision: 'Mark first.', because: 'Twice is worse.', rejected: [{ option: 'A lock', because: 'It expires.' }] }],
  milestones: [
    { id: 'M-1', title: 'Marked first', acceptance: ['A kill leaves one charge.'] },
    { id: 'M-2', title: 'Seen', after: ['M-1'], acceptance: ['lost prints it.'] },
  ],
  intents: [
    { id: 'I-1', milestone: 'M-1', decisions: ['D-1'], what: 'drain() marks first.', files: ['src/worker.ts'] },
    { id: 'I-2', milestone: 'M-2', decisions: ['D-1'], what: 'lost lists jobs.', noChange: 'it is there' },
  ],
  changes: [{ id: 'C-1', intent: 'I-1', file: 'src/worker.ts', diff: '--- a/src/worker.ts' }],
} satisfies Plan;

/** What is wrong with the plan after a change, as `CODE pointer`. */
function faultsAfter(change: (plan: { -readonly [K in keyof typeof PLAN]: (typeof PLAN)[K] }) => unknown): string[] {
  const plan = structuredClone(PLAN);
  change(plan);
  return planFaults(plan).map(({ code, pointer }) => `${code} ${pointer}`);
}

test('a plan whose parts fit together has no faults, with its changes and before they are written', () => {
  expect(planFaults(PLAN)).toEqual([]);
  expect(planFaults({ ...PLAN, changes: [] })).toEqual([]);
  const { changes: _, ...outline } = PLAN;
  expect(planFaults(outline)).toEqual([]);
});

test.each<[string, Parameters<typeof faultsAfter>[0], string[]]>([
  [
    'an unknown decision',
    (plan) => (plan.intents[1] as Json as { decisions: string[] }).decisions.push('D-9'),
    ['PLAN_ID_UNKNOWN /intents/1/decisions/1'],
  ],
  [
    'an unknown intent',
    (plan) => Object.assign(plan.changes[0] as object, { intent: 'I-9' }),
    ['PLAN_ID_UNKNOWN /changes/0/intent', 'PLAN_INTENT_WITHOUT_CHANGE /intents/0'],
  ],
  [
    'a change without an intent',
    (plan) => Reflect.deleteProperty(plan.changes[0] as object, 'intent'),
    ['PLAN_CHANGE_WITHOUT_INTENT /changes/0/intent', 'PLAN_INTENT_WITHOUT_CHANGE /intents/0'],
  ],
  [
    'an intent without a decision',
    (plan) => Object.assign(plan.intents[1] as object, { decisions: [] }),
    ['PLAN_INTENT_WITHOUT_DECISION /intents/1/decisions'],
  ],
  [
    'an intent without a milestone',
    (plan) => Object.assign(plan.intents[1] as object, { milestone: '' }),
    ['PLAN_INTENT_WITHOUT_MILESTONE /intents/1/milestone', 'PLAN_MILESTONE_WITHOUT_INTENT /milestones/1'],
  ],
  [
    'a milestone without acceptance criteria',
    (plan) => Object.assign(plan.milestones[0] as object, { acceptance: [] }),
    ['PLAN_MILESTONE_WITHOUT_ACCEPTANCE /milestones/0/acceptance'],
  ],
  [
    'an empty criterion',
    (plan) => Object.assign(plan.milestones[0] as object, { acceptance: [' '] }),
    ['PLAN_SHAPE /milestones/0/acceptance/0'],
  ],
  [
    'milestones that wait for each other',
    (plan) => Object.assign(plan.milestones[0] as object, { after: ['M-2'] }),
    ['PLAN_MILESTONE_CYCLE /milestones/0/after', 'PLAN_MILESTONE_CYCLE /milestones/1/after'],
  ],
  ['an id that is used twice', (plan) => Object.assign(plan.intents[1] as object, { id: 'I-1' }), ['PLAN_ID_DUPLICATE /intents/1/id']],
  ['an id of another list', (plan) => Object.assign(plan.changes[0] as object, { id: 'D-2' }), ['PLAN_ID_INVALID /changes/0/id']],
  [
    'a decision that nothing follows from',
    (plan) => plan.decisions.push({ id: 'D-2', decision: 'x', because: 'y', rejected: [] }),
    ['PLAN_DECISION_UNUSED /decisions/1'],
  ],
  [
    'an intent that nothing carries out',
    (plan) => Reflect.deleteProperty(plan.intents[1] as object, 'noChange'),
    ['PLAN_INTENT_WITHOUT_CHANGE /intents/1'],
  ],
  [
    'a path that leads out',
    (plan) => Object.assign(plan.changes[0] as object, { file: '../../etc/passwd' }),
    ['PLAN_PATH /changes/0/file'],
  ],
  ['an absolute path', (plan) => Object.assign(plan.intents[0] as object, { files: ['/etc/passwd'] }), ['PLAN_PATH /intents/0/files/0']],
  [
    'a decision without a reason',
    (plan) => Object.assign(plan.decisions[0] as object, { because: '' }),
    ['PLAN_SHAPE /decisions/0/because'],
  ],
  [
    'an option rejected without a reason',
    (plan) => Object.assign(plan.decisions[0] as object, { rejected: [{ option: 'x' }] }),
    ['PLAN_SHAPE /decisions/0/rejected/0'],
  ],
  [
    'a text in place of a list',
    (plan) => Object.assign(plan, { intents: 'none' }),
    [
      'PLAN_SHAPE /intents',
      'PLAN_ID_UNKNOWN /changes/0/intent',
      'PLAN_DECISION_UNUSED /decisions/0',
      'PLAN_MILESTONE_WITHOUT_INTENT /milestones/0',
      'PLAN_MILESTONE_WITHOUT_INTENT /milestones/1',
    ],
  ],
])('%s is found where it is', (_, change, faults) => {
  expect(faultsAfter(change)).toEqual(faults);
});

test('requirements are checked where a plan lists them', () => {
  const [intent] = PLAN.intents;
  const requirements = [
    { id: 'R-1', text: 'once' },
    { id: 'R-2', text: 'seen' },
  ];
  const plan = { ...PLAN, requirements, intents: [{ ...intent, requirements: ['R-1', 'R-3'] }, PLAN.intents[1]] } as unknown as Json;
  expect(planFaults(plan).map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
    'PLAN_ID_UNKNOWN /intents/0/requirements/1',
    'PLAN_REQUIREMENT_UNMET /requirements/1',
  ]);
});

test.each<Json>([null, [], 'plan', 7, {}, { decisions: [null], milestones: {}, intents: [[]], changes: 3 }])(
  '%j is no plan, and nothing is thrown',
  (value) => {
    expect(planFaults(value).map(({ code }) => code)).toContain('PLAN_SHAPE');
  },
);
