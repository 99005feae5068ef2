// Owns what the check `webhook` declares: a request to a web service, and how its answer is judged.

import { type CheckDeclaration, type CheckOf, validateExpect } from '../../../../definition/check.ts';
import { isText } from '../../../../definition/kind.ts';
import type { RequestModel } from '../../../../definition/web-request.ts';

/** A request that passes when `expect` holds, by default for a status from 200 to 299. */
export type WebhookCheck = RequestModel & {
  /** An expression over `status`, `headers` and `body`. */
  readonly expect?: string;
};

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    webhook: WebhookCheck;
  }
}

/** A web service whose answer is judged. */
export const webhookCheck: CheckDeclaration = {
  name: 'webhook',
  looksElsewhere: true,
  title: ({ url }: CheckOf<'webhook'>) => `webhook ${url}`,
  validate({ url, expect }: CheckOf<'webhook'>, report) {
    if (!isText(url)) report.fault('`url` must be an address', 'write it as url: "https://api.example.com/validate"');
    validateExpect(expect, report, { example: 'status == 200', roots: ['status', 'headers', 'body'] });
  },
};
