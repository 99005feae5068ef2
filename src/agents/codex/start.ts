// Owns the arguments that Codex is started with. It asks nobody: what it may do is the sandbox it works in.

import { type AgentDeed, type AgentPermissions, type AgentRequest, WORK_IN_PLACE } from '../driver.ts';

const WRITES: readonly AgentDeed[] = ['edit', 'delete', 'move'];

/** What of Codex's arguments is for whoever configures the driver to say. */
export interface CodexSettings {
  /** For requests that name no model. */
  readonly model?: string;
  /** Names of our own variables that it needs beside the usual ones, such as `OPENAI_API_KEY`. Its commands do not see them. */
  readonly inherits?: readonly string[];
}

/** The arguments for one request; with `session`, to go on with it. */
export function startArguments(settings: CodexSettings, request: AgentRequest, session: string | undefined): string[] {
  const { permissions = WORK_IN_PLACE, model = settings.model } = request;
  return [
    ...['exec', '--json', '--color', 'never', '--skip-git-repo-check'],
    ...['--sandbox', mayWrite(permissions) ? 'workspace-write' : 'read-only'],
    ...['--config', 'approval_policy="never"'],
    ...['--config', `sandbox_workspace_write.network_access=${mayFetch(permissions)}`],
    ...['--config', `web_search="${mayFetch(permissions) ? 'live' : 'disabled'}"`],
    ...['--config', `shell_environment_policy.exclude=${JSON.stringify(settings.inherits ?? [])}`],
    ...(model === undefined ? [] : ['--model', model]),
    ...(session === undefined ? ['-'] : ['resume', session, '-']),
  ];
}

/** Why Codex cannot be held to these permissions, or undefined when it can. */
export function unheldPermission({ deeds, not = [] }: AgentPermissions): string | undefined {
  if (not.length > 0)
    return `Codex cannot be kept from single tools, and the role may not use ${not.join(', ')}; leave "not" out, or give the role another driver`;
  if (deeds.includes('fetch') && !WRITES.some((deed) => deeds.includes(deed)))
    return 'Codex reaches the network only where it may also change files; let the role edit, or give it another driver';
  return undefined;
}

function mayWrite({ deeds }: AgentPermissions): boolean {
  return WRITES.some((deed) => deeds.includes(deed));
}

function mayFetch({ deeds }: AgentPermissions): boolean {
  return deeds.includes('fetch');
}
