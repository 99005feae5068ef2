// Owns the attributes of spans, by the GenAI semantic conventions of OpenTelemetry; names outside of them start with `pawl.`.
// Spans contain names, numbers and codes. Prompts, outputs and error messages may contain secrets, so spans have none of them.

import type { Attributes } from '@opentelemetry/api';
import type { AgentAnswer } from '../../agents/driver.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { Activation } from '../../kernel/activation.ts';
import type { RunState } from '../../kernel/run-state.ts';
import type { Spawn } from '../../steps/worker/accounting.ts';

const TEXT_MAX = 200;

/** The attributes of a run's span. */
export function runAttributes({ id, workflow, parent }: Pick<RunState, 'id' | 'workflow' | 'parent'>): Attributes {
  return bounded({
    'gen_ai.operation.name': 'invoke_workflow',
    'gen_ai.workflow.name': workflow,
    'pawl.run.id': id,
    'pawl.run.parent': parent?.run,
  });
}

/** The attributes of a step's span. */
export function stepAttributes(run: string, { path, step, kind, attempt, recovery }: Activation): Attributes {
  return bounded({
    'pawl.run.id': run,
    'pawl.step.id': step,
    'pawl.step.path': path,
    'pawl.step.kind': kind,
    'pawl.step.attempt': attempt,
    'pawl.step.recovery': recovery === 0 ? undefined : recovery,
  });
}

/** The attributes of an agent's span before it has answered. */
export function agentAttributes({ run, path, attempt, role, driver, model, worker }: Spawn): Attributes {
  return bounded({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': role,
    'gen_ai.provider.name': worker === 'object' ? 'application' : (PROVIDERS[driver ?? ''] ?? driver),
    'gen_ai.request.model': model,
    'pawl.run.id': run,
    'pawl.step.path': path,
    'pawl.step.attempt': attempt,
    'pawl.agent.driver': driver,
  });
}

/** The providers of the agents that Pawl has drivers for, as the conventions name them. */
const PROVIDERS: Readonly<Record<string, string>> = { 'claude-code': 'anthropic', codex: 'openai' };

/** What an agent's answer adds: its usage, as far as it is known, and why it failed. */
export function answerAttributes(answer: AgentAnswer): Attributes {
  const { inputTokens, outputTokens, costUsd, turns } = answer.usage ?? {};
  return bounded({
    'gen_ai.conversation.id': answer.session,
    'gen_ai.usage.input_tokens': inputTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    'pawl.usage.cost_usd': costUsd,
    'pawl.usage.turns': turns,
    'pawl.agent.answer': answer.kind,
    'pawl.agent.denied_requests': answer.refusals?.length,
  });
}

function bounded(attributes: Readonly<Record<string, string | number | undefined>>): Attributes {
  const short = Object.entries(attributes).map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, TEXT_MAX) : value]);
  return omitUndefined(Object.fromEntries(short)) as Attributes;
}
