// Shows changed files: a table per file, with the line numbers before and after.

import parser, { type Change, type File } from 'gitdiff-parser';
import { useMemo, useState } from 'react';
import { plainText } from './plain-text.ts';

const LINES_MAX = 600;
const FILES_MAX = 100;
/** How many files are expanded at first. */
const OPEN_MAX = 5;

/** Shows a unified diff; `isCut` says that it is only the beginning. */
export default function DiffView({ text, isCut = false }: { readonly text: string; readonly isCut?: boolean }) {
  const files = useMemo(() => parsed(text), [text]);
  if (files === undefined || files.length === 0) return <pre className="text-box">{plainText(text)}</pre>;
  return (
    <div className="diff">
      {files.slice(0, FILES_MAX).map((file, n) => (
        <FileChange key={`${file.oldPath} ${file.newPath}`} file={file} isFirst={n < OPEN_MAX} />
      ))}
      {files.length > FILES_MAX && <p className="faint">and {files.length - FILES_MAX} more files; "pawl diff" shows them all.</p>}
      {isCut && <p className="faint">This is only the beginning; "pawl diff" shows all of it.</p>}
    </div>
  );
}

function parsed(text: string): readonly File[] | undefined {
  try {
    return parser.parse(text);
  } catch {
    return undefined;
  }
}

function FileChange({ file, isFirst }: { readonly file: File; readonly isFirst: boolean }) {
  const [isOpen, setOpen] = useState(isFirst);
  const changes = file.hunks.flatMap((hunk) => [hunk.content, ...hunk.changes]);
  const shown = changes.slice(0, LINES_MAX);
  const counts = changes.reduce((sum, each) => count(sum, each), { added: 0, removed: 0 });
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)} className="diff-file">
      <summary>
        <bdi>{plainText(nameOf(file))}</bdi>
        <span className="added">+{counts.added}</span>
        <span className="removed">−{counts.removed}</span>
      </summary>
      {isOpen && (
        <section className="diff-lines" tabIndex={0} aria-label={`Changes of ${nameOf(file)}`}>
          <table>
            <tbody>
              {shown.map((each, n) => (
                <Line key={n} change={each} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      {changes.length > shown.length && <p className="faint">{changes.length - shown.length} more lines; "pawl diff" shows them.</p>}
    </details>
  );
}

function Line({ change }: { readonly change: Change | string }) {
  if (typeof change === 'string')
    return (
      <tr className="hunk">
        <td colSpan={4}>{plainText(change)}</td>
      </tr>
    );
  const [before, after] = numbersOf(change);
  const mark = change.type === 'insert' ? '+' : change.type === 'delete' ? '−' : '';
  return (
    <tr className={change.type}>
      <td className="number">{before}</td>
      <td className="number">{after}</td>
      <td className="mark">{mark}</td>
      <td className="code">
        <bdi>{plainText(change.content)}</bdi>
      </td>
    </tr>
  );
}

function numbersOf(change: Change): readonly [number | '', number | ''] {
  if (change.type === 'normal') return [change.oldLineNumber, change.newLineNumber];
  return change.type === 'insert' ? ['', change.lineNumber] : [change.lineNumber, ''];
}

function count(sum: { added: number; removed: number }, change: Change | string): { added: number; removed: number } {
  if (typeof change === 'string') return sum;
  return { added: sum.added + (change.type === 'insert' ? 1 : 0), removed: sum.removed + (change.type === 'delete' ? 1 : 0) };
}

function nameOf({ oldPath, newPath, type }: File): string {
  if (type === 'delete') return `${oldPath} (deleted)`;
  if (type === 'add') return `${newPath} (new)`;
  return oldPath === newPath ? newPath : `${oldPath} → ${newPath}`;
}
