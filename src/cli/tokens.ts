// Owns personal tokens: rights of a person, by scope, where there is no terminal. Only a digest of the secret is kept, so that reading
// the file gives nobody the right. A token keeps an agent's shell from deciding, since no agent is given one; it does
// not keep out somebody who has the user's account and means harm.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCOPES, type Scope } from '../authority/rights.ts';
import { digestText } from '../base/digest.ts';
import { EngineError, messageOf } from '../base/error.ts';
import { stateHome } from './project.ts';
import type { Shell } from './shell.ts';
import { changeStateFile } from './state-file.ts';

/** A token as it is kept: everything but the secret. */
interface TokenRow {
  readonly name: string;
  /** The digest of the secret. */
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** What it may be used for. */
  readonly scopes: readonly Scope[];
}

const PREFIX = 'pawl_';
const SECRET_BYTES = 32;
const NAME = /^[\w][\w.@-]{0,63}$/;

/** The tokens of this user, oldest first. */
export function readTokens(shell: Shell): readonly TokenRow[] {
  const file = tokensFile(shell);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new EngineError('CONFIG_INVALID', `the tokens in ${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  try {
    const { tokens } = JSON.parse(text) as { readonly tokens?: readonly TokenRow[] };
    if (Array.isArray(tokens) && tokens.every(isRow)) return tokens;
  } catch {
    // What is not JSON is told like what is not a list of tokens.
  }
  throw new EngineError('CONFIG_INVALID', `${file} is not a list of tokens; remove it and create new ones with "pawl token create NAME"`);
}

function isRow(row: unknown): row is TokenRow {
  const { name, hash, createdAt, expiresAt, scopes } = (row ?? {}) as Partial<Record<keyof TokenRow, unknown>>;
  const isTime = (at: unknown): boolean => typeof at === 'number';
  const isScopes = Array.isArray(scopes) && scopes.every((scope) => SCOPES.includes(scope as Scope));
  const isHash = typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash);
  return typeof name === 'string' && isHash && isTime(createdAt) && isTime(expiresAt) && isScopes;
}

/** Makes a token and gives its secret, which is nowhere else. */
export function createToken(
  shell: Shell,
  name: string,
  { lastsMs, scopes }: { readonly lastsMs: number; readonly scopes: readonly Scope[] },
): { readonly row: TokenRow; readonly secret: string } {
  if (!NAME.test(name))
    throw new EngineError('USAGE', `a token is named after a person, in letters, digits and ". - _ @", at most 64; not "${name}"`);
  const secret = `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64url')}`;
  const createdAt = Date.now();
  const row = { name, hash: digestText(secret), createdAt, expiresAt: createdAt + lastsMs, scopes: [...scopes] };
  changeTokens(shell, (tokens) => {
    if (!tokens.some((token) => token.name === name)) return [...tokens, row];
    throw new EngineError(
      'USAGE',
      `there is a token "${name}" already; revoke it first with "pawl token revoke ${name}", or choose another name`,
    );
  });
  return { row, secret };
}

/** Takes a token away; what was decided with it stays decided, under its name. */
export function revokeToken(shell: Shell, name: string): void {
  changeTokens(shell, (tokens) => {
    const kept = tokens.filter((token) => token.name !== name);
    if (kept.length < tokens.length) return kept;
    throw new EngineError('USAGE', `there is no token "${name}"; "pawl token list" shows those there are`);
  });
}

/** The token that a secret belongs to; unknown, revoked and expired ones are refused. */
export function checkToken(shell: Shell, secret: string): TokenRow {
  const given = Buffer.from(digestText(secret), 'hex');
  // Every row is compared, and each in constant time, so that how long it takes tells nothing.
  const [found] = readTokens(shell).filter(({ hash }) => timingSafeEqual(Buffer.from(hash, 'hex'), given));
  if (found === undefined)
    throw new EngineError('TOKEN_INVALID', 'this token is not known here, or was revoked; "pawl token list" shows those that hold');
  if (found.expiresAt <= Date.now())
    throw new EngineError(
      'TOKEN_INVALID',
      `the token "${found.name}" expired on ${new Date(found.expiresAt).toISOString()}; create another with "pawl token create" at a terminal`,
    );
  return found;
}

function tokensFile(shell: Shell): string {
  return join(stateHome(shell), 'tokens.json');
}

/** Changes the tokens, while no other process does. */
function changeTokens(shell: Shell, change: (tokens: readonly TokenRow[]) => readonly TokenRow[]): void {
  changeStateFile({ file: tokensFile(shell), what: 'the list of tokens' }, () => {
    const tokens = change(readTokens(shell));
    return { text: `${JSON.stringify({ version: 1, tokens }, null, 2)}\n`, result: undefined };
  });
}
