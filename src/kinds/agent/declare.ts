// Declares the kind `agent`: work of an agent, reached by its role or as a live object.

import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Budget } from '../../definition/budget.ts';
import { fieldReader, isFlag, oneOf, readBudget } from '../../definition/field-reader.ts';
import { isText, type KindDeclaration, type KindReport } from '../../definition/kind.ts';
import type { StepOf } from '../../definition/model.ts';
import { schemaFault } from '../../definition/param/json-schema.ts';

/** The worker and its instructions; without a role, the code has a live agent. */
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

/** Parses the worker and its instructions. */
export function parseAgent(given: unknown, report: KindReport): AgentConfig {
  const read = fieldReader(given, report);
  const { optional } = read;
  const text = (field: string) => optional(field, isText, [`\`${field}\` must be a string`, `write one, or leave ${field} out`]);
  const flag = (field: string) => optional(field, oneOf(true), [`\`${field}\` must be true`, 'write true, or leave it out']);
  return omitUndefined({
    role: text('role'),
    action: text('action'),
    prompt: text('prompt'),
    script: text('script'),
    schema: optional('schema', isSchema, (value) => [schemaFault(value) ?? NO_SCHEMA, 'write a schema with the supported keywords']),
    context: optional('context', isJsonObject, ['`context` must be an object', 'write values by name, or a function']),
    budget: readBudget(read),
    reviews: optional('reviews', isFlag, ['`reviews` must be true or false', 'write true, false, or leave it out']),
    seesContext: flag('seesContext'),
    continueSession: flag('continueSession'),
  });
}

const NO_SCHEMA = 'the schema must be an object';

function isSchema(value: unknown): value is JsonObject {
  return isJsonObject(value) && schemaFault(value) === undefined;
}

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
    parseAgent(config, report);
  },
};
