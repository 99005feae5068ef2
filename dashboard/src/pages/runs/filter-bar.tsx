// Owns the fields that narrow a list of runs.

import { useEffect, useState } from 'react';
import { SelectField } from '../../parts/controls.tsx';
import { Icon } from '../../parts/icons.tsx';
import { useWorkflows } from '../workflows/workflow-queries.ts';
import { type RunFilter, SPANS, STATUSES } from './run-filter.ts';

interface FilterProps {
  readonly filter: RunFilter;
  readonly change: (filter: RunFilter) => void;
}

const TYPING_MS = 200;
const SINCE = [
  ['', 'any time'],
  ['hour', 'last hour'],
  ['day', 'last 24 hours'],
  ['week', 'last 7 days'],
  ['month', 'last 30 days'],
] as const;

/** The fields of a filter. Typed text applies after a moment. */
export function FilterBar({ filter, change }: FilterProps) {
  const workflows = useWorkflows().data?.workflows ?? [];
  const names = new Set([...workflows.map(({ name }) => name), ...(filter.workflow === '' ? [] : [filter.workflow])]);
  return (
    <search className="filter-bar">
      <SearchField filter={filter} change={change} />
      <SelectField
        label="Workflow"
        isBare
        value={filter.workflow}
        options={[['', 'all workflows'], ...[...names].map((name) => [name, name] as const)]}
        change={(workflow) => change({ ...filter, workflow })}
      />
      <SelectField label="Started" isBare value={filter.since} options={SINCE} change={(since) => change({ ...filter, since, until: '' })}>
        {filter.since !== '' && SPANS[filter.since] === undefined && <option value={filter.since}>since {filter.since}</option>}
      </SelectField>
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
