// Combines the kind `webhook` for the registry, with its form in workflow files.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import { nonEmpty, requestOf } from '../../authoring/yaml/compile/part.ts';
import { type StageForm, stageForm } from '../../authoring/yaml/schema/form.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { StepOf } from '../../definition/model.ts';
import type { KindExecutor } from '../../steps/work.ts';
import { webhook as compiler } from './compile.ts';
import { execute } from './run.ts';

/** The request, and the expected response. */
const yaml: StageForm = stageForm({
  meaning: 'A request to another service.',
  transitions: ['on_success', 'on_failure'],
  fields: ({ z, map, request, noted, data }) => ({
    request: map('a request', request, 'The request.'),
    expect: map(
      'an expectation',
      {
        status: noted(z.int().min(100).max(599), {
          description: 'The status. Default: 200 to 299.',
          examples: [200],
          accepts: 'a status such as 200',
        }).optional(),
        body: data('What the body must contain: every field given here, with the same value.', { approved: true }).optional(),
      },
      'The expected response.',
    ).optional(),
  }),
  toSpec({ request, expect }) {
    const expected = omitUndefined({ status: expect?.status, body: expect?.body as Json | undefined });
    return { webhook: { request: requestOf(request), ...omitUndefined({ expect: nonEmpty(expected) }) } };
  },
});

/** A webhook as a stage. */
function write({ config: { request, expect } }: StepOf<'webhook'>): JsonObject {
  return omitUndefined({ request: request as JsonObject, expect: expect as JsonObject | undefined });
}

/** The registry entry of the kind `webhook`. */
export const webhookKind: KindCompiler & KindExecutor = { ...compiler, execute, write, yaml };
