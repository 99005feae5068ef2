import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createEngine } from '../../src/api/engine.ts';
import { EventStream } from '../../src/server/stream/event-stream.ts';
import { tempFolder } from '../temp-folder.ts';
import { type ReadEvent, readEvents } from './events.ts';
import { openRig } from './server-rig.ts';
import { PARKED } from './workflows.ts';

const isEnd = ({ data }: ReadEvent): boolean => data.status === 'completed';

test('a stream of one run has each log row once, and continues after the last one that was read', async () => {
  const rig = await openRig([PARKED]);
  const { id } = await rig.engine.start(PARKED);
  await rig.engine.run(id).wait('idle');
  const path = `/api/v1/runs/${id}/events`;
  const first = await readEvents(rig, path);
  const ready = await first.until(({ event }) => event === 'ready');
  first.stop();
  await rig.engine.run(id).signal('go');
  await rig.engine.run(id).wait();
  const second = await readEvents(rig, path, ready.id);
  await second.until(isEnd);
  const rows = await rig.engine.store.events(id, 0);
  expect(second.events.map((event) => event.id)).toEqual(rows.filter(({ seq }) => seq > ready.id).map(({ seq }) => seq));
  const whole = await readEvents(rig, `${path}?after=0`);
  await whole.until(isEnd);
  expect(whole.events.map((event) => event.id)).toEqual(rows.map(({ seq }) => seq));
  expect(whole.events[0]?.data).toMatchObject({ run: id, seq: 1, type: 'run.started', paths: ['wait#1'] });
});

test('a stream of all runs has every row of every run once, across a restart and of another process', async () => {
  const db = join(tempFolder(), 'runs.db');
  const first = await openRig([PARKED], { db });
  const stream = await readEvents(first, '/api/v1/events');
  await stream.until(({ event }) => event === 'ready');
  const { id } = await first.engine.start(PARKED);
  const seen = await stream.until(({ data }) => data.run === id);
  await first.engine.run(id).wait('idle');
  await stream.until(({ data }) => data.run === id && data.seq === 1);
  const last = stream.events.at(-1)?.id ?? 0;
  await first.server.close();
  await stream.ended;
  await first.engine.close();
  expect(seen.id).toBeLessThanOrEqual(last);
  // Something happens while no server is there.
  const between = await createEngine({ db, workflows: [PARKED], rights: 'checked' });
  await between.run(id).signal('go');
  await between.run(id).wait();
  const other = await between.start(PARKED);
  await between.run(other.id).wait('idle');
  await between.close();
  const second = await openRig([PARKED], { db });
  const again = await readEvents(second, '/api/v1/events', last);
  await again.until(({ data }) => data.run === other.id);
  await again.until(isEnd);
  const rows = [...stream.events, ...again.events].filter(({ event }) => event === 'change').map(({ data }) => `${data.run}/${data.seq}`);
  const logged = await Promise.all(
    [id, other.id].map(async (run) => (await second.engine.store.events(run, 0)).map(({ seq }) => `${run}/${seq}`)),
  );
  expect(rows.sort()).toEqual(logged.flat().sort());
  again.stop();
});

test('events of another process arrive in order', async () => {
  const rig = await openRig([PARKED]);
  const stream = await readEvents(rig, '/api/v1/events');
  await stream.until(({ event }) => event === 'ready');
  const other = await createEngine({ db: rig.db, workflows: [PARKED], rights: 'checked' });
  const { id } = await other.start(PARKED);
  await other.run(id).signal('go');
  await other.run(id).wait();
  await other.close();
  await stream.until(isEnd);
  const rows = await rig.engine.store.events(id, 0);
  expect(stream.events.filter(({ data }) => data.run === id).map(({ data }) => data.seq)).toEqual(rows.map(({ seq }) => seq));
  const ids = stream.events.map((event) => event.id);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
});

test('a reader whose position is no longer known is told to read everything again', async () => {
  const rig = await openRig([PARKED]);
  const stream = await readEvents(rig, '/api/v1/events', 4711);
  expect(await stream.until(() => true)).toMatchObject({ event: 'reset' });
  expect((await rig.get('/api/v1/events', { headers: { 'last-event-id': 'x' } })).body).toMatchObject({ code: 'REQUEST_INVALID' });
  expect((await rig.get('/api/v1/runs/none/events')).body).toMatchObject({ code: 'RUN_NOT_FOUND' });
});

test('nothing is buffered for a reader that does not read, and it is disconnected after a while', async () => {
  let made = 0;
  let more = (): void => undefined;
  const source = {
    read: async (): Promise<string> => {
      made += 1;
      return `data: ${made}\n\n`;
    },
    listen: (listener: () => void) => {
      more = listener;
      return () => undefined;
    },
  };
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const stream = new EventStream(source, { onEnd: resolve, stallMs: 1 });
  const reader = stream.body.getReader();
  await reader.read();
  await reader.read();
  expect(made).toBe(1);
  more();
  await ended;
  expect(made).toBe(1);
  expect((await reader.read()).done).toBe(true);
});
