// Owns what the kind `webhook` declares: a request to a web service outside, and the answer that is expected.

import { messageOf } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { isCount, isText, type KindDeclaration, type KindReport } from '../../definition/kind.ts';
import { secretNames } from '../../definition/web-request.ts';
import { parseTemplate, readsSecrets } from '../../expr/template.ts';
import { parseTemplateTree } from '../../expr/template-tree.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * A request: `{ request: { url, method?, headers?, body? }, expect?: { status?, body? }, templates?, timeoutMs? }`. With
 * `templates: true` the texts of the request are templates of the author; without it they are data, as they stand.
 */
export const webhook: KindDeclaration = {
  kind: 'webhook',
  outcomes: [],
  recovery: 'ask',
  validate({ config }, report) {
    const { request, expect, timeoutMs, templates } = config;
    if (timeoutMs !== undefined && !isCount(timeoutMs, 1)) report.fault('its timeout is no duration', 'write one such as "30s"');
    checkExpect(expect, report);
    if (!isJsonObject(request) || !isText(request.url))
      return report.fault('it does not say what to ask', 'write request: { url: "https://api.example.com/validate" }');
    checkRequest(request, report);
    if (templates === true) checkTemplates(request, report);
  },
};

function checkRequest({ method, headers }: JsonObject, report: KindReport): void {
  if (method !== undefined && !(typeof method === 'string' && METHODS.includes(method.toUpperCase())))
    report.fault('its method is none', `write one of ${METHODS.join(', ')}`);
  if (headers === undefined) return;
  if (!isJsonObject(headers) || !Object.values(headers).every((value) => typeof value === 'string'))
    report.fault('its headers are no texts by name', 'write them as headers: { Accept: "application/json" }');
}

function checkExpect(expect: Json | undefined, report: KindReport): void {
  if (expect === undefined) return;
  if (!isJsonObject(expect)) return report.fault('its expect is no map', 'write expect: { status: 200, body: { approved: true } }');
  const unknown = Object.keys(expect).find((key) => key !== 'status' && key !== 'body');
  if (unknown !== undefined) report.fault(`its expect has "${unknown}"`, 'an answer is expected by its status and body');
  if (expect.status !== undefined && !(isCount(expect.status, 100) && expect.status <= 599))
    report.fault('the status it expects is none', 'write a number such as 200');
}

function checkTemplates({ url, headers, body }: JsonObject, report: KindReport): void {
  try {
    if (readsSecrets(parseTemplate(String(url))).length > 0)
      report.fault('its URL reads a secret, and URLs are logged along the way', 'send secrets in a header or in the body');
    if (secretNames(parseTemplateTree([headers ?? null, body ?? null]).paths) === undefined)
      report.fault('it reads a secret whose name is not written out', 'name it, as in {{ secrets.API_TOKEN }}');
  } catch (thrown) {
    report.fault(`a template of its request cannot be read: ${messageOf(thrown)}`, 'write values as {{ context.pr_number }}');
  }
}
