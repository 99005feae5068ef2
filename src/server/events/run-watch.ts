// Finds the runs that people are notified of: those that wait for a person, and those that ended or stopped. It checks the
// open runs when the store signals a commit of any process, at a limited rate.
//
// - Open runs are recorded in the database, so that the end of a run is noticed even if no server ran when it ended.
// - A run that was never seen open is noticed if it failed or escalated, because those stay open.

import type { Engine } from '../../api/engine.ts';
import { readQuestions } from '../../attended/questions.ts';
import { OPEN_STATES } from '../../control/trigger/open-runs.ts';
import { isFinal } from '../../definition/run-status.ts';
import type { Clock } from '../../engine/clock.ts';
import type { RunHead, RunSummary, Store } from '../../store/store.ts';
import type { ServerDatabase } from '../server-database.ts';
import { CommitAlarm } from './alarm.ts';

/** An event of a run that people may want to know about. */
export interface RunAlert {
  readonly event: 'waiting' | 'failed' | 'escalated' | 'completed' | 'rejected' | 'cancelled' | 'warning';
  readonly run: RunSummary;
  /** Distinguishes two events of one kind of a run. */
  readonly mark: string;
  /** The question that waits, or why the run stopped. */
  readonly text: string;
  readonly path?: string;
  /** What the run waits for: a decision at an approval, or answers to questions of an agent. */
  readonly asks?: 'decision' | 'answer';
}

interface WatchParts {
  readonly engine: Engine;
  readonly store: Store;
  readonly database: ServerDatabase;
  readonly clock: Clock;
  readonly notify: (alert: RunAlert) => void;
  readonly warn: (error: unknown) => void;
}

/** How many runs are compared at a time. */
const PAGE = 200;

/** Watches all runs of a store. */
export class RunWatch extends CommitAlarm<WatchParts> {
  /** The state of each open run at the last check. */
  private seen = new Map<string, string>();

  protected override async work(): Promise<undefined> {
    const { store, database } = this.parts;
    const now = new Map<string, string>();
    // There may be thousands, most of which have not changed since the last check.
    for (let after: number | undefined = 0; after !== undefined; ) {
      const page: readonly RunHead[] = await store.heads({ of: 'all', status: OPEN_STATES, after, limit: PAGE });
      for (const head of page) await this.compare(head, now);
      after = page.length < PAGE ? undefined : page.at(-1)?.place;
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.seen = now;
    for (const { run } of database.all('SELECT run FROM open_runs')) if (!now.has(String(run))) await this.notifyEnd(String(run));
  }

  private async compare({ run: id, status, seq }: RunHead, now: Map<string, string>): Promise<void> {
    const { store, database, warn } = this.parts;
    // The time is not enough: a run can change twice within a millisecond.
    const mark = `${status}/${seq}`;
    now.set(id, mark);
    if (this.seen.get(id) === mark) return;
    database.insert('open_runs', { run: id }, 'ignore');
    const [run] = await store.list({ id });
    if (run !== undefined) await this.notifyOpen(run).catch((error: unknown) => warn(error));
  }

  private async notifyOpen(run: RunSummary): Promise<void> {
    const { engine, store, notify } = this.parts;
    if (run.status === 'failed' || run.status === 'escalated') {
      const { state } = await store.load(run.id);
      const { path = '', attempt = 0, message = '' } = state.halt ?? {};
      notify({ event: run.status, run, mark: `${path}/${attempt}/${message}`, text: message });
    }
    if (run.status !== 'waiting' && run.status !== 'running') return;
    for (const { path, question, digest, posted } of await engine.run(run.id).approvals())
      if (posted === undefined) notify({ event: 'waiting', run, mark: `${path}/${digest}`, text: question.prompt, path, asks: 'decision' });
    for (const { run: of, path, digest, questions } of await readQuestions(store, run.id))
      if (of === run.id)
        notify({
          ...{ event: 'waiting', run, mark: `${path}/${digest}`, path, asks: 'answer' },
          text: questions.map(({ question }) => question).join('\n'),
        });
  }

  private async notifyEnd(id: string): Promise<void> {
    const { store, database, notify } = this.parts;
    const [run] = await store.list({ id });
    if (run !== undefined && isFinal(run.status)) {
      const event = run.status === 'overridden' ? 'completed' : run.status;
      if (event === 'completed' || event === 'rejected' || event === 'cancelled') notify({ event, run, mark: '', text: '' });
    }
    database.run('DELETE FROM open_runs WHERE run = ?', id);
  }
}
