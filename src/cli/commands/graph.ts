// `pawl graph WORKFLOW|RUN`: the transition graph of a workflow, or of a run with where it stands.

import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { EngineError, isEngineError, messageOf } from '../../base/error.ts';
import { isRunIdPrefix } from '../../base/id.ts';
import { describeGraph, drawMermaid, type GraphDescription } from '../../definition/describe.ts';
import type { Store } from '../../store/store.ts';
import type { CommandRun, ParsedArgs } from '../command.ts';
import { graphOfRun } from '../run-report/graph.ts';
import { readRunReport } from '../run-report/run-report.ts';
import { findPlace, findRun, openExisting, openForRun, type Place } from '../session.ts';
import { SCHEMA_VERSION, type Shell } from '../shell.ts';

/** A graph, and the run it was drawn from if there is one. */
interface Subject {
  readonly graph: GraphDescription;
  readonly run?: { readonly id: string; readonly status: string };
}

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const format = given.option('format') ?? (shell.wantsJson ? 'json' : 'mermaid');
  const place = await findPlace(shell, given);
  const { graph, run: drawn } = await subjectOf(shell, given, place);
  const json = { ...(drawn === undefined ? {} : { run: drawn }), graph };
  const text =
    format === 'json' ? `${JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...json }, null, 2)}\n` : await drawnAs(format, graph);
  const file = given.option('out');
  if (file === undefined) {
    if (shell.wantsJson && format !== 'json') shell.result({ ...json, format, text }, () => []);
    else shell.write(text);
    return 0;
  }
  const path = resolve(shell.cwd, file);
  try {
    writeFileSync(path, text);
  } catch (cause) {
    throw new EngineError('USAGE', `the graph could not be written to ${path}: ${messageOf(cause)}`, { cause });
  }
  shell.result({ ...json, format, file: path }, () => [`Wrote ${path}`]);
  return 0;
};

async function drawnAs(format: string, graph: GraphDescription): Promise<string> {
  if (format === 'dot') return (await import('../draw/dot.ts')).drawDot(graph);
  if (format === 'svg') return (await import('../draw/svg.ts')).drawSvg(graph);
  return drawMermaid(graph);
}

const FULL_ID = 16;

/** The run that is named, or the workflow; a short word that is a workflow's name and a run's beginning is the workflow. */
async function subjectOf(shell: Shell, given: ParsedArgs, place: Place): Promise<Subject> {
  const named = given.option('run');
  const word = given.maybe('WORKFLOW');
  if (named !== undefined && word !== undefined)
    throw new EngineError('USAGE', `give a workflow or --run, not both: "${word}" and --run ${named}`);
  if (named !== undefined) {
    const store = await openForRun(place, named, 'look');
    return closing(store, async () => graphOf(store, await findRun(store, named, place)));
  }
  if (word === undefined)
    throw new EngineError('USAGE', 'WORKFLOW is missing: name a workflow, its file, or a run; "pawl list" and "pawl runs" show them');
  if (word.length === FULL_ID) return (await runNamed(word, place)) ?? workflowNamed(shell, place, word);
  try {
    return await workflowNamed(shell, place, word);
  } catch (error) {
    const drawn = isEngineError(error) && error.code === 'WORKFLOW_UNKNOWN' ? await runNamed(word, place) : undefined;
    if (drawn === undefined) throw error;
    return drawn;
  }
}

async function closing<T>(store: Store, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await store.close();
  }
}

/** The run whose id begins so; nothing when there is none, since the word may be a workflow. */
async function runNamed(word: string, place: Place): Promise<Subject | undefined> {
  const store = isRunIdPrefix(word) ? await openExisting(place) : undefined;
  if (store === undefined) return undefined;
  return closing(store, async () => {
    const [first, second] = await store.resolve(word, 2);
    if (first === undefined) return undefined;
    return graphOf(store, second === undefined ? first : await findRun(store, word, place));
  });
}

async function graphOf(store: Store, id: string): Promise<Subject> {
  const report = await readRunReport(store, id);
  const { definition } = await store.load(id);
  const events = (await store.events(id, 0)).flatMap((row) => row.events);
  return { graph: graphOfRun(definition, report, events), run: { id, status: report.run.status } };
}

async function workflowNamed(shell: Shell, place: Place, word: string): Promise<Subject> {
  const { loadDefinition } = await import('../load.ts');
  const definition = await loadDefinition(shell, place.project, word);
  if (definition.form === 'flow')
    throw new EngineError(
      'USAGE',
      `"${definition.name}" is a flow: its steps are known only from a run; draw one with "pawl graph --run RUN" ("pawl runs --workflow ${definition.name}" lists them)`,
    );
  return { graph: describeGraph(definition) };
}
