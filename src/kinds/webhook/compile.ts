// Compiles a `webhook` step: a request, and the expected response.

import type { MethodArguments } from '../../authoring/flow/method.ts';
import type { FlowSpec } from '../../authoring/flow/model.ts';
import { type BuiltFields, builtCode, extractFunctions } from '../../authoring/graph/built.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { objectShape } from '../../authoring/spec/shape.ts';
import { webhook as declaration, parseWebhook } from './declare.ts';
import type { WebhookStep } from './spec.ts';

const BUILT_FIELDS: BuiltFields = { 'request.url': 'text', 'request.headers': 'texts', 'request.body': 'data' };

/** Compiles `webhook` steps. The strings of a request may be templates in a graph; in a flow they are literal text. */
export const webhook: KindCompiler = {
  ...declaration,
  field: 'webhook',
  flow: {
    webhook: {
      most: 2,
      write: ([webhook, options]: MethodArguments<WebhookStep<never>, 'webhook'>): FlowSpec => ({ fields: { webhook }, options }),
    },
  },
  shapes: { webhook: objectShape<object>({}, { example: '{ request: { url: "https://api.example.com/validate" } }' }) },
  read({ webhook: given }, { step }) {
    const { data, built } = extractFunctions({ request: given?.request, ...given }, BUILT_FIELDS, { step });
    const config = step.parse({ ...data, templates: step.graph.isFlow ? undefined : true }, '`webhook`', parseWebhook);
    // Its configuration says whether they are templates, and the step renders them itself: only it may read secrets.
    return config && { work: { kind: 'webhook', config }, code: builtCode(built), templates: false };
  },
};
