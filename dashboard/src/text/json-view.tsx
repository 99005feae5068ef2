// Shows data of a run: small values as rows of name and value, everything else as indented JSON of limited length.

import { useState } from 'react';
import type { Json } from '../connection/contract.ts';
import { plainText } from './plain-text.ts';

const SHOWN_CHARACTERS = 4_000;

const DEPTH_MAX = 3;
const DIGEST = /^[0-9a-f]{64}$/;
const DIGEST_SHOWN = 12;
const INLINE_CHARACTERS = 60;

/** Shows a string as text, and an object as rows of name and value. */
export function JsonView({ value, depth = 0 }: { readonly value: Json | undefined; readonly depth?: number }) {
  if (value === undefined || value === null) return <p className="faint">nothing</p>;
  if (typeof value === 'string') return <LongText text={value} />;
  if (typeof value !== 'object') return <code className="scalar">{String(value)}</code>;
  if (Array.isArray(value))
    return value.length === 0 ? <p className="faint">an empty list</p> : <LongText text={JSON.stringify(value, null, 2)} />;
  const entries = Object.entries(value);
  if (entries.length === 0) return <p className="faint">nothing</p>;
  return (
    <dl className="facts">
      {entries.map(([name, each]) => (
        <div key={name}>
          <dt>{plainText(name)}</dt>
          <dd>
            <Value value={each} depth={depth} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ value, depth }: { readonly value: Json | undefined; readonly depth: number }) {
  if (typeof value === 'string') {
    if (DIGEST.test(value))
      return (
        <code className="scalar" title={value}>
          {value.slice(0, DIGEST_SHOWN)}…
        </code>
      );
    const isLong = value.trim().includes('\n') || value.length > 160;
    return isLong ? <LongText text={value} /> : <bdi>{plainText(value.trim()) || '""'}</bdi>;
  }
  if (value === null || value === undefined || typeof value !== 'object') return <code className="scalar">{String(value)}</code>;
  const text = JSON.stringify(value);
  if (text.length <= INLINE_CHARACTERS && !text.includes('\\n')) return <code className="scalar">{plainText(text)}</code>;
  if (depth < DEPTH_MAX && !Array.isArray(value)) return <JsonView value={value} depth={depth + 1} />;
  return <LongText text={JSON.stringify(value, null, 2)} />;
}

/** Shows text in a box, its beginning first if it is long. */
function LongText({ text }: { readonly text: string }) {
  const [whole, setWhole] = useState(false);
  const plain = plainText(text);
  const cut = !whole && plain.length > SHOWN_CHARACTERS;
  return (
    <>
      <pre className="text-box" tabIndex={0}>
        <bdi>{cut ? plain.slice(0, SHOWN_CHARACTERS) : plain}</bdi>
      </pre>
      {cut && (
        <button type="button" className="link" onClick={() => setWhole(true)}>
          Show all {plain.length.toLocaleString()} characters
        </button>
      )}
    </>
  );
}
