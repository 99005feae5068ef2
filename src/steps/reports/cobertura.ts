// Parses Cobertura XML, as coverage.py, Istanbul, gcovr, coverlet and Cobertura itself write it. Lines, branches and
// methods are counted; the rates in the report are not used.

import { posix } from 'node:path';
import { type CoveredFile, FileTally, type Tally } from './covered-file.ts';
import { UnreadableReport } from './test-counts.ts';
import { readXml, type XmlVisitor } from './xml.ts';

/** The files of a Cobertura report. Throws for any other text. */
export function parseCobertura(text: string): CoveredFile[] {
  const reader = new CoberturaReader();
  readXml(text, reader);
  return reader.files();
}

interface Method {
  readonly key: string;
  ran: boolean;
}

class CoberturaReader implements XmlVisitor {
  readonly #tallies = new Map<string, FileTally>();
  readonly #sources: string[] = [];
  #hasRoot = false;
  #source: string | undefined;
  #file: FileTally | undefined;
  #method: Method | undefined;

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (!this.#hasRoot && name !== 'coverage')
      throw new UnreadableReport(`the root of a Cobertura report must be <coverage>, not <${name.slice(0, 40)}>`);
    this.#hasRoot = true;
    if (name === 'source') this.#source = '';
    else if (name === 'class') this.#file = this.#tallyOf(attributes.get('filename') ?? '');
    else if (name === 'method') this.#method = methodOf(attributes);
    else if (name === 'line') this.#line(attributes);
  }

  close(name: string): void {
    if (name === 'source' && this.#source !== undefined) {
      this.#sources.push(this.#source.trim());
      this.#source = undefined;
    } else if (name === 'class') this.#file = undefined;
    else if (name === 'method' && this.#method !== undefined) {
      this.#file?.count('functions', this.#method.key, this.#method.ran);
      this.#method = undefined;
    }
  }

  text(text: string): void {
    if (this.#source !== undefined) this.#source += text;
  }

  // A file may be named relative to a source folder.
  files(): CoveredFile[] {
    return [...this.#tallies].map(([name, tally]) => {
      const placed = this.#sources.filter((source) => source !== '').map((source) => posix.join(source, name));
      return tally.file([...new Set([name, ...placed])]);
    });
  }

  #tallyOf(name: string): FileTally {
    if (name === '') throw new UnreadableReport('a <class> has no filename');
    const tally = this.#tallies.get(name) ?? new FileTally();
    this.#tallies.set(name, tally);
    return tally;
  }

  // The lines of a method are repeated as lines of its class.
  #line(attributes: ReadonlyMap<string, string>): void {
    if (this.#file === undefined) return;
    const number = attributes.get('number') ?? '';
    const hits = attributes.get('hits') ?? '';
    if (!/^\d{1,9}$/.test(number) || !/^\d{1,20}$/.test(hits)) throw new UnreadableReport('a <line> has no number or no hits');
    const ran = Number(hits) > 0;
    if (this.#method !== undefined) this.#method.ran ||= ran;
    else {
      this.#file.count('lines', number, ran);
      const branches = branchesOf(attributes.get('condition-coverage'));
      if (branches !== undefined) this.#file.count('branches', number, branches);
    }
  }
}

function methodOf(attributes: ReadonlyMap<string, string>): Method {
  return { key: `${attributes.get('name') ?? ''} ${attributes.get('signature') ?? ''}`, ran: Number(attributes.get('line-rate') ?? 0) > 0 };
}

// Written as `50% (1/2)`.
function branchesOf(text: string | undefined): Tally | undefined {
  if (text === undefined) return undefined;
  const found = /\((\d{1,9})\/(\d{1,9})\)\s*$/.exec(text);
  if (found === null) throw new UnreadableReport('a condition-coverage has no counts');
  const [covered, total] = [Number(found[1]), Number(found[2])];
  if (covered > total) throw new UnreadableReport('a line has more covered branches than branches');
  return { covered, total };
}
