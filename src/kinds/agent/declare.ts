// Owns what the kind `agent` declares: work of an agent, reached by its role or as a live object.

import { isJsonObject } from '../../base/json.ts';
import { schemaFault } from '../../definition/json-schema.ts';
import { isText, type KindDeclaration } from '../../definition/kind.ts';

const TEXTS = ['role', 'action', 'prompt', 'script'];

/** An agent: `{ role?, action?, prompt?, script?, schema?, context? }`; without a role, the code has a live one. */
export const agent: KindDeclaration = {
  kind: 'agent',
  outcomes: [],
  recovery: 'ask',
  validate(step, report) {
    for (const field of TEXTS) {
      const value = step.config[field];
      if (value !== undefined && !isText(value)) report.fault(`its ${field} is no text`, `write text, or leave ${field} out`);
    }
    const { context, schema } = step.config;
    const fault = schema === undefined ? undefined : schemaFault(schema);
    if (fault !== undefined) report.fault(fault, 'describe the output with what can be checked');
    if (context !== undefined && !isJsonObject(context)) report.fault('its context is no object', 'write values by name, or a function');
  },
};
