// Owns which versions of the protocol are spoken, and which one a request is in. Up to 2025-11-25 a client agrees on a
// version once, with `initialize`. Since 2026-07-28 there is no agreement: each request names its version in `_meta`.
//
// V1. A version that is not in these lists is never confirmed, whoever asks for it.

import { isJsonObject, type JsonObject } from '../base/json.ts';
import { type Message, ProtocolFault } from './message.ts';

/** The version in which each request says what it is. */
const STATELESS = '2026-07-28';
const AGREED = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
/** The version in which several messages may come as one list. */
export const BATCHED = '2025-03-26';
/** Every version that is spoken, newest first. */
export const VERSIONS: readonly string[] = [STATELESS, ...AGREED];

const META = 'io.modelcontextprotocol/';
const HOUR_MS = 3_600_000;

/** The version that `initialize` is answered with: the one that was asked for, where it is spoken, else the newest. */
export function agreeOn(params: JsonObject): string {
  if (typeof params.protocolVersion !== 'string') throw new ProtocolFault('params', '"protocolVersion" must be a text');
  return AGREED.find((version) => version === params.protocolVersion) ?? AGREED[0];
}

/** Whether a request says by itself what version it is in; one that says so and is not understood is refused. */
export function isStateless({ params, method }: Message): boolean {
  const meta = isJsonObject(params._meta) ? params._meta : {};
  const version = meta[`${META}protocolVersion`];
  if (version === undefined && method !== 'server/discover') return false;
  if (typeof version !== 'string') throw new ProtocolFault('params', `_meta must have "${META}protocolVersion"`);
  if (version !== STATELESS)
    throw new ProtocolFault('version', 'Unsupported protocol version', { supported: [...VERSIONS], requested: version });
  if (!isJsonObject(meta[`${META}clientCapabilities`]))
    throw new ProtocolFault('params', `_meta must have "${META}clientCapabilities", an object`);
  return true;
}

/** A result as the version of the request wants it. */
export function inVersion(result: JsonObject, { method, server }: { readonly method: string; readonly server: JsonObject }): JsonObject {
  const kept = method === 'server/discover' || method === 'tools/list' ? { ttlMs: HOUR_MS, cacheScope: 'private' } : {};
  return { resultType: 'complete', ...result, ...kept, _meta: { [`${META}serverInfo`]: server } };
}
