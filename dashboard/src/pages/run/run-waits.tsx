// Shows what a run waits for: decisions and questions, which are answered here, halts with their choices, and waits for
// time, signals and child runs. It also shows the last failure and the next retry.

import { useState } from 'react';
import { Link } from 'wouter';
import type { ApprovalItem, QuestionItem, RunReport, Wait } from '../../connection/contract.ts';
import { useInbox } from '../../connection/queries.ts';
import { AnswerForm } from '../../decision/answer-form.tsx';
import { AssumptionCard } from '../../decision/assumption-card.tsx';
import { approving, rejecting } from '../../decision/choice.ts';
import { DecisionForm } from '../../decision/decision-form.tsx';
import { ShownContext } from '../../decision/shown-context.tsx';
import { Button } from '../../parts/controls.tsx';
import { Mark } from '../../parts/icons.tsx';
import { Ago } from '../../parts/moment.tsx';
import { useKeys } from '../../parts/use-keys.ts';
import { useMay } from '../../person.ts';
import { plainLine, plainText } from '../../text/plain-text.ts';
import { ResumeDialog } from './resume-dialog.tsx';
import { SignalDialog } from './signal-dialog.tsx';

const SHOWN_MAX = 6;

/** Everything that the run waits for. */
export function RunWaits({ report }: { readonly report: RunReport }) {
  const items = useInbox().data?.filter(({ run }) => run === report.run.id) ?? [];
  const waiting = new Set(report.waits.map(({ id }) => id));
  const asked = items.filter((item) => item.kind === 'approval' || item.kind === 'question').filter(({ path }) => waiting.has(path));
  const covered = new Set(asked.map(({ path }) => path));
  const others = report.waits.filter((wait) => !covered.has(wait.id));
  const failedWithoutWait = report.run.error !== null && !others.some((wait) => messageOf(wait) === report.run.error);
  const assumed = report.assumptions.filter(({ state }) => state === 'open');
  if (asked.length + others.length + assumed.length === 0 && !failedWithoutWait) return null;
  return (
    <section className="stack" aria-label="What the run waits for">
      {failedWithoutWait && (
        <div className="banner bad">
          <p>{plainText(report.run.error ?? '')}</p>
        </div>
      )}
      {asked.map((item, n) => (
        <OpenQuestion key={item.path} item={item} isFirst={n === 0} />
      ))}
      {assumed.slice(0, SHOWN_MAX).map((each) => (
        <AssumptionCard key={each.digest} assumption={each} />
      ))}
      {others.slice(0, SHOWN_MAX).map((wait) => (
        <OtherWait key={wait.id} report={report} wait={wait} />
      ))}
      {others.length > SHOWN_MAX && <p className="faint">and {others.length - SHOWN_MAX} more waits; the steps show them.</p>}
    </section>
  );
}

/** An approval or a question. The keys `a` and `r` act on the first one. */
function OpenQuestion({ item, isFirst }: { readonly item: ApprovalItem | QuestionItem; readonly isFirst: boolean }) {
  const [asked, setAsked] = useState<string>();
  useKeys(
    isFirst && item.kind === 'approval'
      ? { a: () => setAsked(approving(item.options)?.label), r: () => setAsked(rejecting(item.options)?.label) }
      : {},
  );
  return (
    <article className="panel asked" aria-label={`${item.step} waits for a decision`}>
      <div className="body stack">
        <h2 className="asks">
          <span className="status" data-tone="wait">
            <Mark tone="wait" />
          </span>
          {plainLine(item.step)} {item.kind === 'approval' ? 'waits for a decision' : 'waits for an answer'}
        </h2>
        {item.kind === 'approval' ? (
          <>
            <ShownContext item={item} />
            <DecisionForm item={item} asked={asked} ask={setAsked} />
          </>
        ) : (
          <AnswerForm item={item} />
        )}
      </div>
    </article>
  );
}

const HALTS = ['escalation', 'unknown', 'budget', 'pause'];
const WORDS: Readonly<Record<Wait['kind'] | 'retry', string>> = {
  human: 'waits for a decision',
  report: 'waits for the report of an agent',
  answer: 'waits for an answer',
  child: 'waits for a child run',
  signal: 'waits for a signal',
  checks: 'waits for its checks',
  assumptions: 'waits for answers to assumptions',
  capacity: 'waits for a free slot',
  budget: 'has used up its budget',
  pause: 'is paused',
  delay: 'waits for a time',
  retry: 'waits for its next attempt',
  escalation: 'needs a person to choose how it continues',
  unknown: 'was interrupted by a crash, and how it ended is not recorded',
};

function messageOf(wait: Wait): string | undefined {
  return 'message' in wait ? wait.message : undefined;
}

function OtherWait({ report, wait }: { readonly report: RunReport; readonly wait: Wait }) {
  const [choosing, setChoosing] = useState(false);
  const mayOperate = useMay('operate');
  const isHalt = HALTS.includes(wait.kind);
  // After a failed attempt, a delay is the time until the next one.
  const failure = wait.kind === 'delay' ? report.steps.findLast(({ path, error }) => path === wait.id && error)?.error : undefined;
  const message = messageOf(wait) ?? failure ?? '';
  return (
    <div className={`banner ${isHalt ? 'bad' : 'wait'}`}>
      <p>
        <strong>{plainLine(('step' in wait ? wait.step : undefined) ?? 'The run')}</strong> {WORDS[failure ? 'retry' : wait.kind]}
        {wait.kind === 'signal' && <> "{plainLine(wait.name)}"</>}
        {wait.kind === 'child' && (
          <>
            {' '}
            <Link href={`/runs/${wait.child}`}>{wait.child}</Link>
          </>
        )}
        {message !== '' && <span className="said">{plainText(message)}</span>}
      </p>
      <span className="faint nowrap">
        <Ago at={wait.since} />
        {wait.due !== null && (
          <>
            , due <Ago at={wait.due} />
          </>
        )}
      </span>
      {isHalt && mayOperate && <Button label="Choose how it continues" onClick={() => setChoosing(true)} />}
      {wait.kind === 'signal' && mayOperate && <Button label="Send it" onClick={() => setChoosing(true)} />}
      {choosing && isHalt && <ResumeDialog report={report} wait={wait} close={() => setChoosing(false)} />}
      {choosing && wait.kind === 'signal' && <SignalDialog report={report} name={wait.name} close={() => setChoosing(false)} />}
    </div>
  );
}
