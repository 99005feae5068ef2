// Owns whether answers from a form of an MCP client count. The client is a program of the agent's harness: a person really
// fills in its form, but the server cannot prove it. So it is off, and only the user's own settings file turns it on; then
// it covers questions of agents, never an approval, and nothing where decisions must be signed.

import type { FormRight } from '../../mcp/elicitation.ts';
import { userActor } from '../actor.ts';
import type { Place } from '../session.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';

/** The right of forms in a project, if there is one. */
export function formRight(shell: Shell, { settings }: Pick<Place, 'settings'>): FormRight | undefined {
  if (settings.elicit !== 'questions' || settings.decisions === 'signed') return undefined;
  return {
    actorFor: ({ name }) => `${userActor(shell)} via elicitation${name === undefined ? '' : ` in ${oneLine(name)}`}`,
  };
}
