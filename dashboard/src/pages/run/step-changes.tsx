// Owns the files that a step changed: their diff, and which steps worked at the same time.

import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { pathOf, read } from '../../connection/api.ts';
import type { RunDiff } from '../../connection/contract.ts';
import { plainLine } from '../../text/plain-text.ts';

const DiffView = lazy(() => import('../../text/diff-view.tsx'));

/** The files that one visit of a step changed; nothing if it changed none. */
export function StepChanges({ run, path }: { readonly run: string; readonly path: string }) {
  const changes = useQuery({
    queryKey: ['run', run, 'diff', path],
    queryFn: ({ signal }) => read<RunDiff>(`${pathOf('runs', run)}/diff?step=${encodeURIComponent(path)}`, signal),
  }).data;
  if (changes === undefined || !changes.hasSnapshots || changes.files.length === 0) return null;
  const beside = new Set(changes.steps.flatMap((step) => step.beside));
  return (
    <section className="stack">
      <h3>
        {changes.files.length} changed {changes.files.length === 1 ? 'file' : 'files'}
      </h3>
      {changes.steps.some(({ restored }) => restored === true) && <p className="faint">The step failed, and its changes were reverted.</p>}
      {beside.size > 0 && (
        <p className="faint">{[...beside].map(plainLine).join(', ')} worked at the same time; their changes are included.</p>
      )}
      <Suspense fallback={<p className="faint">Reading the changes …</p>}>
        <DiffView text={changes.diff.text} isCut={changes.diff.truncated} />
      </Suspense>
    </section>
  );
}
