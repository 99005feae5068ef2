// The command for people who use the server.

import { LOGIN_SCOPES } from '../../authority/rights.ts';
import { type CommandSpec, inGroup, SIGNING_OPTIONS } from '../command.ts';

const ACTIONS = ['login', 'invite', 'people', 'groups', 'revoke', 'token', 'sessions', 'passkeys', 'link', 'audit'] as const;

/** The command that manages who can use the server. */
export const ACCESS: readonly CommandSpec[] = inGroup('Decide', [
  {
    name: 'access',
    summary: 'manage who can use the server: people, login and decision links, tokens, passkeys, audit',
    about:
      'Works on the database of "pawl serve"; the server need not be running. "login" prints a link that logs a person in once. "invite" adds a person and prints a link to send to them. "revoke" ends all sessions, tokens, passkeys and links of a person. "token create NAME" creates a token for a program and prints it once; "token list" and "token revoke NAME" list and revoke tokens. "link RUN" prints a link with which one person can decide one approval once, for example from a phone. Anyone who has such a link or token can decide, so these commands need a terminal that no run and no agent opened. Groups come from the settings.',
    args: [
      { name: 'ACTION', about: 'what to do', required: true, choices: ACTIONS },
      { name: 'WHAT', about: 'a person or a run; for token: create, list or revoke, and a name', many: true },
    ],
    options: [
      { name: 'for', value: 'NAME', about: 'token: the person it belongs to (default: you); link: the person who may decide with it' },
      {
        name: 'scope',
        value: 'SCOPE',
        about: 'what a person (default: all) or a token (default: view) is allowed to do; can be repeated',
        many: true,
        choices: LOGIN_SCOPES,
      },
      { name: 'manages', about: 'with invite: the person may invite and revoke others' },
      { name: 'approval', formerly: 'gate', value: 'ID', about: 'with link: which approval, by path or step, if several are waiting' },
      { name: 'expires', value: 'SPAN', about: 'how long it is valid (login: 15m, invite: 7d, link: 24h, token: 90d)' },
      { name: 'limit', value: 'N', about: 'with audit: how many lines (default: 50)' },
      ...SIGNING_OPTIONS,
    ],
    examples: [
      { line: 'pawl access login', about: 'a link to log in yourself' },
      { line: 'pawl access invite bob --scope view --scope decide', about: 'a link to send to bob, who cannot start runs' },
      { line: 'pawl access people', about: 'who may log in, with their groups' },
      { line: 'pawl access revoke bob', about: 'ends the sessions, tokens, passkeys and links of bob' },
      { line: 'pawl access token create ci --scope operate --expires 30d', about: 'a token for a program, shown once' },
      { line: 'pawl access token revoke ci', about: 'makes it invalid' },
      { line: 'pawl access link 7k3 --approval review --for bob', about: 'a link that lets bob decide once' },
      { line: 'pawl access passkeys --json', about: 'includes the public keys for "pawl identity enrol"' },
      { line: 'pawl access audit --limit 20', about: 'who did what, when and from where' },
    ],
    load: () => import('../commands/access.ts'),
  },
]);
