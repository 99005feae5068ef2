// Owns how a workflow file writes programs and requests, which stages and checks have.

import * as z from 'zod';
import { byName, choice, literal, noted, template, texts, tree } from './field.ts';

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
