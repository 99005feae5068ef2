// The commands of an agent that does the work of a run itself: it gets one step at a time and reports each; and those that
// agent programs start, for MCP and hooks.

import { SEVERITIES } from '../../definition/review/review.ts';
import { type CommandSpec, inGroup, type OptionSpec, RUN_ARGUMENT } from '../command.ts';

const TOKEN: OptionSpec = { name: 'token', value: 'TOKEN', about: 'the token of the attempt, printed with the step' };
/** The format of the instructions for an agent. */
export const AGENT_FORMAT: OptionSpec = {
  name: 'format',
  value: 'FORMAT',
  about: 'the format of the instructions (default: text); xml has <DO>, <NEXT> and <INVOKE_AFTER>',
  choices: ['text', 'xml'],
};
const ONLY: OptionSpec = {
  name: 'only',
  about: 'for a sub-agent that does this one step: print the verdict, and this step again if it is not done, but no other step',
};
const THEN =
  'Exits with 0 when a step is open for the agent or the run is completed, with 3 when the run waits for someone or something else, and with 5 when it waits for a budget or a quota.';
const TOKENS =
  'A token belongs to one attempt. Repeating a report returns the same answer; a different report with the same token is rejected.';

/** The commands of agents and agent programs. */
export const ATTEND: readonly CommandSpec[] = inGroup('Run', [
  {
    name: 'next',
    summary: 'print the open step of an attended run again',
    about: `Prints the instructions, the token and the commands to report with. Changes nothing in the run, and can be repeated. Without RUN it uses the run of the agent's session, or the only open attended run of the project that no other session works on; if there are several, it lists them. In Claude Code the run then belongs to the session. ${THEN}`,
    args: [{ ...RUN_ARGUMENT, required: false }],
    options: [{ ...TOKEN, about: 'print only the step with this token, for a sub-agent' }, AGENT_FORMAT],
    examples: [
      { line: 'pawl next', about: 'what to do now, after a lost context' },
      { line: 'pawl next 7kq2', about: 'what to do now in this run' },
      { line: 'pawl next 7kq2 --token=4h0vTzq1', about: 'one step of several' },
      { line: 'pawl next 7kq2 --format xml', about: 'for an agent that follows <DO>, <NEXT> and <INVOKE_AFTER>' },
      { line: 'pawl next 7kq2 --json', about: 'the same for programs: open steps, each with its prompt and token' },
    ],
    load: () => import('../commands/next.ts'),
  },
  {
    name: 'done',
    aliases: ['result'],
    summary: 'report a step as done; verifies it and prints the next one',
    about: `A report is a claim, which the engine verifies. If something is missing, the command lists it, prints the step again with a new token, and exits with 1. A result that does not match the schema is rejected, and the token stays valid. ${TOKENS} ${THEN}`,
    args: [RUN_ARGUMENT],
    options: [
      TOKEN,
      { name: 'result', value: 'JSON', about: 'the result of the step: JSON, @file, or - for standard input' },
      { name: 'success', about: 'the step succeeded (the default)' },
      { name: 'failure', value: 'TEXT', about: 'the step failed, and why; the same as "pawl fail --reason"' },
      ONLY,
      AGENT_FORMAT,
    ],
    examples: [
      { line: 'pawl done 7kq2 --token=4h0vTzq1', about: 'without a result' },
      { line: `pawl done 7kq2 --token=4h0vTzq1 --result '{"tests": 12}'`, about: 'with a result' },
      { line: 'pawl done 7kq2 --token=4h0vTzq1 --result @result.json', about: 'from a file' },
    ],
    load: () => import('../commands/done.ts'),
  },
  {
    name: 'fail',
    summary: 'report that a step cannot be done, and why',
    about: `The attempt fails; the step is retried, or the run continues as its definition says. ${TOKENS} ${THEN}`,
    args: [RUN_ARGUMENT],
    options: [TOKEN, { name: 'reason', value: 'TEXT', about: 'why it cannot be done; passed on to the next attempt' }, ONLY, AGENT_FORMAT],
    examples: [{ line: 'pawl fail 7kq2 --token=4h0vTzq1 --reason "no network here"', about: 'report an honest failure' }],
    load: async () => ({ run: (await import('../commands/done.ts')).fail }),
  },
  {
    name: 'ask',
    summary: 'ask the person that the agent works for',
    about:
      'Accepts a JSON list of 1 to 3 questions with 2 or 3 options each, such as [{"question": "Which?", "options": ["a", "b"]}]. This ends the attempt, so save your work to files first; a new attempt gets the answers that a person gives with "pawl answer". Only for steps that accept questions.',
    args: [RUN_ARGUMENT],
    options: [
      TOKEN,
      { name: 'questions', value: 'JSON', about: 'the questions: JSON, @file, or - for standard input' },
      ONLY,
      AGENT_FORMAT,
    ],
    examples: [{ line: 'pawl ask 7kq2 --token=4h0vTzq1 --questions @questions.json', about: 'from a file' }],
    load: async () => ({ run: (await import('../commands/done.ts')).ask }),
  },
  {
    name: 'assume',
    summary: 'record an assumption instead of asking, and continue',
    about:
      'The step continues and its token stays valid. A person can answer at any time, with "pawl answer RUN --assumption ID"; if the answer differs, the step and everything after it run again. With MUST, nothing is merged until a person has answered. Repeating the command records the assumption only once.',
    args: [RUN_ARGUMENT],
    options: [
      TOKEN,
      { name: 'question', value: 'TEXT', about: 'the question that the agent would have asked a person' },
      { name: 'assumed', value: 'TEXT', about: 'the answer that the agent assumes' },
      {
        name: 'severity',
        value: 'SEVERITY',
        about: 'MUST if a wrong guess does harm, otherwise SHOULD or COULD (default: SHOULD)',
        choices: [...SEVERITIES],
      },
      { name: 'option', value: 'TEXT', about: 'another possible answer; can be repeated', many: true },
      ONLY,
      AGENT_FORMAT,
    ],
    examples: [
      {
        line: 'pawl assume 7kq2 --token=4h0vTzq1 --question "Which port?" --assumed 80',
        about: 'with --severity MUST, nothing is merged until a person has answered',
      },
    ],
    load: async () => ({ run: (await import('../commands/done.ts')).assume }),
  },
  {
    name: 'mcp',
    summary: 'serve attended runs to an agent over MCP, on stdin and stdout',
    about:
      'An agent starts this and gets six tools: start a trusted workflow, get the open step, report it, ask the person, record an assumption, and show the status. No tool decides an approval or cancels a run. It serves the runs that were started through it, those of its Claude Code session, and open attended runs of the project that the agent picks up; with --run only that run. Runs, logs and graphs can be read as resources.',
    options: [{ name: 'run', value: 'RUN', about: 'serve this run only, and start no others', completes: 'run' }],
    examples: [
      { line: 'claude mcp add pawl -- pawl mcp', about: 'let Claude Code start it ("pawl init --claude" sets up more)' },
      { line: 'pawl mcp --run 7kq2', about: 'for an agent that works on one run' },
    ],
    load: () => import('../commands/mcp.ts'),
  },
  {
    name: 'hook',
    summary: 'act as a hook of a coding agent ("pawl init --claude" sets it up)',
    about:
      'Reads the input of the hook from stdin. "session-start" tells an agent that has lost its context which run it works on, and after /clear binds that run to the new session. "pre-tool-use" denies changes to files that an open step of the session protects, and commands that only a person may run. "stop" keeps the agent working while a run of its session has a step open for it, and allows it to stop when the run waits for someone else, has ended, or the session has no run. After three reminders without progress it allows the agent to stop and says so.',
    args: [{ name: 'EVENT', about: 'the hook', required: true, choices: ['session-start', 'pre-tool-use', 'stop'] }],
    options: [
      {
        name: 'agent',
        value: 'NAME',
        about: 'the program that calls it, if it is not Claude Code',
        choices: ['codex', 'gemini', 'opencode'],
      },
    ],
    examples: [
      { line: 'pawl hook session-start', about: 'as the SessionStart hook in .claude/settings.json' },
      { line: 'pawl hook pre-tool-use', about: 'as the PreToolUse hook' },
      { line: 'pawl hook stop', about: 'as the Stop hook' },
    ],
    load: () => import('../commands/hook.ts'),
  },
]);
