// Owns how a workflow file writes the checks of a gate, and programs and requests, which stages have as well.

import * as z from 'zod';
import { byName, choice, condition, count, duration, literal, map, noted, oneOrMore, template, texts, tree } from './field.ts';

const BUILT_IN = ['command', 'file_exists', 'pr_approval', 'ci_status', 'webhook', 'coverage', 'any_of'] as const;

/** The names of the checks that every installation has. */
export const BUILT_IN_CHECKS: readonly string[] = BUILT_IN;

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

const timeout = duration('How long the check may take.', '10m').optional();

const commandCheck = map(
  'a command check',
  {
    check: z.literal('command'),
    ...program,
    expect: condition('What must hold, over `exit_code`, `stdout` and `stderr`. Default: exit_code == 0.', {
      examples: ['exit_code == 0'],
      roots: ['exit_code', 'stdout', 'stderr'],
    }).optional(),
    report: literal(
      'The report of tests that it writes, as JUnit XML or TAP; it must be newer than the start of the program.',
      'reports/junit.xml',
    ).optional(),
    tests: choice(
      'Whether it must have run a test. Default: when its output or report is that of a test runner, a run without a test is no pass. `required`: without any such sign neither; `optional`: it may run none.',
      ['required', 'optional'],
    ).optional(),
    timeout,
  },
  'Runs a program and judges how it ended.',
);

const fileExistsCheck = map(
  'a file_exists check',
  {
    check: z.literal('file_exists'),
    paths: texts('Files that must be there, inside the workspace.', ['README.md', 'CHANGELOG.md']),
    timeout,
  },
  'Looks for files.',
);

const approvalCheck = map(
  'a pr_approval check',
  {
    check: z.literal('pr_approval'),
    from: oneOrMore('The group or groups whose members may approve.', 'maintainers', ['maintainers', 'security-team']),
    count: count('How many different people must approve the current head. Default: 1.', 2).optional(),
    timeout,
  },
  'Waits for approvals of the pull request.',
);

const CONCLUSIONS = ['success', 'neutral', 'skipped', 'failure', 'cancelled', 'timed_out', 'action_required', 'stale'] as const;

const ciCheck = map(
  'a ci_status check',
  {
    check: z.literal('ci_status'),
    workflows: texts('The workflows that are looked at. Default: all.', ['test', 'lint']).optional(),
    expect: choice('The conclusion that each must have. Default: success.', CONCLUSIONS).optional(),
    timeout,
  },
  'Waits for the checks of the forge.',
);

const webhookCheck = map(
  'a webhook check',
  {
    check: z.literal('webhook'),
    ...request,
    expect: condition('What must hold, over `status`, `headers` and `body`. Default: a status of 200 to 299.', {
      examples: ['status == 200'],
      roots: ['status', 'headers', 'body'],
    }).optional(),
    timeout,
  },
  'Asks another service.',
);

/** A part of a hundred. A bare number up to 1 is refused: 0.8 and 1 could mean either 80 or 0.8 percent. */
const percentage = noted(
  z.union([z.string().regex(/^(?!0+(?:\.0+)?\s*%)(?:100(?:\.0{1,6})?|\d{1,2}(?:\.\d{1,6})?)\s*%$/), z.number().gt(1).max(100)]),
  {
    description: 'The least coverage: `80%` and `80` are the same.',
    examples: ['80%'],
    role: 'literal',
    accepts: 'a percentage such as 80% or 80; a bare number is above 1 and at most 100',
  },
);

const coverageCheck = map(
  'a coverage check',
  {
    check: z.literal('coverage'),
    minimum: percentage,
    metric: choice('What is counted. Default: line.', ['line', 'branch', 'function']).optional(),
    report: literal(
      'The report, as lcov, Cobertura or coverage.py XML; it must be newer than the gate. Default: where tools put it.',
      'coverage/lcov.info',
    ).optional(),
    paths: texts('The files that are counted. Default: all of the report.', ['src/**']).optional(),
    timeout,
  },
  'Reads a coverage report.',
);

// A name that is built in never reads as one's own, or a mistake in its fields would go unseen. Nothing of such a check is
// looked at any further, or the validator would take it for the nearest form and tell of its name only.
const ownName = z.string().regex(new RegExp(`^(?!(?:${BUILT_IN.join('|')})$)[A-Za-z][A-Za-z0-9_.-]*$`), { abort: true });
const ownCheck = noted(
  z
    .looseObject({ check: noted(ownName, { role: 'literal', examples: ['command'], accepts: 'the name of a check' }), timeout })
    .catchall(tree('A value for the check, which may have templates.')),
  { what: 'a check', description: 'A check that is registered in TypeScript; all its other fields are its own.' },
);

const CHECKS = [commandCheck, fileExistsCheck, approvalCheck, ciCheck, webhookCheck, coverageCheck] as const;
const simple = z.union([z.discriminatedUnion('check', CHECKS), ownCheck]);

const anyOf = map(
  'an any_of check',
  {
    check: z.literal('any_of'),
    conditions: noted(z.array(simple).min(1), { description: 'Checks of which one must pass.', accepts: 'a list of checks' }),
    timeout,
  },
  'Passes when one of several checks does.',
);

const builtIn = z.discriminatedUnion('check', [...CHECKS, anyOf]);

/** One check of a gate. */
export const check = noted(z.union([builtIn, ownCheck]), {
  id: 'check',
  what: 'a check',
  accepts: 'a map such as { check: command, run: "npm test" }',
});

/** A valid check, as it is written. */
export type WrittenCheck = z.infer<typeof check>;
/** A valid check of those that every installation has. */
export type WrittenBuiltIn = z.infer<typeof builtIn>;

/** Tells the checks that every installation has from those of an author. */
export function isBuiltIn(written: WrittenCheck): written is WrittenBuiltIn {
  return BUILT_IN_CHECKS.includes(written.check);
}
