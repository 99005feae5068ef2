// Owns the driver for live objects: application code that works like an agent. It receives the context and the whole
// request, and its return value is the answer.

import { messageOf } from '../base/error.ts';
import { isJsonObject, type Json, toPlain } from '../base/json.ts';
import type { AgentAnswer, AgentDriver, AgentRequest } from './driver.ts';
import { askCode } from './in-process.ts';

/** Code that works like an agent. A returned `success`, `verdict` and `message` have the same meaning as for any agent. */
export interface LiveWorker {
  execute(context: AgentRequest['context'], request: AgentRequest): unknown;
}

/** Creates a driver whose agent is an object of the application. */
export function createLiveDriver(worker: LiveWorker): AgentDriver {
  return { name: 'live', ask: (request) => askCode(request, async (own) => answerOf(await worker.execute(own.context, own))) };
}

function answerOf(value: unknown): AgentAnswer {
  let plain: Json;
  try {
    plain = toPlain(value, 'the output of the agent');
  } catch (thrown) {
    return { kind: 'failed', failure: 'invalid-output', message: messageOf(thrown) };
  }
  if (!isJsonObject(plain) || typeof plain.success !== 'boolean') return { kind: 'answered', success: true, output: plain };
  const { success, verdict, message, output = null } = plain;
  return {
    kind: 'answered',
    success,
    output,
    ...(verdict === 'approve' || verdict === 'reject' ? { verdict } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  };
}
