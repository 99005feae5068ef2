// Owns how the check `webhook` is written in a workflow file.

import { bareExpression, requestOf } from '../../../../authoring/yaml/compile/part.ts';
import { type CheckForm, checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { present } from '../../../../base/fields.ts';

/** A request, and how its answer is judged. */
export const yaml: CheckForm = checkForm({
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
    ...present({ expect: written.expect && bareExpression(written.expect) }),
  }),
});
