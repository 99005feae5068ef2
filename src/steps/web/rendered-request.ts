// Builds the request of a webhook: the author's templates are rendered once, with the values of the run and, in
// headers and body, with secrets. The request is not stored.
//
// - A value is inserted once and never parsed again, so a text that looks like a template stays a text.
// - In a URL a value becomes one segment or one argument: it cannot add a path, a query or another host.
// - A secret is sent only to a host that the author wrote literally in the same request, or that is listed for it.

import { EngineError } from '../../base/error.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { hasLiteralHost, type RequestModel, secretNames } from '../../definition/web-request.ts';
import { parseTemplate, renderTemplate, type Template } from '../../expr/template.ts';
import { parseTemplateTree, renderTemplateTree } from '../../expr/template-tree.ts';
import { insertValues, type PlacedValue } from '../built-values.ts';
import type { Secrets } from '../secrets.ts';
import { ownEntry, type WebhookSetting } from '../services.ts';
import type { TemplateScope } from './template-scope.ts';

/** A request as it is sent. */
export interface RenderedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The inputs for rendering. Without a scope, texts are not templates. */
export interface RenderContext {
  readonly scope: TemplateScope | undefined;
  readonly secrets: Pick<Secrets, 'value'>;
  readonly webhooks: WebhookSetting;
  /** Values that functions built, inserted as data. */
  readonly built?: readonly PlacedValue[];
}

const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:[/?#]|$)/i;

/** Renders a request. Throws an EngineError if that is not possible. */
export async function renderRequest(model: RequestModel, context: RenderContext): Promise<RenderedRequest> {
  const request = context.scope === undefined ? model : await renderTemplates(model, context, context.scope);
  const { url, method, headers = {}, body } = request;
  const texts = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), headerText(name, value)]);
  const sent = bodyText(body);
  return {
    url,
    method: method?.toUpperCase() ?? (sent === undefined ? 'GET' : 'POST'),
    headers: { ...(sent === undefined ? {} : { 'content-type': sent.type }), ...Object.fromEntries(texts) },
    ...(sent === undefined ? {} : { body: sent.text }),
  };
}

async function renderTemplates(model: RequestModel, context: RenderContext, scopeOf: TemplateScope): Promise<RequestModel> {
  const { built = [] } = context;
  const ownUrl = built.find(({ path }) => path.join('.') === 'url')?.value;
  const template = parseTemplate(model.url);
  const url = ownUrl === undefined ? renderUrl(template, scopeOf(template)) : String(ownUrl);
  const { headers = {}, body } = model;
  const tree = parseTemplateTree(body === undefined ? { headers } : { headers, body });
  const secrets = await secretsFor(tree.paths, { ...context, url, isLiteral: ownUrl === undefined && hasLiteralHost(template) });
  const rendered = insertValues(renderTemplateTree(tree, { ...scopeOf(tree), secrets }), built);
  return { ...model, ...(rendered as Pick<RequestModel, 'headers' | 'body'>), url };
}

function renderUrl(template: Template, scope: JsonObject): string {
  // A URL that is a single value is used unchanged. It is checked like any other, and gets no secrets unless its host is listed.
  if (template.isWhole || !template.hasPlaceholders) return String(renderTemplate(template, scope)).trim();
  const url = template.parts
    .map((part) => {
      if (typeof part === 'string') return part;
      const value = renderTemplate({ ...template, isWhole: false, parts: [part], paths: part.paths }, scope);
      return encodeURIComponent(String(value).toWellFormed());
    })
    .join('');
  if (DOT_SEGMENT.test(url)) throw refusal('a value put into its URL would lead to another path');
  return url;
}

interface SecretTarget extends RenderContext {
  readonly url: string;
  readonly isLiteral: boolean;
}

async function secretsFor(paths: Template['paths'], { secrets, webhooks, url, isLiteral }: SecretTarget): Promise<JsonObject> {
  const names = secretNames(paths);
  if (names === undefined) throw refusal('it reads a secret whose name is not written out; name it, as in {{ secrets.API_TOKEN }}');
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  for (const name of names) {
    const hosts = ownEntry(webhooks.secretHosts, name);
    if (hosts === undefined ? !isLiteral : !hosts.includes(host)) {
      const why = hosts === undefined ? 'whose host is built from values' : `at ${host}, which is not among its hosts`;
      throw refusal(`the secret "${name}" is not sent to a service ${why}; write the host out, or list it for the secret in the config`);
    }
  }
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await secrets.value(name)] as const)));
}

function headerText(name: string, value: Json): string {
  if (typeof value === 'object') throw refusal(`the header "${name}" must be text, not data`);
  return String(value);
}

function bodyText(body: Json | undefined): { readonly text: string; readonly type: string } | undefined {
  if (body === undefined) return undefined;
  if (typeof body === 'string') return { text: body, type: 'text/plain; charset=utf-8' };
  return { text: JSON.stringify(body), type: 'application/json' };
}

function refusal(message: string): EngineError {
  return new EngineError('STEP_FAILED', message);
}

/** A URL for a record: without its query, which may contain secrets. */
export function shownUrl(url: string): string {
  return URL.canParse(url) ? `${new URL(url).origin}${new URL(url).pathname}` : url;
}
