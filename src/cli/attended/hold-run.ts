// Owns binding a run to an agent's session when the agent uses a command, so that the agent's hooks know the run.

import { rootOf } from '../../control/approvals.ts';
import type { Store } from '../../store/store.ts';
import { assignRun, isHeldByOther } from '../agent-session.ts';
import type { Place } from '../session.ts';
import type { Shell } from '../shell.ts';

/** Which run an agent works on. `byName`: it named the run itself, and so takes it from another session too. */
interface SessionBinding {
  readonly store: Store;
  readonly run: string;
  readonly byName: boolean;
}

/** Binds a run to the session of the agent that calls. An agent inside a run has that run already, and takes no other. */
export async function holdRun(shell: Shell, { file }: Place, { store, run, byName }: SessionBinding): Promise<void> {
  if (shell.env.CLAUDE_CODE_SESSION_ID === undefined || (shell.env.PAWL_RUN ?? '') !== '') return;
  const held = { run: await rootOf(store, run), db: file };
  if (byName || !isHeldByOther(shell, held)) assignRun(shell, held);
}
