// `pawl logs RUN [STEP]`: prints the event log of a run, optionally as it grows, or the attempts of one step in full.

import { EngineError } from '../../base/error.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { RunEvent } from '../../kernel/event.ts';
import { isSettled } from '../../kernel/run-state.ts';
import type { EventRow, Store } from '../../store/store.ts';
import type { CommandRun, ParsedArgs } from '../command.ts';
import { eventPath, eventText } from '../run-report/event-text.ts';
import { type RunReport, readRunReport } from '../run-report/run-report.ts';
import { attemptsInFull } from '../run-report/steps.ts';
import { transcriptLines } from '../run-report/transcript.ts';
import { findPlace, findRun, openForRun } from '../session.ts';
import { SCHEMA_VERSION, type Shell } from '../shell.ts';
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
    const entries = (await store.events(id, since)).flatMap(entriesOf);
    shell.result({ run: id, events: entries.map(jsonOf) }, () => entries.map((entry) => lineOf(shell, entry)));
    return 0;
  } finally {
    await store.close();
  }
};

function sinceOf(given: ParsedArgs): number {
  const text = given.option('since') ?? '0';
  const since = Number(text);
  if (!Number.isInteger(since) || since < 0)
    throw new EngineError('USAGE', `--since must be the number of an event, as "pawl logs" prints it, not "${text}"`);
  return since;
}

interface LogEntry {
  readonly seq: number;
  readonly event: RunEvent;
}

function entriesOf({ seq, events }: EventRow): LogEntry[] {
  return events.map((event) => ({ seq, event }));
}

function jsonOf({ seq, event }: LogEntry): object {
  const { at, ...rest } = event;
  return { seq, at: new Date(at).toISOString(), text: eventText(event), ...rest };
}

function lineOf(shell: Shell, { seq, event }: LogEntry): string {
  const path = eventPath(event);
  const head = `${String(seq).padStart(4)}  ${clockText(event.at)}`;
  return `${shell.style('dim', head)}  ${path === '' ? '' : `${shell.style('bold', oneLine(path))}  `}${eventText(event)}`;
}

interface FollowOptions {
  readonly run: string;
  readonly step: string | undefined;
  readonly since: number;
}

/** Prints events as they come, until the run ends, stdout is closed, or the user presses Ctrl-C. */
async function follow(shell: Shell, store: Store, { run, step, since }: FollowOptions): Promise<number> {
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
      for (const entry of rows.flatMap(entriesOf)) if (step === undefined || isOf(eventPath(entry.event), step)) print(shell, entry);
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

/** Waits for the next commit of any process, or for the signal. */
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

function print(shell: Shell, entry: LogEntry): void {
  if (shell.wantsJson) shell.write(`${JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...jsonOf(entry) })}\n`);
  else shell.print(lineOf(shell, entry));
}

/** Whether a path belongs to a step, one of its visits, or one of its members. */
function isOf(path: string, step: string): boolean {
  return path === step || path.startsWith(`${step}#`) || path.startsWith(`${step}/`);
}

interface StepRef {
  readonly run: string;
  readonly step: string;
  readonly db: string;
}

async function showStep(shell: Shell, store: Store, { run, step, db }: StepRef): Promise<number> {
  const { readTranscript, transcriptsOf } = await import('../../engine/transcripts.ts');
  const isAsked = (attempt: { readonly step: string; readonly path: string }): boolean => attempt.step === step || isOf(attempt.path, step);
  const report = await readRunReport(store, run, isAsked);
  const attempts = report.steps.filter(isAsked);
  if (attempts.length === 0) throw noStep(report.plan, { run, step });
  const rows = attempts.map((attempt) => ({ attempt, transcript: readTranscript(transcriptsOf(db), { run, ...attempt }) }));
  const steps = rows.map(({ attempt, transcript }) => (transcript === undefined ? attempt : { ...attempt, transcript }));
  const lines = () =>
    rows.flatMap(({ attempt, transcript }) => [...attemptsInFull(shell, [attempt]), ...transcriptLines(shell, transcript)]);
  shell.result({ run, steps }, lines);
  return 0;
}

function noStep(plan: RunReport['plan'], { run, step }: { readonly run: string; readonly step: string }): EngineError {
  const known = plan.find((row) => row.step === step);
  if (known !== undefined)
    return new EngineError('STEP_UNKNOWN', `run ${run} has not reached step "${step}"; "pawl show ${run}" shows how far it is`);
  const names = plan.map((row) => row.step);
  return new EngineError('STEP_UNKNOWN', `run ${run} has no step "${step}"${didYouMean(step, names)}; its steps: ${names.join(', ')}`);
}
