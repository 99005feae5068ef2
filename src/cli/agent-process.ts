// Owns the session of a coding agent that passes no session id to the programs it starts: the process of the agent. Its
// MCP server and its hooks both have it among their parents, so they agree on it.

import { readCommand, readProcess } from '../process/process-table.ts';

const DEPTH_MAX = 12;
const NAME = /^[a-z]{1,20}$/;

/** The session of the nearest parent process that is the named program; undefined if there is none. */
export function agentProcessSession(agent: string | undefined): string | undefined {
  if (agent === undefined || !NAME.test(agent)) return undefined;
  const isAgent = new RegExp(`(?:^|[/\\\\])${agent}(?:-cli)?(?:\\.[cm]?js|\\.exe)?$`);
  let pid = process.ppid;
  for (let depth = 0; depth < DEPTH_MAX && pid > 1; depth += 1) {
    const row = readProcess(pid);
    if (row === undefined) return undefined;
    // The program itself, or an interpreter with the program as its first argument.
    if (
      readCommand(pid)
        .slice(0, 2)
        .some((word) => isAgent.test(word))
    )
      return `${agent}:${row.pid}:${row.start}`;
    pid = row.ppid;
  }
  return undefined;
}
