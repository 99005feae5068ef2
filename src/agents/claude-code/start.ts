// Owns the arguments that Claude Code is started with.

import { type AgentRequest, WORK_IN_PLACE } from '../driver.ts';
import { permissionRules } from './permission.ts';

/** What of Claude Code's arguments is for whoever configures the driver to say. */
export interface ClaudeCodeSettings {
  /** For requests that name no model. */
  readonly model?: string;
  /** Whose settings and instructions (`CLAUDE.md`) are read; those of the user only, without it. */
  readonly settingSources?: readonly ('user' | 'project' | 'local')[];
}

/** The arguments for one request. */
export function startArguments(settings: ClaudeCodeSettings, request: AgentRequest): string[] {
  const { session, budget = {}, permissions = WORK_IN_PLACE } = request;
  const model = request.model ?? settings.model;
  return [
    ...['--print', '--verbose', '--output-format', 'stream-json', '--input-format', 'stream-json'],
    ...['--permission-mode', 'default', '--permission-prompt-tool', 'stdio'],
    ...['--setting-sources', (settings.settingSources ?? ['user']).join(',')],
    ...['--settings', JSON.stringify({ permissions: permissionRules(permissions) })],
    ...(model === undefined ? [] : ['--model', model]),
    ...(budget.turns === undefined ? [] : ['--max-turns', String(budget.turns)]),
    ...(budget.costUsd === undefined ? [] : ['--max-budget-usd', String(budget.costUsd)]),
    ...(session === undefined ? [] : ['--resume', session.id]),
  ];
}
