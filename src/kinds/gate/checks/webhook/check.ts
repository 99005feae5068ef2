// Owns the check `webhook` as the registry has it: its declaration, how it is written in a workflow file, and its execution.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import { bareExpression, requestOf } from '../../../../authoring/yaml/compile/part.ts';
import { checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { omitUndefined } from '../../../../base/fields.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { webhookCheck as declaration } from './declare.ts';
import { run } from './run.ts';

const yaml = checkForm({
  meaning: 'Asks another service.',
  fields: ({ request, condition }) => ({
    ...request,
    expect: condition('What must hold, over `status`, `headers` and `body`. Default: a status of 200 to 299.', {
      examples: ['status == 200'],
      roots: ['status', 'headers', 'body'],
    }).optional(),
  }),
  toSpec: (written) => ({
    templates: true,
    ...requestOf(written),
    ...omitUndefined({ expect: written.expect && bareExpression(written.expect) }),
  }),
});

/** The check `webhook`: how it is declared, written in files and made. */
export const webhookCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
