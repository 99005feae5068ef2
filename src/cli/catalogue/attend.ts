// The commands of an agent that does the work of a run itself: it is told one step at a time and reports each.

import { type CommandSpec, type OptionSpec, RUN_ARGUMENT } from '../command.ts';

const TOKEN: OptionSpec = { name: 'token', value: 'TOKEN', about: 'the token of the attempt, as it was printed with the step' };
/** How an agent is told its work. */
export const AGENT_FORMAT: OptionSpec = {
  name: 'format',
  value: 'FORMAT',
  about: 'how the agent is told (text); xml has <DO>, <NEXT> and <INVOKE_AFTER>',
  choices: ['text', 'xml'],
};
const THEN =
  'Ends with 0 when something is open for the agent or the run is completed, with 3 when the run waits for somebody or something else, and with 5 when that is a budget or a quota.';
const TOKENS =
  'A token belongs to one attempt. The same report again gets the same answer again; another one for the same token is refused.';

/** The commands of this group. */
export const ATTEND: readonly CommandSpec[] = [
  {
    name: 'next',
    group: 'Run',
    summary: 'print the step that is open for the agent of an attended run, again',
    about: `Prints the instructions, the token and the commands to report with, as often as it is asked; nothing changes. ${THEN}`,
    args: [RUN_ARGUMENT],
    options: [AGENT_FORMAT],
    examples: [
      { line: 'pawl next 7kq2', about: 'what is to be done now' },
      { line: 'pawl next 7kq2 --format xml', about: 'for an agent that was taught to follow <DO>, <NEXT> and <INVOKE_AFTER>' },
      { line: 'pawl next 7kq2 --json', about: 'the same for programs: handouts, each with its prompt and token' },
    ],
    load: () => import('../commands/next.ts'),
  },
  {
    name: 'done',
    aliases: ['result'],
    group: 'Run',
    summary: 'report a step as done; it is verified, and the next one is printed',
    about: `What is reported is a claim: the engine looks for itself. When something is missing it says what, prints the step again with a new token and ends with 1. A result that does not fit is refused, and the token stays good. ${TOKENS} ${THEN}`,
    args: [RUN_ARGUMENT],
    options: [
      TOKEN,
      { name: 'result', value: 'JSON', about: 'what the step gave: JSON, @file, or - for standard input' },
      { name: 'success', about: 'the step succeeded; the same as without it' },
      { name: 'failure', value: 'TEXT', about: 'the step failed, and why; the same as "pawl fail --reason"' },
      AGENT_FORMAT,
    ],
    examples: [
      { line: 'pawl done 7kq2 --token=4h0vTzq1', about: 'without a result' },
      { line: `pawl done 7kq2 --token=4h0vTzq1 --result '{"tests": 12}'`, about: 'with one' },
      { line: 'pawl done 7kq2 --token=4h0vTzq1 --result @result.json', about: 'from a file' },
    ],
    load: () => import('../commands/done.ts'),
  },
  {
    name: 'fail',
    group: 'Run',
    summary: 'give an attempt up and say why',
    about: `The attempt failed; the step is tried again, or the run goes where its definition says. ${TOKENS} ${THEN}`,
    args: [RUN_ARGUMENT],
    options: [TOKEN, { name: 'reason', value: 'TEXT', about: 'why it cannot be done; the next attempt is told' }, AGENT_FORMAT],
    examples: [{ line: 'pawl fail 7kq2 --token=4h0vTzq1 --reason "no network here"', about: 'instead of pretending' }],
    load: () => import('../commands/fail.ts'),
  },
  {
    name: 'ask',
    group: 'Run',
    summary: 'relay questions of the agent to the person it works for',
    about:
      'Takes a JSON list of 1 to 3 questions with 2 or 3 options each, such as [{"question": "Which?", "options": ["a", "b"]}]. The attempt ends with them, so save what you have to files first; a fresh one gets the answers that a person gives with "pawl answer". Only for steps that say that they take questions.',
    args: [RUN_ARGUMENT],
    options: [TOKEN, { name: 'questions', value: 'JSON', about: 'the questions: JSON, @file, or - for standard input' }, AGENT_FORMAT],
    examples: [{ line: 'pawl ask 7kq2 --token=4h0vTzq1 --questions @questions.json', about: 'from a file' }],
    load: () => import('../commands/ask.ts'),
  },
];
