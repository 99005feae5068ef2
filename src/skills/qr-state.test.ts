import { expect, test } from 'vitest';
import { qrFlags, qrState, readQrState } from './qr-state.ts';

test('a loop begins in round 1, with nothing found', () => {
  expect(qrState()).toEqual({ iteration: 1, failed: false });
  expect(readQrState({})).toEqual(qrState());
  expect(qrFlags(qrState())).toEqual([]);
});

test('flags pass the state on, in both forms of --qr-fail', () => {
  const state = { iteration: 2, failed: true, status: 'fail' };
  expect(readQrState({ iteration: '2', fail: 'true', status: 'fail' })).toEqual(state);
  expect(readQrState({ fail: 'false' }).failed).toBe(false);
  expect(qrFlags(qrState({ iteration: 2, failed: true, status: 'fail' }))).toEqual(['--qr-iteration 2', '--qr-fail', '--qr-status fail']);
});

test.each([
  [{ iteration: '0' }, '--qr-iteration must be a whole number from 1, not "0"'],
  [{ iteration: '1.5' }, '--qr-iteration must be a whole number from 1, not "1.5"'],
  [{ fail: 'maybe' }, '--qr-fail must be true or false, not "maybe"'],
  [{ status: 'ok' }, '--qr-status must be pass or fail, not "ok"'],
])('the flags %j are rejected', (flags, message) => {
  expect(() => readQrState(flags)).toThrow(message);
});

test('a round that is not a whole number is rejected', () => {
  expect(() => qrState({ iteration: 0 })).toThrow('must be a whole number from 1');
});
