// The page of the inbox: a list of what waits for a person, oldest first, and everything that is needed to decide.

import { useCallback, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { InboxItem } from '../../connection/contract.ts';
import { useInbox, useOpenAssumptions } from '../../connection/queries.ts';
import { AnswerForm } from '../../decision/answer-form.tsx';
import { AssumptionCard } from '../../decision/assumption-card.tsx';
import { approving, rejecting } from '../../decision/choice.ts';
import { DecisionForm } from '../../decision/decision-form.tsx';
import { Prompt, ShownContext, WhereAndWhen } from '../../decision/shown-context.tsx';
import { Empty, Pending } from '../../parts/messages.tsx';
import { Ago } from '../../parts/moment.tsx';
import { usePathParam } from '../../parts/use-address.ts';
import { useKeys } from '../../parts/use-keys.ts';
import { plainLine } from '../../text/plain-text.ts';

/** The page of what waits for a person. */
export default function InboxPage() {
  const inbox = useInbox();
  const run = usePathParam('run');
  const path = usePathParam('path');
  const items = inbox.data;
  if (items === undefined) return <Pending of={inbox} subject="the inbox" title="Inbox" />;
  const mine = items.filter((item) => item.mine);
  return (
    <div className="page">
      <header className="page-head">
        <h1>Inbox</h1>
        <span className="faint" role="status">
          {mine.length === 0 ? 'nothing waits for you' : `${mine.length} ${mine.length === 1 ? 'waits' : 'wait'} for you`}
        </span>
        <span className="grow" />
        <span className="faint keys" aria-hidden="true">
          <kbd>j</kbd> <kbd>k</kbd> next, previous <kbd>a</kbd> approve <kbd>r</kbd> reject
        </span>
      </header>
      {items.length === 0 ? (
        <Empty title="Nothing waits">
          <p>
            Approvals, questions of agents and runs that need help appear here. <Link href="/runs?status=running">Runs at work</Link> go on
            without you.
          </p>
        </Empty>
      ) : (
        <InboxItems
          items={items}
          picked={items.find((item) => item.run === run && item.path === (path ?? null))}
          isGone={run !== undefined}
        />
      )}
      <Assumptions />
    </div>
  );
}

const ASSUMPTIONS_SHOWN = 20;

/** What agents assumed. No run waits for an answer, so it comes after the items. */
function Assumptions() {
  const all = useOpenAssumptions();
  if (all.length === 0) return null;
  return (
    <section className="stack" aria-label="Assumptions">
      <h2>Assumed without asking</h2>
      {all.slice(0, ASSUMPTIONS_SHOWN).map((each) => (
        <AssumptionCard key={`${each.run} ${each.id}`} assumption={each} linked />
      ))}
      {all.length > ASSUMPTIONS_SHOWN && <p className="faint">and {all.length - ASSUMPTIONS_SHOWN} more; "pawl assumptions" lists all.</p>}
    </section>
  );
}

interface ItemsProps {
  readonly items: readonly InboxItem[];
  /** The item in the address, if it still waits. */
  readonly picked: InboxItem | undefined;
  readonly isGone: boolean;
}

function InboxItems({ items, picked, isGone }: ItemsProps) {
  const [, navigate] = useLocation();
  const current = picked ?? items[0];
  const index = current === undefined ? -1 : items.indexOf(current);
  const [asked, setAsked] = useState<{ readonly of: string; readonly option: string }>();
  const key = current === undefined ? '' : keyOf(current);
  const options = current?.kind === 'approval' ? current.options : [];
  const ask = useCallback((option: string | undefined) => setAsked(option === undefined ? undefined : { of: key, option }), [key]);
  const go = (to: number): void => {
    const item = items[to];
    if (item !== undefined) navigate(addressOf(item), { replace: picked !== undefined });
  };
  useKeys({
    j: () => go(index + 1),
    k: () => go(index - 1),
    a: () => ask(approving(options)?.label),
    r: () => ask(rejecting(options)?.label),
  });
  return (
    <div className="inbox" data-picked={picked === undefined ? undefined : ''}>
      <ol className="panel inbox-list" aria-label="What waits">
        {items.map((item) => (
          <li key={keyOf(item)}>
            <ItemLink item={item} isCurrent={item === current} />
          </li>
        ))}
      </ol>
      {picked === undefined && isGone && <p className="banner gone">This item no longer waits: it was decided, or its run continued.</p>}
      {current !== undefined && <ItemDetail key={key} item={current} asked={asked?.of === key ? asked.option : undefined} ask={ask} />}
    </div>
  );
}

const KINDS: Readonly<Record<InboxItem['kind'], string>> = {
  approval: 'approval',
  question: 'question',
  stuck: 'needs help',
  checks: 'checks',
};

function ItemLink({ item, isCurrent }: { readonly item: InboxItem; readonly isCurrent: boolean }) {
  const link = useCallback(
    (element: HTMLAnchorElement | null) => {
      if (isCurrent) element?.scrollIntoView({ block: 'nearest' });
    },
    [isCurrent],
  );
  return (
    <Link href={addressOf(item)} ref={link} className="inbox-item" aria-current={isCurrent ? 'true' : undefined}>
      <span className="row">
        <strong className="grow cut">{plainLine(item.workflow)}</strong>
        <span className="faint">
          <Ago at={item.since} />
        </span>
      </span>
      <span className="two-lines">{plainLine(item.prompt.replaceAll(/\*\*|`|^[-#>]+ /gm, ''))}</span>
      <span className="row faint">
        <span className="tag">{KINDS[item.kind]}</span>
        {item.step !== null && <span className="cut">{plainLine(item.step)}</span>}
        {!item.mine && <span>· not yours</span>}
      </span>
    </Link>
  );
}

interface DetailProps {
  readonly item: InboxItem;
  readonly asked: string | undefined;
  readonly ask: (option: string | undefined) => void;
}

function ItemDetail({ item, asked, ask }: DetailProps) {
  const at = item.step === null ? [] : [item.step];
  return (
    <article className="panel inbox-detail" aria-label={[item.workflow, ...at].join(', ')}>
      <div className="body stack">
        <Link href="/inbox" className="back">
          ← All items
        </Link>
        <h2 className="unseen">{plainLine([item.workflow, ...at].join(': '))}</h2>
        <WhereAndWhen item={item} />
        {item.kind === 'approval' && (
          <>
            <ShownContext item={item} />
            <DecisionForm item={item} asked={asked} ask={ask} />
          </>
        )}
        {item.kind === 'question' && <AnswerForm item={item} />}
        {(item.kind === 'stuck' || item.kind === 'checks') && (
          <>
            <Prompt text={item.prompt} />
            <p>
              <Link className="button" href={`/runs/${item.run}`}>
                Open the run and choose how it continues
              </Link>
            </p>
          </>
        )}
      </div>
    </article>
  );
}

function keyOf({ run, path, kind }: InboxItem): string {
  return `${run} ${path} ${kind}`;
}

function addressOf({ run, path }: InboxItem): string {
  return [`/inbox/${encodeURIComponent(run)}`, ...(path === null ? [] : [encodeURIComponent(path)])].join('/');
}
