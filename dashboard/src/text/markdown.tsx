// Shows untrusted markdown. It is parsed to tokens, and only the elements named here are created from them: no markup of
// others becomes HTML, nothing loads by itself, and links send no referrer.

import { lexer, type Token, type Tokens } from 'marked';
import { Fragment, type ReactNode, useMemo } from 'react';
import { plainText } from './plain-text.ts';

const LINKED = /^(?:https?:\/\/|mailto:)/i;
const DEPTH_MAX = 12;

/** Shows untrusted text as markdown. */
export default function Markdown({ text }: { readonly text: string }) {
  const tokens = useMemo(() => lexer(plainText(text), { gfm: true, breaks: true }), [text]);
  return <div className="markdown">{elementsOf(tokens, 0)}</div>;
}

function elementsOf(tokens: readonly Token[] | undefined, depth: number): ReactNode {
  if (depth > DEPTH_MAX) return tokens?.map(({ raw }) => raw).join('');
  return tokens?.map((token, n) => <Fragment key={n}>{elementOf(token as Tokens.Generic, depth + 1)}</Fragment>);
}

/** The element of a token; an unknown token is shown as it was written. */
function elementOf(token: Tokens.Generic, depth: number): ReactNode {
  const inside = (): ReactNode => elementsOf(token.tokens, depth);
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'paragraph':
      return <p>{inside()}</p>;
    case 'heading':
      return <p className="heading">{inside()}</p>;
    case 'blockquote':
      return <blockquote>{inside()}</blockquote>;
    case 'code':
      return (
        <pre tabIndex={0}>
          <code>{token.text}</code>
        </pre>
      );
    case 'list':
      return listOf(token as Tokens.List, depth);
    case 'table':
      return tableOf(token as Tokens.Table, depth);
    case 'hr':
      return <hr />;
    default:
      return inlineOf(token, inside);
  }
}

function inlineOf(token: Tokens.Generic, inside: () => ReactNode): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{inside()}</strong>;
    case 'em':
      return <em>{inside()}</em>;
    case 'del':
      return <del>{inside()}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'escape':
      return token.text;
    case 'text':
      return token.tokens === undefined ? unescaped(token.text) : inside();
    case 'link':
      return linkOf(token as Tokens.Link, inside);
    case 'image':
      return `[${token.text === '' ? 'image' : token.text}]`;
    default:
      return token.raw;
  }
}

function linkOf({ href, raw }: Tokens.Link, inside: () => ReactNode): ReactNode {
  if (!LINKED.test(href)) return raw;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
      {inside()}
    </a>
  );
}

function listOf({ ordered, start, items }: Tokens.List, depth: number): ReactNode {
  const rows = items.map((item, n) => <li key={n}>{[item.task ? (item.checked ? '☑ ' : '☐ ') : '', elementsOf(item.tokens, depth)]}</li>);
  return ordered ? <ol start={start === '' ? 1 : start}>{rows}</ol> : <ul>{rows}</ul>;
}

function tableOf({ header, rows }: Tokens.Table, depth: number): ReactNode {
  return (
    <table>
      <thead>
        <tr>
          {header.map((cell, n) => (
            <th key={n}>{elementsOf(cell.tokens, depth)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, n) => (
          <tr key={n}>
            {row.map((cell, m) => (
              <td key={m}>{elementsOf(cell.tokens, depth)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"', '&#39;': "'" };

/** The parser escapes text for HTML; React escapes it again, so this undoes the first. */
function unescaped(text: string): string {
  return text.replaceAll(/&(?:lt|gt|amp|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}
