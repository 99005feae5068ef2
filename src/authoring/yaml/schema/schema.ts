// Owns the schema of a whole workflow file: everything that it may contain is declared once in these `schema` files, with its
// meaning. Rules about more than one field are in `rule.ts`.

import * as z from 'zod';
import { DEFAULT_WRITES, type WriteKind } from '../../../definition/forge/forge-write.ts';
import type { Compilers } from '../../graph/work.ts';
import { hook } from './action.ts';
import { byName, choice, count, data, flag, literal, map, noted, oneOrMore, prose, texts, tree } from './field.ts';
import { budget, circuitBreakers, databases } from './part.ts';
import { onEvents } from './reaction.ts';
import { stageSchema } from './stage.ts';

const metadata = map(
  'metadata',
  {
    name: literal('Its name in commands and other workflows.', 'feature-development'),
    title: prose('Its title for people. Default: the name.', 'Feature development').optional(),
    description: prose('What it is for.', 'Full feature development lifecycle with quality gates').optional(),
    version: prose('Your label for this version.', '1.2.0').optional(),
  },
  'The name of the workflow, and more about it.',
);

const triggerForm = map('a trigger', {
  event: literal('The event.', 'issues.labeled').optional(),
  from_runs: flag('Whether it also starts on what runs did at the forge, such as opening a pull request. Default: false.').optional(),
  stop_after: literal('The day or the time, in UTC, or the age, such as +30d, after which no event starts it.', '2027-03-31').optional(),
  command: literal(
    'The command that starts it: a person with write permission writes "/review" as the first line of a comment.',
    'review',
  ).optional(),
  schedule: literal('When it starts: minute, hour, day, month and weekday as in cron, or a word such as @daily.', '0 6 * * 1-5').optional(),
  timezone: literal('The time zone of the schedule. Default: UTC.', 'Europe/Berlin').optional(),
  catch_up: choice(
    'How many of the starts that were missed while no server ran are made up for: the last one, all or none. Default: one.',
    ['one', 'all', 'none'],
  ).optional(),
  params: byName(data('A value.', 'main'), {
    description: 'The parameters of the runs that the schedule starts.',
    examples: [{ scope: 'all' }],
  }).optional(),
  conditions: map(
    'trigger conditions',
    {
      label: literal('The label that was just added.', 'feature').optional(),
      labels: texts('Labels that must all be present, including the one just added.', ['feature', 'security']).optional(),
      assignee_is_bot: flag('Whether the assignee must be a bot, or must not.').optional(),
      milestone: literal('The milestone.', 'v1.0').optional(),
      base_branch: oneOrMore('The branch that a pull request goes to, or one of several.', 'main').optional(),
      paths: texts('Patterns of files, one of which the pull request or the push must change.', ['services/shop/**']).optional(),
      paths_ignore: texts('Patterns of files whose changes do not count.', ['docs/**']).optional(),
    },
    'Further conditions.',
  ).optional(),
});

const trigger = noted(z.union([literal('The event.', 'pull_request.opened'), triggerForm]), {
  description: 'The event, the command or the schedule that starts it. Without one, it is started manually.',
  examples: ['pull_request.opened', { event: 'issues.labeled', conditions: { label: 'feature' } }],
  accepts: 'an event such as pull_request.opened, or a map with event and conditions, with command, or with schedule',
});

const param = map(
  'a parameter',
  {
    description: prose('What it is for.', 'The version to release').optional(),
    type: choice('Its type. Default: what the other fields imply.', ['string', 'number', 'integer', 'boolean', 'json']).optional(),
    default: data('Its value if none is given.', 'main').optional(),
    min: noted(z.number(), { description: 'The smallest number.', examples: [1], accepts: 'a number' }).optional(),
    max: noted(z.number(), { description: 'The largest number.', examples: [10], accepts: 'a number' }).optional(),
    choices: noted(z.array(data('A value.')).min(1), {
      description: 'The values that are allowed.',
      examples: [['patch', 'minor']],
      accepts: 'a list of values',
    }).optional(),
    required: flag('Whether it must be given. Default: false.').optional(),
  },
  'A parameter of the workflow.',
);

const snapshotForm = map(
  'snapshot',
  {
    include: texts('Patterns of files that git ignores and that are in the snapshots; without git, of all files that are.', [
      'data/**',
    ]).optional(),
    off: flag('Stages take no snapshots, except those with `restore_on_fail`. Default: false.').optional(),
  },
  'Snapshots of the workspace around its stages, for `pawl diff` and `pawl undo`.',
);

const concurrencyForm = map('concurrency', {
  max: count('How many of its stages work at the same time, over all runs.', 2),
  key: literal('The key of the limit, which all workflows with the same key share. Default: this workflow.', 'deploy').optional(),
});

const most = (label: string, kind: WriteKind) =>
  noted(z.int().min(0), {
    description: `${label} Default: ${DEFAULT_WRITES[kind]}.`,
    examples: [3],
    accepts: 'a whole number of at least 0',
  }).optional();
const ACCESS = ['none', 'read', 'write'] as const;
const permissions = map(
  'permissions',
  {
    contents: choice('Branches and files.', ACCESS).optional(),
    issues: choice('Issues, their labels and comments.', ACCESS).optional(),
    pull_requests: choice('Pull requests and their comments.', ACCESS).optional(),
    checks: choice('Checks.', ACCESS).optional(),
    discussions: choice('Discussions.', ACCESS).optional(),
  },
  'What the run may do on the forge. It can narrow what the project allows, never widen it.',
).optional();

const onComplete = noted(z.array(hook), {
  description: 'Actions that are done once when a run has completed.',
  examples: [[{ close_issue: '{{ context.issue_number }}' }]],
  accepts: 'a list of hooks',
}).optional();

const onError = noted(z.array(hook), {
  description: 'Actions that are done once when a run has failed or escalated.',
  examples: [[{ label_issue: 'needs-human' }, { notify: 'maintainers' }]],
  accepts: 'a list of hooks',
}).optional();

const concurrency = noted(z.union([z.int().min(1), concurrencyForm]), {
  description: 'How many stages of this workflow work at the same time, over all runs.',
  examples: [2, { max: 1, key: 'deploy' }],
  accepts: 'a whole number of at least 1, or a map with max and key',
}).optional();

const writesForm = map(
  'writes',
  {
    comments: most('Comments on issues and pull requests.', 'comments'),
    pull_requests: most('Pull requests.', 'pull_requests'),
    labels: most('Changes of labels.', 'labels'),
    issues: most('New issues.', 'issues'),
    reviews: most('Reviews, each with up to 30 comments on lines.', 'reviews'),
    discussions: most('Replies in discussions.', 'discussions'),
  },
  'How much the agents and programs of one run may write at the forge. It can narrow what the project allows, never widen it.',
);

const stagedForm = noted(z.literal(true), {
  description: 'The writes at the forge that agents and programs request are shown to a person and done when they approve.',
  examples: [true],
  accepts: 'true',
});

const schemas = new WeakMap<Compilers, ReturnType<typeof createSchema>>();

/** The schema of a workflow file, with these kinds and checks. */
export function workflowSchema(compilers: Compilers): ReturnType<typeof createSchema> {
  const schema = schemas.get(compilers) ?? createSchema(compilers);
  schemas.set(compilers, schema);
  return schema;
}

function createSchema(compilers: Compilers) {
  return map(
    'a workflow',
    {
      apiVersion: choice('The version of this format.', ['pawl.dev/v1', 'squadron.dev/v1']),
      kind: noted(z.literal('Workflow'), { description: 'The kind of document.', examples: ['Workflow'], accepts: 'Workflow' }),
      metadata,
      trigger: trigger.optional(),
      override_triggers: flag(
        'Whether it takes precedence over the triggers of roles that match the same event. Default: false.',
      ).optional(),
      params: byName(param, {
        description: 'The parameters of a run.',
        examples: [{ version: { type: 'string', required: true } }],
      }).optional(),
      context: byName(tree('A value, which may have templates.'), {
        description: 'Values for all stages, evaluated once at the start, in this order.',
        examples: [{ issue_number: '{{ trigger.issue.number }}' }],
      }).optional(),
      concurrency,
      budget: budget.optional(),
      circuit_breakers: circuitBreakers.optional(),
      protected: texts('Patterns of files that no agent of a run may change, in addition to those that are always protected.', [
        'tests/**',
      ]).optional(),
      databases,
      snapshot: snapshotForm.optional(),
      permissions,
      writes: writesForm.optional(),
      staged: stagedForm.optional(),
      limits: map(
        'limits',
        { max_iterations: count('The limit of transitions that lead back and have none of their own. Default: 10.', 10).optional() },
        'Default limits.',
      ).optional(),
      recovery: choice(
        'What happens after a crash to a stage that may have run, unless the stage sets it. Webhooks and custom kinds always ask.',
        ['rerun', 'ask'],
      ).optional(),
      stages: noted(z.array(stageSchema(compilers)).min(1), {
        description: 'The stages. A run begins with the first one.',
        examples: [[{ id: 'review', type: 'agent', agent: 'pr-review', action: 'review' }]],
        accepts: 'a list of stages',
      }),
      on_events: onEvents.optional(),
      on_complete: onComplete,
      on_error: onError,
    },
    'A workflow of Pawl.',
  );
}

/** The content of a valid workflow file. */
export type YamlWorkflow = z.infer<ReturnType<typeof createSchema>>;
