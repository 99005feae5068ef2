import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuTimeMs } from '../../../test/cpu-time.ts';
import { readXml, XmlFault } from './xml.ts';

function told(text: string): string[] {
  const parts: string[] = [];
  readXml(text, {
    open: (name, attributes) => parts.push(`<${[name, ...[...attributes].map(([key, value]) => `${key}=${value}`)].join(' ')}>`),
    close: (name) => parts.push(`</${name}>`),
    text: (text_) => parts.push(text_),
  });
  return parts;
}

describe('XML', () => {
  test('XML is passed to the visitor in order, with its entities resolved', () => {
    const text = `\ufeff<?xml version="1.0"?><!-- <no> --><a b='1 &lt; "2"' c="&#x41;&#66;"><x:y.z/>1 &amp; 2<![CDATA[<raw> &amp;]]></a>\n<!-- end -->`;
    expect(told(text)).toEqual(['<a b=1 < "2" c=AB>', '<x:y.z>', '</x:y.z>', '1 & 2', '<raw> &amp;', '</a>']);
  });

  test('XML may name a DTD, which is not read', () => {
    expect(told('<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd"><coverage/>')).toEqual([
      '<coverage>',
      '</coverage>',
    ]);
    expect(told('<!DOCTYPE a PUBLIC "-//x//y" "z.dtd" ><a/>')).toEqual(['<a>', '</a>']);
  });

  test.each<[string, string]>([
    ['an entity that reads a file', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'],
    ['a billion laughs', '<!DOCTYPE a [<!ENTITY l "lol"><!ENTITY m "&l;&l;&l;&l;">]><a>&m;</a>'],
    ['a parameter entity', '<!DOCTYPE a [<!ENTITY % p SYSTEM "http://x/"> %p;]><a/>'],
    ['a DTD after the root', '<a/><!DOCTYPE a>'],
    ['an entity that is not of XML', '<a>&nbsp;</a>'],
    ['an entity without its end', '<a b="&amp"/>'],
    ['a number that is no character', '<a>&#0;</a>'],
    ['a half of a character', '<a>&#xD800;</a>'],
    ['a number beyond all characters', '<a>&#x110000;</a>'],
  ])('invalid XML is rejected: %s', (_what, text) => {
    expect(() => told(text)).toThrow(XmlFault);
    expect(() => readXml(text, { open: () => {} })).toThrow(XmlFault);
  });

  test.each<[string, string, number]>([
    ['nothing', '', 1],
    ['no element', 'hello', 1],
    ['an element that is not closed', '<a>\n<b>\n</b>\n', 4],
    ['tags that cross', '<a><b></a></b>', 1],
    ['a closing tag too many', '<a/>\n</a>', 2],
    ['two roots', '<a/>\n<b/>', 2],
    ['text after the root', '<a/>x', 1],
    ['CDATA after the root', '<a/><![CDATA[x]]>', 1],
    ['an attribute twice', '<a b="1" b="2"/>', 1],
    ['an attribute without quotes', '<a b=1/>', 1],
    ['a "<" in an attribute', '<a b="<"/>', 1],
    ['a "<" in a text', '<a>1 < 2</a>', 1],
    ['a comment without an end', '<a><!-- </a>', 1],
    ['a control character', '<a>\n\u001b[31m</a>', 2],
    ['nesting without end', '<a>'.repeat(101), 1],
  ])('invalid XML is rejected with its line: %s', (_what, text, line) => {
    expect(() => told(text)).toThrow(new RegExp(`^line ${line}: `));
  });

  test('garbage read as XML ends in a fault or in balanced tags', () => {
    const piece = fc.constantFrom(
      '<a>',
      '</a>',
      '<b c="1">',
      '</b>',
      '<d/>',
      '&amp;',
      '&x;',
      '<![CDATA[',
      ']]>',
      '<!--',
      '-->',
      '<!DOCTYPE a',
      '>',
      '"',
      'x',
    );
    const garbage = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(garbage, (text) => {
        try {
          // Counted as they are told: text of a CDATA section may look like a tag.
          let depth = 0;
          readXml(text, { open: () => (depth += 1), close: () => (depth -= 1), text: () => undefined });
          expect(depth).toBe(0);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(XmlFault);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('XML is parsed in linear time, even if it is hostile', () => {
    const hostile = [
      '<'.repeat(1e6),
      `<a ${'b '.repeat(5e5)}`,
      `<a>${'&'.repeat(1e6)}</a>`,
      `<!DOCTYPE ${' '.repeat(1e6)}`,
      `<a b="${'x'.repeat(1e6)}`,
      `<a${' '.repeat(1e6)}`,
    ];
    for (const text of hostile) {
      const from = cpuTimeMs();
      expect(() => told(text)).toThrow(XmlFault);
      expect(cpuTimeMs() - from).toBeLessThan(5000);
    }
  });
});
