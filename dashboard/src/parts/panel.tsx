// Owns panels with a heading, tables, and lists of facts.

import type { ReactNode } from 'react';

interface PanelProps {
  readonly title: string;
  /** A button next to the title. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** A panel with a heading. */
export function Panel({ title, action, children }: PanelProps) {
  return (
    <section className="panel">
      <header>
        <h2 className={action === undefined ? undefined : 'grow'}>{title}</h2>
        {action}
      </header>
      {children}
    </section>
  );
}

interface TableProps {
  readonly columns: readonly string[];
  /** The columns whose cells are numbers. */
  readonly right?: readonly string[];
  /** Adds a last column with buttons, whose heading is only for screen readers. */
  readonly hasActions?: boolean;
  readonly className?: string;
  /** The name of the table for screen readers. */
  readonly caption?: string;
  readonly children: ReactNode;
}

/** A table that scrolls sideways where it is wider than the page. */
export function Table({ columns, right = [], hasActions = false, className = 'list', caption, children }: TableProps) {
  return (
    <div className="scroll-x" tabIndex={0}>
      <table className={className}>
        {caption !== undefined && <caption className="unseen">{caption}</caption>}
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} className={right.includes(column) ? 'right' : undefined}>
                {column}
              </th>
            ))}
            {hasActions && (
              <th>
                <span className="unseen">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** One fact in a list of facts. */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
