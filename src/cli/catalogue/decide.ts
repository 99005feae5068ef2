// The commands with which people decide.

import { SCOPES } from '../../authority/rights.ts';
import { type CommandSpec, type OptionSpec, RUN_ARGUMENT, SIGNING_OPTIONS, TOKEN_FILE } from '../command.ts';

const WHO =
  'Deciding needs a person: at a terminal the question is shown and confirmed; anywhere else it takes a personal token (PAWL_TOKEN or --token-file, see "pawl token") and the --digest of what was seen. An agent\'s shell has neither, so it cannot decide.';
const THEN =
  'The first decision counts; whoever comes later is told who was first and when. If another process drives the run, that one goes on. If none does, this one drives it until it ends or waits again; when the code of its workflow cannot be loaded or is not trusted here, nothing is recorded.';

const SIGNING =
  'Where the project or the question takes signatures (see "pawl identity"), you are asked for your passphrase, or give it with --passphrase-fd; then it works in a pipe too, with --digest.';

const DECISION_OPTIONS: readonly OptionSpec[] = [
  { name: 'gate', value: 'ID', about: 'which gate, when several wait: its path or its step' },
  { name: 'input', value: 'TEXT', about: 'what you have to say, where the option asks for it' },
  { name: 'digest', value: 'DIGEST', about: 'what you have seen: the digest that "pawl inbox RUN" shows, or at least 12 characters of it' },
  TOKEN_FILE,
  { name: 'yes', short: 'y', about: 'do not ask for confirmation at the terminal' },
  ...SIGNING_OPTIONS,
];

/** The commands of this group. */
export const DECIDE: readonly CommandSpec[] = [
  {
    name: 'inbox',
    aliases: ['gates'],
    group: 'Decide',
    summary: 'list what waits for you, oldest first',
    about:
      'Lists approvals to decide, questions from agents to answer, and runs that stopped. With RUN, shows everything that run asks, with the digest that a decision or an answer needs when there is no terminal.',
    args: [{ name: 'RUN', about: 'show only this run, in full', completes: 'run' }],
    examples: [
      { line: 'pawl inbox', about: 'what waits for you' },
      { line: 'pawl inbox 7k3', about: 'everything one run asks' },
      { line: 'pawl inbox --json', about: 'the same with digests, for programs' },
    ],
    load: () => import('../commands/inbox.ts'),
  },
  {
    name: 'decide',
    group: 'Decide',
    summary: 'answer a question of a run',
    about: `Without --option the question is shown and you are asked. ${WHO} ${SIGNING} ${THEN}`,
    args: [RUN_ARGUMENT],
    options: [{ name: 'option', value: 'LABEL', about: 'the answer' }, ...DECISION_OPTIONS],
    examples: [
      { line: 'pawl decide 7k3', about: 'shows the question and asks' },
      { line: 'pawl decide 7k3 --option rework --input "Shorter, please"', about: 'an answer with a text' },
      { line: 'pawl decide 7k3 --option yes --digest 3fa9c07b21de --json', about: 'without a terminal, with PAWL_TOKEN set' },
      {
        line: 'pawl decide 7k3 --option yes --digest 3fa9c07b21de --passphrase-fd 3',
        about: 'signed, with the passphrase in an open file',
      },
    ],
    load: () => import('../commands/decide.ts'),
  },
  {
    name: 'approve',
    group: 'Decide',
    summary: 'let a run pass its gate',
    about: `Takes the one option whose outcome is ok and that leads on; among several, the one labelled "approve". Where that is not clear, it lists the options and decides nothing. ${WHO} ${THEN}`,
    args: [RUN_ARGUMENT],
    options: DECISION_OPTIONS,
    examples: [
      { line: 'pawl approve 7k3', about: 'shows what is asked, then approves' },
      { line: 'pawl approve 7k3 --gate review', about: 'when several gates wait' },
    ],
    load: () => import('../commands/approve.ts'),
  },
  {
    name: 'reject',
    group: 'Decide',
    summary: 'turn down what a run asks',
    about: `Takes the one option whose outcome is reject or fail or that ends the run rejected; where there is none, the one that sends the work back. Where that is not clear, it lists the options and decides nothing. ${WHO} ${THEN}`,
    args: [RUN_ARGUMENT],
    options: DECISION_OPTIONS,
    examples: [{ line: 'pawl reject 7k3', about: 'shows what is asked, then rejects' }],
    load: () => import('../commands/reject.ts'),
  },
  {
    name: 'answer',
    group: 'Decide',
    summary: 'answer the questions that an agent relayed',
    about: `One ANSWER for each question, in their order: the name or the number of an option, or words of your own; where several may be chosen, with commas between them. Without answers you are asked one by one. A fresh attempt of the step gets them. ${WHO.replace('Deciding', 'Answering').replace('cannot decide', 'cannot answer itself')}`,
    args: [RUN_ARGUMENT, { name: 'ANSWER', about: 'the answers, in the order of the questions', many: true }],
    options: [
      { name: 'step', value: 'ID', about: 'which step, when several ask: its path or its id', completes: 'step' },
      ...DECISION_OPTIONS.filter(({ name }) => ['digest', 'token-file', 'yes', 'as', 'passphrase-fd'].includes(name)),
    ],
    examples: [
      { line: 'pawl answer 7k3', about: 'shows the questions and asks' },
      { line: 'pawl answer 7k3 SQLite "two weeks"', about: 'two questions, answered in order' },
      { line: 'pawl answer 7k3 SQLite --digest 3fa9c07b21de', about: 'without a terminal, with PAWL_TOKEN set' },
    ],
    load: () => import('../commands/answer.ts'),
  },
  {
    name: 'token',
    group: 'Decide',
    summary: 'create, list and revoke personal tokens',
    about:
      "A token lets its holder decide without a terminal, together with the digest of what was seen; its name is recorded with the decision. It is created at a terminal only, shown once, and kept as a digest. It protects from an agent's shell, which is not given one; it does not protect from somebody who acts with malice under your account. A revoked token decides nothing more; what it decided stays.",
    args: [
      { name: 'ACTION', about: 'what to do', required: true, choices: ['create', 'list', 'revoke'] },
      { name: 'NAME', about: 'the name that is recorded with decisions' },
    ],
    options: [
      { name: 'expires', value: 'SPAN', about: 'how long it holds (90d)' },
      {
        name: 'scope',
        value: 'SCOPE',
        about: 'what it may be used for (decide); may be given several times',
        many: true,
        choices: [...SCOPES],
      },
    ],
    examples: [
      { line: 'pawl token create ann --expires 30d', about: 'prints the secret, once' },
      { line: 'pawl token list', about: 'names and when they expire' },
      { line: 'pawl token revoke ann', about: 'takes it away' },
    ],
    load: () => import('../commands/token.ts'),
  },
  {
    name: 'identity',
    group: 'Decide',
    summary: 'create, enrol, list and revoke the keys that people sign with',
    about:
      'With "decisions: signed" in the settings, or "signed: true" at a question, a decision counts only with the signature of an enrolled key. A private key is kept under a passphrase that only its person knows, so nobody who merely has your account can decide in your name. The first key is created at a terminal and counts at once; it enrols the others. A run knows the keys from its beginning: a list that somebody makes later brings no key of theirs into it. A revoked key signs nothing more; what it signed stays signed.',
    args: [
      { name: 'ACTION', about: 'what to do', required: true, choices: ['create', 'enrol', 'list', 'show', 'revoke'] },
      { name: 'WHAT', about: 'a name; for enrol a public key, a file of public keys, or the name of a key of yours', many: true },
    ],
    options: SIGNING_OPTIONS,
    examples: [
      { line: 'pawl identity create ann', about: 'asks for a passphrase, twice' },
      { line: 'pawl identity show ann', about: 'the public key, to hand over' },
      { line: 'pawl identity enrol bob.pub', about: 'a colleague counts from now on; asks for your passphrase' },
      { line: 'pawl identity list', about: 'whose keys count, and who enrolled them' },
      { line: 'pawl identity revoke bob', about: 'a key that no longer counts' },
    ],
    load: () => import('../commands/identity.ts'),
  },
];
