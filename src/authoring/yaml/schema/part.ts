// Owns the schema of the common parts of stages and checks: programs, requests, outputs, budgets.

import * as z from 'zod';
import { byName, choice, count, duration, flag, literal, map, noted, template, texts, tree } from './field.ts';

/** A program: a shell line or its words, and its environment. */
export const program = {
  run: noted(
    literal('A shell line, passed to `sh -c` unchanged. Values reach it as environment variables, by `env`.', 'pytest tests/ -x'),
    {
      role: 'command',
    },
  ).optional(),
  argv: texts('A program and its arguments, without a shell.', ['pytest', 'tests/'], 'command').optional(),
  env: byName(noted(z.union([template('A value.'), z.number(), z.boolean()]), { accepts: 'a string, a number, true or false' }), {
    description: 'Environment variables for the program; the only way to pass values to a command.',
    examples: [{ ISSUE_TITLE: '{{ context.issue_title }}' }],
  }).optional(),
  cwd: noted(literal('The folder it runs in, inside the workspace. Default: the workspace.', 'packages/core'), {
    role: 'command',
  }).optional(),
} as const;

/** The URL and content of a request. */
export const request = {
  url: noted(z.string().regex(/^(?:https?:\/\/|\{\{)/), {
    description: 'The address. Private addresses are not allowed.',
    examples: ['https://api.example.com/validate'],
    role: 'template',
    accepts: 'an address that begins with https:// or http://, or a template that returns one',
  }),
  method: choice('The method. Default: POST with a body, GET without.', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']).optional(),
  headers: noted(z.record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/), noted(template('A value.'), { takesSecrets: true })), {
    description: 'The headers, which may have secrets.',
    examples: [{ Authorization: 'Bearer {{ secrets.API_TOKEN }}' }],
    accepts: 'a map from names to strings',
  }).optional(),
  body: tree('The content, as JSON, which may have secrets.', {
    examples: [{ pr_number: '{{ context.pr_number }}' }],
    takesSecrets: true,
  }).optional(),
} as const;

const output = map(
  'an output',
  {
    name: literal('What templates call it: `outputs.<name>`.', 'code_changes'),
    type: choice(
      'What it is: changed files, a stored file, or something that Pawl writes at the forge from what the worker asks for: a comment, a pull request, labels, an issue, a review with comments on lines, or a reply in a discussion.',
      ['comment', 'file', 'artifact', 'pr', 'label', 'issue', 'review', 'discussion'],
    ),
    pattern: literal('file and artifact: which files.', 'src/**/*.py').optional(),
    required: flag('Whether the stage is done only with it. Default: false.').optional(),
    target: choice('comment and label: the target, if the run is about both. Default: issue.', ['issue', 'pr']).optional(),
    labels: texts('label and issue: the labels that the worker may choose from.', ['bug', 'needs-tests']).optional(),
  },
  'Something that the stage produces; it is verified before the run continues.',
);

/** The outputs of a stage. */
export const outputs = noted(z.array(output), {
  description: 'The products of the stage, verified before the run continues.',
  examples: [[{ name: 'tests', type: 'file', pattern: 'tests/**', required: true }]],
  accepts: 'a list of outputs',
}).optional();

/** Since when the outputs of a stage must have changed. */
export const fresh = choice(
  'Since when files among the outputs must have changed: this visit of the stage, or the start of the run. Default: since the stage first began in the run.',
  ['activation', 'run'],
).optional();

/** The restrictions of an agent or a program. */
export const restrictions = {
  network: noted(
    z.union([
      z.literal(false),
      z.array(z.string()),
      map(
        'a network rule',
        {
          allow: texts('The hosts.', ['registry.npmjs.org']).optional(),
          required: flag('The stage does not start where this cannot be enforced. Default: false.').optional(),
        },
        'The allowed hosts, and whether this must be enforced.',
      ),
    ]),
    {
      description:
        'The hosts that its agent or program may connect to, `false` for none. Enforced with a network namespace where the machine has them; `pawl doctor` says so.',
      examples: [false, ['registry.npmjs.org']],
      accepts: 'false, a list of hosts, or a map with allow and required',
    },
  ).optional(),
  mutates_checkout: noted(z.boolean(), {
    description: '`false`: the agent or program must leave the files of the workspace as they are; a change fails the attempt.',
    examples: [false],
    accepts: 'true or false',
  }).optional(),
  staged: noted(z.literal(true), {
    description: 'The writes at the forge that the worker requests are shown to a person and done when they approve.',
    examples: [true],
    accepts: 'true',
  }).optional(),
  restore_on_fail: noted(z.boolean(), {
    description:
      '`true`: when an attempt fails, times out or breaks its contract, the files of the workspace are restored to their state before it. `on_fail: restore` is the same.',
    examples: [true],
    accepts: 'true or false',
  }).optional(),
} as const;

const access = choice('`write`: what it changes is accepted with the stage. `read`: a change fails the attempt.', ['read', 'write']);

/** The protected databases of a workflow or a stage. */
export const databases = noted(
  z.union([
    z.array(z.string()),
    z.record(
      z.string(),
      z.union([
        access,
        map(
          'the use of a database',
          {
            access: access.optional(),
            deletes: noted(z.int().min(0), {
              description: 'How many rows it may delete in one attempt. Default: 0.',
              examples: [10],
              accepts: 'a whole number of at least 0',
            }).optional(),
            copy: literal('Where in the workspace it finds its copy. Default: outside the workspace.', 'work/book.db').optional(),
            expect: texts('Queries that must return something other than 0 and NULL when the stage is done.', [
              'SELECT count(*) = 12 FROM chapters',
            ]).optional(),
          },
          'What it may do with the database, and what the database must contain afterwards.',
        ),
      ]),
    ),
  ]),
  {
    description:
      'The protected databases that agents and programs work on, by their names in the settings. They get a copy, whose path is in `PAWL_DB_<NAME>`; what they change there is accepted with the stage, in one transaction, or dropped.',
    examples: [['book'], { book: { access: 'write', deletes: 10, expect: ['SELECT count(*) = 12 FROM chapters'] } }],
    accepts: 'a list of names, or a map from names to read, write or a map with access, deletes, copy and expect',
  },
).optional();

const positive = (description: string, example: number) =>
  noted(z.number().gt(0), { description, examples: [example], accepts: 'a number above 0' });

/** A budget, as a workflow and a stage have it. */
export const budget = map(
  'a budget',
  {
    tokens: count('Tokens.', 200_000).optional(),
    cost_usd: positive('Dollars.', 5).optional(),
    turns: count('Turns of agents.', 50).optional(),
    time: duration('Time in which agents work.', '2h').optional(),
    unknown: choice(
      'What happens after an attempt whose usage of a limited amount is not known: `stop` waits for a person, `count` continues with the known amounts. Default: stop.',
      ['stop', 'count'],
    ).optional(),
  },
  'What agents may use, in the run or in all attempts of a stage; when it is used up, the run waits for more.',
);

const orOff = <T extends z.ZodType>(limit: T, description: string) =>
  noted(z.union([limit, z.literal(false)]), { description, accepts: 'a limit, or false' }).optional();

/** Limits that stop a run that takes too long. */
export const circuitBreakers = noted(
  z.union([
    z.literal(true),
    map('circuit breakers', {
      max_iterations: orOff(count('Visits.', 5), 'How often one stage is visited. Default: 5.'),
      max_tool_calls: orOff(count('Calls.', 200), 'The tool calls of its agents. Default: 200.'),
      max_turns: orOff(count('Turns.', 50), 'The turns of its agents. Default: 50.'),
      max_active: orOff(duration('Time.', '2h'), 'The time in which its stages work. Default: 2h.'),
      max_sleep: orOff(duration('Time.', '24h'), 'The time for which nothing happens. Default: 24h.'),
    }),
  ]),
  {
    description:
      'Limits that stop a run that takes too long: people are warned at four fifths of a limit, and beyond it the run escalates. `true` for the defaults; a map for other values, with `false` to turn one off.',
    examples: [true, { max_turns: 100, max_sleep: false }],
    accepts: 'true, or a map of limits',
  },
);
