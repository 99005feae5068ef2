import { expect, test } from 'vitest';
import type { OpenWait } from '../../kernel/status.ts';
import { exitOfStanding, type Standing } from './standing.ts';

const standing = (...waits: readonly OpenWait['kind'][]): Standing => ({
  state: { status: 'running' } as Standing['state'],
  work: [],
  rest: { runs: [], due: undefined, waits: waits.map((kind) => ({ run: 'r', wait: { kind, due: 1 } as OpenWait })) },
});

test.each([
  [3, ['human']],
  [3, ['delay']],
  [3, []],
  [5, ['budget']],
  [5, ['capacity', 'budget']],
  [3, ['budget', 'human']],
] as const)('an agent with nothing to do is told by exit code %i that the run waits for %j', (exit, waits) => {
  expect(exitOfStanding(standing(...waits))).toBe(exit);
});
