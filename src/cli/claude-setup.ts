// Owns what `pawl init --claude` writes, so that Claude Code can work on runs: a skill, the MCP server, and the hook that
// keeps an agent working on its step. An existing file is not changed; what it lacks is printed.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type Json } from '../base/json.ts';
import { callOf } from './caller.ts';
import { packageRoot } from './package.ts';
import type { Project } from './project.ts';
import type { Shell } from './shell.ts';

/** A file of the setup. */
export interface SetupFile {
  readonly file: string;
  readonly text: string;
  /** What an existing file lacks for the setup to work; undefined if nothing. */
  missingIn(text: string): Json | undefined;
}

/** The timeout for the hook in Claude Code; it takes a fraction of a second. */
const HOOK_TIMEOUT_S = 30;

/** The files of the setup. */
export function claudeFiles(shell: Shell, { root }: Project): readonly SetupFile[] {
  const [command = 'pawl', ...words] = callOf(shell).split(' ');
  const server = { mcpServers: { pawl: { command, args: [...words, 'mcp'] } } };
  const hook = { type: 'command', command: `${callOf(shell)} hook stop`, timeout: HOOK_TIMEOUT_S };
  const settings = { hooks: { Stop: [{ hooks: [hook] }] } };
  const skill = readFileSync(join(packageRoot(), 'templates', 'claude', 'SKILL.md'), 'utf8').replaceAll('PAWL ', () => `${callOf(shell)} `);
  return [
    { file: join(root, '.claude', 'skills', 'pawl', 'SKILL.md'), text: skill, missingIn: () => undefined },
    { file: join(root, '.mcp.json'), text: jsonText(server), missingIn: (text) => (hasServer(text) ? undefined : server) },
    {
      file: join(root, '.claude', 'settings.json'),
      text: jsonText(settings),
      missingIn: (text) => (/\bpawl hook stop\b/.test(text) ? undefined : settings),
    },
  ];
}

function jsonText(value: Json): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function hasServer(text: string): boolean {
  try {
    const read = JSON.parse(text) as Json;
    return isJsonObject(read) && isJsonObject(read.mcpServers) && read.mcpServers.pawl !== undefined;
  } catch {
    return false;
  }
}
