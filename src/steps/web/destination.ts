// Checks the destination of a request: the host is resolved once, all its addresses are checked, and the connection
// is made to one of those.
//
// - Only http and https, without a name and a password in the URL.
// - A host is allowed if the allow-list names it, or if all of its addresses are public.
// - An IPv4 address must be in its usual form; other forms are rejected, because they only hide it.

import { promises as dns } from 'node:dns';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { messageOf } from '../../base/error.ts';
import { isPublicAddress } from './address.ts';

/** An address of a host, IPv4 or IPv6. */
export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** Finds the addresses of a host. */
export type Resolver = (host: string) => Promise<readonly HostAddress[]>;

/** An allowed destination of a request. */
export interface Destination {
  readonly kind: 'allowed';
  readonly url: URL;
  /** The host without the brackets of an IPv6 address. */
  readonly host: string;
  readonly addresses: readonly HostAddress[];
}

/** Why a request is not sent. */
export interface WebRefusal {
  readonly kind: 'refused';
  readonly reason: 'url' | 'address' | 'dns';
  readonly message: string;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
const ENTRY = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/;

/** Resolves a URL, and checks whether its destination is allowed. */
export async function findDestination(
  text: string,
  allow: readonly string[],
  resolve: Resolver = resolveHost,
): Promise<Destination | WebRefusal> {
  const url = readUrl(text);
  if (!(url instanceof URL)) return url;
  const host = bareHost(url.hostname);
  let addresses: readonly HostAddress[];
  try {
    addresses = isIP(host) === 0 ? await resolve(host) : [{ address: host, family: isIP(host) }];
  } catch (thrown) {
    return { kind: 'refused', reason: 'dns', message: `the host ${host} could not be found: ${messageOf(thrown)}` };
  }
  if (addresses.length === 0) return { kind: 'refused', reason: 'dns', message: `the host ${host} has no address` };
  const inside = addresses.find(({ address }) => !isPublicAddress(address));
  if (inside === undefined || isListed(url, allow)) return { kind: 'allowed', url, host, addresses };
  return { kind: 'refused', reason: 'address', message: notPublic(url, host, inside.address) };
}

function notPublic(url: URL, host: string, address: string): string {
  const where = address === host ? `the address ${address}` : `the host ${host} has the address ${address}, which`;
  const entry = `${url.hostname}:${portOf(url)}`;
  return `${where} is not public, and it is not in the allow-list; if it is intended, add "${entry}" to webhooks.allow in the config`;
}

function resolveHost(host: string): Promise<HostAddress[]> {
  return dns.lookup(host, { all: true, order: 'verbatim' });
}

function readUrl(text: string): URL | WebRefusal {
  const refuse = (message: string): WebRefusal => ({ kind: 'refused', reason: 'url', message });
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return refuse('this is not a URL; write one such as https://api.example.com/validate');
  if (!Object.hasOwn(DEFAULT_PORTS, url.protocol)) return refuse(`the URL must begin with http: or https:, not "${url.protocol}"`);
  if (url.username !== '' || url.password !== '') return refuse('the URL must not contain a name or a password; send them as a header');
  if (isIPv4(url.hostname) && !startsWithHost(text, url))
    return refuse(`the host must not be an obscured IP address; write it as ${url.hostname}`);
  return url;
}

function startsWithHost(text: string, { protocol, hostname }: URL): boolean {
  const start = `${protocol}//${hostname}`;
  return text.toLowerCase().startsWith(start) && /^(?:$|[:/?#])/.test(text.slice(start.length));
}

function isListed(url: URL, allow: readonly string[]): boolean {
  return allow.some((entry) => {
    const listed = readEntry(entry);
    return listed !== undefined && listed.host === bareHost(url.hostname) && (listed.port === undefined || listed.port === portOf(url));
  });
}

function readEntry(entry: string): { readonly host: string; readonly port: string | undefined } | undefined {
  if (isIPv6(entry)) return { host: canonicalHost(`[${entry}]`), port: undefined };
  const found = ENTRY.exec(entry.trim());
  if (found === null) return undefined;
  return { host: canonicalHost(found[1] === undefined ? (found[2] as string) : `[${found[1]}]`), port: found[3] };
}

function canonicalHost(host: string): string {
  const text = `http://${host}`;
  return bareHost(URL.canParse(text) ? new URL(text).hostname : host);
}

function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function portOf({ port, protocol }: URL): string {
  return port === '' ? (DEFAULT_PORTS[protocol] as string) : port;
}
