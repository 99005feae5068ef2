import { expect, test } from 'vitest';
import { edgeKey, eventKey, isStepKey, JUMPS } from './count-key.ts';

test('the keys are those that runs have stored', () => {
  expect([edgeKey('check', 'ok'), edgeKey('check', '_default', true), eventKey(0), JUMPS]).toEqual([
    ...['check:ok', 'check:_default:true', '@event:0', '@goto'],
  ]);
});

test('only the visits of a step are counted under a key without a sign', () => {
  expect(['build', 'build.enter', edgeKey('build', 'ok'), eventKey(2), JUMPS, '@undo'].filter(isStepKey)).toEqual(['build', 'build.enter']);
});
