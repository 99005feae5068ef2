// Owns the command line arguments for Claude Code.

import { type AgentRequest, WORK_IN_PLACE } from '../driver.ts';
import { permissionRules } from './permission.ts';

/** A sub-agent that Claude Code may start, within the permissions of the role. */
export interface SubAgent {
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
  readonly model?: string;
}

/** Settings of the driver that affect the arguments. */
export interface ClaudeCodeSettings {
  /** Used if the request does not set a model. */
  readonly model?: string;
  /** Whose settings and instructions (`CLAUDE.md`) are read. Default: only the user's. */
  readonly settingSources?: readonly ('user' | 'project' | 'local')[];
  readonly agents?: readonly SubAgent[];
}

/** Returns the arguments for one request. */
export function startArguments(settings: ClaudeCodeSettings, request: AgentRequest): string[] {
  const { session, budget = {}, permissions = WORK_IN_PLACE } = request;
  const model = request.model ?? settings.model;
  return [
    ...['--print', '--verbose', '--output-format', 'stream-json', '--input-format', 'stream-json'],
    ...['--permission-mode', 'default', '--permission-prompt-tool', 'stdio'],
    ...['--setting-sources', (settings.settingSources ?? ['user']).join(',')],
    ...['--settings', JSON.stringify({ permissions: permissionRules(permissions) })],
    ...(settings.agents === undefined ? [] : ['--agents', agentsText(settings.agents)]),
    ...(model === undefined ? [] : ['--model', model]),
    ...(budget.turns === undefined ? [] : ['--max-turns', String(budget.turns)]),
    ...(budget.costUsd === undefined ? [] : ['--max-budget-usd', String(budget.costUsd)]),
    ...(session === undefined ? [] : ['--resume', session.id]),
  ];
}

function agentsText(agents: readonly SubAgent[]): string {
  return JSON.stringify(Object.fromEntries(agents.map(({ name, ...agent }) => [name, agent])));
}
