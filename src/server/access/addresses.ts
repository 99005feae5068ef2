// Owns the host names and origins that the server accepts. Any other name is rejected: a page whose own host name resolves
// to 127.0.0.1 could otherwise talk to the server (DNS rebinding).
//
// - An address other than loopback needs TLS, or a proxy that the user names as trusted: a login must not cross a network
//   in the clear.

import { BlockList, isIP, isIPv6 } from 'node:net';
import { EngineError } from '../../base/error.ts';

/** Where the server listens, and the proxy in front of it. */
export interface ListenAt {
  readonly host: string;
  readonly port: number;
  /** True if the server itself speaks TLS. */
  readonly hasTls: boolean;
  /** The address that people use, if it is another one: `https://pawl.example.com`. */
  readonly publicUrl?: string;
  /** The addresses of trusted proxies, whose headers are used: `127.0.0.1`, `10.0.0.0/8`. */
  readonly trustedProxy?: readonly string[];
}

/** The accepted names, and what follows from them. */
export interface Addresses {
  /** The base of every link. */
  readonly baseUrl: string;
  /** Whether browsers reach the server over TLS, so that the cookie can be `Secure`. */
  readonly isSecure: boolean;
  /** The host name that passkeys are bound to: the relying party of WebAuthn. */
  readonly rpId: string;
  /** The origins of the server's own pages. */
  readonly origins: readonly string[];
  isHost(header: string | undefined): boolean;
  isOrigin(header: string): boolean;
  /** The client's address: that of the connection, or the one from a trusted proxy. */
  clientOf(peer: string, forwardedFor: string | undefined): string;
}

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** Whether only this machine can reach an address. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** The accepted names of a server. Throws NOT_ALLOWED if logins would cross the network unencrypted. */
export function addressesOf(at: ListenAt): Addresses {
  const proxies = proxyList(at.trustedProxy ?? []);
  const publicUrl = at.publicUrl === undefined ? undefined : parsePublicUrl(at.publicUrl);
  assertNotInTheClear(at, publicUrl);
  const scheme = at.hasTls ? 'https' : 'http';
  const own = isLoopback(at.host)
    ? LOOPBACK_NAMES
    : ['0.0.0.0', '::', '[::]', ''].includes(at.host)
      ? []
      : [isIPv6(at.host) ? `[${at.host}]` : at.host];
  const origins = [
    ...own.map((name) => new URL(`${scheme}://${name}:${at.port}`).origin),
    ...(publicUrl === undefined ? [] : [publicUrl.origin]),
  ];
  const base = publicUrl?.origin ?? origins[0];
  if (base === undefined)
    throw new EngineError(
      'USAGE',
      `the server listens on every address (${at.host}), so it cannot know its name; set serve.public_url to the address that people use, such as https://pawl.example.com`,
    );
  const hosts = new Set(origins.flatMap((origin) => hostsOf(new URL(origin))));
  return {
    baseUrl: base,
    isSecure: base.startsWith('https:'),
    rpId: new URL(base).hostname,
    origins,
    isHost: (header) => header !== undefined && hosts.has(header.toLowerCase()),
    isOrigin: (header) => origins.includes(header),
    clientOf: (peer, forwardedFor) => clientOf(proxies, peer, forwardedFor),
  };
}

function assertNotInTheClear({ host, hasTls, trustedProxy = [] }: ListenAt, publicUrl: URL | undefined): void {
  if (isLoopback(host) || hasTls) return;
  if (trustedProxy.length > 0 && publicUrl?.protocol === 'https:') return;
  throw new EngineError(
    'NOT_ALLOWED',
    `${host} can be reached from other machines, and without TLS logins would cross the network unencrypted; use --tls-cert and --tls-key, or put a proxy with TLS in front and name it: serve.trusted_proxy and serve.public_url in the settings`,
    { details: { host } },
  );
}

function parsePublicUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '' && url.hash === '';
  if (url === undefined || !isOrigin || url.username !== '')
    throw new EngineError(
      'CONFIG_INVALID',
      `serve.public_url must be an address without a path, such as https://pawl.example.com, not "${text}"`,
    );
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new EngineError('NOT_ALLOWED', `serve.public_url is ${text}: other machines must reach the server by https`);
  return url;
}

/** The Host headers for a URL: with the port, and without it if it is the default port. */
function hostsOf({ host, hostname, port, protocol }: URL): string[] {
  return port === '' ? [host, `${hostname}:${protocol === 'https:' ? 443 : 80}`] : [host];
}

function proxyList(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address = '', bits] = text.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const bitsMax = family === 'ipv6' ? 128 : 32;
    const count = bits === undefined ? bitsMax : Number(bits);
    if (isIP(address) === 0 || !Number.isInteger(count) || count < 0 || count > bitsMax)
      throw new EngineError('CONFIG_INVALID', `serve.trusted_proxy must list addresses such as 127.0.0.1 or 10.0.0.0/8, not "${text}"`);
    list.addSubnet(address, count, family);
  }
  return list;
}

/** The last address in the chain that is not a trusted proxy: earlier entries may be forged. */
function clientOf(proxies: BlockList, peer: string, forwardedFor: string | undefined): string {
  const chain = [...(forwardedFor ?? '').split(',').map((part) => part.trim()), peer.replace(/^::ffff:(?=\d+\.)/, '')];
  let client = chain.pop() ?? peer;
  while (isTrusted(proxies, client)) {
    const before = chain.pop();
    if (before === undefined || isIP(before) === 0) break;
    client = before;
  }
  return client;
}

function isTrusted(proxies: BlockList, address: string): boolean {
  return isIP(address) !== 0 && proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
