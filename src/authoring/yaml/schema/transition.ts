// Owns the schema of a transition in a workflow file: one word, or one of five maps. The first key of a map selects the form,
// and each form has only its own fields.

import * as z from 'zod';
import { byName, condition, count, duration, literal, map, type Note, noted, template, tree } from './field.ts';

const target = (description: string) => literal(description, 'escalate');

const notifyForm = map('a notification', {
  target: literal('The group or person to notify.', 'maintainers'),
  message: template('The message. Default: the stage was reached.', 'PR #{{ context.pr_number }} is ready').optional(),
});

/** A notification: a group or person, or one with a message. */
export const notify = noted(z.union([literal('A group or person.', 'maintainers'), notifyForm]), {
  id: 'notify',
  description: 'Notifies a group or person at the forge of the project, if there is one. A failed notification never affects the run.',
  examples: ['maintainers', { target: 'maintainers', message: 'PR #{{ context.pr_number }} is ready' }],
  accepts: 'a group, or a map with target and message',
});

/** How the pause between retries grows. */
const backoff = map(
  'a backoff',
  {
    initial: duration('The pause before the first retry.', '10s'),
    factor: noted(z.number().min(1), {
      description: 'The factor by which each further pause is longer. Default: 2.',
      examples: [2],
      accepts: 'a number of at least 1',
    }).optional(),
    max: duration('The longest pause. Default: 10m.', '10m').optional(),
  },
  'How the pause before each retry grows.',
);

const delayForm = map('a transition with delay', {
  delay: duration('How long to wait before the target starts.', '30s'),
  then: target('Where it leads after the wait.'),
});

const gotoForm = map('a transition with goto', {
  goto: literal('The stage to go to, which may be an earlier one.', 'implement'),
  context: byName(tree('A value, which may have templates.'), {
    description: 'Values that are added to the context before the target starts, and stay.',
    examples: [{ failure_reason: '{{ gate.failed_checks }}' }],
  }).optional(),
  max_iterations: count(
    'How often this transition is taken in a run; after that, `then` is taken. Default: `limits.max_iterations`.',
    3,
  ).optional(),
  then: target('Where it leads when `max_iterations` is used up. Default: escalate.').optional(),
});

const retryForm = map('a transition with retry', {
  retry: count('How often the stage is retried, after errors and timeouts together.', 2),
  backoff: backoff.optional(),
  then: target('Where it leads when no retry is left. Default: escalate.').optional(),
});

const spawnForm = map('a transition with spawn', {
  spawn: literal('The role of an agent that works on the branch of the run first. If it fails, the run escalates.', 'merge-conflict'),
  then: target('Where it leads when the agent is done.'),
});

const notifyThenForm = map('a transition with notify', {
  notify,
  then: target('Where it leads after the notification. Default: escalate.').optional(),
});

const extendForm = map('a transition with extend', {
  notify: notify.optional(),
  extend: duration('How much longer the stage waits.', '24h'),
  max_extensions: count('How often it is extended. Default: 1.', 3).optional(),
  then: target('Where it leads when no extension is left. Default: escalate.').optional(),
});

const word = target('A stage id, or one of complete, fail and escalate.');
const FORMS = [word, delayForm, gotoForm, spawnForm, notifyThenForm] as const;
const ACCEPTS = 'a stage id, or a map that begins with goto, delay, spawn or notify';

const plain = z.union(FORMS);
const retried = z.union([...FORMS, retryForm]);
const timed = z.union([...FORMS, retryForm, extendForm]);

/** The transition for an outcome. */
export function leads(key: string, description: string, note: Note = {}) {
  return noted(plain, { id: key, description, examples: ['implement'], accepts: ACCEPTS, ...note });
}

/** The transitions for failures, which every stage can have. */
export const failures = {
  on_error: noted(retried, {
    id: 'on_error',
    description: 'When it could not be executed. Default: escalate.',
    examples: ['escalate', { retry: 2, backoff: { initial: '10s' }, then: 'escalate' }],
    accepts: `${ACCEPTS}, or with retry`,
  }).optional(),
  on_timeout: noted(timed, {
    id: 'on_timeout',
    description: 'When `timeout` has passed. Default: as `on_error`, its retries included.',
    examples: ['escalate', { notify: 'maintainers', extend: '24h', max_extensions: 3, then: 'escalate' }],
    accepts: `${ACCEPTS}, or with retry or extend`,
  }).optional(),
  skip_to: leads('skip_to', 'When `condition` is false. Default: the next stage in the file.').optional(),
} as const;

/** The transitions of single kinds of stages. */
export const outcomes = {
  on_complete: leads('on_complete', 'When it is done. Default: the next stage in the file; the last one completes the run.', {
    examples: ['implement', { delay: '30s', then: 'review' }],
  }).optional(),
  on_success: leads('on_success', 'When it is done. Default: the next stage in the file; the last one completes the run.').optional(),
  on_pass: leads('on_pass', 'When all checks pass. Default: the next stage in the file; the last one completes the run.').optional(),
  on_fail: leads('on_fail', 'When it failed: for a gate, when a check did. Default: where `on_error` leads.', {
    examples: [{ goto: 'implement', context: { failure_reason: '{{ gate.failed_checks }}' }, max_iterations: 3, then: 'escalate' }],
  }).optional(),
  on_failure: leads(
    'on_failure',
    'When it did not succeed: it failed, could not be started, was stopped or timed out. `on_error` and `on_timeout` come first. Default: where `on_error` leads.',
  ).optional(),
  on_reject: leads('on_reject', 'When the work or the question was rejected. Default: the run ends as rejected.').optional(),
  on_any_reject: leads('on_any_reject', 'When a branch rejected and the join cannot be met. Default: the run ends as rejected.', {
    examples: [{ goto: 'implement', context: { review_feedback: '{{ branches.*.feedback }}' } }],
  }).optional(),
  on_all_reject: leads('on_all_reject', 'When every branch rejected. Default: where `on_any_reject` leads.').optional(),
  on_conflict: leads(
    'on_conflict',
    'When the branch cannot be merged, or others changed the same rows of a database. Default: where `on_error` leads.',
    {
      examples: [{ spawn: 'merge-conflict', then: 'review' }],
    },
  ).optional(),
  on_ci_failure: leads('on_ci_failure', 'When a required check is red. Default: where `on_error` leads.').optional(),
} as const;

/** The fields that every stage can have, of any type. */
export const around = {
  id: literal('Its name in transitions and templates; unique in the file.', 'implement'),
  name: noted(literal('Its title for people.', 'Implementation'), { role: 'prose' }).optional(),
  condition: condition('When false, the stage is skipped.', { examples: ["{{ context.labels | contains('security') }}"] }).optional(),
  timeout: duration('How long it may take; for a gate and a human, how long it waits.', '30m').optional(),
  recovery: noted(z.enum(['rerun', 'reconcile', 'ask']), {
    description: 'What happens if a crash leaves no record of how it ended: run it again, check whether it took effect, or ask a person.',
    examples: ['rerun'],
    accepts: 'one of rerun, reconcile, ask',
  }).optional(),
} as const;

/** The notification when a stage is entered. */
export const onEnter = map('on_enter', { notify }, 'The notification when the stage is entered.').optional();
