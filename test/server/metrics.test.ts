import { afterEach, beforeEach, expect, test } from 'vitest';
import { step, workflow } from '../../src/index.ts';
import { EventRig } from './event-rig.ts';

let rig: EventRig;
beforeEach(() => {
  rig = new EventRig();
});
afterEach(() => rig.close());

const work = workflow('wo"rk', function* () {
  return yield* step('a').task(() => 1);
});

test('the metrics of a server are text for Prometheus', async () => {
  const opened = await rig.open({ workflows: [work] });
  await (await opened.engine.start(work)).wait();
  await opened.ask('GET', '/healthz');
  const { status, body } = await opened.ask('GET', '/metrics');
  const text = String(body);
  expect(status).toBe(200);
  for (const line of [
    'pawl_runs{status="completed"} 1',
    'pawl_steps_total{workflow="wo\\"rk",kind="task",outcome="ok"} 1',
    'pawl_step_duration_seconds_bucket{kind="task",le="+Inf"} 1',
    'pawl_step_duration_seconds_count{kind="task"} 1',
    'pawl_agent_tokens_total{direction="input"} 0',
    'pawl_http_requests_total{method="GET",status="200"} 1',
  ])
    expect(text.split('\n')).toContain(line);
  // Every line is a comment or a name, labels and a number.
  const shape = /^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{\w+="(?:[^"\\\n]|\\.)*"(?:,\w+="(?:[^"\\\n]|\\.)*")*\})? -?[\d.e+-]+)$/;
  expect(
    text
      .trimEnd()
      .split('\n')
      .filter((line) => !shape.test(line)),
  ).toEqual([]);
});

test('the metrics need the scope "view", unless the settings make them public', async () => {
  const opened = await rig.open({ workflows: [work] });
  const shut = await opened.server.fetch(new Request('http://127.0.0.1/metrics'));
  expect([shut.status, ((await shut.json()) as { code: string }).code]).toEqual([401, 'LOGIN_REQUIRED']);
  await opened.close();
  const { server } = await rig.open({ workflows: [work], events: { metrics: 'public' } });
  expect((await server.fetch(new Request('http://127.0.0.1/metrics'))).status).toBe(200);
});
