// Owns whether answers from a form of an MCP client count. A person fills in the form, but the server cannot prove it, because
// the client belongs to the agent's harness. So only the user's own settings file can enable it, and only for questions of
// agents, never for approvals or where decisions must be signed.

import type { FormRight } from '../../mcp/elicitation.ts';
import { userActor } from '../actor.ts';
import type { Place } from '../session.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';

/** The right of forms in a project, if they are enabled. */
export function formRight(shell: Shell, { settings }: Pick<Place, 'settings'>): FormRight | undefined {
  if (settings.mcp?.elicit !== 'questions' || settings.decisions === 'signed') return undefined;
  return { actorFor: ({ name }) => `${userActor(shell)} via elicitation${name === undefined ? '' : ` in ${oneLine(name)}`}` };
}
