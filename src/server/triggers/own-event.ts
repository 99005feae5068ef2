// Owns recognising events that the engine itself caused: a run must not react to its own push, comment or label, or it
// would never end.
//
// FR1. A push is the engine's if its commit is on the run's own branch, whoever is named as its actor: polling GitHub
//      shows the author of the pull request there.
// FR2. Everything else is the engine's if its login did it and that login is a program, or the ledger has the action.

import { isSamePerson } from '../../base/person.ts';
import type { Forge, ForgeEvent } from '../../forge/forge.ts';
import { git } from '../../process/git.ts';
import { valueIn } from './forge-unavailable.ts';
import { recordsOf } from './own-action.ts';

/** What is known of a run's own branch. */
export interface OwnBranch {
  /** The commit that the engine pushed last. */
  readonly pushed?: unknown;
  /** The folder of the run's own worktree. */
  readonly workspace?: string | undefined;
}

/** Whether the engine caused an event. */
export async function isOwnEvent(forge: Forge, event: ForgeEvent, branch: OwnBranch): Promise<boolean> {
  if (event.event === 'pull_request.synchronize' && event.sha !== undefined) return isOwnCommit(event.sha, branch);
  const self = valueIn(await forge.whoami());
  if (!isSamePerson(self.login, event.actor)) return false;
  if (self.bot) return true;
  // A person's login is used by the engine and by the person.
  return (await recordsOf(forge, event)).length > 0;
}

async function isOwnCommit(sha: string, { pushed, workspace }: OwnBranch): Promise<boolean> {
  if (sha === pushed) return true;
  if (workspace === undefined || !/^[0-9a-f]{40,64}$/.test(sha)) return false;
  // A commit of somebody else gets into the worktree only when the run takes it in.
  return (await git(workspace, ['merge-base', '--is-ancestor', sha, 'HEAD'])).ok;
}
