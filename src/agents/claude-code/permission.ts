// Owns what Claude Code is let do: which of its tools is which kind of deed, the rules that it starts with, and the
// answer when it asks. What is not permitted is forbidden by a rule as well, because the program allows some uses
// (reading, harmless commands, what its user has allowed for good) without asking.

import type { JsonObject } from '../../base/json.ts';
import type { AgentDeed, AgentPermissions } from '../driver.ts';
import { isInWorkspace } from '../workspace-path.ts';

const DEEDS: Readonly<Record<string, AgentDeed>> = {
  Read: 'read',
  Glob: 'search',
  Grep: 'search',
  LS: 'search',
  Edit: 'edit',
  MultiEdit: 'edit',
  Write: 'edit',
  NotebookEdit: 'edit',
  Bash: 'execute',
  BashOutput: 'execute',
  KillShell: 'execute',
  Monitor: 'execute',
  WebFetch: 'fetch',
  WebSearch: 'fetch',
  Agent: 'think',
  Task: 'think',
  TaskCreate: 'think',
  TaskGet: 'think',
  TaskList: 'think',
  TaskUpdate: 'think',
  TaskStop: 'think',
  TodoWrite: 'think',
  ToolSearch: 'think',
  Skill: 'think',
};

// Tools of a session that goes on by itself or that has a person before it; an attempt is neither.
const NOT_HEADLESS = ['AskUserQuestion', 'CronCreate', 'EnterPlanMode', 'EnterWorktree', 'ScheduleWakeup'];

/** The kind of deed that a tool of Claude Code is. */
export function deedOf(tool: string): AgentDeed {
  return Object.hasOwn(DEEDS, tool) ? (DEEDS[tool] as AgentDeed) : 'other';
}

/** The rules that Claude Code starts with, as its settings write them. */
export function permissionRules({ deeds, tools = [], not = [] }: AgentPermissions): JsonObject {
  const named = new Set(tools.map(toolOf));
  const forbidden = Object.keys(DEEDS).filter((tool) => !deeds.includes(deedOf(tool)));
  return { allow: [...tools], deny: [...[...forbidden, ...NOT_HEADLESS].filter((tool) => !named.has(tool)), ...not] };
}

/** Why a use of a tool is refused, or undefined when it is permitted. */
export function refusalOf(use: { readonly tool: string; readonly input: JsonObject }, permissions: AgentPermissions, cwd: string) {
  const { tool, input } = use;
  const { deeds, tools = [], not = [] } = permissions;
  if (not.includes(tool)) return `the tool "${tool}" is not permitted here`;
  if (tools.includes(tool)) return undefined;
  const deed = deedOf(tool);
  if (!deeds.includes(deed) || NOT_HEADLESS.includes(tool)) return `the tool "${tool}" (${deed}) is not permitted here`;
  const path = [input.file_path, input.notebook_path, input.path].find((value) => typeof value === 'string');
  return path === undefined || isInWorkspace(cwd, path) ? undefined : `"${path}" is outside the workspace`;
}

/** The tool that a rule such as `Bash(npm test)` is about. */
function toolOf(rule: string): string {
  return rule.split('(')[0] as string;
}
