// Owns one step in full: its attempts with claim and evidence, output, cost, log and values to download.

import { useState } from 'react';
import { addressOf, pathOf } from '../../connection/api.ts';
import type { Attempt, Bounded, Json, RunReport, StepDetail } from '../../connection/contract.ts';
import { useStep } from '../../connection/queries.ts';
import { ClaimBesideEvidence, hasContent } from '../../decision/shown-context.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Empty, Failure, Loading } from '../../parts/messages.tsx';
import { Ago, Took } from '../../parts/moment.tsx';
import { Status } from '../../parts/status.tsx';
import { JsonView } from '../../text/json-view.tsx';
import { plainLine, plainText } from '../../text/plain-text.ts';
import { amount, price, size } from '../../text/time.ts';
import { MemberList } from './member-list.tsx';
import { isOpenStep } from './run-status.ts';
import { StepChanges } from './step-changes.tsx';
import { StepLog } from './step-log.tsx';

interface PanelProps {
  readonly report: RunReport;
  readonly path: string;
  readonly pick: (path: string | undefined) => void;
}

/** One step of the run. */
export function StepPanel({ report, path, pick }: PanelProps) {
  const step = useStep(report.run.id, path);
  return (
    <section className="panel step-panel" aria-label={`Step ${path}`}>
      <header>
        <h2 className="cut grow">{plainLine(step.data?.title ?? path)}</h2>
        <code className="faint">{plainLine(path)}</code>
        <button type="button" className="quiet" aria-label="Close the step" onClick={() => pick(undefined)}>
          <Icon name="close" />
        </button>
      </header>
      {step.data === undefined && step.error === null && <Loading subject="the step" />}
      {step.data === undefined && step.error !== null && <NotReached report={report} path={path} error={step.error} />}
      {step.data !== undefined && <StepBody report={report} detail={step.data} pick={pick} />}
    </section>
  );
}

function NotReached({ report, path, error }: { readonly report: RunReport; readonly path: string; readonly error: unknown }) {
  const planned = report.plan.find(({ step }) => step === path.replace(/#.*$/, ''));
  if (planned === undefined || planned.visits > 0) return <Failure error={error} />;
  return (
    <Empty title="Not reached yet">
      <p>The run has not reached this step. Its kind is {planned.kind}.</p>
    </Empty>
  );
}

function StepBody({
  report,
  detail,
  pick,
}: {
  readonly report: RunReport;
  readonly detail: StepDetail;
  readonly pick: PanelProps['pick'];
}) {
  const [chosen, setChosen] = useState<number>();
  const latest = detail.attempts.at(-1);
  const attempt = detail.attempts.find((each) => each.attempt === chosen) ?? latest;
  const members = report.steps.filter(({ group }) => group === detail.path);
  return (
    <div className="body stack">
      {detail.attempts.length > 1 && <AttemptTabs attempts={detail.attempts} current={attempt} choose={setChosen} />}
      {attempt === undefined ? <p className="faint">Nothing is recorded of it yet.</p> : <AttemptView attempt={attempt} detail={detail} />}
      <StepChanges run={report.run.id} path={detail.path} />
      {members.length > 0 && (
        <section className="stack">
          <h3>{members.length} members</h3>
          <MemberList steps={members} pick={pick} />
        </section>
      )}
      {attempt?.hasLog === true && <StepLog key={attempt.attempt} run={report.run.id} path={detail.path} attempt={attempt.attempt} />}
      <Artifacts run={report.run.id} detail={detail} />
      {hasContent(detail.definition) && (
        <details>
          <summary>Definition</summary>
          <JsonView value={detail.definition} />
        </details>
      )}
    </div>
  );
}

interface TabsProps {
  readonly attempts: readonly Attempt[];
  readonly current: Attempt | undefined;
  readonly choose: (attempt: number) => void;
}

function AttemptTabs({ attempts, current, choose }: TabsProps) {
  return (
    <div className="tabs" role="tablist" aria-label="Attempts">
      {attempts.map((each) => (
        <button key={each.attempt} type="button" role="tab" aria-selected={each === current} onClick={() => choose(each.attempt)}>
          attempt {each.attempt}
          {each.outcome !== null && each.outcome !== 'ok' && ` · ${each.outcome}`}
        </button>
      ))}
    </div>
  );
}

function AttemptView({ attempt, detail }: { readonly attempt: Attempt; readonly detail: StepDetail }) {
  return (
    <>
      <div className="row wrap">
        <Status status={attempt.status} chip />
        {attempt.outcome !== null && <span className="tag">{plainLine(attempt.outcome)}</span>}
        <span className="faint">
          {attempt.kind} · <Ago at={attempt.startedAt} /> ·{' '}
          <Took from={attempt.startedAt} ms={attempt.durationMs} open={isOpenStep(attempt.status)} />
        </span>
        {attempt.usage !== undefined && (
          <span className="faint">
            {price(attempt.usage.costUsd)} · {amount(attempt.usage.inputTokens)} tokens in, {amount(attempt.usage.outputTokens)} out
          </span>
        )}
      </div>
      {attempt.error !== null && (
        <div className="banner bad">
          <p>{plainText(attempt.error)}</p>
        </div>
      )}
      {detail.nextRetry !== null && (
        <div className="banner wait">
          <p>
            The next attempt starts <Ago at={detail.nextRetry} />.
          </p>
        </div>
      )}
      {attempt.actor !== undefined && (
        <section className="stack">
          <h3>Worker</h3>
          <pre className="text-box">{plainText(attempt.actor.trim())}</pre>
        </section>
      )}
      <ClaimBesideEvidence claim={parsed(attempt.claim)} evidence={parsed(attempt.evidence)} />
      <section className="stack">
        <h3>Output</h3>
        <JsonView value={parsed(attempt.output)} />
        {attempt.output?.truncated === true && (
          <p className="faint">The first part of {size(attempt.output.bytes)}; the whole value is among the files below.</p>
        )}
      </section>
    </>
  );
}

function Artifacts({ run, detail }: { readonly run: string; readonly detail: StepDetail }) {
  if (detail.links.artifacts.length === 0) return null;
  return (
    <section className="stack">
      <h3>Files</h3>
      <ul className="stack">
        {detail.links.artifacts.map(({ digest, bytes, of }) => (
          <li key={`${digest} ${of}`} className="row">
            <a className="row" href={addressOf(pathOf('runs', run, 'artifacts', digest))} download>
              <Icon name="download" />
              {plainLine(of)}
            </a>
            <span className="faint">{size(bytes)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A bounded value as data, or as text where it was cut off. */
function parsed(value: Bounded | null): Json | undefined {
  if (value === null) return undefined;
  if (value.truncated) return value.text;
  try {
    return JSON.parse(value.text) as Json;
  } catch {
    return value.text;
  }
}
