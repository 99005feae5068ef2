// Owns the way of an agent's word from the command line to the run: the report, the giving up, the questions. Each is
// given to the engine, the run is driven to where it rests, and the agent is told what comes next.
//
// The code of the run is loaded although another process may drive it now: agents report at the same time, and whoever
// drives it may have left a moment later. A run whose process died is taken up first: what it was verifying when it died
// may be what is reported again now.

import type { AnyWorkflow, Engine } from '../../api/engine.ts';
import type { ReportVerdict } from '../../engine/reports.ts';
import { isSettled } from '../../kernel/run-state.ts';
import { isDead } from '../../process/owner.ts';
import type { Store } from '../../store/store.ts';
import { driveWithEngine } from '../drive.ts';
import { EXIT_INTERRUPTED } from '../interrupt.ts';
import { loadWorkflowOf } from '../load.ts';
import type { Place } from '../session.ts';
import type { Shell } from '../shell.ts';
import { tellAgent } from './attended.ts';
import { driveQuietly, keptAwake } from './drive.ts';
import { readStanding } from './standing.ts';

/** Says something of an agent to the engine; a report gives its verdict. */
type Word = (engine: Engine, run: string) => Promise<ReportVerdict | undefined>;

/** What a command of an agent says; `gaveUp` when it is that the attempt failed. */
export interface Said {
  readonly say: Word;
  readonly gaveUp?: boolean;
}

interface Saying extends Said {
  readonly store: Store;
  readonly run: string;
  /** The run that started the run, up to the first. */
  readonly root: string;
}

/** Says it to a run, drives that to where it rests, tells the agent, and gives the exit code. */
export async function sayTo(shell: Shell, place: Place, saying: Saying): Promise<number> {
  const { store, root } = saying;
  const workflows = await workflowsFor(shell, place, { store, root });
  return driveWithEngine(shell, place, { store, workflows, use: (engine) => sayAndTell(shell, place, { ...saying, engine }) });
}

async function sayAndTell(
  shell: Shell,
  place: Place,
  { engine, store, run, root, say, gaveUp = false }: Saying & { readonly engine: Engine },
): Promise<number> {
  await takeUpDead(engine, run);
  const before = await readStanding(store, place.file, root);
  const verdict = await keptAwake(say(engine, run));
  if (!(await driveQuietly(shell, engine, root))) return EXIT_INTERRUPTED;
  const standing = await readStanding(store, place.file, root);
  return tellAgent(shell, store, { standing, gaveUp, before: before.work, ...(verdict === undefined ? {} : { verdict }) });
}

/** The code of the run; none where nothing of it runs any more. */
async function workflowsFor(
  shell: Shell,
  { project }: Place,
  { store, root }: { readonly store: Store; readonly root: string },
): Promise<readonly AnyWorkflow[]> {
  const frozen = await store.load(root);
  if (isSettled(frozen.state.status)) return [];
  return [(await loadWorkflowOf(shell, project, frozen)).workflow];
}

async function takeUpDead(engine: Engine, run: string): Promise<void> {
  const { state, owner } = await engine.store.load(run);
  if (owner === undefined || !isDead(owner) || state.paused || isSettled(state.status)) return;
  await engine.run(run).resume();
  await keptAwake(engine.run(run).waitOnly('idle'));
}
