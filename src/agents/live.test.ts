import { expect, test } from 'vitest';
import { createAgentRequest, type DriverBehaviour, describeDriver } from '../proof/driver-suite.ts';
import { createLiveDriver, type LiveWorker } from './live.ts';

let running = 0;

function workerOf(behaviour: DriverBehaviour): LiveWorker {
  return {
    execute(_context, { prompt, signal }) {
      switch (behaviour.agent) {
        case 'answers':
          return { success: behaviour.success ?? true, output: behaviour.output };
        case 'echoes':
          return { success: true, output: { prompt } };
        case 'hangs':
          queueMicrotask(behaviour.begun);
          running += 1;
          signal.addEventListener('abort', () => {
            running -= 1;
          });
          return new Promise(() => {});
        case 'sends-garbage':
          return { success: true, output: () => 1 };
        default:
          throw new Error('the object broke');
      }
    },
  };
}

describeDriver('live', { create: (behaviour) => createLiveDriver(workerOf(behaviour)), running: () => running });

test("the return value is the output, and the object receives the step's context", async () => {
  const driver = createLiveDriver({ execute: (context) => ({ doubled: Number(context.n) * 2 }) });
  expect(await driver.ask(createAgentRequest({ cwd: '.', context: { n: 21 } }))).toEqual({
    kind: 'answered',
    success: true,
    output: { doubled: 42 },
  });
});

test('a returned verdict is used', async () => {
  const driver = createLiveDriver({ execute: () => ({ success: true, verdict: 'reject', message: 'no', output: null }) });
  expect(await driver.ask(createAgentRequest({ cwd: '.' }))).toMatchObject({ success: true, verdict: 'reject', message: 'no' });
});
