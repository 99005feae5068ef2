// Keeps the comments and checks of runs at the forge up to date: one comment per run, and one check per gate. It compares
// the state of runs with what was shown last, so that it catches up after a crash or an outage.
//
// SF1. A run has at most one comment at an issue and one at a pull request. It is edited at most every few seconds.
// - A comment is written only if its text differs from what was written last.
// SF2. A deleted comment is not created again, and after a rejected comment nothing is written until the run continues.
// - Several runs that change at the same time are written one after the other: GitHub asks for a second between two writes.

import { digestText } from '../../../base/digest.ts';
import type { Clock } from '../../../engine/clock.ts';
import { type Forge, type ForgeAnswer, type PullRequestFacts, retryHintOf } from '../../../forge/forge.ts';
import type { RunSummary, Store } from '../../../store/store.ts';
import { CommitAlarm } from '../../events/alarm.ts';
import type { ServerDatabase } from '../../server-database.ts';
import { askPeople } from '../asked-people.ts';
import { areShownWhole } from '../decision-lines.ts';
import { stepChecks } from '../step/checks.ts';
import type { SurfaceSettings } from '../surface-settings.ts';
import { movedComment, runComment } from './comment.ts';
import { type RunRow, RunRows, type ShownQuestion } from './rows.ts';
import { type RunView, readRunView, subjectOfRun } from './view.ts';

/** What the surface needs. */
export interface SurfaceParts {
  readonly forge: Forge;
  readonly settings: SurfaceSettings;
  readonly store: Store;
  readonly database: ServerDatabase;
  readonly clock: Clock;
  /** The link to a run in the dashboard; undefined without a public address. */
  readonly link: (run: string) => string | undefined;
  readonly warn: (error: unknown) => void;
}

/** The least time between two changes of one comment. */
export const EDIT_MS = 5000;
/** How long to wait if the forge names no time. */
const RETRY_MS = 30_000;
/** Runs that began and ended between two checks are among the newest. */
const NEWEST = 50;
const PAUSE_MS = 100;

/** The mark of a run that has ended for good. */
const ENDED = /^(?:completed|overridden|rejected|cancelled)\//;

/** Shows runs at a forge. */
export class RunSurface extends CommitAlarm<SurfaceParts> {
  readonly rows: RunRows;
  private editMs = EDIT_MS;
  /** When to try again after the forge failed, by run. */
  private readonly retryAt = new Map<string, number>();
  /** When the first server for this forge started: runs that had ended or stopped before are not shown. */
  private readonly firstStart: number;

  constructor(parts: SurfaceParts) {
    super(parts, PAUSE_MS);
    this.rows = new RunRows(parts.database);
    this.firstStart = firstServerStart(parts);
  }

  /** Writes everything that is out of date without waiting between edits: for a process that is about to end. */
  async flush(): Promise<void> {
    this.editMs = 0;
    // The first may only wait for work that had begun before.
    await this.ring();
    await this.ring();
    this.editMs = EDIT_MS;
  }

  protected override async work(): Promise<number | undefined> {
    const { clock, warn } = this.parts;
    const dues: number[] = [];
    for (const { run, mark } of await this.changedRuns()) {
      const row = this.rows.get(run.id);
      const due = Math.max((row?.postedAt ?? 0) + this.editMs, this.retryAt.get(run.id) ?? 0);
      if (due > clock.now()) dues.push(due);
      else
        await this.showRun(run, mark).catch((error: unknown) => {
          this.retryAt.set(run.id, clock.now() + RETRY_MS);
          warn(error);
        });
    }
    return dues.length === 0 ? undefined : Math.min(...dues);
  }

  /** The runs of issues and pull requests that differ from what was shown of them. */
  private async changedRuns(): Promise<{ readonly run: RunSummary; readonly mark: string }[]> {
    const { store } = this.parts;
    const known = this.rows.marks();
    const listed = new Map((await this.openAndNewest()).map((run) => [run.id, run]));
    for (const [id, mark] of known)
      if (!listed.has(id) && !ENDED.test(mark)) for (const run of await store.list({ id })) listed.set(id, run);
    const heads = new Map((await store.heads({ of: [...listed.keys()] })).map(({ run, seq }) => [run, seq]));
    const below = Map.groupBy(
      [...listed.values()].filter(({ parent }) => parent !== undefined),
      ({ parent }) => parent as string,
    );
    const markOf = ({ id, status }: RunSummary): string =>
      [`${status}/${heads.get(id)}`, ...(below.get(id) ?? []).map((child) => markOf(child)).sort()].join(' ');
    // The settings are part of the mark, so that a setting that is switched on later takes effect.
    const { comments, checks, commands } = this.parts.settings;
    const how = [comments, checks, commands].map(Number).join('');
    return [...listed.values()]
      .filter(({ parent, damaged }) => parent === undefined && damaged === undefined)
      .map((run) => ({ run, mark: `${markOf(run)} ${how}` }))
      .filter(({ run, mark }) => known.get(run.id) !== mark)
      .sort((a, b) => a.run.place - b.run.place);
  }

  /** All open runs, and the newest runs since the first start. */
  private async openAndNewest(): Promise<RunSummary[]> {
    const { store } = this.parts;
    const since = this.firstStart;
    return [
      ...(await store.list({ status: ['pending', 'running', 'waiting'] })),
      ...(await store.list({ status: ['failed', 'escalated'], since })),
      ...(await store.list({ limit: NEWEST, since })),
    ];
  }

  private async showRun(run: RunSummary, mark: string): Promise<void> {
    const { store, forge, settings, link, clock } = this.parts;
    const { issue, pr } = await subjectOfRun(store, run.id, run.origin);
    if (issue === undefined && pr === undefined) return;
    const pull = pr === undefined ? undefined : await forge.pullRequest(pr);
    if (pull !== undefined && pull.result !== 'ok' && retryHintOf(pull).isTransient) return this.retryLater(run.id, pull);
    const found = pull?.result === 'ok' ? pull.value : undefined;
    const target = { issue, pr: found === undefined ? undefined : pr };
    const view = await readRunView(store, run.id, {
      head: found?.headSha,
      link: link(run.id),
      acceptsCommands: settings.commands && settings.comments,
    });
    const version = this.rows.nextVersion(run.id, target);
    const row = this.rows.get(run.id) as RunRow;
    const showing: ShownRun = { view, row, version, pull: found };
    const written = settings.comments ? await this.writeComment(showing, target) : row;
    if (written === undefined) return;
    // Saved before the checks are written: people may answer the comment immediately.
    this.rows.save({ ...written, mark: '', postedAt: clock.now() });
    const checks = settings.checks && found !== undefined ? await this.reportChecks(showing, found) : row.checks;
    if (checks === undefined) return;
    const asked = await askPeople(this.parts, showing, target);
    this.retryAt.delete(run.id);
    this.rows.save({ ...written, mark, checks, asked, postedAt: clock.now() });
  }

  /** Writes the comment at the pull request or the issue; undefined if it has to be retried later. */
  private async writeComment(showing: ShownRun, { issue, pr }: CommentTarget): Promise<RunRow | undefined> {
    const { row, view } = showing;
    const body = runComment(view);
    const digest = digestOf(body);
    const [number, known] = pr === undefined ? [issue as number, row.issueComment] : [pr, row.prComment];
    // A comment that could not be edited was deleted or cannot be reached (SF2).
    const isKept = known !== undefined && (row.body === digest || row.problem !== undefined);
    const posted = isKept ? undefined : await this.post(showing, { number, known, body });
    if (posted?.kind === 'later') return undefined;
    const at = (posted?.kind === 'written' ? posted.at : undefined) ?? this.parts.clock.now();
    const id = posted?.id ?? known;
    const shown = questionsOf(view, { before: known === undefined ? [] : row.shown, at });
    const problem = isKept ? row.problem : posted?.kind === 'rejected' ? posted.problem : undefined;
    const next = { ...row, body: digest, shown: problem === undefined ? shown : [], problem };
    if (pr === undefined) return { ...next, issueComment: id };
    await this.editMovedComment(showing, pr);
    return { ...next, prComment: id };
  }

  /** Creates the comment, or edits it. */
  private async post(
    { row, version }: ShownRun,
    { number, known, body }: { readonly number: number; readonly known: string | undefined; readonly body: string },
  ): Promise<PostResult> {
    const { forge } = this.parts;
    const { run } = row;
    let id = known;
    let at: number | undefined;
    if (id === undefined) {
      const created = await forge.comment({ number, body }, `${run}/surface/${number}`);
      if (created.result !== 'ok') return this.failedPost(run, created, undefined);
      ({ id, at } = created.value);
      // An earlier server may have created it and died before it recorded that: then its text is out of date.
      if (version === 0) return { kind: 'written', id, at };
    }
    const edited = await forge.editComment({ id, body }, `${run}/surface/${number}/${version}`);
    if (edited.result !== 'ok') return this.failedPost(run, edited, id);
    return { kind: 'written', id, at: edited.value.at ?? at };
  }

  /** Edits the comment at the issue to say where the run continues. */
  private async editMovedComment({ row, view }: ShownRun, pr: number): Promise<void> {
    const { forge, warn } = this.parts;
    if (row.issueComment === undefined) return;
    const body = movedComment(view.report, pr);
    const edited = await forge.editComment({ id: row.issueComment, body }, `${row.run}/surface/moved/${pr}/${digestOf(body)}`);
    if (edited.result !== 'ok' && !retryHintOf(edited).isTransient)
      warn(new Error(`the comment of run ${row.run} was not edited: ${edited.message}`));
  }

  /** Reports the gates as checks; undefined if that has to be retried later. */
  private async reportChecks({ view, row, version }: ShownRun, pull: PullRequestFacts): Promise<RunRow['checks'] | undefined> {
    const { forge, link, warn } = this.parts;
    // A merge can follow its gate so fast that the gate is still shown as in progress.
    if (pull.state !== 'open' && Object.keys(row.checks).length === 0) return row.checks;
    const reported: Record<string, string> = {};
    for (const { check, memo } of stepChecks(view, { head: pull.headSha, before: row.checks, url: link(row.run) })) {
      reported[check.name] = memo;
      if (row.checks[check.name] === memo) continue;
      const set = await forge.setCheck(check, `${row.run}/surface/check/${version}/${check.name}`);
      if (set.result === 'ok') continue;
      if (retryHintOf(set).isTransient) {
        this.retryLater(row.run, set);
        return undefined;
      }
      warn(new Error(`the check "${check.name}" of run ${row.run} was not reported: ${set.message}`));
    }
    return reported;
  }

  private failedPost(run: string, failure: Exclude<ForgeAnswer<never>, { readonly result: 'ok' }>, id: string | undefined): PostResult {
    if (retryHintOf(failure).isTransient) {
      this.retryLater(run, failure);
      return { kind: 'later' };
    }
    this.parts.warn(new Error(`the comment of run ${run} was not written: ${failure.message}`));
    return { kind: 'rejected', id, problem: failure.message };
  }

  private retryLater(run: string, failure: Exclude<ForgeAnswer<never>, { readonly result: 'ok' }>): void {
    const { clock } = this.parts;
    this.retryAt.set(run, Math.max(retryHintOf(failure).until ?? 0, clock.now() + RETRY_MS));
  }
}

/** A run while it is shown. */
export interface ShownRun {
  readonly view: RunView;
  readonly row: RunRow;
  readonly version: number;
  readonly pull: PullRequestFacts | undefined;
}

/** The issue or pull request where a run is shown. */
export interface CommentTarget {
  readonly issue: number | undefined;
  readonly pr: number | undefined;
}

/** What became of a comment: written, rejected by the forge (perhaps after it was created), or to be tried again later. */
type PostResult =
  | { readonly kind: 'written'; readonly id: string; readonly at: number | undefined }
  | { readonly kind: 'rejected'; readonly id: string | undefined; readonly problem: string }
  | { readonly kind: 'later' };

/** The questions that are shown now. One that was shown before, with the same content at the same head, keeps its time. */
function questionsOf(view: RunView, { before, at }: { readonly before: RunRow['shown']; readonly at: number }): ShownQuestion[] {
  const { approvals, questions } = view;
  const head = view.head ?? null;
  const asked = [
    ...approvals.map(({ run, approval: { path, digest } }) => ({ run, path, digest })),
    ...questions.filter(areShownWhole).map(({ run, path, digest }) => ({ run, path, digest })),
  ];
  return asked.map((question) => before.find((old) => isSameQuestion(old, { ...question, head })) ?? { ...question, head, at });
}

function isSameQuestion(one: Omit<ShownQuestion, 'at'>, other: Omit<ShownQuestion, 'at'>): boolean {
  return one.run === other.run && one.path === other.path && one.digest === other.digest && one.head === other.head;
}

function digestOf(text: string): string {
  return digestText(text).slice(0, 32);
}

/** When the first server that shows runs at this forge started. */
function firstServerStart({ database, clock, forge }: SurfaceParts): number {
  database.insert('surface_start', { forge: forge.name, at: clock.now() }, 'ignore');
  return Number(database.get('SELECT at FROM surface_start WHERE forge = ?', forge.name)?.at);
}
