// Owns the setup for Claude Code: a skill, which is also the command `/pawl`, the MCP server, and three hooks.

import { join } from 'node:path';
import { callOf } from '../caller.ts';
import type { Project } from '../project.ts';
import type { Shell } from '../shell.ts';
import { agentTemplate, callWords, jsonFile, type SetupFile, wholeFile } from './setup-file.ts';

/** The timeouts for hooks; they take a fraction of a second. */
const HOOK_TIMEOUT_S = 30;
/** The tools that the hook before a tool call is about: those that change files, and those that take up or report a step. */
const CHANGING = 'Bash|Edit|MultiEdit|Write|NotebookEdit|mcp__.*__pawl_(next|report|ask)';

/** The files of the setup. */
export function claudeFiles(shell: Shell, { root }: Project): readonly SetupFile[] {
  const [command, ...words] = callWords(shell);
  const hook = (event: string) => ({ hooks: [{ type: 'command', command: `${callOf(shell)} hook ${event}`, timeout: HOOK_TIMEOUT_S }] });
  return [
    wholeFile(join(root, '.claude', 'skills', 'pawl', 'SKILL.md'), agentTemplate(shell, 'SKILL.md')),
    // Without alwaysLoad, Claude Code hides the tools behind a search, and a model that does not search does not find them.
    jsonFile(join(root, '.mcp.json'), { mcpServers: { pawl: { command, args: [...words, 'mcp'], alwaysLoad: true } } }),
    jsonFile(join(root, '.claude', 'settings.json'), {
      hooks: {
        SessionStart: [hook('session-start')],
        PreToolUse: [{ matcher: CHANGING, ...hook('pre-tool-use') }],
        Stop: [hook('stop')],
      },
    }),
  ];
}
