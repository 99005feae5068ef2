// The command for the local forge.

import { CONCLUSIONS } from '../../definition/conclusion.ts';
import { type ListedCommand, TOKEN_FILE } from '../command.ts';

/** The commands of this group. */
export const FORGE: readonly ListedCommand[] = [
  {
    name: 'forge',
    summary: 'use the local forge: issues, pull requests, reviews, checks and labels',
    about:
      'The local forge replaces GitHub on this machine ("forge: { kind: local }" in .pawl/config.yaml): issues and reviews are kept in ' +
      'a file, pull requests are branches of a git repository. The commands are: issue list|show|create|close|comment, ' +
      'pr list|show|create|ready|close|comment, review, check, label, notifications. A review or a check can let work pass a gate, so it needs a ' +
      'person at a terminal, or a personal token (PAWL_TOKEN or --token-file, see "pawl token") with the --head that was reviewed. ' +
      'Everything else is open to everyone, including agents.',
    args: [
      { name: 'KIND', about: 'what to work on', required: true, choices: ['issue', 'pr', 'review', 'check', 'label', 'notifications'] },
      { name: 'WORD', about: 'the action, for issue and pr; then the number of the issue or pull request', many: true },
    ],
    options: [
      { name: 'title', value: 'TEXT', about: 'create: the title' },
      { name: 'body', value: 'TEXT', about: 'create, comment: the text' },
      { name: 'label', value: 'LABEL', about: 'issue create: a label; may be given several times', many: true },
      { name: 'as', value: 'NAME', about: 'act as this person; without a terminal only as your own user' },
      { name: 'head', value: 'REF', about: 'pr create: the branch with the changes; review, check: the commit that was reviewed' },
      { name: 'base', value: 'BRANCH', about: 'pr create: the branch to merge into, instead of the default branch' },
      { name: 'draft', about: 'pr create: as a draft, which cannot be merged before "pr ready"' },
      { name: 'fork', value: 'DIR', about: 'pr create: the repository of the head branch, if it is another one', completes: 'folder' },
      { name: 'approve', about: 'review: approve the changes' },
      { name: 'request-changes', about: 'review: request changes' },
      { name: 'name', value: 'NAME', about: 'check: its name (default: ci)' },
      {
        name: 'conclusion',
        value: 'WORD',
        about: 'check: its result',
        choices: [...CONCLUSIONS, 'pending'],
      },
      { name: 'add', value: 'LABEL', about: 'label: add it; may be given several times', many: true },
      { name: 'remove', value: 'LABEL', about: 'label: remove it; may be given several times', many: true },
      TOKEN_FILE,
    ],
    examples: [
      { line: 'pawl forge issue create --title "Login fails" --label bug', about: 'open an issue' },
      { line: 'pawl forge issue list', about: 'all issues, with their numbers' },
      { line: 'pawl forge label 1 --add security', about: 'add a label' },
      { line: 'pawl forge pr show 2', about: 'the head, reviews and checks of a pull request' },
      { line: 'pawl forge check 2 --name ci --conclusion success', about: 'report a CI result' },
      { line: 'pawl forge review 2 --approve --as ann', about: 'approve a pull request' },
      { line: 'pawl forge notifications', about: 'the messages that workflows have sent' },
      { line: 'pawl forge pr create --head topic --title "Add search"', about: 'open a pull request by hand' },
    ],
    load: () => import('../commands/forge.ts'),
  },
];
