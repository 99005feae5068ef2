// Owns the members of a group as a list that renders only those in view: a fan-out may have thousands.

import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import type { StepRow } from '../../connection/contract.ts';
import { Button } from '../../parts/controls.tsx';
import { Status } from '../../parts/status.tsx';
import { plainLine } from '../../text/plain-text.ts';
import { duration } from '../../text/time.ts';

const ROW_PX = 28;

/** The members of a group, failed ones first. */
export function MemberList({ steps, pick }: { readonly steps: readonly StepRow[]; readonly pick: (path: string) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const sorted = [...steps].sort((one, other) => Number(other.status === 'failed') - Number(one.status === 'failed'));
  const rows = useVirtualizer({ count: sorted.length, estimateSize: () => ROW_PX, getScrollElement: () => box.current, overscan: 8 });
  if (steps.length === 0) return <p className="faint">No member has started yet.</p>;
  return (
    <div ref={box} className="member-list" tabIndex={0} role="group" aria-label="Members">
      <ul style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const step = sorted[index];
          if (step === undefined) return null;
          return (
            <li key={step.path} className="row" style={{ transform: `translateY(${start}px)`, height: ROW_PX }}>
              <Status status={step.status} />
              <Button label={plainLine(step.key ?? step.path)} className="link cut" onClick={() => pick(step.path)} />
              <span className="grow cut faint">{plainLine(step.error ?? '')}</span>
              <span className="faint nowrap">{duration(step.durationMs)}</span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
