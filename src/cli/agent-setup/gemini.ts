// Owns the setup for Gemini CLI: a skill, the command `/pawl`, and in the project's settings the MCP server and the hooks.
// Gemini CLI reads the settings of a project only if the person trusts the folder.

import { join } from 'node:path';
import { callOf } from '../caller.ts';
import type { Project } from '../project.ts';
import type { Shell } from '../shell.ts';
import { agentTemplate, callWords, jsonFile, type SetupFile, sharedSkill, wholeFile } from './setup-file.ts';

const HOOK_TIMEOUT_MS = 30_000;
/** A call waits up to a minute for the next step. */
const TOOL_TIMEOUT_MS = 120_000;
const CHANGING = 'run_shell_command|write_file|replace';

/** The files of the setup. */
export function geminiFiles(shell: Shell, { root }: Project): readonly SetupFile[] {
  const [command, ...words] = callWords(shell);
  const hook = (event: string) => ({
    hooks: [{ name: `pawl-${event}`, type: 'command', command: `${callOf(shell)} hook ${event} --agent gemini`, timeout: HOOK_TIMEOUT_MS }],
  });
  const prompt = agentTemplate(shell, 'command.md').replace('ARGUMENTS', '{{args}}').trim();
  return [
    sharedSkill(shell, root),
    wholeFile(
      join(root, '.gemini', 'commands', 'pawl.toml'),
      `description = "Start or continue a Pawl run: /pawl NAME [param=value …]"\nprompt = '''\n${prompt}\n'''\n`,
    ),
    jsonFile(join(root, '.gemini', 'settings.json'), {
      mcpServers: { pawl: { command, args: [...words, 'mcp'], env: { PAWL_AGENT: 'gemini' }, timeout: TOOL_TIMEOUT_MS } },
      hooks: {
        SessionStart: [hook('session-start')],
        BeforeTool: [{ matcher: CHANGING, ...hook('pre-tool-use') }],
        AfterAgent: [hook('stop')],
      },
    }),
  ];
}
