// `pawl graph WORKFLOW|RUN`: draws the graph of a workflow, or of a run with its progress.

import { resolve } from 'node:path';
import { isEngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { isRunIdPrefix } from '../../base/id.ts';
import { graphOfRun } from '../../control/run/graph.ts';
import { readRunReport } from '../../control/run/report.ts';
import { describeGraph, drawMermaid, type GraphDescription } from '../../definition/describe.ts';
import type { Store } from '../../store/store.ts';
import { type CommandRun, type ParsedArgs, usageError } from '../command.ts';
import { writeOutput } from '../output-file.ts';
import { closing, findRun, findSetup, openExisting, openForRun, type Setup } from '../session.ts';
import { SCHEMA_VERSION, type Shell } from '../shell.ts';

interface Subject {
  readonly graph: GraphDescription;
  readonly run?: { readonly id: string; readonly status: string };
}

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const format = args.option('format') ?? defaultFormat(shell, args);
  const setup = await findSetup(shell, args);
  const { graph, run: drawn } = await subjectOf(shell, args, setup);
  const json = { ...omitUndefined({ run: drawn }), graph };
  const text =
    format === 'json' ? `${JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...json }, null, 2)}\n` : await draw(shell, format, graph);
  const file = args.option('out');
  if (file === undefined) {
    if (shell.wantsJson && format !== 'json') shell.result({ ...json, format, text }, () => []);
    else shell.write(text);
    return 0;
  }
  const path = resolve(shell.cwd, file);
  writeOutput(path, text, { label: 'the graph' });
  return shell.result({ ...json, format, file: path }, () => [`Wrote ${path}`]);
};

function defaultFormat(shell: Shell, args: ParsedArgs): string {
  if (shell.wantsJson) return 'json';
  return shell.display.isTerminal && args.option('out') === undefined ? 'text' : 'mermaid';
}

async function draw(shell: Shell, format: string, graph: GraphDescription): Promise<string> {
  if (format === 'text') return (await import('../draw/text.ts')).drawText(graph, shell.display);
  if (format === 'dot') return (await import('../draw/dot.ts')).drawDot(graph);
  if (format === 'svg') return (await import('../draw/svg.ts')).drawSvg(graph);
  return drawMermaid(graph);
}

const FULL_ID = 16;

/** The named run or workflow. A short word that matches both a workflow and a run id means the workflow. */
async function subjectOf(shell: Shell, args: ParsedArgs, setup: Setup): Promise<Subject> {
  const named = args.option('run');
  const word = args.maybe('WORKFLOW');
  if (named !== undefined && word !== undefined)
    throw usageError(`"${word}" and --run ${named} cannot be combined; give a workflow or a run`);
  if (named !== undefined) {
    return closing(await openForRun(setup, named, 'read'), async (store) => graphOf(store, await findRun(store, named, setup)));
  }
  if (word === undefined)
    throw usageError('WORKFLOW is missing: give the name or file of a workflow, or a run; "pawl list" and "pawl runs" show them');
  if (word.length === FULL_ID) return (await runGraph(word, setup)) ?? workflowGraph(shell, setup, word);
  try {
    return await workflowGraph(shell, setup, word);
  } catch (error) {
    const drawn = isEngineError(error) && error.code === 'WORKFLOW_UNKNOWN' ? await runGraph(word, setup) : undefined;
    if (drawn === undefined) throw error;
    return drawn;
  }
}

/** The graph of the run with an id prefix; undefined if there is none, because the word may be a workflow. */
async function runGraph(word: string, setup: Setup): Promise<Subject | undefined> {
  const store = isRunIdPrefix(word) ? await openExisting(setup) : undefined;
  if (store === undefined) return undefined;
  return closing(store, async () => {
    const [first, second] = await store.resolve(word, 2);
    if (first === undefined) return undefined;
    return graphOf(store, second === undefined ? first : await findRun(store, word, setup));
  });
}

async function graphOf(store: Store, id: string): Promise<Subject> {
  const report = await readRunReport(store, id);
  const { definition } = await store.load(id);
  const events = (await store.events(id, 0)).flatMap((row) => row.events);
  return { graph: graphOfRun(definition, report, events), run: { id, status: report.run.status } };
}

async function workflowGraph(shell: Shell, setup: Setup, word: string): Promise<Subject> {
  const { loadDescription } = await import('../load.ts');
  const { definition } = (await loadDescription(shell, setup.project, word)).workflow;
  if (definition.form === 'flow')
    throw usageError(
      `"${definition.name}" is a flow, so it has no graph before it runs; draw one of its runs with "pawl graph --run RUN" ("pawl runs --workflow ${definition.name}" lists them)`,
    );
  return { graph: describeGraph(definition) };
}
