// The command for people who use the server.

import { LOGIN_SCOPES } from '../../authority/right.ts';
import { type ListedCommand, SIGNING_OPTIONS } from '../command.ts';

const ACTIONS = ['login', 'invite', 'people', 'groups', 'revoke', 'token', 'sessions', 'passkeys', 'link', 'audit'] as const;

/** The commands of this group. */
export const ACCESS_COMMANDS: readonly ListedCommand[] = [
  {
    name: 'access',
    summary: 'who may use the server: people, links to log in and to decide, tokens, passkeys, audit',
    about:
      'Works on the database of "pawl serve", whether it runs or not. login prints a link that logs a person in once. invite adds a person and prints the link for them. revoke ends everything a person has, at once. token create NAME makes a token for programs, shown once; token list and token revoke NAME show and end them. link RUN prints a link with which one person decides at one gate, once, for example from a phone. What prints a link or a token gives the right to decide away, so it takes a terminal that is not part of a run or an agent. Groups come from the settings.',
    args: [
      { name: 'ACTION', about: 'what to do', required: true, choices: ACTIONS },
      { name: 'WHAT', about: 'a person, a run, or for token: create, list or revoke, and a name', many: true },
    ],
    options: [
      { name: 'for', value: 'NAME', about: 'token: whose it is (default: you); link: who may decide with it' },
      {
        name: 'scope',
        value: 'SCOPE',
        about: 'what a person (default: all) or a token (default: view) may do; may be given several times',
        many: true,
        choices: LOGIN_SCOPES,
      },
      { name: 'manages', about: 'with invite: the person may invite and revoke others' },
      { name: 'gate', value: 'ID', about: 'with link: which approval, by path or step, if several are waiting' },
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
      { line: 'pawl access link 7k3 --gate review --for bob', about: 'a link with which bob decides, once' },
      { line: 'pawl access passkeys --json', about: 'with the lines that "pawl identity enrol" takes' },
      { line: 'pawl access audit --limit 20', about: 'who did what, when and from where' },
    ],
    load: () => import('../commands/access.ts'),
  },
];
