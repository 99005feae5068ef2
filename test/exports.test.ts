// Pins what the package publishes. A name that appears or goes is a decision: change the list in `published-names.ts` with it.

import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PUBLISHED } from './published-names.ts';
import { findFiles, publishedEntries, readText } from './tidy/repository.ts';
import { parseSource, type SyntaxNode } from './tidy/source.ts';

function exportedNames(path: string): string[] {
  return parseSource(path, readText(path))
    .body.flatMap((statement) => namesOf(path, statement))
    .sort();
}

function namesOf(path: string, statement: SyntaxNode): string[] {
  // A list of types beside the entry, for what few people write: what a store, a log or a definition is made of.
  if (statement.type === 'ExportAllDeclaration' && !statement.exported && statement.exportKind === 'type')
    return exportedNames(join(dirname(path), (statement.source as { value: string }).value));
  if (statement.type !== 'ExportNamedDeclaration' || statement.declaration) {
    throw new Error(`${path} holds a ${statement.type}; a published entry only exports by name what others own`);
  }
  return (statement.specifiers as { exported: { name: string } }[]).map(({ exported }) => exported.name);
}

describe('the package', () => {
  const entries = publishedEntries();

  test('the package publishes the pinned entries, and every index is one', () => {
    expect(Object.keys(entries).sort()).toEqual(Object.keys(PUBLISHED).sort());
    expect(findFiles(['src/**/index.ts'])).toEqual(Object.values(entries).sort());
  });

  test.each(Object.entries(PUBLISHED))('the package publishes exactly these names at %s', (entry, names) => {
    expect(exportedNames(entries[entry] as string)).toEqual([...names].sort());
  });

  test.each(Object.keys(PUBLISHED))('the package can be imported at %s', async (entry) => {
    const file = `../${entries[entry]}`;
    const loaded = (await import(/* @vite-ignore */ file)) as object;
    expect(PUBLISHED[entry]).toEqual(expect.arrayContaining(Object.keys(loaded)));
    expect(Object.keys(loaded)).not.toEqual([]);
  });
});
