// Owns the options of `pawl serve`: the certificate, and the login link of the person who started it.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../../base/error.ts';
import { ensureOwner, loginLink, type ShownLink } from '../../server/access/invitations.ts';
import type { OpenServer } from '../../server/app-server.ts';
import type { ListenOptions } from '../../server/server.ts';
import { ownerName } from '../access/open-access.ts';
import { type ParsedArgs, usageError } from '../command.ts';
import { asksToSign } from '../identity/identity.ts';
import { tryRight } from '../right.ts';
import type { Shell } from '../shell.ts';

/** The certificate and its key, from --tls-cert and --tls-key. */
export function tlsOf(shell: Shell, args: ParsedArgs): Pick<ListenOptions, 'tls'> {
  const [cert, key] = [args.option('tls-cert'), args.option('tls-key')];
  if (cert === undefined && key === undefined) return {};
  if (cert === undefined || key === undefined)
    throw usageError(`--${cert === undefined ? 'tls-cert' : 'tls-key'} is missing; TLS needs a certificate and its key`);
  return { tls: { cert: pem(shell, cert), key: pem(shell, key) } };
}

function pem(shell: Shell, file: string): string {
  try {
    return readFileSync(resolve(shell.cwd, file), 'utf8');
  } catch (cause) {
    throw usageError(`cannot read ${file}: ${messageOf(cause)}`, { cause });
  }
}

/**
 * The login link of the person who started the server. It grants the right to decide, so only someone with that right gets
 * one: not an agent's shell, and not the log of a service.
 */
export async function ownerLogin(shell: Shell, { services }: Pick<OpenServer, 'services'>): Promise<ShownLink | undefined> {
  // Logging in is not signed; each decision is.
  const unsigned = asksToSign(shell) ? {} : { withoutSignature: true as const };
  const right = await tryRight(shell, { demand: 'trust', on: 'pawl serve', withoutToken: true, ...unsigned });
  if (right === undefined) return undefined;
  const name = ownerName(shell);
  ensureOwner(services, name);
  return loginLink(services, services.addresses(), { person: name, by: name });
}
