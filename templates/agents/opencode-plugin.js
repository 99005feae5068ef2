// Written by "pawl init --opencode": asks Pawl before each tool call, so that no attempt is lost to a change of a
// protected file or to a command that only a person may give. It never blocks when Pawl cannot be asked.

import { spawnSync } from 'node:child_process';

const TOOLS = new Set(['bash', 'edit', 'write', 'patch', 'apply_patch', 'multiedit']);

export const PawlGuard = async ({ directory }) => ({
  'tool.execute.before': async (call, { args }) => {
    if (!TOOLS.has(call.tool)) return;
    const asked = { hook_event_name: 'PreToolUse', session_id: call.sessionID, cwd: directory, tool_name: call.tool, tool_input: args };
    const [program, ...words] = COMMAND;
    const { stdout } = spawnSync(program, words, { input: JSON.stringify(asked), encoding: 'utf8', timeout: 10_000 });
    const reason = reasonIn(stdout);
    if (reason !== undefined) throw new Error(reason);
  },
});

function reasonIn(text) {
  try {
    return JSON.parse(text).hookSpecificOutput?.permissionDecisionReason;
  } catch {
    return undefined;
  }
}
