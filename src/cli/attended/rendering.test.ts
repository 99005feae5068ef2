import { expect, test } from 'vitest';
import type { AttendedRun } from '../../attended/attended-run.ts';
import type { OpenWait } from '../../engine/status.ts';
import { exitOfRun } from './reply.ts';

const waiting = (kinds: readonly OpenWait['kind'][]): AttendedRun => ({
  id: 'r',
  workflow: 'w',
  position: 1,
  kind: 'waiting',
  due: undefined,
  waits: kinds.map((kind) => ({ run: 'r', wait: { kind, due: 1 } as OpenWait, asks: [] })),
});

test.each([
  [3, ['human']],
  [3, ['delay']],
  [3, []],
  [5, ['budget']],
  [5, ['capacity', 'budget']],
  [3, ['budget', 'human']],
] as const)('an agent without an open step gets exit code %i when the run waits for %j', (exit, kinds) => {
  expect(exitOfRun(waiting(kinds))).toBe(exit);
});
