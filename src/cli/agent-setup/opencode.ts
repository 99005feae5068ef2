// Owns the setup for OpenCode: a skill, the command `/pawl`, the MCP server, and a plugin that asks Pawl before tool
// calls. OpenCode has no hook that keeps an agent at work.

import { join } from 'node:path';
import type { Project } from '../project.ts';
import type { Shell } from '../shell.ts';
import { agentTemplate, callWords, jsonFile, type SetupFile, sharedSkill, wholeFile } from './setup-file.ts';

/** A call waits up to a minute for the next step. */
const TOOL_TIMEOUT_MS = 120_000;

/** The files of the setup. */
export function opencodeFiles(shell: Shell, { root }: Project): readonly SetupFile[] {
  const words = callWords(shell);
  const hook = [...words, 'hook', 'pre-tool-use', '--agent', 'opencode'];
  const command = agentTemplate(shell, 'command.md').replace('ARGUMENTS', '$ARGUMENTS');
  return [
    sharedSkill(shell, root),
    wholeFile(
      join(root, '.opencode', 'commands', 'pawl.md'),
      `---\ndescription: "Start or continue a Pawl run: /pawl NAME [param=value …]"\n---\n\n${command}`,
    ),
    wholeFile(
      join(root, '.opencode', 'plugins', 'pawl.js'),
      agentTemplate(shell, 'opencode-plugin.js').replace('COMMAND', JSON.stringify(hook).replaceAll('"', "'").replaceAll(',', ', ')),
    ),
    jsonFile(join(root, 'opencode.json'), {
      $schema: 'https://opencode.ai/config.json',
      mcp: {
        pawl: {
          type: 'local',
          command: [...words, 'mcp'],
          environment: { PAWL_AGENT: 'opencode' },
          enabled: true,
          timeout: TOOL_TIMEOUT_MS,
        },
      },
    }),
  ];
}
