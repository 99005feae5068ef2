// Owns how a workflow file writes a stage: for each type its own fields, what every stage has around them, and the
// transitions that this type can take. A branch of a parallel stage is a stage without transitions.

import * as z from 'zod';
import type { OwnKind } from '../../../definition/own-kind.ts';
import { ACTION_MEANINGS, ACTIONS } from './action.ts';
import {
  byName,
  choice,
  condition,
  count,
  data,
  duration,
  flag,
  literal,
  map,
  noted,
  oneOrMore,
  template,
  texts,
  textsOrNone,
  tree,
} from './field.ts';
import type { WrittenCheck } from './form.ts';
import { program, request } from './part.ts';
import { around, leads, onEnter, outcomes, troubles } from './transition.ts';

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

const outputs = noted(z.array(output), {
  description: 'What the stage produces; verified before the run goes on.',
  examples: [[{ name: 'tests', type: 'file', pattern: 'tests/**', required: true }]],
  accepts: 'a list of outputs',
}).optional();

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
  },
  'What agents may use, in the run or in all attempts of a stage; then the run waits for more.',
);

const agent = {
  agent: literal('The role of the agent.', 'feat-dev'),
  action: literal('What it is to do, as its prompt calls it.', 'implement').optional(),
  prompt: template('What it is told, beside the prompt of its role.', 'Fix #{{ context.issue_number }}').optional(),
  context: byName(tree('A value, which may have templates.'), {
    description: 'Values that it is given.',
    examples: [{ plan: '{{ outputs.implementation_plan }}' }],
  }).optional(),
  continue_session: flag('Continues the latest session of the same role in this run. Default: false.').optional(),
  supports_questions: flag('The agent may ask the person it works for; a fresh attempt gets the answers. Default: false.').optional(),
  schema: byName(tree('A part of the schema.'), {
    description: 'The JSON Schema that its output has to fit.',
    examples: [{ type: 'object', required: ['summary'], properties: { summary: { type: 'string' } } }],
  }).optional(),
  protected: texts('Patterns of files that the agent may not change, beside those that are always protected.', ['tests/**']).optional(),
  may_change: texts('Patterns of protected files that the agent may change all the same.', ['tests/new/**']).optional(),
  budget: budget.optional(),
  outputs,
} as const;

const gateWith = (check: z.ZodType<WrittenCheck>) =>
  ({
    conditions: noted(z.array(check).min(1), {
      description: 'The checks. All run, in this order, and all must pass.',
      examples: [[{ check: 'command', run: 'npm test' }]],
      accepts: 'a list of checks',
    }),
  }) as const;

const delay = {
  duration: duration('How long it waits.', '30s'),
  poll: map(
    'a poll',
    {
      interval: duration('How often it looks.', '5s'),
      condition: condition('What ends the wait when it is true.', { examples: ['{{ github.pr.mergeable != null }}'] }),
      on_ready: choice('What happens then.', ['skip_remaining_delay']).optional(),
    },
    'Looks at a condition during the wait.',
  ).optional(),
} as const;

const webhook = {
  request: map('a request', request, 'The request.'),
  expect: map(
    'an expectation',
    {
      status: noted(z.int().min(100).max(599), {
        description: 'The status. Default: 200 to 299.',
        examples: [200],
        accepts: 'a status such as 200',
      }).optional(),
      body: data('What the body must hold: every field given here, with the same value.', { approved: true }).optional(),
    },
    'What the answer must be.',
  ).optional(),
} as const;

const option = map(
  'an option',
  {
    label: noted(literal('What people choose.', 'Approve'), { role: 'prose' }),
    outcome: choice('How the stage settles: `ok` leads where `on_complete` does, `reject` where `on_reject` does. Default: ok.', [
      'ok',
      'reject',
    ]).optional(),
    goto: literal('Where this answer leads, instead.', 'implement').optional(),
    requires_input: flag('The person must write something. Default: false.').optional(),
  },
  'An answer that a person can give.',
);

const human = {
  prompt: template('The question.', 'Ship {{ context.issue_title }}?'),
  show: texts('Paths whose values are shown with the question; a decision holds for these values only.', [
    'outputs.implement.code_changes',
  ]).optional(),
  options: noted(z.array(option).min(1), {
    description: 'The answers. Default: approve and reject.',
    examples: [[{ label: 'Ship it' }, { label: 'Rework', goto: 'implement', requires_input: true }]],
    accepts: 'a list of options',
  }).optional(),
  from: oneOrMore('The group or groups whose members may decide. Default: whoever may decide in the project.', 'maintainers').optional(),
  count: count('How many different people must choose the same way on; one who rejects or goes back is enough. Default: 1.', 1).optional(),
  subjects: texts('Patterns of files that the question is about: when one changes before somebody decides, it is put anew.', [
    'docs/**',
  ]).optional(),
  signed: flag('Whether a decision counts only with the signature of an enrolled key. Default: as the project says.').optional(),
} as const;

const workflow = {
  workflow: literal('The name of the workflow that is run as a child.', 'release'),
  input: byName(tree('A value, which may have templates.'), {
    description: 'The parameters of the child.',
    examples: [{ version: '{{ params.version }}' }],
  }).optional(),
} as const;

/** What each type of stage is for. */
const STAGE_MEANINGS = {
  agent: 'Work of an agent.',
  gate: 'Checks that let work pass or not.',
  parallel: 'Several branches at once.',
  delay: 'Time that passes, or less of it when a condition holds.',
  action: 'Something done on the forge.',
  webhook: 'A request to another service.',
  human: 'A question to a person.',
  workflow: 'Another workflow, run as a child.',
  command: 'A program.',
} as const;

type StageType = keyof typeof STAGE_MEANINGS;
const typed = <T extends StageType>(type: T) =>
  noted(z.literal(type), { description: `The type of the stage: \`${type}\`.`, examples: [type] });
type ActionName = keyof typeof ACTIONS;
const acting = <A extends ActionName, S extends z.ZodRawShape>(action: A, shape: S) => ({
  type: typed('action'),
  action: noted(z.literal(action), { description: `The action: \`${action}\`.`, examples: [action] }),
  ...shape,
});

const member = <S extends z.ZodRawShape>(type: StageType, shape: S) =>
  map(`${article(type)} ${type} branch`, { ...around, ...shape }, STAGE_MEANINGS[type]);
const actionMember = <A extends ActionName, S extends z.ZodRawShape>(name: A, shape: S) =>
  map(`a ${name} branch`, { ...around, ...acting(name, shape) }, ACTION_MEANINGS[name]);

const writes = textsOrNone(
  'Patterns of the files that the branch changes, none for one that only reads; without it, the files among its outputs. Branches that would write the same get checkouts of their own.',
  ['src/**'],
).optional();

/** The schema of a branch, given that of a check and the forms of own kinds. */
function branchSchema(check: z.ZodType<WrittenCheck>, own: []) {
  return noted(
    z.discriminatedUnion('type', [
      member('agent', { type: typed('agent').optional(), ...agent, writes }),
      member('gate', { type: typed('gate'), ...gateWith(check) }),
      member('delay', { type: typed('delay'), ...delay }),
      member('webhook', { type: typed('webhook'), ...webhook }),
      member('human', { type: typed('human'), ...human }),
      member('workflow', { type: typed('workflow'), ...workflow }),
      member('command', { type: typed('command'), ...program, outputs, writes }),
      z.discriminatedUnion('action', [
        actionMember('merge_pr', ACTIONS.merge_pr),
        actionMember('close_issue', ACTIONS.close_issue),
        actionMember('create_issue', ACTIONS.create_issue),
        actionMember('label', ACTIONS.label),
        actionMember('comment', ACTIONS.comment),
        actionMember('notify', ACTIONS.notify),
      ]),
      ...own,
    ]),
    { id: 'branch', what: 'a branch', accepts: 'a map such as { id: security, agent: security-review, action: review }' },
  );
}

const parallelWith = <B extends z.ZodType>(branch: B) =>
  ({
    join: noted(z.union([z.enum(['all', 'any']), z.string().regex(/^[1-9]\d*-of-[1-9]\d*$/)]), {
      description: 'How many branches must succeed: all, any, or N-of-M, where M is the number of branches. Default: all.',
      examples: ['2-of-3'],
      role: 'literal',
      accepts: 'all, any or N-of-M such as 2-of-3',
    }).optional(),
    branches: noted(z.array(branch).min(1), {
      description: 'The branches; they start together. Without a `type` they are agents.',
      examples: [[{ id: 'security', agent: 'security-review', action: 'review' }]],
      accepts: 'a list of branches',
    }),
    concurrency: count('How many branches work at once. Default: all.', 2).optional(),
  }) as const;

const { on_complete, on_success, on_pass, on_fail, on_failure, on_reject, on_any_reject, on_all_reject, on_conflict, on_ci_failure } =
  outcomes;
const framed = <S extends z.ZodRawShape>(type: StageType, shape: S) =>
  map(`${article(type)} ${type} stage`, { ...around, ...shape, on_complete, ...troubles, on_enter: onEnter }, STAGE_MEANINGS[type]);
const framedAction = <A extends ActionName, S extends z.ZodRawShape>(name: A, shape: S) =>
  map(
    `${article(name)} ${name} action`,
    { ...around, ...acting(name, shape), on_complete, on_success, ...troubles, on_enter: onEnter },
    ACTION_MEANINGS[name],
  );

/** The schema of one stage of a workflow, given that of a check and the kinds of the application. */
export function stageSchema(check: z.ZodType<WrittenCheck>, kinds: readonly OwnKind[]) {
  // Stages of own kinds have the fields of every stage, and `with`; the types know the built-in ones only.
  const branch = branchSchema(check, kinds.map((kind) => ownForm(kind, 'branch', {})) as unknown as []);
  return noted(
    z.discriminatedUnion('type', [
      framed('agent', { type: typed('agent'), ...agent, on_reject, on_fail }),
      framed('gate', { type: typed('gate'), ...gateWith(check), on_pass, on_fail }),
      framed('parallel', { type: typed('parallel'), ...parallelWith(branch), on_any_reject, on_all_reject, on_fail }),
      framed('delay', { type: typed('delay'), ...delay }),
      framed('webhook', { type: typed('webhook'), ...webhook, on_success, on_failure }),
      framed('human', { type: typed('human'), ...human, on_reject }),
      framed('workflow', { type: typed('workflow'), ...workflow, on_fail, on_reject }),
      framed('command', { type: typed('command'), ...program, outputs, on_success, on_failure }),
      z.discriminatedUnion('action', [
        framedAction('merge_pr', { ...ACTIONS.merge_pr, on_conflict, on_ci_failure }),
        framedAction('close_issue', ACTIONS.close_issue),
        framedAction('create_issue', ACTIONS.create_issue),
        framedAction('label', ACTIONS.label),
        framedAction('comment', ACTIONS.comment),
        framedAction('notify', ACTIONS.notify),
      ]),
      ...(kinds.map(ownStage) as unknown as []),
    ]),
    { id: 'stage', what: 'a stage', accepts: 'a map such as { id: implement, type: agent, agent: feat-dev }' },
  );
}

function ownStage(kind: OwnKind) {
  const own = kind.outcomes.map((outcome) => [`on_${outcome}`, leads(`on_${outcome}`, `When its outcome is \`${outcome}\`.`).optional()]);
  return ownForm(kind, 'stage', { ...Object.fromEntries(own), on_complete, on_fail, on_reject, ...troubles, on_enter: onEnter });
}

function ownForm({ kind }: OwnKind, what: 'stage' | 'branch', ways: z.ZodRawShape) {
  const config = tree('The configuration of the kind, which may have templates.').optional();
  return noted(z.strictObject({ ...around, type: z.literal(kind), with: config, ...ways }), { what: `${article(kind)} ${kind} ${what}` });
}

function article(word: string): string {
  return /^[aeiou]/.test(word) ? 'an' : 'a';
}
