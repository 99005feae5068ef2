// Owns the messages of a page: while it loads, when it is empty, when something failed; and short notices after actions.

import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import { ApiError } from '../connection/api.ts';
import { plainText } from '../text/plain-text.ts';
import { Button } from './controls.tsx';
import { Icon } from './icons.tsx';

/** Says that there is nothing here, and what would change that. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Says that something is being read. */
export function Loading({ subject }: { readonly subject: string }) {
  return (
    <div className="empty" role="status">
      <p className="faint">Reading {subject} …</p>
    </div>
  );
}

/** The words for something thrown. */
export function errorText(thrown: unknown): string {
  return plainText(thrown instanceof Error ? thrown.message : String(thrown));
}

/** Says what failed, and offers to try again. */
export function Failure({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const hint = error instanceof ApiError && typeof error.facts.hint === 'string' ? error.facts.hint : undefined;
  return (
    <div className="banner bad" role="alert">
      <p>
        {errorText(error)}
        {hint !== undefined && <> {plainText(hint)}</>}
        {error instanceof ApiError && error.code !== undefined && <span className="faint"> [{error.code}]</span>}
      </p>
      {retry !== undefined && <Button label="Try again" onClick={retry} />}
    </div>
  );
}

/** Stands in for something that is not loaded: says that it is being loaded, or why that failed. A whole page passes its `title`. */
export function Pending({ of, subject, title }: PendingProps) {
  if (!of.error) return <Loading subject={subject} />;
  const failure = <Failure error={of.error} retry={() => void of.refetch()} />;
  if (title === undefined) return failure;
  return (
    <div className="page">
      <h1>{plainText(title)}</h1>
      {failure}
    </div>
  );
}

interface PendingProps {
  readonly of: { readonly error: unknown; readonly refetch: () => unknown };
  readonly subject: string;
  readonly title?: string;
}

interface Notice {
  readonly id: number;
  readonly tone: 'ok' | 'bad';
  readonly text: string;
}

const Notices = createContext<(tone: Notice['tone'], text: string) => void>(() => {});
const SHOWN_MS = 8_000;
let lastNotice = 0;

/** Returns the function that shows a short notice. */
export function useNotice(): (tone: Notice['tone'], text: string) => void {
  return useContext(Notices);
}

/** Shows notices above everything inside it. */
export function NoticeBoard({ children }: { readonly children: ReactNode }) {
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const remove = useCallback((id: number) => setNotices((all) => all.filter((each) => each.id !== id)), []);
  const add = useCallback(
    (tone: Notice['tone'], text: string) => {
      lastNotice += 1;
      const id = lastNotice;
      setNotices((all) => [...all.slice(-2), { id, tone, text }]);
      if (tone === 'ok') setTimeout(() => remove(id), SHOWN_MS);
    },
    [remove],
  );
  const board = useMemo(
    () => (
      <div className="toasts" role="status" aria-live="polite">
        {notices.map(({ id, tone, text }) => (
          <div key={id} className={`banner ${tone}`}>
            <p>{text}</p>
            <button type="button" className="quiet" onClick={() => remove(id)} aria-label="Close this notice">
              <Icon name="close" />
            </button>
          </div>
        ))}
      </div>
    ),
    [notices, remove],
  );
  return (
    <Notices.Provider value={add}>
      {children}
      {board}
    </Notices.Provider>
  );
}
