// OpenTelemetry: what spans an engine writes for an application that registered an SDK.

import { type Span, trace } from '@opentelemetry/api';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScriptedDriver } from '../../src/agents/scripted.ts';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { defineWorkflow, step, workflow } from './library.ts';
import { createRig, errorOf, type Rig } from './rig.ts';
import { registerTelemetry } from './telemetry.ts';

let rig: Rig;
let telemetry: ReturnType<typeof registerTelemetry>;
beforeEach(() => {
  rig = createRig();
  telemetry = registerTelemetry();
});
afterEach(async () => {
  await rig.close();
  telemetry.close();
});

const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId;
const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId;
const traceOf = (span: ReadableSpan | undefined) => span?.spanContext().traceId;

const SECRET = 'swordfish-9000';
const agents = createScriptedDriver(() => [
  { do: 'answer', output: { text: SECRET }, usage: { inputTokens: 12, outputTokens: 34, costUsd: 0.5, turns: 2 } },
]);
const roles = { writer: { driver: 'scripted', model: 'large' } };

const article = defineWorkflow({
  name: 'article',
  steps: [
    { id: 'write', agent: 'writer', prompt: `Write about ${SECRET}.`, next: 'count' },
    { id: 'count', handler: () => 3, next: null },
  ],
});

describe('the spans of a run', () => {
  test('the spans of a run are one for the run, one for each step in it, and one for the agent in its step', async () => {
    const engine = await rig.open({ workflows: [article], roles, drivers: { scripted: agents } });
    const run = await engine.start(article);
    await run.wait();
    await engine.close();
    const [whole] = telemetry.named('invoke_workflow article');
    const [write, count] = [telemetry.named('step write')[0], telemetry.named('step count')[0]];
    const [agent] = telemetry.named('invoke_agent writer');
    expect(telemetry.spans()).toHaveLength(4);
    expect(whole?.attributes).toEqual({
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.workflow.name': 'article',
      'pawl.run.id': run.id,
      'pawl.run.status': 'completed',
    });
    expect([parentOf(whole), parentOf(write), parentOf(count), parentOf(agent)]).toEqual([
      undefined,
      idOf(whole),
      idOf(whole),
      idOf(write),
    ]);
    expect(write?.attributes).toMatchObject({ 'pawl.step.id': 'write', 'pawl.step.kind': 'agent', 'pawl.step.outcome': 'ok' });
    expect(agent?.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'writer',
      'gen_ai.request.model': 'large',
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 34,
      'pawl.usage.cost_usd': 0.5,
    });
  });

  test('the spans of a run hold no prompt, no output and no message of an error', async () => {
    const failing = defineWorkflow({
      name: 'failing',
      steps: [
        { id: 'write', agent: 'writer', prompt: `Write about ${SECRET}.`, next: 'boom' },
        {
          id: 'boom',
          handler: () => {
            throw new Error(`no ${SECRET} here`);
          },
          next: null,
        },
      ],
    });
    const engine = await rig.open({ workflows: [failing], roles, drivers: { scripted: agents } });
    await (await engine.start(failing)).wait();
    await engine.close();
    const [boom] = telemetry.named('step boom');
    expect([boom?.attributes['error.type'], boom?.status]).toEqual(['STEP_FAILED', { code: 2 }]);
    expect(telemetry.named('invoke_workflow failing')[0]?.attributes['error.type']).toBe('escalated');
    const all = telemetry.spans().map(({ name, attributes, events, status, links }) => ({ name, attributes, events, status, links }));
    expect(JSON.stringify(all)).not.toContain(SECRET);
  });

  test('the spans of a run join the trace of the program that starts it, and code in a step adds spans below it', async () => {
    const tracer = trace.getTracer('application');
    const work = workflow('work', function* () {
      return yield* step('call').task(async () => {
        await Promise.resolve();
        tracer.startSpan('inner').end();
      });
    });
    const engine = await rig.open({ workflows: [work] });
    const outer = await tracer.startActiveSpan('outer', async (span: Span) => {
      await (await engine.start(work)).wait();
      span.end();
      return span;
    });
    await engine.close();
    const [whole] = telemetry.named('invoke_workflow work');
    expect(parentOf(whole)).toBe(outer.spanContext().spanId);
    expect(parentOf(telemetry.named('inner')[0])).toBe(idOf(telemetry.named('step call')[0]));
    expect(new Set(telemetry.spans().map(traceOf))).toEqual(new Set([outer.spanContext().traceId]));
  });

  test('the spans of a child run are below those of its parent', async () => {
    const kid = workflow('kid', function* () {
      return yield* step('play').task(() => 1);
    });
    const parent = workflow('parent', function* () {
      return yield* step('child').workflow(kid);
    });
    const engine = await rig.open({ workflows: [parent, kid] });
    await (await engine.start(parent)).wait();
    await engine.close();
    const whole = telemetry.named('invoke_workflow parent');
    const [child] = telemetry.named('invoke_workflow kid');
    expect(new Set(telemetry.spans().map(traceOf)).size).toBe(1);
    expect(whole.map(idOf)).toContain(parentOf(child));
    expect(parentOf(telemetry.named('step play')[0])).toBe(idOf(child));
  });

  test('the spans of a run that waits stay in its trace in the next process, and the wait itself is one', async () => {
    const clock = createVirtualClock();
    const later = defineWorkflow({
      name: 'later',
      steps: [
        { id: 'rest', delay: '2h', next: 'go' },
        { id: 'go', handler: () => 1, next: null },
      ],
    });
    const first = await rig.open({ workflows: [later], clock });
    const { id } = await first.start(later);
    await first.close();
    clock.advance(2 * 3_600_000);
    const second = await rig.open({ workflows: [later], clock });
    await second.run(id).wait();
    await second.close();
    const [start, end] = telemetry.named('invoke_workflow later');
    const [rest] = telemetry.named('step rest');
    expect(start?.attributes['pawl.run.status']).toBe('waiting');
    expect(end?.attributes['pawl.run.status']).toBe('completed');
    expect([parentOf(end), parentOf(rest)]).toEqual([idOf(start), idOf(start)]);
    expect(new Set(telemetry.spans().map(traceOf)).size).toBe(1);
    expect(Number(rest?.endTime[0]) - Number(rest?.startTime[0])).toBe(7200);
  });
});

describe('tracing', () => {
  test('a run that was started without an SDK has one trace, whichever process drives it', async () => {
    telemetry.close();
    const slow = defineWorkflow({
      name: 'slow',
      steps: [
        { id: 'rest', delay: '1h', next: 'go' },
        { id: 'go', delay: '1h', next: null },
      ],
    });
    const clock = createVirtualClock();
    const engines = { workflows: [slow], clock };
    const first = await rig.open(engines);
    const { id } = await first.start(slow);
    await first.close();
    telemetry = registerTelemetry();
    for (const hours of [1, 2]) {
      clock.advance(3_600_000);
      const engine = await rig.open(engines);
      await engine.recover();
      if (hours === 2) await engine.run(id).wait();
      await engine.close();
    }
    expect(telemetry.named('invoke_workflow slow').length).toBeGreaterThanOrEqual(2);
    expect(new Set(telemetry.spans().map(traceOf)).size).toBe(1);
  });

  test('a span processor that throws does not affect a run', async () => {
    telemetry.close();
    const broken: SpanProcessor = {
      onStart: () => {
        throw new Error('broken at the start');
      },
      onEnd: () => {
        throw new Error('broken at the end');
      },
      forceFlush: () => Promise.resolve(),
      shutdown: () => Promise.resolve(),
    };
    telemetry = registerTelemetry(broken);
    const engine = await rig.open({ workflows: [article], roles, drivers: { scripted: agents } });
    expect((await (await engine.start(article)).wait()).status).toBe('completed');
  });

  test('the span of a start that is refused ends with the code of the refusal', async () => {
    const engine = await rig.open({ workflows: [article], roles, drivers: { scripted: agents } });
    await errorOf(engine.start(article, { unknown: 1 } as never));
    expect(telemetry.named('invoke_workflow article')[0]?.attributes['error.type']).toBe('PARAMS_INVALID');
  });
});
