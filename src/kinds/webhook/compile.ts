// Owns how a `webhook` is written: a request, and the answer that is expected.

import { plainOf, type StepOptions, type StepParts } from '../../authoring/flow/model.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import type { Webhook } from '../../authoring/spec/part.ts';
import { webhook as declaration, type WebhookConfig } from './declare.ts';

/** The kind `webhook`; the texts of a graph's request may be templates. */
export const webhook: KindCompiler = {
  ...declaration,
  field: 'webhook',
  read({ webhook: given }, { step }) {
    return {
      work: { kind: 'webhook', config: step.config<WebhookConfig>({ request: given?.request, ...given, templates: true }, 'its webhook') },
      // The step says so in its configuration, and fills them in itself: only it may read secrets.
      templates: false,
    };
  },
};

/** A request to a web service; everything in it is data as it stands. */
export function buildWebhook(name: string, given: Webhook, options: StepOptions = {}): StepParts {
  return { name, work: { kind: 'webhook', config: plainOf<WebhookConfig>(name, 'a webhook', given) }, options };
}
