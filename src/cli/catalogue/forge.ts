// The commands for the people who use the server, and for forges.

import { LOGIN_SCOPES } from '../../authority/rights.ts';
import { CONCLUSIONS } from '../../definition/forge/conclusion.ts';
import { type CommandSpec, inGroup, SIGNING_OPTIONS, TOKEN_FILE } from '../command.ts';

const ACCESS_ACTIONS = ['login', 'invite', 'people', 'groups', 'revoke', 'token', 'sessions', 'passkeys', 'link', 'audit'] as const;

/** The commands for the server's people and for forges. */
export const FORGE: readonly CommandSpec[] = inGroup('Decide', [
  {
    name: 'access',
    summary: 'manage who can use the server: people, login and decision links, tokens, passkeys, audit',
    about:
      'Works on the database of "pawl serve"; the server need not be running. "login" prints a link that logs a person in once. "invite" adds a person and prints a link to send to them. "revoke" ends all sessions, tokens, passkeys and links of a person. "token create NAME" creates a token for a program and prints it once; "token list" and "token revoke NAME" list and revoke tokens. "link RUN" prints a link with which one person can decide one approval once, for example from a phone. Anyone who has such a link or token can decide, so these commands need a terminal that no run and no agent opened. Groups come from the settings.',
    args: [
      { name: 'ACTION', about: 'what to do', required: true, choices: ACCESS_ACTIONS },
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
  {
    name: 'forge',
    summary: 'use the local forge: issues, pull requests, reviews, checks and labels',
    about:
      'The local forge replaces GitHub on this machine ("forge: { kind: local }" in .pawl/config.yaml): issues and reviews are kept in ' +
      'a file, pull requests are branches of a git repository. The commands are: issue list|show|create|close|comment, ' +
      'pr list|show|create|ready|close|comment, review, check, label, notifications. A review, a check, a comment with a command ' +
      '("/pawl approve"), and a comment or a label that a question waits for can make work pass, so they need a ' +
      'person at a terminal, or a personal token (PAWL_TOKEN or --token-file, see "pawl token"), for a review or a check with the ' +
      '--head that was reviewed. Inside a run or a coding agent only issues and pull requests can be opened.',
    args: [
      { name: 'KIND', about: 'what to work on', required: true, choices: ['issue', 'pr', 'review', 'check', 'label', 'notifications'] },
      { name: 'WORD', about: 'the action, for issue and pr; then the number of the issue or pull request', many: true },
    ],
    options: [
      { name: 'title', value: 'TEXT', about: 'create: the title' },
      { name: 'body', value: 'TEXT', about: 'create, comment: the text' },
      { name: 'label', value: 'LABEL', about: 'issue create: a label; can be repeated', many: true },
      { name: 'as', value: 'NAME', about: 'act as this person; without a terminal only as your own user' },
      { name: 'head', value: 'REF', about: 'pr create: the branch with the changes; review, check: the commit that was reviewed' },
      { name: 'base', value: 'BRANCH', about: 'pr create: the branch to merge into, instead of the default branch' },
      { name: 'draft', about: 'pr create: as a draft, which cannot be merged before "pr ready"' },
      { name: 'fork', value: 'DIR', about: 'pr create: the repository of the head branch, if it is another one', completes: 'folder' },
      { name: 'approve', about: 'review: approve the changes' },
      { name: 'request-changes', about: 'review: request changes' },
      { name: 'name', value: 'NAME', about: 'check: its name (default: ci)' },
      { name: 'conclusion', value: 'WORD', about: 'check: its result', choices: [...CONCLUSIONS, 'pending'] },
      { name: 'add', value: 'LABEL', about: 'label: add it; can be repeated', many: true },
      { name: 'remove', value: 'LABEL', about: 'label: remove it; can be repeated', many: true },
      TOKEN_FILE,
    ],
    examples: [
      { line: 'pawl forge issue create --title "Login fails" --label bug', about: 'open an issue' },
      { line: 'pawl forge issue list', about: 'all issues, with their numbers' },
      { line: 'pawl forge label 1 --add security', about: 'add a label' },
      { line: 'pawl forge pr show 2', about: 'the head, reviews and checks of a pull request' },
      { line: 'pawl forge check 2 --name ci --conclusion success', about: 'report a CI result' },
      { line: 'pawl forge review 2 --approve --as ann', about: 'approve a pull request' },
      { line: 'pawl forge issue comment 1 --body "/pawl approve" --as ann', about: 'decide an approval that a run posted as a comment' },
      { line: 'pawl forge notifications', about: 'the messages that workflows have sent' },
      { line: 'pawl forge pr create --head topic --title "Add search"', about: 'open a pull request' },
    ],
    load: () => import('../commands/forge.ts'),
  },
  {
    name: 'actions',
    summary: 'run Pawl inside a GitHub Actions job, without a server',
    about:
      '"pawl init --github-actions" writes the workflow file that calls it. It restores the state from the ref refs/pawl/state of the repository, handles the event of the job and events for which GitHub started no job, drives every open run until only people, CI or time can continue it, and saves the state. Only one job works at a time; others wait. Workflows and settings are read from the default branch. It logs in with the token of the job (GITHUB_TOKEN), unless "forge.auth" names another.',
    args: [{ name: 'ACTION', about: 'what to do', required: true, choices: ['run'] }],
    options: [
      {
        name: 'state',
        value: 'DIR',
        about:
          'the folder for the state while the job works; it must be the same in every job (default: pawl-actions in the temporary folder)',
        completes: 'folder',
      },
      { name: 'hold', value: 'DURATION', about: 'how long other jobs wait for a job that was killed (default: 3m)' },
    ],
    examples: [{ line: 'pawl actions run', about: 'in a step of a job' }],
    load: () => import('../commands/actions.ts'),
  },
]);
