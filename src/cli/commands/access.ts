// `pawl access`: manages who may use the server, in the server's database next to that of the runs. A running server sees
// every change immediately.

import type { LoginScope } from '../../authority/rights.ts';
import { omitUndefined } from '../../base/fields.ts';
import { recordAudit } from '../../server/access/audit.ts';
import { createDecideLink } from '../../server/access/decide/link.ts';
import { ensureOwner, invite, loginLink, type ShownLink } from '../../server/access/invitations.ts';
import { lifetimeOf } from '../../server/access/lifetimes.ts';
import { revokePerson } from '../../server/access/people.ts';
import { personReport, tokenReport } from '../../server/access/reports.ts';
import { createToken, readTokens, revokeToken } from '../../server/access/tokens.ts';
import { type OpenAccess, openAccess, ownerName } from '../access/open-access.ts';
import { showAudit, showGroups, showPasskeys, showPeople, showSessions, showTokens } from '../access/tables.ts';
import { type CommandRun, usageError } from '../command.ts';
import { requiredOption } from '../params.ts';
import { demandRight } from '../right.ts';
import { findRun } from '../session.ts';
import { oneLine } from '../terminal.ts';

type ActionHandler = (open: OpenAccess, words: readonly string[]) => Promise<void> | void;

/** An action, the number of words it accepts, and the right it needs beyond the table of rights. */
interface Action {
  readonly act: ActionHandler;
  readonly wordsMax: number;
  /** It prints a secret that lets others decide; `create`: only if that is its first word. */
  readonly grants?: true | 'create';
}

const ACTIONS: Readonly<Record<string, Action>> = {
  login: { act: login, wordsMax: 1, grants: true },
  invite: { act: invitePerson, wordsMax: 1, grants: true },
  people: { act: showPeople, wordsMax: 0 },
  groups: { act: showGroups, wordsMax: 0 },
  revoke: { act: revoke, wordsMax: 1 },
  token: { act: token, wordsMax: 2, grants: 'create' },
  sessions: { act: showSessions, wordsMax: 0 },
  passkeys: { act: showPasskeys, wordsMax: 0 },
  link: { act: link, wordsMax: 1, grants: true },
  audit: { act: showAudit, wordsMax: 0 },
};

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const action = args.word('ACTION');
  const words = args.allWords('WHAT');
  const { act, wordsMax, grants } = ACTIONS[action] as Action;
  const more = words[wordsMax];
  if (more !== undefined) throw usageError(`unexpected argument "${more}"; see "pawl access --help"`);
  const on = `pawl access ${[action, ...(action === 'token' ? words.slice(0, 1) : [])].join(' ')}`;
  // A token is not enough, so that revoking it ends everything that it allowed.
  if (grants === true || (grants !== undefined && grants === words[0]))
    await demandRight(shell, { demand: 'trust', on, withoutToken: true });
  else if (words[0] === 'revoke') await demandRight(shell, { demand: 'steer', on });
  return openAccess(shell, args, async (open) => {
    await act(open, words);
    return 0;
  });
};

function recordAction({ store }: OpenAccess, action: string, { person, about }: { readonly person: string; readonly about: string }): void {
  recordAudit(store, { person, via: 'terminal', action, about, address: 'this machine', outcome: 'ok' });
}

function login(open: OpenAccess, [name]: readonly string[]): void {
  const by = open.shell.actor;
  const { shell, store, args } = open;
  const own = ownerName(shell);
  // The person who runs the server is its first user, and manages the others.
  if ((name ?? own) === own) ensureOwner(store, own);
  const made = loginLink(store, open, { person: name ?? own, by, expires: args.option('expires') });
  recordAction(open, 'login link', { person: by, about: made.person });
  print(open, made, `This link logs ${made.person} in once`);
}

function invitePerson(open: OpenAccess, [name]: readonly string[]): void {
  const { shell, store, args } = open;
  const person = required(name, 'NAME', 'invite NAME');
  const by = open.shell.actor;
  const scopes = scopesIn(open);
  const made = invite(store, open, {
    ...{ person, by, expires: args.option('expires'), manages: args.has('manages') },
    ...(scopes.length === 0 ? {} : { scopes }),
  });
  recordAction(open, 'invite', { person: by, about: person });
  const { link: shown } = made;
  shell.result({ person: personReport(made.person, open.groupsOf(person)), link: shown }, () => [
    shown.url,
    '',
    `Send this link to ${oneLine(person)}, and to nobody else: it works once, until ${shown.expiresAt}.`,
    `Scopes: ${made.person.scopes.join(', ')}.`,
  ]);
}

function revoke(open: OpenAccess, [name]: readonly string[]): void {
  const { shell, store } = open;
  const person = revokePerson(store, required(name, 'NAME', 'revoke NAME'));
  recordAction(open, 'revoke', { person: shell.actor, about: person.name });
  const isEnrolled = open.keys().named(person.name) !== undefined;
  shell.result({ person: personReport(person, open.groupsOf(person.name)) }, () => [
    `${shell.symbol('done')} ${oneLine(person.name)} is revoked: their sessions, tokens, passkeys and links no longer work. Their decisions stay valid.`,
    ...(isEnrolled ? [`Their signing keys are still valid on this machine; "pawl identity revoke ${person.name}" revokes them.`] : []),
  ]);
}

function token(open: OpenAccess, [action, name]: readonly string[]): void {
  if (action === undefined || action === 'list') return showTokens(open);
  if (action === 'create') return createFor(open, required(name, 'NAME', 'token create NAME'));
  if (action === 'revoke') return revokeNamed(open, required(name, 'NAME', 'token revoke NAME'));
  throw usageError(`"pawl access token" must be followed by create, list or revoke, not "${action}"`);
}

function createFor(open: OpenAccess, name: string): void {
  const { shell, store, args } = open;
  const by = open.shell.actor;
  const scopes = scopesIn(open);
  const own = ownerName(shell);
  const person = args.option('for') ?? own;
  if (person === own) ensureOwner(store, own);
  const made = createToken(store, {
    ...{ person, name, lifetimeMs: lifetimeOf(args.option('expires'), 'token') },
    scopes: scopes.length === 0 ? ['view'] : scopes,
  });
  recordAction(open, 'token create', { person: by, about: `${person} ${name}` });
  shell.result({ token: tokenReport(made.token, Date.now()), secret: made.secret }, () => [
    made.secret,
    '',
    `This is the token "${name}" of ${made.token.person}. It is shown only once and is valid until ${new Date(made.token.expiresAt).toISOString()}.`,
    `Scopes: ${made.token.scopes.join(', ')}.`,
    'Send it as "Authorization: Bearer TOKEN". Keep it away from agents and the files they read.',
  ]);
}

function revokeNamed(open: OpenAccess, name: string): void {
  const { shell, store, args } = open;
  const person = args.option('for') ?? ownerName(shell);
  const revoked = readTokens(store).find((token) => token.id === name || (token.name === name && token.person === person));
  if (revoked === undefined)
    throw usageError(`${person} has no token "${name}"; "pawl access token list" lists them, and --for NAME names another person`);
  revokeToken(store, revoked.id);
  recordAction(open, 'token revoke', { person: shell.actor, about: `${revoked.person} ${revoked.name}` });
  shell.result({ revoked: revoked.id }, () => [
    `${shell.symbol('done')} the token "${oneLine(revoked.name)}" of ${revoked.person} is revoked.`,
  ]);
}

async function link(open: OpenAccess, [prefix]: readonly string[]): Promise<void> {
  const { args, store, setup } = open;
  const id = required(prefix, 'RUN', 'link RUN --for NAME');
  const person = requiredOption(args, 'for', 'name the person who may decide with the link');
  const by = open.shell.actor;
  await open.withRuns(async (runs) => {
    const made = await createDecideLink(
      { access: store, store: runs, addresses: open },
      {
        run: await findRun(runs, id, setup),
        person,
        by,
        ...omitUndefined({ approval: args.option('approval'), expires: args.option('expires') }),
      },
    );
    recordAction(open, 'decide link', { person: by, about: `${made.person} ${made.run} ${made.path}` });
    print(open, made, `With this link ${made.person} can decide ${oneLine(made.path)} of run ${made.run} once`);
  });
}

function print({ shell }: OpenAccess, { person, url, expiresAt, ...rest }: ShownLink, purpose: string): void {
  shell.result({ ...rest, person, url, expiresAt }, () => [
    url,
    '',
    `${purpose}, until ${expiresAt}. Anyone who has the link can use it: send it to nobody else.`,
  ]);
}

function scopesIn({ args }: OpenAccess): readonly LoginScope[] {
  return args.options('scope') as readonly LoginScope[];
}

function required(word: string | undefined, name: string, usage: string): string {
  if (word !== undefined) return word;
  throw usageError(`${name} is missing: pawl access ${usage}`);
}
