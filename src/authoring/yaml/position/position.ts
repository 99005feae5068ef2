// Owns where the parts of a workflow file stand: the place of every key and value, and of every character of a text,
// however the text is written.

import type { SourcePosition } from '../../../base/error.ts';
import type { Origin } from '../../../expr/template.ts';
import type { Located } from '../read/source.ts';
import type { Lines } from './line.ts';
import { type ValueOffsets, valueOffsets } from './text.ts';

/** The keys and indexes that lead to a value of the file. */
export type YamlPath = readonly (string | number)[];

/** Finds places in one file. */
export class Positions {
  private readonly text: string;
  private readonly file: string;
  private readonly root: Located | undefined;
  private readonly lines: Lines;
  private readonly known = new WeakMap<Located, ValueOffsets>();

  constructor(source: { readonly text: string; readonly file: string; readonly root: Located | undefined; readonly lines: Lines }) {
    this.text = source.text;
    this.file = source.file;
    this.root = source.root;
    this.lines = source.lines;
  }

  /** Where a value stands, or its key; for what is not in the file, the nearest that holds it. */
  positionOf(path: YamlPath, part: 'key' | 'value' = 'value'): SourcePosition {
    const { found, isWhole } = this.find(path);
    const offset = part === 'key' || !isWhole ? (found?.keyStart ?? found?.start) : found?.start;
    return this.at(offset ?? 0);
  }

  /** Where the first character of a text stands, and how far its further lines are indented in the file. */
  originOf(path: YamlPath): Origin {
    const { found } = this.find(path);
    if (found?.scalar === undefined || typeof found.value !== 'string') return this.positionOf(path);
    const { offsets, indent } = this.offsetsOf(found, found.value, found.scalar);
    return { ...this.at(offsets[0] ?? found.start), ...(indent === 0 ? {} : { indent }) };
  }

  /** Where a place inside a text stands in the file; the place counts lines and columns of the text itself. */
  within(path: YamlPath, place: { readonly line: number; readonly column: number }): SourcePosition {
    const { found } = this.find(path);
    if (found?.scalar === undefined || typeof found.value !== 'string') return this.positionOf(path);
    const { offsets } = this.offsetsOf(found, found.value, found.scalar);
    let lineStart = 0;
    for (let line = 1; line < place.line; line += 1) lineStart = found.value.indexOf('\n', lineStart) + 1;
    return this.at(offsets[Math.min(lineStart + place.column - 1, offsets.length - 1)] ?? found.start);
  }

  /** Kept, since a text with many holes asks for each of them. */
  private offsetsOf(located: Located, value: string, scalar: { readonly style: string; readonly end: number }): ValueOffsets {
    const known = this.known.get(located);
    const offsets = known ?? valueOffsets(this.text, { ...scalar, start: located.start, value });
    if (known === undefined) this.known.set(located, offsets);
    return offsets;
  }

  private find(path: YamlPath): { found: Located | undefined; isWhole: boolean } {
    let found = this.root;
    for (const part of path) {
      const next = typeof part === 'number' ? found?.items?.[part] : found?.members?.get(part);
      if (next === undefined) return { found, isWhole: false };
      found = next;
    }
    return { found, isWhole: true };
  }

  private at(offset: number): SourcePosition {
    return { file: this.file, ...this.lines.placeAt(offset) };
  }
}
