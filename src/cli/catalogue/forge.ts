// The command with which somebody is the people and the CI at the local forge.

import type { CommandSpec } from '../command.ts';

/** The commands of this group. */
export const FORGE: readonly CommandSpec[] = [
  {
    name: 'forge',
    group: 'Decide',
    summary: 'be the people and the CI at the local forge: issues, pull requests, reviews, checks, labels',
    about:
      'The local forge is a stand-in for GitHub on this machine ("forge: { kind: local }" in .pawl/config.yaml): issues and reviews in ' +
      'a file, pull requests as branches of a git repository. The words are: issue list|show|create|close|comment, ' +
      'pr list|show|create|ready|close|comment, review, check, label. A review or a check lets work pass a gate, so it takes a person ' +
      'at a terminal, or a personal token (PAWL_TOKEN or --token-file, see "pawl token") and the --head that was seen. Everything ' +
      'else anybody may do, agents as well.',
    args: [
      { name: 'KIND', about: 'what it is about', required: true, choices: ['issue', 'pr', 'review', 'check', 'label'] },
      { name: 'WORD', about: 'for issue and pr what to do; then the number of the issue or the pull request', many: true },
    ],
    options: [
      { name: 'title', value: 'TEXT', about: 'create: the title' },
      { name: 'body', value: 'TEXT', about: 'create and comment: the text' },
      { name: 'label', value: 'LABEL', about: 'issue create: a label; may be given several times', many: true },
      { name: 'as', value: 'NAME', about: 'who does it; at a terminal anybody, otherwise your own user' },
      { name: 'head', value: 'REF', about: 'pr create: the branch with the work. review, check: the commit that was seen' },
      { name: 'base', value: 'BRANCH', about: 'pr create: the branch it goes to, instead of the default one' },
      { name: 'draft', about: 'pr create: as a draft, which cannot be merged until "pr ready"' },
      { name: 'fork', value: 'DIR', about: 'pr create: another repository that the head branch is in', completes: 'folder' },
      { name: 'approve', about: 'review: the work is fine' },
      { name: 'request-changes', about: 'review: the work has to change' },
      { name: 'name', value: 'NAME', about: 'check: its name, instead of ci' },
      {
        name: 'conclusion',
        value: 'WORD',
        about: 'check: how it ended',
        choices: ['success', 'failure', 'neutral', 'cancelled', 'skipped', 'timed_out', 'action_required', 'pending'],
      },
      { name: 'add', value: 'LABEL', about: 'label: adds it; may be given several times', many: true },
      { name: 'remove', value: 'LABEL', about: 'label: takes it away; may be given several times', many: true },
      { name: 'token-file', value: 'FILE', about: 'a file with your personal token, instead of PAWL_TOKEN', completes: 'file' },
    ],
    examples: [
      { line: 'pawl forge issue create --title "Login fails" --label bug', about: 'open an issue' },
      { line: 'pawl forge issue list', about: 'all issues, with their numbers' },
      { line: 'pawl forge label 1 --add security', about: 'label it' },
      { line: 'pawl forge pr show 2', about: 'the head, the reviews and the checks of a pull request' },
      { line: 'pawl forge check 2 --name ci --conclusion success', about: 'be the CI' },
      { line: 'pawl forge review 2 --approve --as ann', about: 'be a reviewer' },
      { line: 'pawl forge pr create --head topic --title "Add search"', about: 'open a pull request by hand' },
    ],
    load: () => import('../commands/forge.ts'),
  },
];
