// Owns the form that decides an approval: its options, the text that some require, and the result of the decision.

import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { ApprovalItem } from '../connection/contract.ts';
import { Button } from '../parts/controls.tsx';
import { Failure } from '../parts/messages.tsx';
import { useMay } from '../person.ts';
import { plainLine } from '../text/plain-text.ts';
import { approving, rejecting } from './choice.ts';
import { PhoneLink } from './phone-link.tsx';
import { useDecide, useRecheck } from './use-decide.ts';

interface DecisionProps {
  readonly item: ApprovalItem;
  /** The selected option; Enter sends it. */
  readonly asked: string | undefined;
  readonly ask: (option: string | undefined) => void;
  readonly done?: () => void;
}

/** Decides an approval: the first click selects an option, the second sends it. */
export function DecisionForm({ item, asked, ask, done }: DecisionProps) {
  const mayDecide = useMay('decide');
  const { isSending, refusal, decide } = useDecide(item);
  const [input, setInput] = useState('');
  const send = useRef<HTMLButtonElement>(null);
  const text = useRef<HTMLTextAreaElement>(null);
  const option = item.options.find(({ label }) => label === asked);
  const [seen, setSeen] = useState(item.digest);
  const hasChanged = seen !== item.digest;
  // The choice was about the earlier content.
  useEffect(() => {
    if (hasChanged) ask(undefined);
  }, [hasChanged, ask]);
  const choose = (label: string | undefined): void => {
    setSeen(item.digest);
    ask(label);
  };
  const needsText = option?.requiresInput === true && input.trim() === '';
  useEffect(() => {
    if (asked !== undefined) (text.current ?? send.current)?.focus();
  }, [asked]);
  if (item.decided !== null)
    return <p className="banner ok">{`${plainLine(item.decided.actor)} decided "${plainLine(item.decided.option)}".`}</p>;
  if (!item.mine || !mayDecide) return <WhoMay item={item} mayDecide={mayDecide} />;
  return (
    <form
      className="decision"
      aria-label="Decide"
      onSubmit={(event) => {
        event.preventDefault();
        if (option === undefined || needsText || isSending) return;
        void decide({ option: option.label, input: input.trim() }).then((worked) => {
          if (worked) done?.();
          else ask(undefined);
        });
      }}
    >
      <RecheckNotice item={item} />
      {refusal !== undefined && <Failure error={refusal} />}
      {item.signed && <NeedsPasskey />}
      {(hasChanged || refusal !== undefined) && (
        <p className="banner wait">What is decided about has changed since you first saw it. Look at it again before you decide.</p>
      )}
      <div className="row wrap" role="group" aria-label="Options">
        {item.options.map((each) => (
          <OptionButton key={each.label} item={item} label={each.label} isAsked={each.label === asked} ask={choose} />
        ))}
        <span className="grow" />
        <PhoneLink item={item} />
      </div>
      {option?.requiresInput === true && (
        <label className="field">
          <span>Your text for "{plainLine(option.label)}"</span>
          <textarea ref={text} value={input} onChange={(event) => setInput(event.target.value)} required />
        </label>
      )}
      {option !== undefined && (
        <div className="row wrap">
          <button ref={send} type="submit" className="primary" disabled={needsText || isSending}>
            {isSending ? 'Deciding …' : `Decide "${plainLine(option.label)}"`}
          </button>
          <Button label="Not yet" className="quiet" onClick={() => ask(undefined)} />
          <span className="faint">{option.next === null ? '' : `continues with ${plainLine(option.next)}`}</span>
        </div>
      )}
    </form>
  );
}

function NeedsPasskey() {
  return (
    <p className="faint">
      This decision needs your passkey. <Link href="/access?part=keys">Passkeys</Link> must be enrolled before they sign decisions.
    </p>
  );
}

interface OptionProps {
  readonly item: ApprovalItem;
  readonly label: string;
  readonly isAsked: boolean;
  readonly ask: (option: string | undefined) => void;
}

function OptionButton({ item, label, isAsked, ask }: OptionProps) {
  const key = approving(item.options)?.label === label ? 'a' : rejecting(item.options)?.label === label ? 'r' : undefined;
  return (
    <button type="button" aria-pressed={isAsked} className={isAsked ? 'chosen' : ''} onClick={() => ask(isAsked ? undefined : label)}>
      {plainLine(label)}
      {key !== undefined && <kbd>{key}</kbd>}
    </button>
  );
}

function WhoMay({ item, mayDecide }: { readonly item: ApprovalItem; readonly mayDecide: boolean }) {
  const who = item.from === null ? 'Everybody with the scope "decide"' : item.from.map(plainLine).join(', ');
  if (item.approvals.length > 0 && item.count > 1 && mayDecide)
    return <p className="banner">You have decided, or you may not decide: {who} can still decide.</p>;
  return <p className="banner">{who} can decide this. You can look at it.</p>;
}

function RecheckNotice({ item }: { readonly item: ApprovalItem }) {
  const changed = useRecheck(item);
  return changed === undefined ? null : <p className="banner">Asked again: {plainLine(changed)}</p>;
}
