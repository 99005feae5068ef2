// Owns links for one decision: for one approval and one person, usable once, with an expiry. A link stores the digest of the
// approval's content when it was created, so that its page can show what changed since.

import { EngineError } from '../../../base/error.ts';
import { isJsonObject, type Json } from '../../../base/json.ts';
import { type PendingApproval, pendingApprovals, pickApproval } from '../../../control/approvals.ts';
import type { Store } from '../../../store/store.ts';
import type { Addresses } from '../addresses.ts';
import type { ShownLink } from '../invitations.ts';
import { lifetimeOf } from '../lifetimes.ts';
import { createLink } from '../links.ts';
import { requirePerson } from '../people.ts';
import type { AccessStore } from '../tables.ts';

/** The approval of a link, and the digest of its content when the link was created. */
export interface LinkedApproval {
  readonly run: string;
  readonly path: string;
  readonly digest: string;
}

interface DecideLinkRequest {
  readonly run: string;
  /** The path or step of the approval; needed if several wait. */
  readonly approval?: string | undefined;
  /** The person who may decide with it. */
  readonly person: string;
  /** Who creates it. */
  readonly by: string;
  readonly expires?: string | undefined;
}

/** Where links are stored, the runs they are about, and how the server is reached. */
interface DecideLinkServices {
  readonly access: AccessStore;
  readonly store: Store;
  readonly addresses: Pick<Addresses, 'baseUrl'>;
}

/**
 * Creates a link with which one person decides one approval, for example for a notification. The person must be known to
 * the server and have the scope `decide`.
 */
export async function createDecideLink(
  { access, store, addresses }: DecideLinkServices,
  { run, approval, person, by, expires }: DecideLinkRequest,
): Promise<ShownLink & LinkedApproval> {
  const { name, scopes } = requirePerson(access, person);
  if (!scopes.includes('decide'))
    throw new EngineError('NOT_ALLOWED', `${name} does not have the scope "decide", so a link would not let them decide`);
  const asked = pickApproval(run, await pendingApprovals(store, run), { approval });
  if (asked === undefined)
    throw new EngineError(
      'WAIT_NOT_FOUND',
      `run ${run} has no pending approval${approval === undefined ? '' : ` "${approval}"`} that a link could decide`,
    );
  const about = linkTo(asked);
  const { link, secret } = createLink(access, {
    ...{ kind: 'decide', person: name, createdBy: by, lifetimeMs: lifetimeOf(expires, 'decide') },
    about: { ...about },
  });
  return { ...about, person: name, url: `${addresses.baseUrl}/d/${secret}`, expiresAt: new Date(link.expiresAt).toISOString() };
}

function linkTo({ run, approval: { path, digest } }: PendingApproval): LinkedApproval {
  return { run, path, digest };
}

/** The approval of a stored link. */
export function linkedApproval(about: Json): LinkedApproval {
  const { run, path, digest } = isJsonObject(about) ? about : {};
  return { run: String(run), path: String(path), digest: String(digest) };
}
