// Shows what a person needs to see before deciding: the prompt, what the workflow shows, changed files, claims and
// evidence, and who has decided.

import { lazy, Suspense } from 'react';
import { Link } from 'wouter';
import type { ApprovalItem, InboxItem, Json } from '../connection/contract.ts';
import { Ago } from '../parts/moment.tsx';
import { Status } from '../parts/status.tsx';
import { JsonView } from '../text/json-view.tsx';
import { plainLine } from '../text/plain-text.ts';
import { Prose } from '../text/prose.tsx';

const DiffView = lazy(() => import('../text/diff-view.tsx'));

/** Everything that a person needs to decide an approval. */
export function ShownContext({ item }: { readonly item: ApprovalItem }) {
  return (
    <>
      <Prompt text={item.prompt} />
      <Progress item={item} />
      {hasContent(item.shown) && (
        <section className="stack">
          <h3>Shown</h3>
          <JsonView value={item.shown} />
        </section>
      )}
      {item.diff !== undefined && item.diff !== '' && (
        <section className="stack">
          <h3>Changed files</h3>
          <Suspense fallback={<p className="faint">Reading the changes …</p>}>
            <DiffView text={item.diff} isCut={item.diffTruncated === true} />
          </Suspense>
        </section>
      )}
      {item.diff === undefined && hasContent(item.subjects) && (
        <section className="stack">
          <h3>Decided about</h3>
          <JsonView value={item.subjects} />
        </section>
      )}
      {item.evidence.length > 0 && (
        <details open={item.evidence.some(({ outcome }) => outcome !== 'ok')}>
          <summary>Claims and evidence: {countsOf(item.evidence)}</summary>
          <div className="observations">
            {item.evidence.map((each) => (
              <StepEvidence key={each.path} run={item.run} observed={each} />
            ))}
          </div>
        </details>
      )}
    </>
  );
}

/** The question, or why a run waits. */
export function Prompt({ text }: { readonly text: string }) {
  return (
    <div className="prompt">
      <Prose text={text} />
    </div>
  );
}

/** How many steps had each outcome. */
function countsOf(evidence: ApprovalItem['evidence']): string {
  return [...Map.groupBy(evidence, ({ outcome }) => outcome ?? 'open')].map(([outcome, all]) => `${all.length} ${outcome}`).join(', ');
}

function Progress({ item }: { readonly item: ApprovalItem }) {
  if (item.count <= 1 && item.approvals.length === 0) return null;
  return (
    <p className="row wrap">
      <span className="faint">
        {item.approvals.length} of {item.count} decided
      </span>
      {item.approvals.map(({ actor, option }) => (
        <span key={actor} className="tag">
          {plainLine(actor)}: {plainLine(option)}
        </span>
      ))}
    </p>
  );
}

function StepEvidence({ run, observed }: { readonly run: string; readonly observed: ApprovalItem['evidence'][number] }) {
  return (
    <details className="observed" open={observed.outcome !== 'ok'}>
      <summary>
        <Status status={observed.outcome ?? 'unknown'} />
        {plainLine(observed.step)}
      </summary>
      <ClaimBesideEvidence claim={observed.claim} evidence={observed.evidence} />
      <p className="more">
        <Link href={`/runs/${run}?step=${encodeURIComponent(observed.path)}`}>Open step {plainLine(observed.path)}</Link>
      </p>
    </details>
  );
}

/** The claim of a worker next to the observations of the engine. */
export function ClaimBesideEvidence({ claim, evidence }: { readonly claim: Json | undefined; readonly evidence: Json | undefined }) {
  return (
    <div className="claim-evidence">
      <section>
        <h3>Claim</h3>
        {hasContent(claim) ? <JsonView value={claim} /> : <p className="faint">The worker claimed nothing.</p>}
      </section>
      <section>
        <h3>Evidence</h3>
        {hasContent(evidence) ? <JsonView value={evidence} /> : <p className="faint">The engine had nothing to check.</p>}
      </section>
    </div>
  );
}

/** Whether a value is not empty. */
export function hasContent(value: Json | undefined): boolean {
  if (value === null || value === undefined || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** The run and the step of an item, and since when it waits. */
export function WhereAndWhen({ item }: { readonly item: InboxItem }) {
  return (
    <p className="row wrap faint">
      <Link href={`/runs/${item.run}`}>
        {plainLine(item.workflow)} <span className="mono">{item.run}</span>
      </Link>
      {item.step !== null && <span>{plainLine(item.step)}</span>}
      <span>
        asked <Ago at={item.since} />
      </span>
      {'due' in item && item.due !== null && (
        <span>
          due <Ago at={item.due} />
        </span>
      )}
      {'signed' in item && item.signed && <span className="tag">needs a signature</span>}
    </p>
  );
}
