// The commands that agents start themselves.

import { type CommandSpec, inGroup } from '../command.ts';

/** The commands that agent programs call. */
export const AGENTS: readonly CommandSpec[] = inGroup('Run', [
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
