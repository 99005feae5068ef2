// Owns the supported versions of the protocol, and decides which one a request uses. Up to 2025-11-25 a client negotiates
// the version once, with `initialize`. Since 2026-07-28 each request names its version in `_meta` instead.
//
// - A version that is not in these lists is never confirmed.

import { isJsonObject, type JsonObject } from '../base/json.ts';
import { type ClientFacts, clientFacts } from './client.ts';
import { type Message, ProtocolError } from './message.ts';

/** The version in which each request names its version. */
const STATELESS = '2026-07-28';
const NEGOTIATED = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
/** The version in which a list of messages may be sent. */
export const BATCHED = '2025-03-26';
/** Every supported version, newest first. */
export const VERSIONS: readonly string[] = [STATELESS, ...NEGOTIATED];

const META = 'io.modelcontextprotocol/';
const HOUR_MS = 3_600_000;

/** The version in the response to `initialize`: the requested one if it is supported, else the newest. */
export function negotiateVersion(params: JsonObject): string {
  if (typeof params.protocolVersion !== 'string') throw new ProtocolError('params', '"protocolVersion" must be a string');
  return NEGOTIATED.find((version) => version === params.protocolVersion) ?? NEGOTIATED[0];
}

/** Whether a request names its own version; throws if that version is not supported. */
export function isStateless({ params, method }: Message): boolean {
  const meta = isJsonObject(params._meta) ? params._meta : {};
  const version = meta[`${META}protocolVersion`];
  if (version === undefined && method !== 'server/discover') return false;
  if (typeof version !== 'string') throw new ProtocolError('params', `_meta must have "${META}protocolVersion"`);
  if (version !== STATELESS)
    throw new ProtocolError('version', 'Unsupported protocol version', { supported: [...VERSIONS], requested: version });
  if (!isJsonObject(meta[`${META}clientCapabilities`]))
    throw new ProtocolError('params', `_meta must have "${META}clientCapabilities", an object`);
  return true;
}

/** What the client declares about itself in a request that names its version. */
export function statelessClient({ _meta }: JsonObject): ClientFacts {
  const meta = isJsonObject(_meta) ? _meta : {};
  return clientFacts({ capabilities: meta[`${META}clientCapabilities`] ?? {}, clientInfo: meta[`${META}clientInfo`] ?? {} }, STATELESS);
}

/** How long a client may cache a result: lists that never change for an hour, everything about runs not at all. */
const CACHED: Readonly<Record<string, number>> = {
  'server/discover': HOUR_MS,
  'tools/list': HOUR_MS,
  'resources/templates/list': HOUR_MS,
  'resources/list': 0,
  'resources/read': 0,
};

/** A result with the fields that the response to a request with its own version must have. */
export function statelessResult(
  result: JsonObject,
  { method, serverInfo }: { readonly method: string; readonly serverInfo: JsonObject },
): JsonObject {
  const ttlMs = CACHED[method];
  const caching = ttlMs === undefined ? {} : { ttlMs, cacheScope: 'private' };
  return { resultType: 'complete', ...result, ...caching, _meta: { [`${META}serverInfo`]: serverInfo } };
}
