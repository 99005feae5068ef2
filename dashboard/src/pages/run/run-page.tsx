// The page of one run: its facts, what it waits for, its steps as a graph, a timeline and a list, and one step in full.

import { lazy, Suspense, useCallback } from 'react';
import { useLocation } from 'wouter';
import type { RunReport } from '../../connection/contract.ts';
import { useRun, useRunGraph } from '../../connection/queries.ts';
import { Loading, Pending } from '../../parts/messages.tsx';
import { usePathParam, useQueryParams } from '../../parts/use-address.ts';
import { HistoryView } from './history-view.tsx';
import { RunHead } from './run-head.tsx';
import { RunWaits } from './run-waits.tsx';
import { StepList } from './step-list.tsx';
import { StepPanel } from './step-panel.tsx';
import { TimelineView } from './timeline-view.tsx';

const GraphView = lazy(() => import('../../graph/graph-view.tsx'));
const VIEWS = { graph: 'Graph', timeline: 'Timeline', steps: 'Steps', history: 'History' } as const;
type View = keyof typeof VIEWS;

/** The page of one run. */
export default function RunPage() {
  const id = usePathParam('id') ?? '';
  const run = useRun(id);
  if (run.data === undefined) return <Pending of={run} subject="the run" title={`Run ${id}`} />;
  return (
    <div className="page">
      <RunHead report={run.data} />
      <RunWaits report={run.data} />
      <RunBody key={id} report={run.data} />
    </div>
  );
}

function RunBody({ report }: { readonly report: RunReport }) {
  const { id } = report.run;
  const [, navigate] = useLocation();
  const words = useQueryParams();
  const view = viewOf(words.get('view'));
  const step = words.get('step') ?? undefined;
  const address = useCallback(
    (next: { readonly view: View; readonly step: string | undefined }) => {
      const search = new URLSearchParams({
        ...(next.view === 'graph' ? {} : { view: next.view }),
        ...(next.step === undefined ? {} : { step: next.step }),
      });
      return `/runs/${id}${search.size === 0 ? '' : `?${search}`}`;
    },
    [id],
  );
  const pick = useCallback(
    (path: string | undefined) => navigate(address({ view, step: path }), { replace: true }),
    [navigate, address, view],
  );
  const pickStep = useCallback((of: string) => pick(latestPath(report, of)), [pick, report]);
  return (
    <div className="run-body" data-step={step === undefined ? undefined : ''}>
      <div className="panel run-views">
        <div className="tabs" role="tablist" aria-label="Views of the run">
          {(Object.keys(VIEWS) as View[]).map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              aria-selected={each === view}
              onClick={() => navigate(address({ view: each, step }), { replace: true })}
            >
              {VIEWS[each]}
            </button>
          ))}
        </div>
        {view === 'graph' && <RunGraph id={id} picked={step?.replace(/[#/].*$/, '')} pick={pickStep} />}
        {view === 'timeline' && <TimelineView report={report} picked={step} pick={pick} />}
        {view === 'steps' && <StepList report={report} picked={step} pick={pick} />}
        {view === 'history' && <HistoryView id={id} />}
      </div>
      {step !== undefined && <StepPanel key={step} report={report} path={step} pick={pick} />}
    </div>
  );
}

function RunGraph({
  id,
  picked,
  pick,
}: {
  readonly id: string;
  readonly picked: string | undefined;
  readonly pick: (step: string) => void;
}) {
  const graph = useRunGraph(id);
  if (graph.data === undefined) return <Pending of={graph} subject="the graph" />;
  return (
    <Suspense fallback={<Loading subject="the graph" />}>
      <GraphView graph={graph.data} picked={picked} pick={pick} />
    </Suspense>
  );
}

function viewOf(word: string | null): View {
  return word !== null && word in VIEWS ? (word as View) : 'graph';
}

/** The last visit of a step; a step that the run has not reached is shown by its name. */
function latestPath({ steps }: RunReport, step: string): string {
  return steps.findLast((each) => each.step === step && each.group === undefined)?.path ?? `${step}#1`;
}
