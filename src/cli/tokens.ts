// Owns personal tokens, which give a person rights without a terminal, limited by scope. Only a hash of the secret is stored,
// so that reading the file gives no right. Tokens keep agents from deciding, because agents do not get one; they do not
// protect against a malicious person with access to the user's account.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { SCOPES, type Scope } from '../authority/rights.ts';
import { changeStateFile, readStateFile } from '../authority/state-file.ts';
import { digestText } from '../base/digest.ts';
import { EngineError } from '../base/error.ts';
import { parseJsonObject } from '../base/json.ts';
import { usageError } from './command.ts';
import { stateHome } from './project.ts';
import type { Shell } from './shell.ts';

interface TokenRow {
  readonly name: string;
  /** The digest of the secret. */
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly scopes: readonly Scope[];
}

const WHAT = 'the list of tokens';
const PREFIX = 'pawl_';
const SECRET_BYTES = 32;
const NAME = /^[\w][\w.@-]{0,63}$/;

/** The tokens of this user, oldest first. */
export function readTokens(shell: Shell): readonly TokenRow[] {
  const file = tokensFile(shell);
  const text = readStateFile({ file, what: WHAT });
  if (text === undefined) return [];
  const tokens: unknown = parseJsonObject(text)?.tokens;
  if (Array.isArray(tokens) && tokens.every(isRow)) return tokens;
  throw new EngineError('CONFIG_INVALID', `${file} is not a list of tokens; remove it and create new ones with "pawl token create NAME"`);
}

function isRow(row: unknown): row is TokenRow {
  const { name, hash, createdAt, expiresAt, scopes } = (row ?? {}) as Partial<Record<keyof TokenRow, unknown>>;
  const isTime = (at: unknown): boolean => typeof at === 'number';
  const isScopes = Array.isArray(scopes) && scopes.every((scope) => SCOPES.includes(scope as Scope));
  const isHash = typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash);
  return typeof name === 'string' && isHash && isTime(createdAt) && isTime(expiresAt) && isScopes;
}

/** Creates a token and returns its secret, which is not stored. */
export function createToken(
  shell: Shell,
  name: string,
  { lastsMs, scopes }: { readonly lastsMs: number; readonly scopes: readonly Scope[] },
): { readonly row: TokenRow; readonly secret: string } {
  if (!NAME.test(name)) throw usageError(`a token name must be at most 64 letters, digits and ". - _ @", not "${name}"`);
  const secret = `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64url')}`;
  const createdAt = Date.now();
  const row = { name, hash: digestText(secret), createdAt, expiresAt: createdAt + lastsMs, scopes: [...scopes] };
  changeTokens(shell, (tokens) => {
    if (!tokens.some((token) => token.name === name)) return [...tokens, row];
    throw usageError(`token "${name}" already exists; revoke it first with "pawl token revoke ${name}", or choose another name`);
  });
  return { row, secret };
}

/** Revokes a token; decisions made with it stay valid. */
export function revokeToken(shell: Shell, name: string): void {
  changeTokens(shell, (tokens) => {
    const kept = tokens.filter((token) => token.name !== name);
    if (kept.length < tokens.length) return kept;
    throw usageError(`token "${name}" does not exist; "pawl token list" lists the tokens`);
  });
}

/** The token with this secret; throws if it is unknown, revoked or expired. */
export function checkToken(shell: Shell, secret: string): TokenRow {
  const digest = Buffer.from(digestText(secret), 'hex');
  // Every row is compared in constant time, so that the duration reveals nothing.
  const [token] = readTokens(shell).filter(({ hash }) => timingSafeEqual(Buffer.from(hash, 'hex'), digest));
  if (token === undefined)
    throw new EngineError('TOKEN_INVALID', 'this token is unknown here or was revoked; "pawl token list" lists the valid tokens');
  if (token.expiresAt <= Date.now())
    throw new EngineError(
      'TOKEN_INVALID',
      `token "${token.name}" expired on ${new Date(token.expiresAt).toISOString()}; create another with "pawl token create" at a terminal`,
    );
  return token;
}

function tokensFile(shell: Shell): string {
  return join(stateHome(shell), 'tokens.json');
}

function changeTokens(shell: Shell, change: (tokens: readonly TokenRow[]) => readonly TokenRow[]): void {
  changeStateFile({ file: tokensFile(shell), what: WHAT }, () => {
    const tokens = change(readTokens(shell));
    return { text: `${JSON.stringify({ version: 1, tokens }, null, 2)}\n`, result: undefined };
  });
}
