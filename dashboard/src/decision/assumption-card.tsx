// Owns the card of an assumption: a person agrees, or gives another answer, and the steps that depended on it run again.

import { useState } from 'react';
import { Link } from 'wouter';
import type { Assumption } from '../connection/contract.ts';
import { useRunAction } from '../connection/queries.ts';
import { Button } from '../parts/controls.tsx';
import { useMay } from '../person.ts';
import { plainLine } from '../text/plain-text.ts';
import { Prose } from '../text/prose.tsx';

/** One open assumption; with `linked`, it names its run. */
export function AssumptionCard({ assumption, linked = false }: { readonly assumption: Assumption; readonly linked?: boolean }) {
  const { run, id, step, severity, question, assumed, signed, command } = assumption;
  const mayDecide = useMay('decide');
  return (
    <article className="panel" aria-label={`Assumption ${id} of ${step}`}>
      <div className="body stack">
        <p className="row wrap faint">
          <span className="tag">{plainLine(severity)}</span>
          <span>{plainLine(step)} assumed without asking</span>
          {linked && (
            <Link href={`/runs/${run}`} className="mono">
              {run}
            </Link>
          )}
        </p>
        <Prose text={question} />
        <p>
          Assumed: <strong>{plainLine(assumed)}</strong>
        </p>
        {signed && command !== null && (
          <p className="banner">
            The answer must be signed with an enrolled key, at a terminal: <code>{plainLine(command)}</code>
          </p>
        )}
        {!signed && mayDecide && <AssumptionAnswer assumption={assumption} />}
      </div>
    </article>
  );
}

function AssumptionAnswer({ assumption: { run, id, digest, options, assumed } }: { readonly assumption: Assumption }) {
  const [answer, setAnswer] = useState('');
  const action = useRunAction();
  const send = (body: Readonly<Record<string, unknown>>, done: string): void =>
    action.mutate({ run, verb: 'answer', body: { assumption: id, digest, ...body }, done });
  const others = options.filter((option) => option !== assumed);
  return (
    <form
      className="row wrap"
      onSubmit={(event) => {
        event.preventDefault();
        if (answer.trim() !== '') send({ answer }, `Answered "${answer}": the steps that depended on the assumption run again.`);
      }}
    >
      <Button label="Agree" disabled={action.isPending} onClick={() => send({ agree: true }, `Agreed with "${assumed}".`)} />
      <input
        aria-label="Answer otherwise"
        placeholder={others.length === 0 ? 'answer otherwise' : `otherwise: ${others.map(plainLine).join(', ')}`}
        value={answer}
        onChange={(event) => setAnswer(event.target.value)}
      />
      <button type="submit" disabled={answer.trim() === '' || action.isPending}>
        Answer
      </button>
    </form>
  );
}
