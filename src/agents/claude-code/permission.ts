// Owns the permissions of Claude Code: the kind of each of its tools, the rules it starts with, and the answers to its
// permission requests. Forbidden uses are also denied by a rule, because the program allows some uses without asking
// (reading, harmless commands, and those that its user always allows).

import { isInsideFolder } from '../../base/inside-folder.ts';
import type { JsonObject } from '../../base/json.ts';
import type { AgentPermissions, ToolAction } from '../driver.ts';

const TOOL_ACTIONS: Readonly<Record<string, ToolAction>> = {
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

// Tools that need a person or a session that continues by itself; an attempt has neither.
const NOT_HEADLESS = ['AskUserQuestion', 'CronCreate', 'EnterPlanMode', 'EnterWorktree', 'ScheduleWakeup'];

/** Returns the kind of action that a tool of Claude Code performs. */
export function actionOf(tool: string): ToolAction {
  return Object.hasOwn(TOOL_ACTIONS, tool) ? (TOOL_ACTIONS[tool] as ToolAction) : 'other';
}

/** Returns the rules that Claude Code starts with, in the format of its settings. */
export function permissionRules({ allow, tools = [], deny = [] }: AgentPermissions): JsonObject {
  const named = new Set(tools.map(toolOf));
  const forbidden = Object.keys(TOOL_ACTIONS).filter((tool) => !allow.includes(actionOf(tool)));
  return { allow: [...tools], deny: [...[...forbidden, ...NOT_HEADLESS].filter((tool) => !named.has(tool)), ...deny] };
}

/** Returns why a use of a tool is denied, or undefined if it is permitted. */
export function refusalOf(use: { readonly tool: string; readonly input: JsonObject }, permissions: AgentPermissions, cwd: string) {
  const { tool, input } = use;
  const { allow, tools = [], deny = [] } = permissions;
  if (deny.includes(tool)) return `the tool "${tool}" is not permitted`;
  if (tools.includes(tool)) return undefined;
  const action = actionOf(tool);
  if (!allow.includes(action) || NOT_HEADLESS.includes(tool)) return `the tool "${tool}" (${action}) is not permitted`;
  const path = [input.file_path, input.notebook_path, input.path].find((value) => typeof value === 'string');
  return path === undefined || isInsideFolder(cwd, path) ? undefined : `"${path}" is outside the workspace`;
}

/** Returns the tool in a rule such as `Bash(npm test)`. */
function toolOf(rule: string): string {
  return rule.split('(')[0] as string;
}
