// The commands for people's decisions, and for the tokens and keys that allow them.

import { SCOPES } from '../../authority/rights.ts';
import { type CommandSpec, inGroup, type OptionSpec, QUIET, RUN_ARGUMENT, SIGNING_OPTIONS, TOKEN_FILE } from '../command.ts';

const whoMay = (verb: 'decide' | 'answer'): string =>
  `Only a person can ${verb}: at a terminal you see the question and confirm; elsewhere you need a personal token (PAWL_TOKEN or --token-file, see "pawl token") and the --digest of what you saw. An agent's shell has neither.`;
const AFTERWARDS =
  "The first decision counts; a later one fails and says who decided and when. If another process drives the run, that process continues it. Otherwise this command drives the run until it ends or waits again; if the workflow's code cannot be loaded or is not trusted, nothing is recorded.";
const SIGNING =
  'If the project or the approval requires a signature (see "pawl identity"), you are asked for your passphrase. With --passphrase-fd and --digest this works without a terminal.';

const DECISION_OPTIONS: readonly OptionSpec[] = [
  { name: 'approval', formerly: 'gate', value: 'ID', about: 'which approval, by path or step, if several are waiting' },
  { name: 'input', value: 'TEXT', about: 'your text, if the option asks for one' },
  { name: 'digest', value: 'DIGEST', about: 'the digest of what you saw, from "pawl inbox RUN"; at least 12 characters of it' },
  TOKEN_FILE,
  { name: 'yes', short: 'y', about: 'do not ask for confirmation' },
  QUIET,
  ...SIGNING_OPTIONS,
];

/** The commands for decisions of people. */
export const DECIDE: readonly CommandSpec[] = inGroup('Decide', [
  {
    name: 'inbox',
    aliases: ['gates'],
    summary: 'list what waits for you, oldest first',
    about:
      'Lists approvals to decide, questions from agents to answer, and runs that stopped; what agents assumed without asking is listed separately. With RUN, shows everything that run asks, with the digest that a decision or an answer needs when there is no terminal.',
    args: [{ name: 'RUN', about: 'show only this run, in full', completes: 'run' }],
    options: [
      { name: 'diff', about: 'with RUN: also show what the work changed' },
      { name: 'new', about: 'with RUN: show only what changed since you last looked' },
    ],
    examples: [
      { line: 'pawl inbox', about: 'what waits for you' },
      { line: 'pawl inbox 7k3 --diff', about: 'one approval with the diff of the work' },
      { line: 'pawl inbox 7k3', about: 'everything that one run asks' },
      { line: 'pawl inbox --json', about: 'the same with digests, for programs' },
    ],
    load: () => import('../commands/inbox.ts'),
  },
  {
    name: 'decide',
    summary: 'decide an approval, by choosing one of its options',
    about: `Without --option you see the question and are asked. ${whoMay('decide')} ${SIGNING} ${AFTERWARDS}`,
    args: [RUN_ARGUMENT],
    options: [{ name: 'option', value: 'LABEL', about: 'the option to choose' }, ...DECISION_OPTIONS],
    examples: [
      { line: 'pawl decide 7k3', about: 'shows the question and asks' },
      { line: 'pawl decide 7k3 --option rework --input "Shorter, please"', about: 'an option with a text' },
      { line: 'pawl decide 7k3 --option yes --digest 3fa9c07b21de --json', about: 'without a terminal, with PAWL_TOKEN set' },
      {
        line: 'pawl decide 7k3 --option yes --digest 3fa9c07b21de --passphrase-fd 3',
        about: 'signed, with the passphrase from file descriptor 3',
      },
    ],
    load: () => import('../commands/decide.ts'),
  },
  {
    name: 'approve',
    summary: 'approve what a run asks',
    about: `Chooses the option whose outcome is ok and that leads forward; if there are several, the one labelled "approve". If no single option fits, it lists the options and decides nothing. ${whoMay('decide')} ${AFTERWARDS}`,
    args: [RUN_ARGUMENT],
    options: DECISION_OPTIONS,
    examples: [
      { line: 'pawl approve 7k3', about: 'shows the question, then approves' },
      { line: 'pawl approve 7k3 --approval review', about: 'if several approvals are waiting' },
    ],
    load: async () => ({ run: (await import('../commands/decide.ts')).approve }),
  },
  {
    name: 'reject',
    summary: 'reject what a run asks',
    about: `Chooses the option whose outcome is reject or fail, or that ends the run rejected; if there is none, the one that sends the work back. If no single option fits, it lists the options and decides nothing. ${whoMay('decide')} ${AFTERWARDS}`,
    args: [RUN_ARGUMENT],
    options: DECISION_OPTIONS,
    examples: [{ line: 'pawl reject 7k3', about: 'shows the question, then rejects' }],
    load: async () => ({ run: (await import('../commands/decide.ts')).reject }),
  },
  {
    name: 'answer',
    summary: 'answer the questions of an agent',
    about: `With --assumption, answers an assumption of an agent (see "pawl assumptions"): --agree, or an ANSWER equal to what was assumed, confirms it; any other ANSWER runs the step and everything after it again. Otherwise give one ANSWER per question, in order: the name or number of an option, or your own words; separate several choices with commas. Without answers you are asked one by one. A new attempt of the step receives the answers. ${whoMay('answer')}`,
    args: [RUN_ARGUMENT, { name: 'ANSWER', about: 'the answers, in the order of the questions', many: true }],
    options: [
      { name: 'step', value: 'ID', about: 'which step, by path or id, if several ask', completes: 'step' },
      { name: 'assumption', value: 'ID', about: 'answer this assumption, such as a1' },
      { name: 'agree', about: 'with --assumption: confirm what was assumed' },
      ...DECISION_OPTIONS.filter(({ name }) => ['digest', 'token-file', 'yes', 'quiet', 'as', 'passphrase-fd'].includes(name)),
    ],
    examples: [
      { line: 'pawl answer 7k3', about: 'shows the questions and asks' },
      { line: 'pawl answer 7k3 SQLite "two weeks"', about: 'two questions, answered in order' },
      { line: 'pawl answer 7k3 SQLite --digest 3fa9c07b21de', about: 'without a terminal, with PAWL_TOKEN set' },
      { line: 'pawl answer 7k3 --assumption a1 --agree', about: 'confirms what an agent assumed' },
      { line: 'pawl answer 7k3 --assumption a1 "Postgres"', about: 'a different answer; the step runs again' },
    ],
    load: () => import('../commands/answer.ts'),
  },
  {
    name: 'assumptions',
    summary: 'list what agents assumed instead of asking',
    about:
      'Without RUN, lists the unanswered assumptions of all runs, also of runs that have ended, most severe first. With RUN, lists all assumptions of that run and of the runs it started, with their answers. Assumptions do not stop a run, except that a merge, and an approval that leads to one, wait while a MUST has no answer.',
    args: [{ name: 'RUN', about: 'show only this run and those it started', completes: 'run' }],
    options: [{ name: 'all', about: 'also list answered assumptions' }],
    examples: [
      { line: 'pawl assumptions', about: 'everything that has no answer yet' },
      { line: 'pawl assumptions 7k3', about: 'the assumptions of one run, with the commands to answer them' },
      { line: 'pawl assumptions --json', about: 'the same with digests, for programs' },
    ],
    load: () => import('../commands/assumptions.ts'),
  },
  {
    name: 'token',
    summary: 'create, list and revoke personal tokens',
    about:
      "With a token, its holder can decide without a terminal, together with the digest of what they saw. The token's name is recorded with each decision. A token can only be created at a terminal, is shown once, and is stored as a hash. Tokens keep agents from deciding, because agents are not given one; they do not protect against a malicious person with access to your account. Decisions made with a token stay valid after it is revoked.",
    args: [
      { name: 'ACTION', about: 'what to do', required: true, choices: ['create', 'list', 'revoke'] },
      { name: 'NAME', about: 'the name to record with decisions' },
    ],
    options: [
      { name: 'expires', value: 'SPAN', about: 'how long it is valid (default: 90d)' },
      {
        name: 'scope',
        value: 'SCOPE',
        about: 'what it may be used for (default: decide); can be repeated',
        many: true,
        choices: [...SCOPES],
      },
    ],
    examples: [
      { line: 'pawl token create ann --expires 30d', about: 'prints the secret, once' },
      { line: 'pawl token list', about: 'names and when they expire' },
      { line: 'pawl token revoke ann', about: 'makes it invalid' },
    ],
    load: () => import('../commands/token.ts'),
  },
  {
    name: 'identity',
    summary: 'create, enrol, list and revoke signing keys',
    about:
      'With "decisions: signed" in the settings, or "signed: true" in an approval, a decision is only valid with the signature of an enrolled key. A private key is encrypted with a passphrase, so access to your account is not enough to decide in your name. The first key is created at a terminal and is enrolled immediately; it enrols the others. A run records the enrolled keys when it starts; keys enrolled later count only if one of those enrolled them. Signatures stay valid after their key is revoked.',
    args: [
      { name: 'ACTION', about: 'what to do', required: true, choices: ['create', 'enrol', 'list', 'show', 'revoke'] },
      { name: 'WHAT', about: 'a name; for enrol: a public key, a file of public keys, or the name of one of your keys', many: true },
    ],
    options: SIGNING_OPTIONS,
    examples: [
      { line: 'pawl identity create ann', about: 'asks for a passphrase, twice' },
      { line: 'pawl identity show ann', about: 'the public key, to send to a colleague' },
      { line: 'pawl identity enrol bob.pub', about: 'accept the signatures of a colleague; asks for your passphrase' },
      { line: 'pawl identity list', about: 'all keys, and who enrolled them' },
      { line: 'pawl identity revoke bob', about: 'stop accepting a key' },
    ],
    load: () => import('../commands/identity.ts'),
  },
]);
