// Owns how a `webhook` is written: a request, and the answer that is expected.

import type { MethodArguments } from '../../authoring/flow/method.ts';
import type { FlowSpec } from '../../authoring/flow/model.ts';
import { type BuiltFields, builtCode, takeFunctions } from '../../authoring/graph/built.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { objectShape } from '../../authoring/spec/shape.ts';
import { webhook as declaration, parseWebhook } from './declare.ts';
import type { WebhookStep } from './spec.ts';

const BUILT_FIELDS: BuiltFields = { 'request.url': 'text', 'request.headers': 'texts', 'request.body': 'data' };

/** The kind `webhook`; the texts of a graph's request may be templates, those of a flow are data as they stand. */
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
    const { data, built } = takeFunctions({ request: given?.request, ...given }, BUILT_FIELDS, { step });
    const config = step.parse({ ...data, templates: step.graph.isFlow ? undefined : true }, 'its webhook', parseWebhook);
    // The step says so in its configuration, and fills them in itself: only it may read secrets.
    return config && { work: { kind: 'webhook', config }, code: builtCode(built), templates: false };
  },
};
