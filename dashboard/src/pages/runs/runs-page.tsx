// The page of all runs: a filter, which is kept in the address, a live list, and actions on several runs.

import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { Empty, Failure, Loading } from '../../parts/messages.tsx';
import { useQueryParams } from '../../parts/use-address.ts';
import { useMay } from '../../person.ts';
import { moment } from '../../text/time.ts';
import { BulkActions } from './bulk-actions.tsx';
import { FilterBar } from './filter-bar.tsx';
import { formatFilter, parseFilter, queryOf, type RunFilter } from './run-filter.ts';
import { useRunList } from './run-list.ts';
import { RunTable } from './run-table.tsx';

/** The page of all runs. */
export default function RunsPage() {
  const search = useQueryParams().toString();
  const [, navigate] = useLocation();
  const filter = useMemo(() => parseFilter(search), [search]);
  const query = useMemo(() => queryOf(filter, Date.now()).toString(), [filter]);
  const list = useRunList(query);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const mayOperate = useMay('operate');
  const change = (next: RunFilter): void => {
    const words = formatFilter(next);
    setPicked(new Set());
    navigate(words === '' ? '/runs' : `/runs?${words}`, { replace: true });
  };
  return (
    <div className="page">
      <header className="page-head">
        <h1>Runs</h1>
        <span className="faint" role="status">
          {list.runs !== undefined && `${list.runs.length}${list.isMore ? '+' : ''} ${search === '' ? '' : 'that match'}`}
        </span>
      </header>
      <FilterBar filter={filter} change={change} />
      {mayOperate && picked.size > 0 && <BulkActions ids={[...picked]} done={() => setPicked(new Set())} />}
      {list.error !== undefined && <Failure error={list.error} retry={list.retry} />}
      {list.runs === undefined && list.error === undefined && <Loading subject="the runs" />}
      {list.runs?.length === 0 && list.searchedBackTo === undefined && <NoRuns isFiltered={search !== ''} />}
      {list.runs !== undefined && list.runs.length > 0 && (
        <RunTable
          runs={list.runs}
          isMore={list.isMore}
          loadMore={list.loadMore}
          picked={mayOperate ? picked : undefined}
          pick={(id, isPicked) => setPicked((before) => withOne(before, id, isPicked))}
        />
      )}
      {list.searchedBackTo !== undefined && (
        <p className="faint" role="status">
          Looking at runs from before {moment(list.searchedBackTo)} …
        </p>
      )}
    </div>
  );
}

function NoRuns({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No run matches">
        <p>Remove a part of the filter, or choose a longer period.</p>
      </Empty>
    );
  return (
    <Empty title="No runs yet">
      <p>
        Start one on the page <a href="/workflows">Workflows</a>, or in a terminal:
      </p>
      <code>pawl run WORKFLOW</code>
    </Empty>
  );
}

function withOne(before: ReadonlySet<string>, id: string, isPicked: boolean): ReadonlySet<string> {
  const after = new Set(before);
  if (isPicked) after.add(id);
  else after.delete(id);
  return after;
}
