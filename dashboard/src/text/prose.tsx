// Shows prose of agents, issues and people. Plain text is shown immediately; the code for markdown is loaded only for text that
// needs it.

import { lazy, Suspense } from 'react';
import { plainText } from './plain-text.ts';

const Markdown = lazy(() => import('./markdown.tsx'));
const MARKS = /[*_`#[\]|>~]|^\s*[-+]\s|^\s*\d+\.\s|\n\n|https?:/m;

/** Shows prose, as markdown if it contains any. */
export function Prose({ text }: { readonly text: string }) {
  const plain = <div className="markdown plain">{plainText(text)}</div>;
  return MARKS.test(text) ? (
    <Suspense fallback={plain}>
      <Markdown text={text} />
    </Suspense>
  ) : (
    plain
  );
}
