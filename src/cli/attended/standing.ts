// Owns how a run stands for the agent that does its work: what is open for it, in the run and in those below, and if
// nothing is, for whom or what the run waits. Only the store and the key of its tokens are read, no engine.

import { type Desk, type Handout, handoutsOf, type OpenQuestions, questionsOf } from '../../engine/reports.ts';
import { waitOf } from '../../kernel/activation.ts';
import { isDone, isFinal, isSettled, type RunState } from '../../kernel/run-state.ts';
import { statusOf } from '../../kernel/status.ts';
import { keyReader } from '../../process/key-file.ts';
import { isDead } from '../../process/owner.ts';
import type { Store } from '../../store/store.ts';
import { exitOfIdle, type IdleRun, type IdleWait, readIdle } from '../progress/idle.ts';
import { exitOf } from '../status.ts';
import { oneLine } from '../terminal.ts';

/** Work that is open for the agent, with the number of its step in the definition; steps of a flow have none. */
export interface OpenWork extends Handout {
  readonly number?: number;
}

/** A run as the agent sees it. */
export interface Standing {
  readonly state: RunState;
  readonly work: readonly OpenWork[];
  readonly rest: IdleRun;
}

/** Questions that wait for a person, with the digest that an answer without a terminal has to name. */
export interface AskedQuestions extends OpenQuestions {
  readonly workflow: string;
  readonly digest: string;
}

/** Reads what is open for the agent in a run and in those below it. */
export async function readStanding(store: Store, file: string, run: string): Promise<Standing> {
  const core = readerOf(store, file);
  const [{ state }, rest] = await Promise.all([store.load(run), readIdle(store, run)]);
  const work = await Promise.all(runsWaiting(rest, 'report').map((id) => workOf(core, id)));
  return { state, work: work.flat(), rest };
}

/** The questions of a run's agents, and of those below it, that wait for a person, oldest first. */
export async function readQuestions(store: Store, file: string, run: string): Promise<readonly AskedQuestions[]> {
  const core = readerOf(store, file);
  const asked = await Promise.all(runsWaiting(await readIdle(store, run), 'answer').map((id) => questionsIn(core, id)));
  return asked.flat().sort((a, b) => a.since - b.since);
}

function readerOf(store: Store, file: string): Desk {
  return { store, parts: { tokenKey: keyReader(file) } };
}

function runsWaiting({ waits }: IdleRun, kind: IdleWait['wait']['kind']): readonly string[] {
  return [...new Set(waits.filter(({ wait }) => wait.kind === kind).map(({ run }) => run))];
}

async function workOf(core: Desk, run: string): Promise<readonly OpenWork[]> {
  const { definition } = await core.store.load(run);
  return (await handoutsOf(core, run)).map((handout) => {
    const index = definition.steps.findIndex(({ id }) => handout.path.startsWith(`${id}#`));
    return index === -1 ? handout : { ...handout, number: index + 1 };
  });
}

async function questionsIn(core: Desk, run: string): Promise<readonly AskedQuestions[]> {
  const { state } = await core.store.load(run);
  return (await questionsOf(core, run)).map((asked) => {
    const wait = waitOf(state.live[asked.path]);
    const digest = wait?.kind === 'answer' ? wait.questions.digest : '';
    return { ...asked, workflow: state.workflow, digest };
  });
}

/** The exit code of a command that leaves the agent with a run that stands so: 0 when something is open for it. */
export function exitOfStanding({ state, work, rest }: Standing): number {
  if (work.length > 0) return 0;
  return isSettled(state.status) ? exitOf(statusOf(state)) : exitOfIdle('waiting', rest);
}

/** One line that says why nothing is open for the agent. */
export function standingText({ state, rest }: Standing): string {
  const { id, halt } = state;
  const status = statusOf(state);
  if (isFinal(state.status)) {
    const why = halt === undefined ? '' : `: ${oneLine(halt.message)}`;
    return `Run ${id} ${isDone(status) ? `is ${status}` : `ended ${status}`}${why}; nothing is left to do.`;
  }
  if (isSettled(state.status))
    return `Run ${id} ${status} and waits for a person to say how it goes on ("pawl resume ${id}")${halt === undefined ? '' : `: ${oneLine(halt.message)}`}`;
  const isDriven = rest.runs.some(({ owner }) => owner !== undefined && !isDead(owner));
  if (status === 'running' && isDriven) return `Run ${id} is at work in another process; "pawl next ${id}" tells what comes next.`;
  const waits = [...new Set(rest.waits.map(waitText))];
  if (status === 'running' || waits.length === 0)
    return `Run ${id} was left in the middle by a process that ended; "pawl resume ${id}" drives it on.`;
  return `Run ${id} waits ${waits.join(', and ')}; nothing is open for you until then.`;
}

/** For whom or what a run waits, as the end of a sentence. */
function waitText({ run, wait }: IdleWait): string {
  const at = wait.step === undefined ? '' : ` "${oneLine(wait.step)}"`;
  const until = wait.due === undefined ? '' : ` until ${new Date(wait.due).toISOString()}`;
  switch (wait.kind) {
    case 'human':
      return `for a person to decide${at} ("pawl inbox ${run}")`;
    case 'answer':
      return `for a person to answer the questions of${at} ("pawl answer ${run}")`;
    case 'delay':
      return `for time to pass at${at}${until}, then for "pawl resume ${run}"`;
    case 'capacity':
      return `for capacity for${at}${until}; "pawl resume ${run}" tries again`;
    case 'signal':
      return `for the signal "${oneLine(wait.name ?? '')}" at${at}`;
    case 'child':
      return `for the run ${wait.child ?? ''} that${at} started`;
    case 'unknown':
      return `for a person to say how${at} ended ("pawl resume ${run}")`;
    case 'escalation':
      return `for a person to say how${at} goes on ("pawl resume ${run}")`;
    case 'pause':
      return `for a person to end the pause ("pawl resume ${run}")`;
    default:
      return `for the ${wait.kind} of${at}${until}`;
  }
}
