// The commands that agents call by themselves.

import type { ListedCommand } from '../command.ts';

/** The commands of this group. */
export const AGENTS: readonly ListedCommand[] = [
  {
    name: 'mcp',
    summary: 'serve attended runs to an agent over MCP, on stdin and stdout',
    about:
      'An agent starts this and gets five tools: start a trusted workflow, see the step that is open, report it, ask the person, look. None decides a gate, answers a question or cancels a run. It serves the runs that were started through it, and those of the Claude Code session it belongs to; with --run only that one.',
    options: [{ name: 'run', value: 'RUN', about: 'serve this run only, and start no others', completes: 'run' }],
    examples: [
      { line: 'claude mcp add pawl -- pawl mcp', about: 'let Claude Code start it ("pawl init --claude" writes more than that)' },
      { line: 'pawl mcp --run 7kq2', about: 'for an agent that works on one run' },
    ],
    load: () => import('../commands/mcp.ts'),
  },
  {
    name: 'hook',
    summary: 'answer a hook of Claude Code, which "pawl init --claude" sets up',
    about:
      'Reads what Claude Code gives to its hooks on stdin. "stop" keeps the agent at work while a run of its own session has a step open for it, and lets it stop when the run waits for anyone else, has ended, or the session has none. After three reminders without progress it lets go and says so.',
    args: [{ name: 'EVENT', about: 'the hook', required: true, choices: ['stop'] }],
    examples: [{ line: 'pawl hook stop', about: 'as the Stop hook in .claude/settings.json' }],
    load: () => import('../commands/hook.ts'),
  },
];
