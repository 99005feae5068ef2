import { afterEach, beforeEach, expect, test } from 'vitest';
import { step, workflow } from './library.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

test('a parked run is on disk and starts nothing until another engine drives it', async () => {
  const called: string[] = [];
  const work = workflow('work', function* () {
    return yield* step('a').task(() => called.push('a'));
  });
  const first = await rig.open({ workflows: [work], drives: 'own' });
  const { id } = await first.start(work, {}, { parked: true });
  await first.close();
  expect(called).toEqual([]);
  const second = await rig.open({ workflows: [work] });
  expect((await second.run(id).wait()).status).toBe('completed');
  expect(called).toEqual(['a']);
});
