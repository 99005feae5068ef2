// Declares the kind `webhook`: a request to a web service, and the expected response.

import { messageOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { didYouMean } from '../../base/suggest.ts';
import { countFrom, fieldReader, isTexts, oneOf } from '../../definition/field-reader.ts';
import { isCount, isText, type KindDeclaration, type KindReport } from '../../definition/kind.ts';
import type { StepOf } from '../../definition/model.ts';
import { type RequestModel, secretNames } from '../../definition/web-request.ts';
import { parseTemplate, readsSecrets } from '../../expr/template.ts';
import { parseTemplateTree } from '../../expr/template-tree.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** A request and the expected response; without `expect`, any status from 200 to 299. */
export type WebhookConfig = {
  readonly request: RequestModel;
  readonly expect?: { readonly status?: number; readonly body?: Json };
  /** The strings of the request are templates; without it they are literal text. */
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
    parseWebhook(config, report);
  },
};

/** Parses a request and the expected response; undefined if there is no request. */
export function parseWebhook(given: unknown, report: KindReport): WebhookConfig | undefined {
  const { optional, required } = fieldReader(given, report);
  const fields = isJsonObject(given) ? given : {};
  const timeoutMs = optional('timeoutMs', countFrom(1), ['`timeout` must be a duration', 'write one such as "30s"']);
  const expect = optional('expect', isJsonObject, ['`expect` must be a map', 'write expect: { status: 200, body: { approved: true } }']);
  const expected = expect && parseExpected(expect, report);
  checkFields(fields, ['request', 'expect', 'templates', 'timeoutMs'], report);
  const templates = optional('templates', oneOf(true), ['`templates` must be true', 'write true, or leave it out']);
  const request = parseRequest(required('request', isJsonObject, NO_ADDRESS), report);
  if (request === undefined) return undefined;
  if (templates === true) checkTemplates(request, report);
  return { request, ...omitUndefined({ expect: expected, templates, timeoutMs }) };
}

const NO_ADDRESS = ['`request.url` must be an address', 'write request: { url: "https://api.example.com/validate" }'] as const;

function parseRequest(given: JsonObject | undefined, report: KindReport): RequestModel | undefined {
  if (given === undefined) return undefined;
  const { optional, required } = fieldReader(given, report);
  checkFields(given, ['url', 'method', 'headers', 'body'], report);
  const url = required('url', isText, NO_ADDRESS);
  const method = optional('method', isMethod, ['`request.method` must be an HTTP method', `write one of ${METHODS.join(', ')}`]);
  const headers = optional('headers', isTexts, [
    '`request.headers` must be strings by name',
    'write them as headers: { Accept: "application/json" }',
  ]);
  return url === undefined ? undefined : { url, ...omitUndefined({ method, headers, body: given.body }) };
}

function isMethod(value: unknown): value is string {
  return typeof value === 'string' && METHODS.includes(value.toUpperCase());
}

function parseExpected(given: JsonObject, report: KindReport): NonNullable<WebhookConfig['expect']> {
  const unknown = Object.keys(given).find((key) => key !== 'status' && key !== 'body');
  if (unknown !== undefined) report.fault(`\`expect\` has no field "${unknown}"`, 'it can have status and body');
  const isStatus = (value: unknown): value is number => isCount(value, 100) && value <= 599;
  const { optional } = fieldReader(given, report);
  const status = optional('status', isStatus, ['`expect.status` must be an HTTP status code', 'write a number such as 200']);
  return omitUndefined({ status, body: given.body });
}

function checkFields(given: object, known: readonly string[], report: KindReport): void {
  for (const field of Object.keys(given))
    if (!known.includes(field))
      report.fault(`a webhook has no field "${field}"${didYouMean(field, known)}`, 'remove it, or fix the spelling');
}

function checkTemplates({ url, headers, body }: RequestModel, report: KindReport): void {
  try {
    if (readsSecrets(parseTemplate(url)).length > 0)
      report.fault('`request.url` must not read a secret, because URLs are logged', 'send secrets in a header or in the body');
    if (secretNames(parseTemplateTree([headers ?? null, body ?? null]).paths) === undefined)
      report.fault('the name of a secret must not be computed', 'write it out, as in {{ secrets.API_TOKEN }}');
  } catch (thrown) {
    report.fault(`a template of the request cannot be parsed: ${messageOf(thrown)}`, 'write values as {{ context.pr_number }}');
  }
}
