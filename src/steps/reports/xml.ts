// Parses XML of other programs: strictly, in one pass, and without external references.
//
// - Only the five entities of XML itself and numeric character references are supported. A DOCTYPE may name a DTD, as the
//   reports of several tools do, but it is not fetched, and one with declarations is rejected. So no entity can read a file
//   or grow.
// - Depth and attributes are bounded, and parsing takes linear time.
// - A text that is not well-formed is an XmlFault; the visitor's data must be discarded then.

import { shortText } from '../../base/short-text.ts';

/** Receives the parts of a document, in order. */
export interface XmlVisitor {
  open(name: string, attributes: ReadonlyMap<string, string>): void;
  close?(name: string): void;
  text?(text: string): void;
}

/** Rejected XML. */
export class XmlFault extends Error {
  constructor(message: string, line: number) {
    super(`line ${line}: ${message}`);
    this.name = 'XmlFault';
  }
}

const DEPTH_MAX = 100;
const ATTRIBUTES_MAX = 200;
const NAME = '[A-Za-z_:\\u0080-\\uffff][\\w:.\\u0080-\\uffff-]*';
const OPEN = new RegExp(`<(${NAME})`, 'y');
const CLOSE = new RegExp(`</(${NAME})\\s*>`, 'y');
const ATTRIBUTE = new RegExp(`\\s+(${NAME})\\s*=\\s*(?:"([^"<]*)"|'([^'<]*)')`, 'y');
const TAG_END = /\s*(\/?)>/y;
const DOCTYPE = new RegExp(`<!DOCTYPE\\s+${NAME}(?:\\s+(?:SYSTEM|PUBLIC\\s+(?:"[^"]*"|'[^']*'))\\s+(?:"[^"]*"|'[^']*'))?\\s*>`, 'y');
const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));|&/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const BYTE_ORDER_MARK = '\ufeff';

/** Reads a whole document and passes its parts to the visitor. */
export function readXml(text: string, visitor: XmlVisitor): void {
  new XmlReader(text, visitor).read();
}

class XmlReader {
  readonly #text: string;
  readonly #visitor: XmlVisitor;
  readonly #open: string[] = [];
  #at = 0;
  #hasRoot = false;

  constructor(text: string, visitor: XmlVisitor) {
    this.#text = text;
    this.#visitor = visitor;
  }

  read(): void {
    this.#refuseControls();
    if (this.#text.startsWith(BYTE_ORDER_MARK)) this.#at = 1;
    while (this.#at < this.#text.length) {
      const next = this.#text.indexOf('<', this.#at);
      const end = next === -1 ? this.#text.length : next;
      if (end > this.#at) this.#characters(end);
      if (next !== -1) this.#markup();
    }
    const unclosed = this.#open.at(-1);
    if (unclosed !== undefined) this.#fail(`it ends inside <${unclosed}>`);
    if (!this.#hasRoot) this.#fail('it has no element');
  }

  #markup(): void {
    const text = this.#text;
    if (text.startsWith('<!--', this.#at)) this.#skipTo('-->', 'comment');
    else if (text.startsWith('<?', this.#at)) this.#skipTo('?>', 'instruction');
    else if (text.startsWith('<![CDATA[', this.#at)) this.#cdata();
    else if (text.startsWith('<!', this.#at)) this.#doctype();
    else if (text.startsWith('</', this.#at)) this.#closeTag();
    else this.#openTag();
  }

  #openTag(): void {
    const name = this.#match(OPEN)?.[1];
    if (name === undefined) return this.#fail('a "<" does not start a tag; in text, write it as &lt;');
    if (this.#open.length === 0 && this.#hasRoot) this.#fail(`<${shown(name)}> is a second root`);
    if (this.#open.length >= DEPTH_MAX) this.#fail(`it is nested deeper than ${DEPTH_MAX}`);
    const attributes = this.#attributes(name);
    const end = this.#match(TAG_END);
    if (end === undefined) return this.#fail(`the tag <${shown(name)}> is not written as XML`);
    this.#hasRoot = true;
    this.#visitor.open(name, attributes);
    if (end[1] === '/') this.#visitor.close?.(name);
    else this.#open.push(name);
  }

  #attributes(tag: string): Map<string, string> {
    const attributes = new Map<string, string>();
    for (let found = this.#match(ATTRIBUTE); found !== undefined; found = this.#match(ATTRIBUTE)) {
      const [, name = '', double, single] = found;
      if (attributes.has(name)) this.#fail(`<${shown(tag)}> has "${shown(name)}" twice`);
      if (attributes.size >= ATTRIBUTES_MAX) this.#fail(`<${shown(tag)}> has more than ${ATTRIBUTES_MAX} attributes`);
      attributes.set(name, this.#decoded(double ?? single ?? ''));
    }
    return attributes;
  }

  #closeTag(): void {
    const name = this.#match(CLOSE)?.[1];
    const expected = this.#open.pop();
    if (name === undefined || name !== expected) return this.#fail(`a closing tag does not fit <${shown(expected ?? '')}>`);
    this.#visitor.close?.(name);
  }

  #characters(end: number): void {
    const raw = this.#text.slice(this.#at, end);
    if (this.#open.length === 0 && raw.trim() !== '') this.#fail('it has text outside of its root');
    const text = this.#decoded(raw);
    if (this.#open.length > 0) this.#visitor.text?.(text);
    this.#at = end;
  }

  #cdata(): void {
    const from = this.#at + '<![CDATA['.length;
    this.#skipTo(']]>', 'CDATA section');
    if (this.#open.length === 0) this.#fail('it has text outside of its root');
    this.#visitor.text?.(this.#text.slice(from, this.#at - 3));
  }

  #doctype(): void {
    if (this.#hasRoot || this.#match(DOCTYPE) === undefined)
      this.#fail('it contains declarations (a DTD), which are rejected because they can read files and grow without end');
  }

  #skipTo(mark: string, noun: string): void {
    const end = this.#text.indexOf(mark, this.#at);
    if (end === -1) this.#fail(`a ${noun} does not end`);
    this.#at = end + mark.length;
  }

  #decoded(raw: string): string {
    if (!raw.includes('&')) return raw;
    return raw.replace(REFERENCE, (...[whole = '', name, decimal, hex]: (string | undefined)[]) => {
      if (name !== undefined) return ENTITIES[name] as string;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      if (!isCharacter(code))
        this.#fail(`"${shown(whole)}" is not a known character; only the five XML entities and numbers are supported`);
      return String.fromCodePoint(code);
    });
  }

  #refuseControls(): void {
    for (let at = 0; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code >= 0x20 || code === 0x0a || code === 0x0d || code === 0x09) continue;
      this.#at = at;
      this.#fail(`it has the control character ${code}, which XML does not allow`);
    }
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at = pattern.lastIndex;
    return found ?? undefined;
  }

  #fail(message: string): never {
    throw new XmlFault(message, this.#text.slice(0, this.#at).split('\n').length);
  }
}

function isCharacter(code: number): boolean {
  if (Number.isNaN(code) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return false;
  return code >= 0x20 ? code !== 0xfffe && code !== 0xffff : code === 0x09 || code === 0x0a || code === 0x0d;
}

const NAME_MAX = 40;

function shown(name: string): string {
  return shortText(name, NAME_MAX);
}
