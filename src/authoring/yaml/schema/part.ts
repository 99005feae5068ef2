// Owns how a workflow file writes what several kinds of stages and checks have: programs, requests, outputs, budgets.

import * as z from 'zod';
import { byName, choice, count, duration, flag, literal, map, noted, template, texts, tree } from './field.ts';

/** A program: a shell line or its words, and what it gets. */
export const program = {
  run: noted(
    literal('A shell line, given to `sh -c` as it stands. Values reach it as environment variables, by `env`.', 'pytest tests/ -x'),
    {
      role: 'command',
    },
  ).optional(),
  argv: texts('A program and its arguments, without a shell.', ['pytest', 'tests/'], 'command').optional(),
  env: byName(noted(z.union([template('A value.'), z.number(), z.boolean()]), { accepts: 'a text, a number or true or false' }), {
    description: 'Environment variables for the program; the way of values into commands.',
    examples: [{ ISSUE_TITLE: '{{ context.issue_title }}' }],
  }).optional(),
  cwd: noted(literal('The folder it runs in, inside the workspace. Default: the workspace.', 'packages/core'), {
    role: 'command',
  }).optional(),
} as const;

/** Where a request goes and what it carries. */
export const request = {
  url: noted(z.string().regex(/^(?:https?:\/\/|\{\{)/), {
    description: 'Where it goes. Private addresses are refused.',
    examples: ['https://api.example.com/validate'],
    role: 'template',
    accepts: 'an address that begins with https:// or http://, or a template that gives one',
  }),
  method: choice('The method. Default: POST with a body, GET without.', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']).optional(),
  headers: noted(z.record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/), noted(template('A value.'), { takesSecrets: true })), {
    description: 'Headers; secrets may be put in.',
    examples: [{ Authorization: 'Bearer {{ secrets.API_TOKEN }}' }],
    accepts: 'a map from names to texts',
  }).optional(),
  body: tree('What is sent, as JSON; secrets may be put in.', {
    examples: [{ pr_number: '{{ context.pr_number }}' }],
    takesSecrets: true,
  }).optional(),
} as const;

const output = map(
  'an output',
  {
    name: literal('What templates call it: `outputs.<name>`.', 'code_changes'),
    type: choice('What it is: a comment, changed files, a stored file, or a pull request.', ['comment', 'file', 'artifact', 'pr']),
    pattern: literal('file and artifact: which files.', 'src/**/*.py').optional(),
    required: flag('Whether the stage is done only with it. Default: false.').optional(),
  },
  'Something that the stage produces; it is verified before the run goes on.',
);

/** What a stage produces. */
export const outputs = noted(z.array(output), {
  description: 'What the stage produces; verified before the run goes on.',
  examples: [[{ name: 'tests', type: 'file', pattern: 'tests/**', required: true }]],
  accepts: 'a list of outputs',
}).optional();

/** Since when what a stage produces must have changed. */
export const fresh = choice(
  'Since when files among the outputs must have changed: this visit of the stage, or the start of the run. Default: since the stage first began in the run.',
  ['activation', 'run'],
).optional();

/** What an agent or a program must not do. */
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
} as const;

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
      'What happens after an attempt whose usage of a limited amount is not known: `stop` waits for a person, `count` carries on with the known amounts. Default: stop.',
      ['stop', 'count'],
    ).optional(),
  },
  'What agents may use, in the run or in all attempts of a stage; then the run waits for more.',
);
