// Owns how an `agent` step is written: the worker, its task, and what it must produce.

import type { MethodArguments } from '../../authoring/flow/method.ts';
import { plainOf, type StepParts } from '../../authoring/flow/model.ts';
import { builtCode, takeFunctions } from '../../authoring/graph/built.ts';
import { LIVE_AGENT, TEXT_OR_FUNCTION } from '../../authoring/graph/shape.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { eitherShape, FLAG, functionShape, objectShape, TEXT } from '../../authoring/spec/shape.ts';
import { budgetOf, contextOf, liveCode, readContext, workerOf } from '../../authoring/spec/worker.ts';
import { present } from '../../base/fields.ts';
import type { JsonObject } from '../../base/json.ts';
import type { WorkOf } from '../../definition/model.ts';
import { type AgentConfig, agent as declaration, parseAgent } from './declare.ts';
import type { AgentStep } from './spec.ts';

const BESIDE = ['context', 'action', 'prompt', 'script', 'schema', 'budget', 'reviews', 'seesContext', 'continueSession'];

const FLAGS = { reviews: FLAG, seesContext: FLAG, continueSession: FLAG };
const FLOW_AGENT = objectShape<object>(
  { ...FLAGS, action: TEXT, prompt: TEXT, script: TEXT },
  { example: '{ agent: "developer", prompt: "…" }' },
);

/** The kind `agent`. */
export const agent: KindCompiler = {
  ...declaration,
  field: 'agent',
  flow: { agent: { most: 1, first: FLOW_AGENT, build } },
  beside: BESIDE,
  shapes: {
    agent: LIVE_AGENT,
    prompt: TEXT_OR_FUNCTION,
    action: TEXT_OR_FUNCTION,
    script: TEXT,
    ...FLAGS,
    context: eitherShape(objectShape<object>({}), functionShape()),
  },
  literals: ({ config: { prompt, action, script, context } }: WorkOf<'agent'>) => ({ prompt, action, script, context }),
  read(spec, { step }) {
    const { agent: worker, script, schema, budget, reviews } = spec;
    const { data, built } = takeFunctions({ prompt: spec.prompt, action: spec.action }, { prompt: 'text', action: 'text' }, { step });
    const { prompt, action } = data;
    const [seesContext, continueSession] = [spec.seesContext || undefined, spec.continueSession || undefined];
    const role = typeof worker === 'string' ? worker : undefined;
    const { context, code } = readContext(spec, step);
    return {
      work: {
        kind: 'agent',
        config: step.parse(
          { role, action, prompt, script, schema, context, budget, reviews, seesContext, continueSession },
          'its agent',
          parseAgent,
        ),
      },
      code: { ...code, ...builtCode(built), ...liveCode(worker, step) },
    };
  },
};

/** An agent step. */
function build(name: string, [spec]: MethodArguments<AgentStep<never>, 'agent'>): StepParts {
  const { agent: given, context, action, prompt, script, schema, budget, reviews, ...beside } = spec;
  const { seesContext, continueSession, supportsQuestions, questionState, ...options } = beside;
  const worker = workerOf(name, 'agent', given);
  const passed = contextOf(name, context);
  const config: AgentConfig = {
    ...present({ role: worker.role, action, prompt, script, schema: schema && plainOf<JsonObject>(name, 'the schema', schema) }),
    ...budgetOf(name, budget),
    ...present({ reviews, seesContext: seesContext || undefined, continueSession: continueSession || undefined }),
    ...passed.config,
  };
  return {
    name,
    work: { kind: 'agent', config },
    frame: present({ supportsQuestions, questionState }),
    code: { ...worker.code, ...passed.code },
    options,
    fields: ['agent', 'supportsQuestions', 'questionState', ...BESIDE],
  };
}
