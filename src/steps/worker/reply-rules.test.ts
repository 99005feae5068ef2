import { expect, test } from 'vitest';
import type { StepModel } from '../../definition/model.ts';
import { replyFault, replyRulesOf, ruleInstructions } from './reply-rules.ts';
import type { WorkerConfig } from './worker-task.ts';

test.each(['rejected', 'Approve', 'changes requested', false, 1])(
  'a review whose verdict is %j does not count, whatever its status says',
  (verdict) => {
    const reply = { success: true, output: { status: 'PASS', verdict } };
    expect(replyFault({ reviews: true }, reply)).toContain('"verdict" must be "approve" or "reject"');
    expect(replyFault({}, reply)).toBeUndefined();
  },
);

test('a review with a status alone counts', () => {
  expect(replyFault({ reviews: true }, { success: true, output: { status: 'PASS' } })).toBeUndefined();
});

test.each<[string, object, string]>([
  ['a gate reads', { gate: 'gate' }, '"findings": [{ "severity": "MUST", "SHOULD" or "COULD", "text": "…" }]'],
  ['documents hold', { gate: 'gate', items: 'items.json', verdicts: 'verdicts.json' }, '"feedback"'],
])('a reviewer whose findings %s is told where to put them', (_where, reviewOf, field) => {
  const step = { kind: 'agent', args: {}, reviewOf } as unknown as StepModel;
  const rules = replyRulesOf({ reviews: true } as WorkerConfig, step, undefined);
  expect(ruleInstructions(rules, 'The result').join()).toContain(`Say what is wrong in ${field} of the result`);
});
