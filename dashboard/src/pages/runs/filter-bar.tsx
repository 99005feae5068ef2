// Owns the fields that narrow a list of runs.

import { useEffect, useState } from 'react';
import { Icon } from '../../parts/icons.tsx';
import { plainLine } from '../../text/plain-text.ts';
import { useWorkflows } from '../workflows/workflow-queries.ts';
import { type RunFilter, SPANS, STATUSES } from './run-filter.ts';

interface FilterProps {
  readonly filter: RunFilter;
  readonly change: (filter: RunFilter) => void;
}

const TYPING_MS = 200;
const SPAN_NAMES: Readonly<Record<string, string>> = {
  hour: 'last hour',
  day: 'last 24 hours',
  week: 'last 7 days',
  month: 'last 30 days',
};

/** The fields of a filter. What is typed counts after a moment. */
export function FilterBar({ filter, change }: FilterProps) {
  const workflows = useWorkflows().data?.workflows ?? [];
  const names = new Set([...workflows.map(({ name }) => name), ...(filter.workflow === '' ? [] : [filter.workflow])]);
  return (
    <search className="filter-bar">
      <SearchField filter={filter} change={change} />
      <label>
        <span className="unseen">Workflow</span>
        <select value={filter.workflow} onChange={(event) => change({ ...filter, workflow: event.target.value })}>
          <option value="">all workflows</option>
          {[...names].map((name) => (
            <option key={name} value={name}>
              {plainLine(name)}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span className="unseen">Started</span>
        <select value={filter.since} onChange={(event) => change({ ...filter, since: event.target.value, until: '' })}>
          <option value="">any time</option>
          {Object.keys(SPANS).map((span) => (
            <option key={span} value={span}>
              {SPAN_NAMES[span]}
            </option>
          ))}
          {filter.since !== '' && SPANS[filter.since] === undefined && <option value={filter.since}>since {filter.since}</option>}
        </select>
      </label>
      <fieldset className="statuses">
        <legend className="unseen">Status</legend>
        {STATUSES.map((status) => (
          <label key={status} className="pick">
            <input
              type="checkbox"
              checked={filter.status.includes(status)}
              onChange={() => change({ ...filter, status: toggled(filter.status, status) })}
            />
            {status}
          </label>
        ))}
      </fieldset>
    </search>
  );
}

/** One field for text, `tag:…` and `name=value` of parameters. */
function SearchField({ filter, change }: FilterProps) {
  const shown = [filter.text, filter.tag === '' ? '' : `tag:${filter.tag}`, ...filter.params].filter((each) => each !== '').join(' ');
  const [typed, setTyped] = useState(shown);
  useEffect(() => setTyped(shown), [shown]);
  useEffect(() => {
    if (typed === shown) return;
    const timer = setTimeout(() => change({ ...filter, ...parseTyped(typed) }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, shown, filter, change]);
  return (
    <label className="search-field">
      <Icon name="search" />
      <span className="unseen">Search by text, parameter or tag</span>
      <input type="search" value={typed} placeholder="Text, issue=42, tag:nightly" onChange={(event) => setTyped(event.target.value)} />
    </label>
  );
}

function parseTyped(typed: string): Pick<RunFilter, 'text' | 'tag' | 'params'> {
  const words = typed.split(/\s+/).filter((word) => word !== '');
  const params = words.filter((word) => /^[\w.-]+=/.test(word));
  const tag = words.findLast((word) => word.startsWith('tag:'))?.slice(4) ?? '';
  const text = words.filter((word) => !params.includes(word) && !word.startsWith('tag:')).join(' ');
  return { text, tag, params };
}

function toggled(all: readonly string[], one: string): readonly string[] {
  return all.includes(one) ? all.filter((each) => each !== one) : [...all, one];
}
