import { expect, test } from 'vitest';
import { unreachable } from '../base/invariant.ts';
import { DocumentAvailability, LoopState } from './states.ts';

/** Compiles only while every state has a case. */
function isOver(state: LoopState): boolean {
  switch (state) {
    case LoopState.INITIAL:
    case LoopState.RETRY:
      return false;
    case LoopState.COMPLETE:
    case LoopState.EXHAUSTED:
      return true;
    default:
      return unreachable(state);
  }
}

function canRead(availability: DocumentAvailability): boolean {
  switch (availability) {
    case DocumentAvailability.PRESENT:
    case DocumentAvailability.STALE:
      return true;
    case DocumentAvailability.MISSING:
    case DocumentAvailability.UNREADABLE:
      return false;
    default:
      return unreachable(availability);
  }
}

test('states are closed sets: every state has a case, and none can be added at run time', () => {
  expect(Object.values(LoopState).filter(isOver)).toEqual(['complete', 'exhausted']);
  expect(Object.values(DocumentAvailability).filter(canRead)).toEqual(['present', 'stale']);
  expect(() => Object.assign(LoopState, { PAUSED: 'paused' })).toThrow(TypeError);
  expect(() => Object.assign(DocumentAvailability, { LOST: 'lost' })).toThrow(TypeError);
});
