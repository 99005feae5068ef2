// Owns the routes that show runs: lists with cursors, one run, and its parts.

import type * as z from 'zod';
import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { Json } from '../../base/json.ts';
import { readRunDiff } from '../../control/run/diff.ts';
import { graphOfRun } from '../../control/run/graph.ts';
import { runRow, withUsage } from '../../control/run/list.ts';
import { readRunReport } from '../../control/run/report.ts';
import type { RunReport } from '../../control/schema/run.ts';
import { readStepDetail, valuesOf } from '../../control/step-detail.ts';
import { timelineOf } from '../../control/timeline.ts';
import { isSettled } from '../../definition/run-status.ts';
import { readTranscript, type TranscriptLine } from '../../engine/transcript/transcripts.ts';
import type { RunQuery, Store } from '../../store/store.ts';
import type { runsQuery } from '../contract/run.ts';
import { handle, type ServerApp } from '../route.ts';
import type { Services } from '../services.ts';
import { shapeOf } from '../workflow-shape.ts';
import { API_ROUTES } from './routes.ts';
import { readRunPage } from './run-page.ts';
import { iso, timeOf } from './times.ts';

const BARS_MAX = 5000;
const DIFF_BYTES = 1 << 20;
const CURSOR_MARK = 'p1.';

/** Mounts the routes that show runs. */
export function mountRuns(app: ServerApp, services: Services): void {
  const { store, repeats } = services;
  const target = { app, repeats };
  handle(target, API_ROUTES.runs, ({ query }) => listPage(store, query));
  handle(target, API_ROUTES.run, async ({ param }) => reportOf(services, param('id')));
  handle(target, API_ROUTES.graph, ({ param }) => graphOf(store, param('id')));
  handle(target, API_ROUTES.timeline, ({ param }) => barsOf(store, param('id')));
  handle(target, API_ROUTES.step, ({ param }) => stepOf(services, param('id'), param('path')));
  handle(target, API_ROUTES.log, async ({ param, query }) => logOf(services, { run: param('id'), path: param('path'), ...query }));
  handle(target, API_ROUTES.history, async ({ param, query: { after, limit } }) => {
    const rows = await store.events(param('id'), after, limit);
    const shown = rows.map(({ seq, at: time, events, hash }) => ({ seq, at: iso(time), events: events as unknown as Json[], hash }));
    return { rows: shown, next: rows.length < limit ? null : (rows.at(-1)?.seq ?? null) };
  });
  handle(target, API_ROUTES.diff, ({ param, query: { step } }) => diffOf(services, param('id'), step));
  handle(target, API_ROUTES.artifact, ({ param }) => artifactOf(store, param('id'), param('digest')));
}

/** The report of a run, completed by the project. */
export async function reportOf({ store, project }: Pick<Services, 'store' | 'project'>, run: string): Promise<RunReport> {
  const report = await readRunReport(store, run);
  return (await project.completeReport?.(report)) ?? report;
}

async function listPage(store: Store, query: z.output<typeof runsQuery>) {
  const { runs, below, rest } = await readRunPage(store, { ...filterOf(query), limit: query.limit });
  return {
    runs: (await withUsage(store, runs)).map(runRow),
    next: below === undefined ? null : encodeCursor(below),
    rest: rest === undefined ? null : iso(rest),
  };
}

const PARAM = 'param.';

function filterOf(query: z.output<typeof runsQuery>): RunQuery {
  const { workflow, status, text, tag, parent, since, until, cursor } = query;
  const params = Object.entries(query).flatMap(([name, value]) =>
    name.startsWith(PARAM) ? [[name.slice(PARAM.length), String(value)] as const] : [],
  );
  return omitUndefined({
    ...{ workflow, text: text === '' ? undefined : text, parent },
    status: status === undefined ? undefined : [status].flat(),
    tags: tag === undefined ? undefined : [tag].flat(),
    params: params.length === 0 ? undefined : Object.fromEntries(params),
    since: timeOf(since, 'since'),
    before: timeOf(until, 'until'),
    below: cursor === undefined ? undefined : decodeCursor(cursor),
  });
}

async function graphOf(store: Store, run: string) {
  const [report, { definition }, rows] = await Promise.all([readRunReport(store, run, () => false), store.load(run), store.events(run, 0)]);
  const graph = graphOfRun(
    definition,
    report,
    rows.flatMap(({ events }) => events),
  );
  const last = new Map(report.steps.map((step) => [step.step, step]));
  const groups = new Map(report.groups.map((group) => [group.step, group]));
  const state = report.plan.map(({ step, status, visits }) => {
    const group = groups.get(step);
    const members = group && { total: group.total, ok: group.ok, failed: group.failed, running: group.open };
    return [step, { status, visits, outcome: last.get(step)?.outcome ?? null, ...omitUndefined({ members }) }] as const;
  });
  return {
    ...shapeOf(graph),
    state: Object.fromEntries(state),
    taken: graph.arrows.flatMap(({ from, to, on, taken = 0 }) => (taken === 0 ? [] : [{ from, to, outcome: on[0] ?? 'ok', times: taken }])),
  };
}

async function barsOf(store: Store, run: string) {
  const [rows, { state }] = await Promise.all([store.events(run, 0), store.load(run)]);
  const bars = timelineOf(rows);
  const shown = bars.slice(-BARS_MAX).map(({ from, to, ...bar }) => ({ ...bar, from: iso(from), to: to === null ? null : iso(to) }));
  return {
    from: iso(state.createdAt),
    to: isSettled(state.status) ? iso(state.at) : null,
    bars: shown,
    truncated: bars.length > shown.length,
  };
}

async function stepOf({ store, transcripts }: Services, run: string, name: string) {
  const { attempts, nextRetry, ...step } = await readStepDetail(store, run, name);
  const values = attempts.flatMap(({ output, claim, evidence, attempt }) =>
    Object.entries({ output, claim, evidence }).flatMap(([of, value]) =>
      value === null ? [] : [{ digest: value.digest, bytes: value.bytes, of: `attempt ${attempt}: ${of}` }],
    ),
  );
  return {
    ...step,
    attempts: attempts.map((attempt) => ({ ...attempt, hasLog: linesOf(transcripts, { run, ...attempt }) !== undefined })),
    nextRetry: nextRetry === undefined ? null : iso(nextRetry),
    links: { log: `/api/v1/runs/${encodeURIComponent(run)}/steps/${encodeURIComponent(step.path)}/log`, artifacts: values },
  };
}

interface LogRequest {
  readonly run: string;
  readonly path: string;
  readonly after: number;
  readonly attempt?: number | undefined;
  readonly limit: number;
}

async function logOf({ store, transcripts }: Services, { run, path, after, attempt, limit }: LogRequest) {
  const { state } = await store.load(run);
  const live = state.live[path];
  const last = attempt ?? live?.attempt ?? (await store.attempts(run)).findLast((row) => row.path === path)?.attempt;
  if (last === undefined) throw new EngineError('STEP_UNKNOWN', `run ${run} has no attempt at "${path}"`);
  const lines = linesOf(transcripts, { run, path, attempt: last }) ?? [];
  const shown = lines.slice(after, after + limit);
  const next = after + shown.length;
  const isLive = live !== undefined && live.attempt === last && !isSettled(state.status);
  return {
    text: shown.map(textOf).join(''),
    lines: shown as unknown as Json[],
    next,
    ended: !isLive && next >= lines.length,
  };
}

function linesOf(folder: string | undefined, of: { readonly run: string; readonly path: string; readonly attempt: number }) {
  return folder === undefined ? undefined : readTranscript(folder, of);
}

function textOf(line: TranscriptLine): string {
  const text = 'text' in line && typeof line.text === 'string' ? line.text : '';
  return line.kind === 'output' || text === '' ? text : `${text}\n`;
}

async function diffOf({ engine, store }: Services, run: string, step: string | undefined) {
  await store.load(run);
  const found = await readRunDiff(engine, { run, step, bytesMax: DIFF_BYTES });
  if (found === undefined)
    return { run, hasSnapshots: false, files: [], steps: [], between: [], missing: [], diff: { text: '', bytes: 0, truncated: false } };
  const { before: _before, after: _after, ...report } = found;
  return { ...report, hasSnapshots: true };
}

async function artifactOf(store: Store, run: string, digest: string): Promise<Response> {
  const value = (await valuesOf(store, run)).get(digest);
  if (value === undefined)
    throw new EngineError('RESOURCE_UNKNOWN', `run ${run} has no value ${digest.slice(0, 12)}; the steps of the run list those it has`);
  const text = (await store.values([digest])).get(digest) ?? '';
  const name = `${run}-${value.of}`.replaceAll(/[^\w.-]+/g, '-');
  return new Response(text, {
    headers: {
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="${name}.json"`,
      // The address is the digest of the content, so the response never changes.
      'cache-control': 'private, max-age=31536000, immutable',
    },
  });
}

/** The end of a page as an opaque string, which callers pass back. */
function encodeCursor(place: number): string {
  return Buffer.from(`${CURSOR_MARK}${place}`).toString('base64url');
}

function decodeCursor(cursor: string): number {
  const text = Buffer.from(cursor, 'base64url').toString();
  const place = text.startsWith(CURSOR_MARK) ? Number(text.slice(CURSOR_MARK.length)) : Number.NaN;
  if (Number.isSafeInteger(place) && place >= 0) return place;
  throw new EngineError('REQUEST_INVALID', `"${cursor}" is not a cursor; pass "next" of the previous page, or omit it`);
}
