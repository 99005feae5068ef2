// Owns keeping what people see of runs at the forge up to date: one comment per run, and one check per gate. It compares what
// runs are with what was shown of them, so that what a crash or an outage left out is caught up.
//
// SF1. A run has one comment at an issue and one at a pull request, ever; it is edited, at most every few seconds.
// - Something is written only where what people see differs from what was written last.
// SF2. A deleted comment stays deleted, and a place that rejects comments is left alone until the run continues.
// - Of several runs that change at once each is written in turn; GitHub asks for a second between two writes.

import { createHash } from 'node:crypto';
import { present } from '../../base/fields.ts';
import type { Clock } from '../../engine/clock.ts';
import { type Forge, type ForgeAnswer, type PullRequestFacts, retryHintOf } from '../../forge/forge.ts';
import type { RunSummary, Store } from '../../store/store.ts';
import { CommitAlarm } from '../events/alarm.ts';
import type { ServerDatabase } from '../server-database.ts';
import { askPeople } from './asked-people.ts';
import { areShownWhole } from './decision-lines.ts';
import { movedComment, runComment } from './run-comment.ts';
import { type RunRow, RunRows, type ShownQuestion } from './run-rows.ts';
import { type RunView, readRunView, subjectOfRun } from './run-view.ts';
import { stepChecks } from './step-checks.ts';
import type { SurfaceSettings } from './surface-settings.ts';

/** What the surface is built on. */
export interface SurfaceParts {
  readonly forge: Forge;
  readonly settings: SurfaceSettings;
  readonly store: Store;
  readonly database: ServerDatabase;
  readonly clock: Clock;
  /** The address of a run for people; undefined without a public one. */
  readonly link: (run: string) => string | undefined;
  readonly warn: (error: unknown) => void;
}

/** The least time between two changes of one comment. */
export const EDIT_MS = 5000;
/** How long to wait for a forge that names no time. */
const AWAY_MS = 30_000;
/** Runs that began and ended between two looks are among the newest. */
const NEWEST = 50;
const PAUSE_MS = 100;

/** The mark of a run that has ended for good. */
const ENDED = /^(?:completed|overridden|rejected|cancelled)\//;

/** Shows runs at a forge. */
export class RunSurface extends CommitAlarm<SurfaceParts> {
  readonly rows: RunRows;
  private editMs = EDIT_MS;
  /** Where the forge refuses for now, by run: until when. */
  private readonly away = new Map<string, number>();
  /** When the first server began: what had stopped before then is left alone. */
  private readonly since: number;

  constructor(parts: SurfaceParts) {
    super(parts, PAUSE_MS);
    this.rows = new RunRows(parts.database);
    this.since = firstServed(parts);
  }

  /** Shows everything that is not shown yet, also what was changed a moment ago: for a process that ends. */
  async flush(): Promise<void> {
    this.editMs = 0;
    // What is being written may be older; the second look finds the rest.
    await this.ring();
    await this.ring();
    this.editMs = EDIT_MS;
  }

  protected override async work(): Promise<number | undefined> {
    const { clock, warn } = this.parts;
    const dues: number[] = [];
    for (const { run, mark } of await this.changed()) {
      const row = this.rows.get(run.id);
      const due = Math.max((row?.postedAt ?? 0) + this.editMs, this.away.get(run.id) ?? 0);
      if (due > clock.now()) dues.push(due);
      else
        await this.show(run, mark).catch((error: unknown) => {
          this.away.set(run.id, clock.now() + AWAY_MS);
          warn(error);
        });
    }
    return dues.length === 0 ? undefined : Math.min(...dues);
  }

  /** The runs of issues and pull requests that differ from what was shown of them. */
  private async changed(): Promise<{ readonly run: RunSummary; readonly mark: string }[]> {
    const { store } = this.parts;
    const known = this.rows.marks();
    const listed = new Map((await this.listed()).map((run) => [run.id, run]));
    for (const [id, mark] of known)
      if (!listed.has(id) && !ENDED.test(mark)) for (const run of await store.list({ id })) listed.set(id, run);
    const heads = new Map((await store.heads({ of: [...listed.keys()] })).map(({ run, seq }) => [run, seq]));
    const below = Map.groupBy(
      [...listed.values()].filter(({ parent }) => parent !== undefined),
      ({ parent }) => parent as string,
    );
    const markOf = ({ id, status }: RunSummary): string =>
      [`${status}/${heads.get(id)}`, ...(below.get(id) ?? []).map((child) => markOf(child)).sort()].join(' ');
    // What is switched on later is shown then.
    const { comments, checks, commands } = this.parts.settings;
    const how = [comments, checks, commands].map(Number).join('');
    return [...listed.values()]
      .filter(({ parent, damaged }) => parent === undefined && damaged === undefined)
      .map((run) => ({ run, mark: `${markOf(run)} ${how}` }))
      .filter(({ run, mark }) => known.get(run.id) !== mark)
      .sort((a, b) => a.run.place - b.run.place);
  }

  /** What is open, whenever it began, and the newest runs. */
  private async listed(): Promise<RunSummary[]> {
    const { store } = this.parts;
    const { since } = this;
    return [
      ...(await store.list({ status: ['pending', 'running', 'waiting'] })),
      ...(await store.list({ status: ['failed', 'escalated'], since })),
      ...(await store.list({ limit: NEWEST, since })),
    ];
  }

  private async show(run: RunSummary, mark: string): Promise<void> {
    const { store, forge, settings, link, clock } = this.parts;
    const { issue, pr } = await subjectOfRun(store, run.id, run.origin);
    if (issue === undefined && pr === undefined) return;
    const pull = pr === undefined ? undefined : await forge.pullRequest(pr);
    if (pull !== undefined && pull.result !== 'ok' && retryHintOf(pull).isTransient) return this.later(run.id, pull);
    const found = pull?.result === 'ok' ? pull.value : undefined;
    const place = { issue, pr: found === undefined ? undefined : pr };
    const view = await readRunView(store, run.id, {
      head: found?.headSha,
      link: link(run.id),
      acceptsCommands: settings.commands && settings.comments,
    });
    const version = this.rows.nextVersion(run.id, place);
    const row = this.rows.get(run.id) as RunRow;
    const showing: ShownRun = { view, row, version, pull: found };
    const written = settings.comments ? await this.write(showing, place) : row;
    if (written === undefined) return;
    // People may answer at once, before the rest is written.
    this.rows.save({ ...written, mark: '', postedAt: clock.now() });
    const checks = settings.checks && found !== undefined ? await this.report(showing, found) : row.checks;
    if (checks === undefined) return;
    const asked = await askPeople(this.parts, showing, place);
    this.away.delete(run.id);
    this.rows.save({ ...written, mark, checks, asked, postedAt: clock.now() });
  }

  /** Writes the comment where it belongs; undefined if the forge has to be asked again later. */
  private async write(showing: ShownRun, { issue, pr }: Place): Promise<RunRow | undefined> {
    const { row, view } = showing;
    const body = runComment(view);
    const digest = digestOf(body);
    const [number, known] = pr === undefined ? [issue as number, row.issueComment] : [pr, row.prComment];
    // A comment that could not be changed is gone or out of reach (SF2).
    const isLeft = known !== undefined && (row.body === digest || row.problem !== undefined);
    const posted = isLeft ? undefined : await this.post(showing, { number, known, body });
    if (posted !== undefined && 'later' in posted) return undefined;
    const at = posted?.at ?? this.parts.clock.now();
    const id = posted?.id ?? known;
    const shown = questionsOf(view, { before: known === undefined ? [] : row.shown, at });
    const problem = isLeft ? row.problem : posted?.problem;
    const next = { ...row, body: digest, shown: problem === undefined ? shown : [], problem };
    if (pr === undefined) return { ...next, issueComment: id };
    await this.leave(showing, pr);
    return { ...next, prComment: id };
  }

  /** Creates the comment, or changes it. */
  private async post(
    { row, version }: ShownRun,
    { number, known, body }: { readonly number: number; readonly known: string | undefined; readonly body: string },
  ): Promise<PostResult | { readonly later: true }> {
    const { forge } = this.parts;
    const { run } = row;
    let id = known;
    let at: number | undefined;
    if (id === undefined) {
      const made = await forge.comment({ number, body }, `${run}/surface/${number}`);
      if (made.result !== 'ok') return this.refused(run, made);
      ({ id, at } = made.value);
      // An earlier server may have created it and died before it took note: then its text is an old one.
      if (version === 0) return { id, at };
    }
    const edited = await forge.editComment({ id, body }, `${run}/surface/${number}/${version}`);
    if (edited.result !== 'ok') return { ...this.refused(run, edited), ...present({ id }) };
    return { id, at: edited.value.at ?? at };
  }

  /** The comment at the issue says where the run continues. */
  private async leave({ row, view }: ShownRun, pr: number): Promise<void> {
    const { forge, warn } = this.parts;
    if (row.issueComment === undefined) return;
    const body = movedComment(view.report, pr);
    const left = await forge.editComment({ id: row.issueComment, body }, `${row.run}/surface/moved/${pr}/${digestOf(body)}`);
    if (left.result !== 'ok' && !retryHintOf(left).isTransient)
      warn(new Error(`the comment of run ${row.run} was not changed: ${left.message}`));
  }

  /** Reports the gates as checks; undefined if the forge has to be asked again later. */
  private async report({ view, row, version }: ShownRun, pull: PullRequestFacts): Promise<RunRow['checks'] | undefined> {
    const { forge, link, warn } = this.parts;
    // A merge can follow its gate so fast that the gate is still shown as under way.
    if (pull.state !== 'open' && Object.keys(row.checks).length === 0) return row.checks;
    const reported: Record<string, string> = {};
    for (const { check, memo } of stepChecks(view, { head: pull.headSha, before: row.checks, url: link(row.run) })) {
      reported[check.name] = memo;
      if (row.checks[check.name] === memo) continue;
      const set = await forge.setCheck(check, `${row.run}/surface/check/${version}/${check.name}`);
      if (set.result === 'ok') continue;
      if (retryHintOf(set).isTransient) {
        this.later(row.run, set);
        return undefined;
      }
      warn(new Error(`the check "${check.name}" of run ${row.run} was not reported: ${set.message}`));
    }
    return reported;
  }

  private refused(run: string, failure: Exclude<ForgeAnswer<never>, { readonly result: 'ok' }>): PostResult | { readonly later: true } {
    if (retryHintOf(failure).isTransient) {
      this.later(run, failure);
      return { later: true };
    }
    this.parts.warn(new Error(`the comment of run ${run} was not written: ${failure.message}`));
    return { problem: failure.message };
  }

  private later(run: string, failure: Exclude<ForgeAnswer<never>, { readonly result: 'ok' }>): void {
    const { clock } = this.parts;
    this.away.set(run, Math.max(retryHintOf(failure).until ?? 0, clock.now() + AWAY_MS));
  }
}

/** A run while it is shown. */
export interface ShownRun {
  readonly view: RunView;
  readonly row: RunRow;
  readonly version: number;
  readonly pull: PullRequestFacts | undefined;
}

/** Where a run is shown. */
export interface Place {
  readonly issue: number | undefined;
  readonly pr: number | undefined;
}

interface PostResult {
  readonly id?: string | undefined;
  readonly at?: number | undefined;
  readonly problem?: string;
}

/** What is asked now. What was shown before, with the same content at the same head, has been there since then. */
function questionsOf(view: RunView, { before, at }: { readonly before: RunRow['shown']; readonly at: number }): ShownQuestion[] {
  const { approvals, questions } = view;
  const head = view.head ?? null;
  const asked = [
    ...approvals.map(({ run, approval: { path, digest } }) => ({ run, path, digest })),
    ...questions.filter(areShownWhole).map(({ run, path, digest }) => ({ run, path, digest })),
  ];
  return asked.map((one) => before.find((old) => isSameQuestion(old, { ...one, head })) ?? { ...one, head, at });
}

function isSameQuestion(one: Omit<ShownQuestion, 'at'>, other: Omit<ShownQuestion, 'at'>): boolean {
  return one.run === other.run && one.path === other.path && one.digest === other.digest && one.head === other.head;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** When the first server that shows runs at this forge began. */
function firstServed({ database, clock, forge }: SurfaceParts): number {
  database.run('INSERT INTO surface_begun (forge, at) VALUES (?, ?) ON CONFLICT DO NOTHING', forge.name, clock.now());
  return Number(database.get('SELECT at FROM surface_begun WHERE forge = ?', forge.name)?.at);
}
