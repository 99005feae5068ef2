// Owns the command line arguments for Codex. It never asks for permission: its sandbox decides what it can do.

import { type AgentPermissions, type AgentRequest, type ToolAction, WORK_IN_PLACE } from '../driver.ts';

const WRITES: readonly ToolAction[] = ['edit', 'delete', 'move'];

/** Settings of the driver that affect the arguments. */
export interface CodexSettings {
  /** Used if the request does not set a model. */
  readonly model?: string;
  /** The address of the model's API. Default: that of its own settings, or of OpenAI. */
  readonly baseUrl?: string;
  /**
   * Names of our environment variables that it needs beyond the usual ones, such as `OPENAI_API_KEY`. They are not passed to
   * the commands that it runs.
   */
  readonly inherits?: readonly string[];
}

/** Returns the arguments for one request. `session` is the thread to resume. */
export function startArguments(settings: CodexSettings, request: AgentRequest, session: string | undefined): string[] {
  const { permissions = WORK_IN_PLACE, model = settings.model } = request;
  return [
    ...['exec', '--json', '--color', 'never', '--skip-git-repo-check'],
    ...['--sandbox', mayWrite(permissions) ? 'workspace-write' : 'read-only'],
    ...['--config', 'approval_policy="never"'],
    ...['--config', `sandbox_workspace_write.network_access=${mayFetch(permissions)}`],
    ...['--config', `web_search="${mayFetch(permissions) ? 'live' : 'disabled'}"`],
    ...['--config', `shell_environment_policy.exclude=${JSON.stringify(settings.inherits ?? [])}`],
    ...(settings.baseUrl === undefined ? [] : ['--config', `openai_base_url=${JSON.stringify(settings.baseUrl)}`]),
    ...(model === undefined ? [] : ['--model', model]),
    ...(session === undefined ? ['-'] : ['resume', session, '-']),
  ];
}

/** Returns why Codex cannot enforce these permissions, or undefined if it can. */
export function unenforceablePermission({ allow, deny = [] }: AgentPermissions): string | undefined {
  if (deny.length > 0)
    return `Codex cannot forbid single tools, but the role forbids ${deny.join(', ')}; remove "deny", or use another driver for the role`;
  if (allow.includes('fetch') && !WRITES.some((action) => allow.includes(action)))
    return 'Codex can only use the network if it may also change files; permit "edit", or use another driver for the role';
  return undefined;
}

function mayWrite({ allow }: AgentPermissions): boolean {
  return WRITES.some((action) => allow.includes(action));
}

function mayFetch({ allow }: AgentPermissions): boolean {
  return allow.includes('fetch');
}
