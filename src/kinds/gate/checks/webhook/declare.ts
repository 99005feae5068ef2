// Owns what the check `webhook` declares: a request to a web service, and how its answer is judged.

import { type CheckDeclaration, validateExpect } from '../../../../definition/check.ts';
import { isText } from '../../../../definition/kind.ts';

/** `{ url, method?, headers?, body?, expect? }`. */
export const webhookCheck: CheckDeclaration = {
  name: 'webhook',
  title: ({ url }) => `webhook ${String(url)}`,
  looksElsewhere: true,
  validate({ url, expect }, report) {
    if (!isText(url)) report.fault('it does not say what to ask', 'write it as url: "https://api.example.com/validate"');
    validateExpect(expect, report, { example: 'status == 200', roots: ['status', 'headers', 'body'] });
  },
};
