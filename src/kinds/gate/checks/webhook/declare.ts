// Declares the check `webhook`: a request to a web service, and the condition under which it passes.

import { omitUndefined } from '../../../../base/fields.ts';
import { type CheckDeclaration, declareCheck, readExpect } from '../../../../definition/check.ts';
import { isTexts } from '../../../../definition/field-reader.ts';
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

/** A web service that must respond as expected. */
export const webhookCheck: CheckDeclaration = declareCheck({
  name: 'webhook',
  readsFiles: false,
  title: ({ url }) => `webhook ${url}`,
  fields: (read, report, { body }) => ({
    url: read.required('url', isText, ['`url` must be an address', 'write it as url: "https://api.example.com/validate"']) ?? '',
    ...omitUndefined({
      method: read.optional('method', isText, ['`method` must be an HTTP method', 'write one such as POST']),
      headers: read.optional('headers', isTexts, ['`headers` must be strings by name', 'write them as headers: { Accept: "text/plain" }']),
      body,
      expect: readExpect(read, report, { example: 'status == 200', roots: ['status', 'headers', 'body'] }),
    }),
  }),
});
