// `pawl token`: creates, lists and revokes personal tokens, with which a person can decide without a terminal.

import type { Scope } from '../../authority/rights.ts';
import { durationOf } from '../../base/duration.ts';
import { agoText, untilText } from '../../control/time-text.ts';
import { type CommandRun, type ParsedArgs, usageError } from '../command.ts';
import { demandRight } from '../right.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';
import { createToken, readTokens, revokeToken } from '../tokens.ts';

const EXPIRES_DEFAULT = '90d';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const action = args.word('ACTION');
  const name = args.maybe('NAME');
  if (action === 'list') list(shell);
  else if (name === undefined) throw usageError(`NAME is missing: pawl token ${action} NAME`);
  else if (action === 'create') await create(shell, name, { lastsMs: lifetimeOf(args), scopes: scopesOf(args) });
  else revoke(shell, name);
  return 0;
};

function scopesOf(args: ParsedArgs): readonly Scope[] {
  const scopes = args.options('scope') as readonly Scope[];
  return scopes.length === 0 ? ['decide'] : [...new Set(scopes)];
}

function lifetimeOf(args: ParsedArgs): number {
  const text = args.option('expires') ?? EXPIRES_DEFAULT;
  const ms = durationOf(text) ?? 0;
  if (ms > 0) return ms;
  throw usageError(`--expires must be a duration such as 12h, 90d or 52w, not "${text}"`);
}

async function create(shell: Shell, name: string, how: { readonly lastsMs: number; readonly scopes: readonly Scope[] }): Promise<void> {
  // A token cannot create another one, so that revoking it ends all its rights.
  await demandRight(shell, { demand: 'trust', on: 'pawl token create', withoutToken: true });
  const { row, secret } = createToken(shell, name, how);
  shell.print(secret);
  shell.print();
  shell.print(`This is the token of ${row.name}. It is shown only once and is valid until ${new Date(row.expiresAt).toISOString()}.`);
  shell.print(`Scopes: ${row.scopes.join(', ')}.`);
  shell.print('Anyone who has it can decide in this name: keep it away from agents and the files they read.');
  shell.print('Use it with PAWL_TOKEN or --token-file.');
}

function list(shell: Shell): void {
  const tokens = readTokens(shell);
  const rows = tokens.map(({ name, createdAt, expiresAt, scopes }) => ({
    name,
    scopes,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    isExpired: expiresAt <= Date.now(),
  }));
  shell.list({ tokens: rows }, tokens, {
    none: 'No tokens. "pawl token create NAME" creates one.',
    columns: {
      NAME: ({ name }) => oneLine(name),
      SCOPES: ({ scopes }) => scopes.join(', '),
      CREATED: ({ createdAt }) => agoText(createdAt),
      EXPIRES: ({ expiresAt }) => (expiresAt <= Date.now() ? 'expired' : untilText(expiresAt)),
    },
  });
}

function revoke(shell: Shell, name: string): void {
  revokeToken(shell, name);
  shell.result({ revoked: name }, () => [`The token "${oneLine(name)}" is revoked. Decisions made with it stay valid.`]);
}
