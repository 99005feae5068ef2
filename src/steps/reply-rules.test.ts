import { expect, test } from 'vitest';
import { replyFault } from './reply-rules.ts';

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
