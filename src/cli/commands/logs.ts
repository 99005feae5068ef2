// `pawl logs [RUN] [STEP]`: prints the event log of a run, optionally as it grows, or the attempts of one step in full.

import { EngineError } from '../../base/error.ts';
import { isJsonObject } from '../../base/json.ts';
import { didYouMean } from '../../base/suggest.ts';
import { readRunReport } from '../../control/run/report.ts';
import type { RunReport, StepReport } from '../../control/schema/run.ts';
import { clockText } from '../../control/time-text.ts';
import { isOfStep } from '../../definition/address.ts';
import { isSettled } from '../../definition/run-status.ts';
import type { TranscriptId, TranscriptLine } from '../../engine/transcript/transcripts.ts';
import type { RunEvent } from '../../kernel/event.ts';
import type { RunState } from '../../kernel/run-state.ts';
import type { EventRow, Store } from '../../store/store.ts';
import type { CommandRun } from '../command.ts';
import { EXIT_INTERRUPTED } from '../interrupt.ts';
import { wholeNumber } from '../params.ts';
import type { OutputLine } from '../progress/output-lines.ts';
import { eventPath, eventText } from '../run-report/event-text.ts';
import { attemptsInFull } from '../run-report/steps.ts';
import { transcriptLines } from '../run-report/transcript.ts';
import { type OpenRun, withShownRun } from '../session.ts';
import { SCHEMA_VERSION, type Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';

const TICK_MS = 1000;

/** Runs the command. */
export const run: CommandRun = (shell, args) => {
  const since = wholeNumber(args, 'since', { min: 0, expected: 'the number of an event, as "pawl logs" prints it' }) ?? 0;
  return withShownRun(shell, async (open) => {
    const { store, id } = open;
    const step = args.maybe('STEP');
    if (args.has('follow')) return follow(shell, open, { step, since });
    if (step !== undefined) return showStep(shell, open, step);
    const entries = (await store.events(id, since)).flatMap(entriesOf);
    return shell.result({ run: id, events: entries.map(jsonOf) }, () => entries.map((entry) => lineOf(shell, entry)));
  });
};

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

interface FollowedPart {
  readonly step: string | undefined;
  readonly since: number;
}

async function follow(shell: Shell, { store, id: run }: OpenRun, { step, since }: FollowedPart): Promise<number> {
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once('SIGINT', interrupt);
  const stop = AbortSignal.any([interrupted.signal, shell.closed]);
  const changes = new Changes(store, stop);
  const output = await openOutput(shell, { run, step, onChange: () => changes.notify() });
  const isShown = (path: string): boolean => step === undefined || isOfStep(path, step);
  try {
    let seq = since;
    let hasEnded = false;
    while (!stop.aborted) {
      const change = changes.next();
      const rows = await store.events(run, seq);
      seq = rows.at(-1)?.seq ?? seq;
      for (const entry of rows.flatMap(entriesOf)) {
        output?.before(entry.event);
        if (isShown(eventPath(entry.event))) print(shell, entry);
      }
      if (rows.length > 0) continue;
      if (hasEnded) return 0;
      const { state } = await store.load(run);
      // The last events may have been written after the log was read, so read it once more.
      hasEnded = isSettled(state.status);
      if (hasEnded) continue;
      output?.update(state);
      await change;
    }
    return interrupted.signal.aborted ? EXIT_INTERRUPTED : 0;
  } finally {
    process.off('SIGINT', interrupt);
    output?.close();
    changes.close();
  }
}

/** Notifies after a commit of any process, when output was printed, and when the signal is aborted. */
class Changes {
  private resolve: () => void = () => undefined;
  private readonly unfollow: () => void;
  private readonly timer: NodeJS.Timeout;

  constructor(store: Store, ended: AbortSignal) {
    this.unfollow = store.follow(() => this.notify());
    ended.addEventListener('abort', () => this.notify(), { once: true });
    // The folder of the transcripts cannot be watched before it exists.
    this.timer = setInterval(() => this.notify(), TICK_MS);
  }

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  notify(): void {
    this.resolve();
  }

  close(): void {
    this.unfollow();
    clearInterval(this.timer);
  }
}

interface FollowedOutput {
  /** Prints the rest of an attempt before the event that ends it. */
  before(event: RunEvent): void;
  update(state: RunState): void;
  close(): void;
}

/** The output of a run's steps, printed as it grows; undefined with --quiet. */
async function openOutput(
  shell: Shell,
  { run, step, onChange }: { readonly run: string; readonly step: string | undefined; readonly onChange: () => void },
): Promise<FollowedOutput | undefined> {
  const [{ LiveOutput }, { transcriptsFor }, { endedAttempt, activeIn }] = await Promise.all([
    import('../progress/live-output.ts'),
    import('../progress/view.ts'),
    import('../progress/reader.ts'),
  ]);
  const folder = await transcriptsFor(shell);
  if (folder === undefined) return undefined;
  const live = new LiveOutput(folder, { onChange, wants: 'everything' });
  const show = (transcript: TranscriptId, all: boolean): void => {
    if (step !== undefined && !isOfStep(transcript.path, step)) return;
    for (const line of live.take(transcript, all)) printOutput(shell, transcript, line);
  };
  return {
    before: (event) => {
      const ended = endedAttempt({ run }, event);
      if (ended === undefined) return;
      show(ended, true);
      live.forget(ended);
    },
    update: (state) => {
      for (const { path, attempt } of activeIn(state)) show({ run, path, attempt }, false);
    },
    close: () => live.close(),
  };
}

function printOutput(shell: Shell, { path, attempt }: TranscriptId, { at, text }: OutputLine): void {
  if (shell.wantsJson) {
    const line = { schemaVersion: SCHEMA_VERSION, type: 'output', at: new Date(at).toISOString(), path, attempt, text };
    shell.write(`${JSON.stringify(line)}\n`);
  } else shell.print(`${shell.style('dim', `      ${clockText(at)}  ${oneLine(path)} |`)} ${text}`);
}

function print(shell: Shell, entry: LogEntry): void {
  if (shell.wantsJson) shell.write(`${JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...jsonOf(entry) })}\n`);
  else shell.print(lineOf(shell, entry));
}

async function showStep(shell: Shell, { setup, store, id: run }: OpenRun, step: string): Promise<number> {
  const { readTranscript, transcriptsOf } = await import('../../engine/transcript/transcripts.ts');
  const isShown = (attempt: { readonly step: string; readonly path: string }): boolean =>
    attempt.step === step || isOfStep(attempt.path, step);
  const report = await readRunReport(store, run, isShown);
  const attempts = report.steps.filter(isShown);
  if (attempts.length === 0) throw noStep(report.plan, { run, step });
  const rows = attempts.map((attempt) => ({
    attempt,
    transcript: withoutRecorded(attempt, readTranscript(transcriptsOf(setup.file), { run, ...attempt })),
  }));
  const steps = rows.map(({ attempt, transcript }) => (transcript === undefined ? attempt : { ...attempt, transcript }));
  const lines = () =>
    rows.flatMap(({ attempt, transcript }) => [...attemptsInFull(shell, [attempt]), ...transcriptLines(shell, transcript)]);
  shell.result({ run, steps }, lines);
  return 0;
}

/** The transcript without output that the result of the attempt repeats. */
function withoutRecorded({ output }: StepReport, transcript: readonly TranscriptLine[] | undefined): readonly TranscriptLine[] | undefined {
  if (!isJsonObject(output) || typeof output.stdout !== 'string') return transcript;
  const rest = transcript?.filter(({ kind }) => kind !== 'output');
  return rest?.length === 0 ? undefined : rest;
}

function noStep(plan: RunReport['plan'], { run, step }: { readonly run: string; readonly step: string }): EngineError {
  const known = plan.find((row) => row.step === step);
  if (known !== undefined)
    return new EngineError('STEP_UNKNOWN', `run ${run} has not reached step "${step}"; "pawl show ${run}" shows how far it is`);
  const names = plan.map((row) => row.step);
  return new EngineError('STEP_UNKNOWN', `run ${run} has no step "${step}"${didYouMean(step, names)}; its steps: ${names.join(', ')}`);
}
