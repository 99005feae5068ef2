// An event reaches the runs that it is about, and costs nothing for runs of other issues.

import { expect, test } from 'vitest';
import { closeBeside } from './parked-stage.ts';

test('an event about one issue reads the run of that issue, and none of many that are parked for others', async () => {
  expect((await closeBeside(200)).reads).toBe(0);
});
