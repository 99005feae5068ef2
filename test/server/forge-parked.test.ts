// An event reaches the runs that it is about, and reads no runs of other issues and pull requests.

import { expect, test } from 'vitest';
import { closeBeside, pushBeside } from './parked-stage.ts';

test('an event about one issue reads the run of that issue, and none of many that are parked for others', async () => {
  expect((await closeBeside(200)).reads).toBe(0);
});

test('a push wakes the gate of a pull request into that branch, and reads none of many runs that are parked for others', async () => {
  expect((await pushBeside(200)).reads).toBe(0);
});
