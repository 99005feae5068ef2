// Combines the check `webhook` for the registry, with its form in workflow files.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import { bareExpression, requestOf } from '../../../../authoring/yaml/compile/part.ts';
import { checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { omitUndefined } from '../../../../base/fields.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { webhookCheck as declaration } from './declare.ts';
import { run } from './run.ts';

const yaml = checkForm({
  meaning: 'Calls a web service.',
  fields: ({ request, condition }) => ({
    ...request,
    expect: condition('What must hold, over `status`, `headers` and `body`. Default: a status of 200 to 299.', {
      examples: ['status == 200'],
      roots: ['status', 'headers', 'body'],
    }).optional(),
  }),
  toSpec: ({ expect, ...request }) => ({
    templates: true,
    ...requestOf(request),
    ...omitUndefined({ expect: expect && bareExpression(expect) }),
  }),
});

/** The registry entry of the check `webhook`. */
export const webhookCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
