import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEngine, type Engine } from '../api/engine.ts';
import { type AttendedHost, AttendedSession } from '../attended/session.ts';
import { EngineError } from '../base/error.ts';
import { serverOf } from './tools.ts';

let engine: Engine;
beforeEach(async () => {
  engine = await createEngine({ workflows: [], drives: 'own' });
});
afterEach(() => engine.close({ abort: true }));

function toolsOf(host: Partial<AttendedHost>, mayStart = true): ReturnType<typeof serverOf> {
  const whole: AttendedHost = {
    open: async () => engine,
    start: async ({ workflow }) => ({ engine, run: (await engine.start(workflow, {})).id }),
    offers: async () => ({ workflows: [], untrusted: 0 }),
    remember: () => undefined,
    ...host,
  };
  return serverOf(new AttendedSession(whole, { runs: [] }), { version: '1', mayStart });
}

test('no tool decides, answers, cancels, or accepts unknown fields; a session for given runs starts none', async () => {
  const names = (mayStart: boolean): string[] => toolsOf({}, mayStart).tools.map(({ name }) => name);
  expect(names(true)).toEqual(['pawl_start', 'pawl_next', 'pawl_report', 'pawl_ask', 'pawl_status']);
  expect(names(false)).toEqual(['pawl_next', 'pawl_report', 'pawl_ask', 'pawl_status']);
  const { call } = toolsOf({});
  for (const args of [{}, { token: 1 }, { token: 'x', more: 1 }, { token: 'x', result: 1, failure: 'y' }])
    expect(await call('pawl_report', args)).toMatchObject({ isError: true, text: expect.stringContaining('[USAGE]') });
  expect(await call('pawl_start', { workflow: 'nowhere' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('[WORKFLOW_UNKNOWN]'),
  });
});

test('a failure of any kind is an answer with its code', async () => {
  const { call } = toolsOf({
    start: () => Promise.reject(new TypeError('a bug')),
    offers: () => Promise.reject(new EngineError('STORE_FULL', 'the disk is full')),
  });
  expect(await call('pawl_start', { workflow: 'x' })).toEqual({ isError: true, text: 'a bug [INTERNAL]' });
  expect(await call('pawl_status', {})).toEqual({ isError: true, text: 'the disk is full [STORE_FULL]' });
});
