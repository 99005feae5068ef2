// Converts offsets in a text to lines and columns.

import { LineCounter } from 'yaml';

/** Finds the line and column of an offset, both counted from 1. */
export type PlaceAt = (offset: number) => { readonly line: number; readonly column: number };

/** Finds lines and columns in a text. */
export function placesIn(text: string): PlaceAt {
  const counter = new LineCounter();
  counter.addNewLine(0);
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) counter.addNewLine(at + 1);
  return (offset) => {
    const { line, col } = counter.linePos(offset);
    return { line, column: col };
  };
}
