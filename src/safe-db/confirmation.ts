// Owns confirmations of deletes: the rows that would be deleted, and a token for exactly these, valid once and for a short time.

import { randomBytes } from 'node:crypto';
import { EngineError } from '../base/error.ts';
import type { DeletedRows } from './guards.ts';

/** The rows that a delete would remove, and the token that allows it. */
export interface DeleteConfirmation extends DeletedRows {
  readonly token: string;
  readonly table: string;
  /** The number of all rows, including those that cascades and triggers delete. */
  readonly total: number;
  /** As an ISO time. */
  readonly expiresAt: string;
}

interface PendingDelete {
  readonly statement: string;
  readonly deleted: DeletedRows;
  readonly expires: number;
}

const PENDING_MAX = 1000;

/** The unused tokens of one client. */
export class Confirmations {
  private readonly pending = new Map<string, PendingDelete>();
  private readonly now: () => number;
  private readonly ttlMs: number;

  constructor(now: () => number, ttlMs: number) {
    this.now = now;
    this.ttlMs = ttlMs;
  }

  /** Issues a token for a statement and the rows that it would delete. */
  issue(statement: string, deleted: DeletedRows): { readonly token: string; readonly expiresAt: string } {
    const now = this.now();
    for (const [token, { expires }] of this.pending) if (expires <= now || this.pending.size >= PENDING_MAX) this.pending.delete(token);
    const token = randomBytes(18).toString('base64url');
    const expires = now + this.ttlMs;
    this.pending.set(token, { statement, deleted, expires });
    return { token, expiresAt: new Date(expires).toISOString() };
  }

  /** Uses up a token and returns the rows it was issued for. */
  redeem(token: string, statement: string): DeletedRows {
    const found = this.pending.get(token);
    this.pending.delete(token);
    if (found === undefined) throw tokenError('the confirmation token is unknown or was already used');
    if (found.expires <= this.now()) throw tokenError('the confirmation token has expired');
    if (found.statement !== statement) throw tokenError('the confirmation token is for another DELETE');
    return found.deleted;
  }
}

/** The error for rows that changed after they were confirmed. */
export function rowsChanged(confirmed: DeletedRows, found: DeletedRows): EngineError {
  return new EngineError(
    'DATA_PROTECTED',
    'DELETE blocked: the rows it would delete changed since they were confirmed, and nothing was deleted. Call db.getDeleteConfirmation() again.',
    { details: { statement: 'DELETE', confirmed: confirmed.rows, found: found.rows } },
  );
}

function tokenError(fault: string): EngineError {
  return new EngineError('DATA_PROTECTED', `DELETE blocked: ${fault}. Call db.getDeleteConfirmation() again.`, {
    details: { statement: 'DELETE' },
  });
}
