// Shows the log of a step: it follows the log while the step works, and scrolls to its end unless the reader has scrolled
// up.

import { useEffect, useRef, useState } from 'react';
import { pathOf, read } from '../../connection/api.ts';
import type { StepLog as LogLines } from '../../connection/contract.ts';
import { errorText } from '../../parts/messages.tsx';
import { plainText } from '../../text/plain-text.ts';

const AGAIN_MS = 700;
const CHARACTERS_MAX = 400_000;
const NEAR_END_PX = 40;

/** The log of one attempt. */
export function StepLog({ run, path, attempt }: { readonly run: string; readonly path: string; readonly attempt: number }) {
  const { text, ended, problem } = useLog(run, path, attempt);
  const [follows, setFollows] = useState(true);
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (follows && box.current !== null && text !== '') box.current.scrollTop = box.current.scrollHeight;
  }, [text, follows]);
  const scrolled = (): void => {
    const element = box.current;
    if (element !== null) setFollows(element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX);
  };
  return (
    <section className="stack">
      <div className="row">
        <h3 className="grow">Log</h3>
        <label className="row faint">
          <input type="checkbox" checked={follows} onChange={(event) => setFollows(event.target.checked)} />
          follow
        </label>
      </div>
      <pre ref={box} className="text-box log" tabIndex={0} onScroll={scrolled} role="log" aria-label="Log">
        <bdi>{plainText(text)}</bdi>
        {text === '' && <span className="faint">{ended ? 'It printed nothing.' : 'Nothing yet …'}</span>}
      </pre>
      {problem !== undefined && <p className="faint">{problem}</p>}
    </section>
  );
}

function useLog(
  run: string,
  path: string,
  attempt: number,
): { readonly text: string; readonly ended: boolean; readonly problem: string | undefined } {
  const [log, setLog] = useState({ text: '', ended: false });
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readOn = async (after: number): Promise<void> => {
      let next = after;
      let ended = false;
      try {
        const part = await read<LogLines>(`${pathOf('runs', run, 'steps', path)}/log?after=${after}&attempt=${attempt}`, stop.signal);
        next = part.next;
        ended = part.ended;
        setProblem(undefined);
        setLog((before) => ({ text: (before.text + part.text).slice(-CHARACTERS_MAX), ended }));
        if (next > after && !stop.signal.aborted) return void readOn(next);
      } catch (thrown) {
        if (stop.signal.aborted) return;
        setProblem(errorText(thrown));
      }
      if (!ended && !stop.signal.aborted) timer = setTimeout(() => void readOn(next), AGAIN_MS);
    };
    void readOn(0);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [run, path, attempt]);
  return { ...log, problem };
}
