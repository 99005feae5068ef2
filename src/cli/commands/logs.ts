// `pawl logs RUN [STEP]`: the log of a run fact by fact, as it is or as it grows, or one step's attempts in full.

import { EngineError } from '../../base/error.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { RunEvent } from '../../kernel/event.ts';
import { isSettled } from '../../kernel/run-state.ts';
import type { EventRow, Store } from '../../store/store.ts';
import type { CommandRun, Given } from '../command.ts';
import { findPlace, findRun, openForRun } from '../session.ts';
import { SCHEMA_VERSION, type Shell } from '../shell.ts';
import { factPath, factText } from '../story/facts.ts';
import { attemptsInFull } from '../story/steps.ts';
import { readStory, type Story } from '../story/story.ts';
import { transcriptLines } from '../story/transcript.ts';
import { oneLine } from '../terminal.ts';
import { clockText } from '../time.ts';

const INTERRUPTED = 130;

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const place = await findPlace(shell, given);
  const prefix = given.word('RUN');
  const since = sinceOf(given);
  const store = await openForRun(place, prefix, 'look');
  try {
    const id = await findRun(store, prefix, place);
    const step = given.maybe('STEP');
    if (given.has('follow')) return await follow(shell, store, { run: id, step, since });
    if (step !== undefined) return await showStep(shell, store, { run: id, step, db: place.file });
    const facts = (await store.events(id, since)).flatMap(factsOf);
    shell.result({ run: id, events: facts.map(jsonOf) }, () => facts.map((fact) => lineOf(shell, fact)));
    return 0;
  } finally {
    await store.close();
  }
};

function sinceOf(given: Given): number {
  const text = given.option('since') ?? '0';
  const since = Number(text);
  if (!Number.isInteger(since) || since < 0)
    throw new EngineError('USAGE', `--since is the number of a fact, as "pawl logs" prints it, not "${text}"`);
  return since;
}

interface Fact {
  readonly seq: number;
  readonly event: RunEvent;
}

function factsOf({ seq, events }: EventRow): Fact[] {
  return events.map((event) => ({ seq, event }));
}

function jsonOf({ seq, event }: Fact): object {
  const { at, ...rest } = event;
  return { seq, at: new Date(at).toISOString(), text: factText(event), ...rest };
}

function lineOf(shell: Shell, { seq, event }: Fact): string {
  const path = factPath(event);
  const head = `${String(seq).padStart(4)}  ${clockText(event.at)}`;
  return `${shell.style('dim', head)}  ${path === '' ? '' : `${shell.style('bold', oneLine(path))}  `}${factText(event)}`;
}

interface Following {
  readonly run: string;
  readonly step: string | undefined;
  readonly since: number;
}

/** Prints facts as they come, until the run ends, the reader goes, or somebody stops it. */
async function follow(shell: Shell, store: Store, { run, step, since }: Following): Promise<number> {
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once('SIGINT', interrupt);
  const stop = AbortSignal.any([interrupted.signal, shell.closed]);
  try {
    let seq = since;
    while (!stop.aborted) {
      const commit = nextCommit(store, stop);
      const rows = await store.events(run, seq);
      seq = rows.at(-1)?.seq ?? seq;
      for (const fact of rows.flatMap(factsOf)) if (step === undefined || isOf(factPath(fact.event), step)) print(shell, fact);
      if (rows.length === 0) {
        if (isSettled((await store.load(run)).state.status)) return 0;
        await commit.happened;
      }
      commit.stop();
    }
    return interrupted.signal.aborted ? INTERRUPTED : 0;
  } finally {
    process.off('SIGINT', interrupt);
  }
}

/** The next commit of any process, or the end of all following. */
function nextCommit(store: Store, ended: AbortSignal): { readonly happened: Promise<void>; stop(): void } {
  let stop = (): void => undefined;
  const happened = new Promise<void>((resolve) => {
    const unfollow = store.follow(resolve);
    const end = (): void => resolve();
    ended.addEventListener('abort', end);
    stop = () => {
      unfollow();
      ended.removeEventListener('abort', end);
    };
  });
  return { happened, stop };
}

function print(shell: Shell, fact: Fact): void {
  if (shell.wantsJson) shell.write(`${JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...jsonOf(fact) })}\n`);
  else shell.print(lineOf(shell, fact));
}

/** Whether a path belongs to a step, to one visit of it, or to a member of it. */
function isOf(path: string, step: string): boolean {
  return path === step || path.startsWith(`${step}#`) || path.startsWith(`${step}/`);
}

interface Shown {
  readonly run: string;
  readonly step: string;
  readonly db: string;
}

async function showStep(shell: Shell, store: Store, { run, step, db }: Shown): Promise<number> {
  const { readTranscript, transcriptsOf } = await import('../../engine/transcripts.ts');
  const story = await readStory(store, run);
  const attempts = story.steps.filter((attempt) => attempt.step === step || isOf(attempt.path, step));
  if (attempts.length === 0) throw noStep(story.plan, { run, step });
  const told = attempts.map((attempt) => ({ attempt, transcript: readTranscript(transcriptsOf(db), { run, ...attempt }) }));
  const steps = told.map(({ attempt, transcript }) => (transcript === undefined ? attempt : { ...attempt, transcript }));
  const lines = () =>
    told.flatMap(({ attempt, transcript }) => [...attemptsInFull(shell, [attempt]), ...transcriptLines(shell, transcript)]);
  shell.result({ run, steps }, lines);
  return 0;
}

function noStep(plan: Story['plan'], { run, step }: { readonly run: string; readonly step: string }): EngineError {
  const known = plan.find((row) => row.step === step);
  if (known !== undefined)
    return new EngineError('STEP_UNKNOWN', `run ${run} has not come to step "${step}"; "pawl show ${run}" says where it is`);
  const names = plan.map((row) => row.step);
  return new EngineError('STEP_UNKNOWN', `run ${run} has no step "${step}"${didYouMean(step, names)}; its steps: ${names.join(', ')}`);
}
