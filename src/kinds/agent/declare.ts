// Owns what the kind `agent` declares: work of an agent, reached by its role or as a live object.

import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Budget } from '../../definition/budget.ts';
import { schemaFault } from '../../definition/json-schema.ts';
import { isText, type KindDeclaration, validateBudget } from '../../definition/kind.ts';
import type { StepOf } from '../../definition/model.ts';

/** Who works and their instructions; without a role, the code has a live agent. */
export type AgentConfig = {
  readonly role?: string;
  /** Which of its actions. */
  readonly action?: string;
  readonly prompt?: string;
  /** The script that an agent is dispatched with. */
  readonly script?: string;
  /** The JSON Schema that its output must match. */
  readonly schema?: JsonObject;
  readonly context?: JsonObject;
  /** What all attempts of the step may use in a run. */
  readonly budget?: Budget;
  /** It gets the run's data below its own context. */
  readonly seesContext?: true;
  /** It continues the latest session of its role in the run. */
  readonly continueSession?: true;
  /** Whether it reviews something and must give a verdict. Default: true if there is a transition for `reject`. */
  readonly reviews?: boolean;
};

declare module '../../definition/model.ts' {
  interface WorkConfigs {
    agent: AgentConfig;
  }
}

const TEXTS = ['role', 'action', 'prompt', 'script'] as const;

/** Work of an agent. */
export const agent: KindDeclaration = {
  kind: 'agent',
  worker: 'agent',
  writesFiles: 'any',
  joinsData: true,
  effects: 'lasting',
  again: 'effects may repeat; costs again',
  effectText: () => 'what the agent did outside the workspace',
  outcomes: [],
  recovery: 'ask',
  validate({ config }: StepOf<'agent'>, report) {
    for (const field of TEXTS) {
      const value = config[field];
      if (value !== undefined && !isText(value)) report.fault(`\`${field}\` must be a text`, `write one, or leave ${field} out`);
    }
    const { context, schema, budget, reviews } = config;
    if (reviews !== undefined && typeof reviews !== 'boolean')
      report.fault('`reviews` must be true or false', 'write true, false, or leave it out');
    const fault = schema === undefined ? undefined : schemaFault(schema);
    if (fault !== undefined) report.fault(fault, 'describe the output with what can be checked');
    if (context !== undefined && !isJsonObject(context)) report.fault('`context` must be an object', 'write values by name, or a function');
    validateBudget(budget, report);
  },
};
