// Owns the head of the page of a run: its status and facts, its parent and its child runs.

import { Link } from 'wouter';
import type { RunReport } from '../../connection/contract.ts';
import { hasContent } from '../../decision/shown-context.tsx';
import { Ago, Took } from '../../parts/moment.tsx';
import { Fact } from '../../parts/panel.tsx';
import { Status } from '../../parts/status.tsx';
import { JsonView } from '../../text/json-view.tsx';
import { plainLine } from '../../text/plain-text.ts';
import { amount, price } from '../../text/time.ts';
import { RunActions } from './run-actions.tsx';
import { isFinal } from './run-status.ts';

const CHILDREN_SHOWN = 12;

/** The head of the page of a run. */
export function RunHead({ report }: { readonly report: RunReport }) {
  const { run, overrides } = report;
  return (
    <header className="stack run-head">
      <div className="page-head">
        <h1>
          <Link href={`/runs?workflow=${encodeURIComponent(run.workflow)}`} className="plain">
            {plainLine(run.title || run.workflow)}
          </Link>
        </h1>
        <Status status={run.status} chip />
        <code className="faint">{run.id}</code>
        <span className="grow" />
        <RunActions report={report} />
      </div>
      <dl className="facts wide">
        <Fact name="started">
          <Ago at={run.startedAt} />
          {run.origin.actor !== undefined && ` by ${plainLine(run.origin.actor)}`}
        </Fact>
        <Fact name={isFinal(run.status) ? 'took' : 'for'}>
          <Took from={run.startedAt} ms={run.durationMs} open={!isFinal(run.status)} />
        </Fact>
        <Fact name="step">{plainLine(run.currentStep ?? '–')}</Fact>
        {run.usage !== null && (
          <>
            <Fact name="cost">
              {run.usage.costUsd === null ? 'not known' : price(run.usage.costUsd)}
              {run.usage.unknownCost > 0 && ' or more'}
            </Fact>
            <Fact name="tokens">
              {amount(run.usage.inputTokens)} in, {amount(run.usage.outputTokens)} out
            </Fact>
          </>
        )}
        {!isFinal(run.status) && <Fact name="driven">{run.isDriven ? 'by a process' : 'by no process'}</Fact>}
        {run.parent !== null && (
          <Fact name="child run of">
            <Link href={`/runs/${run.parent.run}?step=${encodeURIComponent(run.parent.path)}`}>{run.parent.run}</Link>
          </Fact>
        )}
        {run.forkOf !== null && (
          <Fact name="fork of">
            <Link href={`/runs/${run.forkOf.run}`}>{run.forkOf.run}</Link> from {plainLine(run.forkOf.step)}
          </Fact>
        )}
        {overrides.length > 0 && <Fact name="overrides">{overrides.length}</Fact>}
      </dl>
      <RunData report={report} />
    </header>
  );
}

/** Tags, and collapsed parameters, output and child runs. */
function RunData({ report: { run } }: { readonly report: RunReport }) {
  const tags = run.origin.tags ?? [];
  return (
    <>
      {tags.length > 0 && (
        <p className="row wrap">
          {tags.map((tag) => (
            <Link key={tag} className="tag" href={`/runs?tag=${encodeURIComponent(tag)}`}>
              {plainLine(tag)}
            </Link>
          ))}
        </p>
      )}
      <div className="row wrap folds">
        {hasContent(run.params) && (
          <details>
            <summary>Parameters</summary>
            <JsonView value={run.params} />
          </details>
        )}
        {hasContent(run.output) && (
          <details>
            <summary>Output</summary>
            <JsonView value={run.output} />
          </details>
        )}
        {run.children.length > 0 && <Children run={run} />}
      </div>
    </>
  );
}

function Children({ run }: { readonly run: RunReport['run'] }) {
  const counts = Map.groupBy(run.children, ({ status }) => status);
  const words = [...counts].map(([status, children]) => `${children.length} ${status}`).join(', ');
  return (
    <details>
      <summary>
        {run.children.length} child {run.children.length === 1 ? 'run' : 'runs'}: {words}
      </summary>
      <ul className="stack">
        {run.children.slice(0, CHILDREN_SHOWN).map(({ id, workflow, status }) => (
          <li key={id} className="row">
            <Status status={status} />
            <Link href={`/runs/${id}`}>
              {plainLine(workflow)} <span className="mono">{id}</span>
            </Link>
          </li>
        ))}
        {run.children.length > CHILDREN_SHOWN && <li className="faint">and {run.children.length - CHILDREN_SHOWN} more</li>}
      </ul>
    </details>
  );
}
