// Owns the positions in a workflow file: of every key and value, and of every character of a string, however it is quoted.

import type { SourcePosition } from '../../../base/error.ts';
import type { Origin } from '../../../expr/template-placeholder.ts';
import type { LocatedValue } from '../read/source.ts';
import type { PlaceAt } from './line.ts';
import { type ValueOffsets, valueOffsets } from './text.ts';

/** The keys and indexes that lead to a value of the file. */
export type YamlPath = readonly (string | number)[];

/** Finds positions in one file. */
export class Positions {
  private readonly text: string;
  private readonly file: string;
  private readonly root: LocatedValue | undefined;
  private readonly placeAt: PlaceAt;
  private readonly known = new WeakMap<LocatedValue, ValueOffsets>();

  constructor(source: {
    readonly text: string;
    readonly file: string;
    readonly root: LocatedValue | undefined;
    readonly placeAt: PlaceAt;
  }) {
    this.text = source.text;
    this.file = source.file;
    this.root = source.root;
    this.placeAt = source.placeAt;
  }

  /** The position of a value or its key; for a path that is not in the file, of the nearest value around it. */
  positionOf(path: YamlPath, part: 'key' | 'value' = 'value'): SourcePosition {
    const { found, isWhole } = this.find(path);
    const offset = part === 'key' || !isWhole ? (found?.keyStart ?? found?.start) : found?.start;
    return this.at(offset ?? 0);
  }

  /** The position of the first character of a string, and how far its further lines are indented. */
  originOf(path: YamlPath): Origin {
    const { found } = this.find(path);
    if (found?.scalar === undefined || typeof found.value !== 'string') return this.positionOf(path);
    const { offsets, indent } = this.offsetsOf(found, found.value, found.scalar);
    return { ...this.at(offsets[0] ?? found.start), ...(indent === 0 ? {} : { indent }) };
  }

  /** The position in the file of a line and column inside a string. */
  within(path: YamlPath, place: { readonly line: number; readonly column: number }): SourcePosition {
    const { found } = this.find(path);
    if (found?.scalar === undefined || typeof found.value !== 'string') return this.positionOf(path);
    const { offsets } = this.offsetsOf(found, found.value, found.scalar);
    let lineStart = 0;
    for (let line = 1; line < place.line; line += 1) lineStart = found.value.indexOf('\n', lineStart) + 1;
    return this.at(offsets[Math.min(lineStart + place.column - 1, offsets.length - 1)] ?? found.start);
  }

  /** Cached, since a string with many templates asks for each of them. */
  private offsetsOf(located: LocatedValue, value: string, scalar: { readonly style: string; readonly end: number }): ValueOffsets {
    const known = this.known.get(located);
    const offsets = known ?? valueOffsets(this.text, { ...scalar, start: located.start, value });
    if (known === undefined) this.known.set(located, offsets);
    return offsets;
  }

  private find(path: YamlPath): { found: LocatedValue | undefined; isWhole: boolean } {
    let found = this.root;
    for (const part of path) {
      const next = typeof part === 'number' ? found?.items?.[part] : found?.members?.get(part);
      if (next === undefined) return { found, isWhole: false };
      found = next;
    }
    return { found, isWhole: true };
  }

  private at(offset: number): SourcePosition {
    return { file: this.file, ...this.placeAt(offset) };
  }
}
