// Compiles an `agent` step: the worker, its task, and what it must produce.

import type { MethodArguments } from '../../authoring/flow/method.ts';
import type { FlowSpec } from '../../authoring/flow/model.ts';
import { builtCode, extractFunctions } from '../../authoring/graph/built.ts';
import { LIVE_AGENT, TEXT_OR_FUNCTION } from '../../authoring/graph/shape.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { eitherShape, FLAG, functionShape, objectShape, TEXT } from '../../authoring/spec/shape.ts';
import { liveCode, readContext } from '../../authoring/spec/worker.ts';
import type { WorkOf } from '../../definition/model.ts';
import { agent as declaration, parseAgent } from './declare.ts';
import type { AgentStep } from './spec.ts';

const BESIDE = ['context', 'action', 'prompt', 'script', 'schema', 'budget', 'reviews', 'seesContext', 'continueSession'];

/** Compiles `agent` steps. */
export const agent: KindCompiler = {
  ...declaration,
  field: 'agent',
  flow: {
    agent: {
      most: 1,
      first: objectShape<object>({ prompt: TEXT, action: TEXT }, { example: '{ agent: "developer", prompt: "…" }' }),
      own: ['agent', 'supportsQuestions', 'questionState', ...BESIDE],
      write: agentOf,
    },
  },
  beside: BESIDE,
  shapes: {
    agent: LIVE_AGENT,
    prompt: TEXT_OR_FUNCTION,
    action: TEXT_OR_FUNCTION,
    ...{ script: TEXT, reviews: FLAG, seesContext: FLAG, continueSession: FLAG },
    context: eitherShape(objectShape<object>({}), functionShape()),
  },
  literals: ({ config: { prompt, action, script, context } }: WorkOf<'agent'>) => ({ prompt, action, script, context }),
  read(spec, { step }) {
    const { agent: worker, script, schema, budget, reviews } = spec;
    const { data, built } = extractFunctions({ prompt: spec.prompt, action: spec.action }, { prompt: 'text', action: 'text' }, { step });
    const { prompt, action } = data;
    const [seesContext, continueSession] = [spec.seesContext || undefined, spec.continueSession || undefined];
    const role = typeof worker === 'string' ? worker : undefined;
    const { context, code } = readContext(spec, step);
    return {
      work: {
        kind: 'agent',
        config: step.parse(
          { role, action, prompt, script, schema, context, budget, reviews, seesContext, continueSession },
          '`agent`',
          parseAgent,
        ),
      },
      code: { ...code, ...builtCode(built), ...liveCode(worker, 'agent', step) },
    };
  },
};

function agentOf([spec]: MethodArguments<AgentStep<never>, 'agent'>): FlowSpec {
  const { agent: worker, context, action, prompt, script, schema, budget, reviews, ...beside } = spec;
  const { seesContext, continueSession, supportsQuestions, questionState, ...options } = beside;
  const work = { agent: worker, context, action, prompt, script, schema, budget, reviews, seesContext, continueSession };
  return { fields: { ...work, supportsQuestions, questionState }, options };
}
