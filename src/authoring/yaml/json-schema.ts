// Generates the JSON Schema for editors from the schema that is checked, so that an editor and `pawl validate` agree. JSON
// Schema cannot express rules about more than one field; only `validate` reports them.

import * as z from 'zod';
import type { JsonObject } from '../../base/json.ts';
import type { Compilers } from '../graph/work.ts';
import { OWN_NOTES } from './schema/field.ts';
import { workflowSchema } from './schema/schema.ts';

/** The path at which editors find the schema: in the package, and in the modeline that `init` writes. */
export const SCHEMA_FILE = 'schema/pawl-workflow.schema.json';

/** The JSON Schema of a workflow file. */
export function workflowJsonSchema(compilers: Compilers): JsonObject {
  const schema = z.toJSONSchema(workflowSchema(compilers), {
    io: 'input',
    target: 'draft-2020-12',
    reused: 'inline',
    override: ({ jsonSchema }) => {
      for (const note of OWN_NOTES) delete jsonSchema[note];
      // The id is the key of the schema; inside the schema it would be read as a URL.
      delete jsonSchema.id;
    },
  });
  return { ...(JSON.parse(JSON.stringify(schema)) as JsonObject), title: 'Pawl workflow' };
}
