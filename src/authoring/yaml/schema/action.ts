// Owns the schema of forge actions in a workflow file: as a separate stage, and as a hook at the end of a run. Both share one
// list of actions and their fields.

import * as z from 'zod';
import { choice, duration, flag, literal, map, noted, oneOrMore, template } from './field.ts';
import { program } from './part.ts';
import { notify } from './transition.ts';

const issue = noted(z.union([template('The number of an issue.'), z.int().min(1)]), {
  description: 'The number of the issue. Default: the issue of the run.',
  examples: ['{{ context.issue_number }}'],
  accepts: 'a number, or a template that returns one',
});
const pr = literal('The stage that opened the pull request. Default: the pull request of the run.', 'open-docs').optional();
const labels = (description: string) => oneOrMore(description, 'needs-human', ['needs-human', 'blocked']);

/** The fields of each action, by its name. */
export const ACTIONS = {
  merge_pr: {
    method: choice('How it is merged. Default: the setting of the repository.', ['merge', 'squash', 'rebase']).optional(),
    delete_branch: flag('Deletes the branch afterwards. Default: false.').optional(),
    wait: duration('How long a merge queue, or required checks that have not ended, may take. Default: 24h.', '2h').optional(),
    pr,
  },
  close_issue: { issue: issue.optional() },
  create_issue: {
    title: template('Its title.', 'Follow up on #{{ context.issue_number }}'),
    body: template('Its text.', 'Found while working on #{{ context.issue_number }}').optional(),
    labels: labels('Its labels.').optional(),
  },
  label: { add: labels('Labels to add.').optional(), remove: labels('Labels to remove.').optional(), pr },
  comment: {
    target: choice('Where it is written.', ['issue', 'pr']),
    message: template('What is written.', 'Done: #{{ context.pr_number }}'),
    pr,
  },
  notify: {
    target: literal('The group or person to notify.', 'maintainers'),
    message: template('The message.', 'PR #{{ context.pr_number }} is ready').optional(),
  },
} as const;

/** The description of each action. */
export const ACTION_MEANINGS: Readonly<Record<keyof typeof ACTIONS, string>> = {
  merge_pr: 'Merges the pull request of the run.',
  close_issue: 'Closes an issue.',
  create_issue: 'Opens an issue.',
  label: 'Adds and removes labels of the issue or pull request.',
  comment: 'Writes a comment.',
  notify: 'Notifies a group or person.',
};

const mergeHook = map('a merge_pr hook', { merge_pr: map('merge_pr', ACTIONS.merge_pr, ACTION_MEANINGS.merge_pr) });
const closeHook = map('a close_issue hook', { close_issue: noted(issue, { description: 'Closes an issue, by its number.' }) });
const createHook = map('a create_issue hook', { create_issue: map('create_issue', ACTIONS.create_issue, ACTION_MEANINGS.create_issue) });
const labelHook = map('a label hook', { label: map('label', ACTIONS.label, ACTION_MEANINGS.label) });
const labelIssueHook = map('a label_issue hook', { label_issue: labels('Adds a label, or several, to the issue.') });
const commentHook = map('a comment hook', { comment: map('comment', ACTIONS.comment, ACTION_MEANINGS.comment) });
const notifyHook = map('a notify hook', { notify });

/** One action when a run has ended. */
export const hook = noted(z.union([commentHook, closeHook, labelIssueHook, labelHook, notifyHook, createHook, mergeHook]), {
  id: 'hook',
  what: 'a hook',
  accepts: 'a map with one key, such as { notify: maintainers }',
});

const undoProgram = map(
  'a program that undoes',
  {
    ...program,
    timeout: duration('How long it may take.', '5m').optional(),
    recovery: choice('What happens when a crash interrupts it: ask a person, or run it again. Default: ask.', ['ask', 'rerun']).optional(),
  },
  'A program that takes the result back.',
);

/** The undo of a stage. */
export const undo = noted(z.union([undoProgram, hook]), {
  id: 'undo',
  what: 'an undo',
  description:
    'Takes the result back when the run fails, is rejected or is cancelled; what was done last is undone first. In its templates, `result` is the result.',
  examples: [{ run: 'scripts/unpublish.sh', env: { VERSION: '{{ result.version }}' } }, { label: { remove: ['in-progress'] } }],
  accepts: 'a program (run or argv), or one action such as { label: { remove: [x] } }',
}).optional();
