// Owns the setup for Codex: a skill, and in the project's `.codex` the MCP server and the hooks. Codex reads both only in
// a project that the person trusts in Codex.

import { join } from 'node:path';
import { callOf } from '../caller.ts';
import type { Project } from '../project.ts';
import type { Shell } from '../shell.ts';
import { appendedFile, callWords, jsonFile, type SetupFile, sharedSkill } from './setup-file.ts';

const HOOK_TIMEOUT_S = 30;
/** A call waits up to a minute for the next step. */
const TOOL_TIMEOUT_S = 120;
const PASSED_ON = ['PAWL_STATE', 'PAWL_DB', 'PAWL_PROJECT', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'];
const CHANGING = 'Bash|apply_patch|Edit|Write';

/** The files of the setup. */
export function codexFiles(shell: Shell, { root }: Project): readonly SetupFile[] {
  const [command, ...words] = callWords(shell);
  const server = [
    '[mcp_servers.pawl]',
    `command = ${JSON.stringify(command)}`,
    `args = ${JSON.stringify([...words, 'mcp'])}`,
    'env = { PAWL_AGENT = "codex" }',
    // Codex passes on few of the person's variables.
    `env_vars = ${JSON.stringify(PASSED_ON)}`,
    `tool_timeout_sec = ${TOOL_TIMEOUT_S}`,
    '',
  ].join('\n');
  const hook = (event: string) => ({
    hooks: [{ type: 'command', command: `${callOf(shell)} hook ${event} --agent codex`, timeout: HOOK_TIMEOUT_S }],
  });
  return [
    sharedSkill(shell, root),
    appendedFile(join(root, '.codex', 'config.toml'), { text: server, mark: '[mcp_servers.pawl]' }),
    jsonFile(join(root, '.codex', 'hooks.json'), {
      hooks: {
        SessionStart: [hook('session-start')],
        PreToolUse: [{ matcher: CHANGING, ...hook('pre-tool-use') }],
        Stop: [hook('stop')],
      },
    }),
  ];
}
