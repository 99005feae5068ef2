// Owns the steps of a run as a list: each visit in order, members of groups collapsed under their group, with counts.

import { useState } from 'react';
import type { GroupRow, RunReport, StepRow } from '../../connection/contract.ts';
import { Button } from '../../parts/controls.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Took } from '../../parts/moment.tsx';
import { Table } from '../../parts/panel.tsx';
import { Status } from '../../parts/status.tsx';
import { plainLine } from '../../text/plain-text.ts';
import { price } from '../../text/time.ts';
import { MemberList } from './member-list.tsx';
import { isOpenStep } from './run-status.ts';

interface ListProps {
  readonly report: RunReport;
  readonly picked: string | undefined;
  readonly pick: (path: string) => void;
}

/** The steps of a run, those still to come at the end. */
export function StepList({ report, picked, pick }: ListProps) {
  const rows = report.steps.filter(({ group }) => group === undefined);
  const groups = new Map(report.groups.map((group) => [group.path, group]));
  const later = report.plan.filter(({ visits }) => visits === 0);
  return (
    <Table columns={['Step', 'Status', 'Attempt', 'Took', 'Cost']} right={['Took', 'Cost']} className="list steps">
      {rows.map((step) => (
        <StepRows
          key={`${step.path} ${step.attempt}`}
          step={step}
          group={groups.get(step.path)}
          report={report}
          picked={picked}
          pick={pick}
        />
      ))}
      {later.map(({ step, title, kind }) => (
        <tr key={step} className="faint">
          <td>
            {plainLine(title)} <span className="kind">{kind}</span>
          </td>
          <td>
            <Status status="pending" />
          </td>
          <td />
          <td />
          <td />
        </tr>
      ))}
    </Table>
  );
}

function StepRows({ step, group, report, picked, pick }: ListProps & { readonly step: StepRow; readonly group: GroupRow | undefined }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <tr aria-current={picked === step.path ? 'true' : undefined}>
        <td>
          <span className="row">
            {group !== undefined && (
              <button
                type="button"
                className="quiet fold"
                aria-expanded={open}
                aria-label={`Members of ${step.path}`}
                onClick={() => setOpen(!open)}
              >
                <Icon name={open ? 'down' : 'right'} />
              </button>
            )}
            <Button label={plainLine(step.path)} className="link" onClick={() => pick(step.path)} />
            <span className="kind">{step.kind}</span>
          </span>
          {group !== undefined && <GroupCounts group={group} />}
          {step.error !== null && <p className="said">{plainLine(step.error)}</p>}
        </td>
        <td>
          <Status status={step.status} />
        </td>
        <td>{step.attempt}</td>
        <td className="right">
          <Took from={step.startedAt} ms={step.durationMs} open={isOpenStep(step.status)} />
        </td>
        <td className="right">{price(step.usage?.costUsd)}</td>
      </tr>
      {open && group !== undefined && (
        <tr>
          <td colSpan={5}>
            <MemberList steps={report.steps.filter((each) => each.group === step.path)} pick={pick} />
          </td>
        </tr>
      )}
    </>
  );
}

function GroupCounts({ group }: { readonly group: GroupRow }) {
  const words = [
    `${group.ok} of ${group.total} ok`,
    ...counted(group.failed, 'failed'),
    ...counted(group.rejected, 'rejected'),
    ...counted(group.skipped, 'skipped'),
    ...counted(group.open, 'open'),
  ];
  return <p className="faint">{words.join(', ')}</p>;
}

function counted(count: number, word: string): string[] {
  return count === 0 ? [] : [`${count} ${word}`];
}
