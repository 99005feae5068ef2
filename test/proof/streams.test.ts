import { expect, test } from 'vitest';
import { readEvents } from '../server/events.ts';
import { openRig } from '../server/server-rig.ts';
import { REVIEW } from '../server/workflows.ts';

test('1,000 streams receive all events, and end when the server closes', async () => {
  const rig = await openRig([REVIEW]);
  const streams = await Promise.all(Array.from({ length: 1000 }, () => readEvents(rig, '/api/v1/events')));
  await Promise.all(streams.map((stream) => stream.until(({ event }) => event === 'ready')));
  expect(rig.server.services.streams.count).toBe(1000);
  const { id } = await rig.engine.start(REVIEW);
  await Promise.all(streams.map((stream) => stream.until(({ data }) => data.run === id)));
  await rig.server.close();
  await Promise.all(streams.map(({ ended }) => ended));
  expect(rig.server.services.streams.count).toBe(0);
});
