// Owns what the kind `webhook` declares: a request to a web service outside, and the answer that is expected.

import { messageOf } from '../../base/error.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { didYouMean } from '../../base/suggest.ts';
import { isCount, isText, type KindDeclaration, type KindReport } from '../../definition/kind.ts';
import type { StepOf } from '../../definition/model.ts';
import { type RequestModel, secretNames } from '../../definition/web-request.ts';
import { parseTemplate, readsSecrets } from '../../expr/template.ts';
import { parseTemplateTree } from '../../expr/template-tree.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** A request, and what counts as a good answer; without `expect`, any status from 200 to 299. */
export type WebhookConfig = {
  readonly request: RequestModel;
  readonly expect?: { readonly status?: number; readonly body?: Json };
  /** The texts of the request are templates of the author; without it they are data, as they stand. */
  readonly templates?: true;
  readonly timeoutMs?: number;
};

declare module '../../definition/model.ts' {
  interface WorkConfigs {
    webhook: WebhookConfig;
  }
}

/** A request to a web service. */
export const webhook: KindDeclaration = {
  kind: 'webhook',
  effects: 'lasting',
  again: 'sent again, under another key',
  effectText: () => 'a request that was sent',
  outcomes: [],
  recovery: 'ask',
  keepsRecovery: true,
  validate({ config }: StepOf<'webhook'>, report) {
    const { request, expect, timeoutMs, templates } = config;
    if (timeoutMs !== undefined && !isCount(timeoutMs, 1)) report.fault('`timeout` must be a duration', 'write one such as "30s"');
    validateExpected(expect, report);
    validateFields(config, ['request', 'expect', 'templates', 'timeoutMs'], report);
    if (isJsonObject(request)) validateFields(request, ['url', 'method', 'headers', 'body'], report);
    if (!isJsonObject(request) || !isText(request.url))
      return report.fault('`request.url` must be an address', 'write request: { url: "https://api.example.com/validate" }');
    validateRequest(request, report);
    if (templates === true) validateTemplates(request, report);
  },
};

function validateFields(given: object, known: readonly string[], report: KindReport): void {
  for (const field of Object.keys(given))
    if (!known.includes(field))
      report.fault(`a webhook has no field "${field}"${didYouMean(field, known)}`, 'remove it, or fix the spelling');
}

function validateRequest({ method, headers }: RequestModel, report: KindReport): void {
  if (method !== undefined && !(typeof method === 'string' && METHODS.includes(method.toUpperCase())))
    report.fault('`request.method` must be an HTTP method', `write one of ${METHODS.join(', ')}`);
  if (headers === undefined) return;
  if (!isJsonObject(headers) || !Object.values(headers).every((value) => typeof value === 'string'))
    report.fault('`request.headers` must be texts by name', 'write them as headers: { Accept: "application/json" }');
}

function validateExpected(expect: WebhookConfig['expect'], report: KindReport): void {
  if (expect === undefined) return;
  if (!isJsonObject(expect)) return report.fault('`expect` must be a map', 'write expect: { status: 200, body: { approved: true } }');
  const unknown = Object.keys(expect).find((key) => key !== 'status' && key !== 'body');
  if (unknown !== undefined) report.fault(`\`expect\` has no field "${unknown}"`, 'it can have status and body');
  const { status } = expect;
  if (status !== undefined && !(isCount(status, 100) && status <= 599))
    report.fault('`expect.status` must be an HTTP status code', 'write a number such as 200');
}

function validateTemplates({ url, headers, body }: RequestModel, report: KindReport): void {
  try {
    if (readsSecrets(parseTemplate(url)).length > 0)
      report.fault('its URL reads a secret, and URLs are logged along the way', 'send secrets in a header or in the body');
    if (secretNames(parseTemplateTree([headers ?? null, body ?? null]).paths) === undefined)
      report.fault('it reads a secret whose name is not written out', 'name it, as in {{ secrets.API_TOKEN }}');
  } catch (thrown) {
    report.fault(`a template of its request cannot be read: ${messageOf(thrown)}`, 'write values as {{ context.pr_number }}');
  }
}
