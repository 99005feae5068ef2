// Owns the MCP resources: the runs that a session may see, their logs, and the graphs of workflows. Their size is limited, they
// contain no tokens, and reading changes nothing.

import type { AttendedSession } from '../../attended/session.ts';
import { isEngineError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { readRunReport } from '../../control/run/report.ts';
import { describeGraph, drawMermaid } from '../../definition/describe.ts';
import type { ResourceContent, ResourceServer } from '../../mcp/server.ts';
import type { Store } from '../../store/store.ts';
import { loadDescription } from '../load.ts';
import { eventPath, eventText } from '../run-report/event-text.ts';
import type { Setup } from '../session.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';

/** The maximum size of a resource; a log is cut at its beginning. */
const TEXT_MAX = 32 * 1024;
const RUNS_LISTED = 20;
const LOG_LINES = 300;

interface Reader {
  readonly shell: Shell;
  readonly setup: Setup;
  readonly session: AttendedSession;
  readonly store: () => Promise<Store>;
}

/** The resources of a session. */
export function resourcesOf(reader: Reader): ResourceServer {
  return {
    templates: TEMPLATES,
    list: async () => {
      const runs = (await reader.session.visibleRuns()).slice(0, RUNS_LISTED);
      const { workflows } = await reader.session.offers();
      return [
        { uri: 'pawl://runs', name: 'runs', title: 'The runs of this session and the open ones of the project', mimeType: JSON_TYPE },
        ...runs.flatMap((run) => [
          { uri: `pawl://run/${run}`, name: `run ${run}`, mimeType: JSON_TYPE },
          { uri: `pawl://run/${run}/log`, name: `log of run ${run}`, mimeType: 'text/plain' },
        ]),
        ...workflows.map(({ name }) => {
          return { uri: `pawl://workflow/${encodeURIComponent(name)}/graph`, name: `graph of ${name}`, mimeType: MERMAID_TYPE };
        }),
      ];
    },
    read: (uri) => read(reader, uri),
  };
}

const JSON_TYPE = 'application/json';
const MERMAID_TYPE = 'text/vnd.mermaid';
const TEMPLATES: readonly JsonObject[] = [
  { uriTemplate: 'pawl://run/{id}', name: 'run', title: 'A run: its status, its steps, and what it waits for', mimeType: JSON_TYPE },
  { uriTemplate: 'pawl://run/{id}/log', name: 'log', title: 'The end of the log of a run', mimeType: 'text/plain' },
  { uriTemplate: 'pawl://workflow/{name}/graph', name: 'graph', title: 'The graph of a workflow, as Mermaid', mimeType: MERMAID_TYPE },
];

async function read(reader: Reader, uri: string): Promise<ResourceContent | undefined> {
  if (uri === 'pawl://runs') return json(await runRows(reader));
  const [, run, log] = /^pawl:\/\/run\/([0-9a-z]{1,32})(\/log)?$/.exec(uri) ?? [];
  if (run !== undefined) {
    // A run that the session may not see is treated like one that does not exist.
    if (!(await reader.session.visibleRuns()).includes(run)) return undefined;
    return log === undefined ? readRun(await reader.store(), run) : readLog(await reader.store(), run);
  }
  const [, workflow] = /^pawl:\/\/workflow\/([^/]+)\/graph$/.exec(uri) ?? [];
  return workflow === undefined ? undefined : readGraph(reader, decoded(workflow));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

async function runRows({ session, store: open }: Reader): Promise<JsonObject> {
  const ids = (await session.visibleRuns()).slice(0, RUNS_LISTED);
  if (ids.length === 0) return { runs: [] };
  const store = await open();
  const runs = await Promise.all(
    ids.map(async (id) => {
      const { run } = await readRunReport(store, id, () => false);
      return { id, workflow: run.workflow, status: run.status, currentStep: run.currentStep, updatedAt: run.updatedAt };
    }),
  );
  return { runs };
}

async function readRun(store: Store, id: string): Promise<ResourceContent> {
  const { run, plan, waits } = await readRunReport(store, id, () => false);
  const { workflow, title, status, currentStep, startedAt, updatedAt, error } = run;
  const whole = { id, workflow, title, status, currentStep, startedAt, updatedAt, error, plan, waits } as unknown as JsonObject;
  // A plan of thousands of steps is left out; the log shows the progress.
  return JSON.stringify(whole).length <= TEXT_MAX ? json(whole) : json({ id, workflow, title, status, currentStep, startedAt, updatedAt });
}

async function readLog(store: Store, id: string): Promise<ResourceContent> {
  const lines = (await store.events(id, 0)).flatMap(({ seq, events }) =>
    events.map((event) => `${seq}  ${new Date(event.at).toISOString()}  ${oneLine(eventPath(event))}  ${eventText(event)}`),
  );
  const last = lines.slice(-LOG_LINES);
  while (last.length > 1 && last.join('\n').length > TEXT_MAX) last.shift();
  const cut = lines.length - last.length;
  const head = cut === 0 ? [] : [`(${cut} earlier lines are left out; "pawl logs ${id}" prints all)`];
  return { mimeType: 'text/plain', text: [...head, ...last].join('\n').slice(0, TEXT_MAX).toWellFormed() };
}

/** The graph of a workflow that this session may start or works on; undefined for any other, so that its name stays unknown. */
async function readGraph({ shell, setup, session }: Reader, name: string): Promise<ResourceContent | undefined> {
  if (!(await session.visibleWorkflows()).includes(name)) return undefined;
  try {
    const { definition } = (await loadDescription(shell, setup.project, name)).workflow;
    return definition.form === 'flow'
      ? undefined
      : { mimeType: MERMAID_TYPE, text: drawMermaid(describeGraph(definition)).slice(0, TEXT_MAX) };
  } catch (error) {
    if (isEngineError(error)) return undefined;
    throw error;
  }
}

function json(value: JsonObject): ResourceContent {
  return { mimeType: JSON_TYPE, text: JSON.stringify(value) };
}
