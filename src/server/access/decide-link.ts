// Owns links for one decision: one gate, one person, one use, with an expiry. A link stores the digest of the question, so
// that the person who opens it sees what changed since.

import { EngineError } from '../../base/error.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { type PendingApproval, pendingApprovals, pickApproval } from '../../control/approvals.ts';
import type { Store } from '../../store/store.ts';
import type { Addresses } from './addresses.ts';
import type { ShownLink } from './invitations.ts';
import { lifetimeOf } from './lifetimes.ts';
import { createLink } from './links.ts';
import { requirePerson } from './people.ts';
import type { AccessStore } from './tables.ts';

/** The gate that a link is for, and the digest of what it asked when the link was made. */
export interface LinkedGate {
  readonly run: string;
  readonly path: string;
  readonly digest: string;
}

/** Which gate, and for whom. */
export interface DecideLinkRequest {
  readonly run: string;
  /** The path or step of the gate; needed if several wait. */
  readonly gate?: string | undefined;
  /** The person who may decide with it. */
  readonly person: string;
  /** Who makes it. */
  readonly by: string;
  readonly expires?: string | undefined;
}

/** Where links are stored, the runs they are about, and how the server is reached. */
export interface DecideLinkPlace {
  readonly access: AccessStore;
  readonly store: Store;
  readonly addresses: Pick<Addresses, 'baseUrl'>;
}

/**
 * Makes a link with which one person decides at one gate, for example for a notification. The person must be known to the
 * server and have the scope `decide`.
 */
export async function createDecideLink(
  { access, store, addresses }: DecideLinkPlace,
  { run, gate, person, by, expires }: DecideLinkRequest,
): Promise<ShownLink & LinkedGate> {
  const { name, scopes } = requirePerson(access, person);
  if (!scopes.includes('decide'))
    throw new EngineError('NOT_ALLOWED', `${name} does not have the scope "decide", so a link would not help`);
  const asked = pickApproval(run, await pendingApprovals(store, run), { gate });
  if (asked === undefined)
    throw new EngineError(
      'WAIT_NOT_FOUND',
      `run ${run} has no pending approval${gate === undefined ? '' : ` "${gate}"`} to make a link for`,
    );
  const about = gateOf(asked);
  const { link, secret } = createLink(access, {
    ...{ kind: 'decide', person: name, createdBy: by, lastsMs: lifetimeOf(expires, 'decide') },
    about: { ...about },
  });
  return { ...about, person: name, url: `${addresses.baseUrl}/d/${secret}`, expiresAt: new Date(link.expiresAt).toISOString() };
}

function gateOf({ run, gate: { path, digest } }: PendingApproval): LinkedGate {
  return { run, path, digest };
}

/** The gate of a stored link. */
export function linkedGate(about: Json): LinkedGate {
  const { run, path, digest } = isJsonObject(about) ? about : {};
  return { run: String(run), path: String(path), digest: String(digest) };
}
