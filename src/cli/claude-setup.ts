// Owns what `pawl init --claude` gives to a project, so that Claude Code works on its runs: a skill, the MCP server, and
// the hook that keeps an agent at its step. A file that is there is left alone, and what it lacks is told.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type Json } from '../base/json.ts';
import { callOf } from './caller.ts';
import { packageRoot } from './package.ts';
import type { Project } from './project.ts';
import type { Shell } from './shell.ts';

/** A file of the set-up. */
export interface SetupFile {
  readonly file: string;
  readonly text: string;
  /** What a file that is there already has to have for the set-up to work; undefined when it has it. */
  missingIn(text: string): Json | undefined;
}

/** Claude Code gives a hook so many seconds; looking at a run takes a fraction of one. */
const HOOK_TIMEOUT_S = 30;

/** The files of the set-up. */
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
