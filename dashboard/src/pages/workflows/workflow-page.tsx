// The page of one workflow: its graph, what validation says about it, and a form that starts it.

import { lazy, Suspense } from 'react';
import { Link } from 'wouter';
import type { Json } from '../../connection/contract.ts';
import { useRun } from '../../connection/queries.ts';
import { Empty, Loading, Pending } from '../../parts/messages.tsx';
import { usePathParam, useQueryParams } from '../../parts/use-address.ts';
import { useMay } from '../../person.ts';
import { plainLine } from '../../text/plain-text.ts';
import { Prose } from '../../text/prose.tsx';
import { Findings } from './findings.tsx';
import { StartForm } from './start-form.tsx';
import { useWorkflow } from './workflow-queries.ts';

const GraphView = lazy(() => import('../../graph/graph-view.tsx'));

/** The page of one workflow. */
export default function WorkflowPage() {
  const name = usePathParam('name') ?? '';
  const like = useQueryParams().get('like') ?? undefined;
  const workflow = useWorkflow(name);
  const mayOperate = useMay('operate');
  if (workflow.data === undefined) return <Pending of={workflow} subject="the workflow" title={name} />;
  const { title, description, trusted, findings, graph, params, file } = workflow.data;
  return (
    <div className="page">
      <header className="page-head">
        <h1>{plainLine(title || name)}</h1>
        <span className={trusted ? 'tag' : 'tag warns'}>{trusted ? 'trusted' : 'not trusted'}</span>
        <span className="grow" />
        <Link className="button" href={`/runs?workflow=${encodeURIComponent(name)}`}>
          Its runs
        </Link>
      </header>
      {description !== '' && <Prose text={description} />}
      {!trusted && (
        <div className="banner wait">
          <p>
            This version is not trusted yet, so it cannot be started. Review it, then trust it at a terminal of this machine:{' '}
            <code className="command">pawl trust {plainLine(file ?? name)}</code>
          </p>
        </div>
      )}
      {findings.length > 0 && <Findings findings={findings} />}
      <div className="workflow-body">
        <section className="panel" aria-label="Graph">
          {graph === null ? (
            <Empty title="No graph">
              <p>A flow decides its steps while it runs; the graph of each run shows them.</p>
            </Empty>
          ) : (
            <Suspense fallback={<Loading subject="the graph" />}>
              <GraphView graph={graph} />
            </Suspense>
          )}
        </section>
        {mayOperate && trusted && <StartPanel name={name} schema={params} like={like} />}
      </div>
    </div>
  );
}

function StartPanel({ name, schema, like }: { readonly name: string; readonly schema: Json; readonly like: string | undefined }) {
  return (
    <section className="panel" aria-labelledby="start">
      <header>
        <h2 id="start">{like === undefined ? 'Start a run' : 'Start again with other input'}</h2>
      </header>
      <div className="body">
        {like === undefined ? (
          <StartForm name={name} schema={schema} initial={undefined} />
        ) : (
          <StartLike name={name} schema={schema} like={like} />
        )}
      </div>
    </section>
  );
}

function StartLike({ name, schema, like }: { readonly name: string; readonly schema: Json; readonly like: string }) {
  const run = useRun(like);
  if (run.data === undefined) return <Pending of={run} subject="the run" />;
  return (
    <>
      <p className="help">
        The parameters of run{' '}
        <Link href={`/runs/${like}`} className="mono">
          {like}
        </Link>
      </p>
      <StartForm name={name} schema={schema} initial={run.data.run.params} />
    </>
  );
}
