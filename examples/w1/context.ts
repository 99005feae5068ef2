// Owns the context of the workflow's conditions: the books as the step sees them, the book of the run, and which version
// was the latest when it was planned. It is read from the database, because a step that an agent does is verified long after
// it began, in another process.

import { type Book, BookDatabase } from './database.ts';

export interface BookContext {
  readonly db: BookDatabase;
  readonly book: Book | null;
  readonly analysisPath: string | null;
  readonly previousVersionId: string | null;
}

/** Builds the context of one attempt around the copy of the books that its step works on. */
export function bookContext(copy: ConstructorParameters<typeof BookDatabase>[0], runId: string): BookContext {
  const db = new BookDatabase(copy);
  const book = db.bookOfRun(runId) ?? null;
  const latest = book === null ? undefined : db.latestVersion(book.id)?.id;
  const previousVersionId = db.plannedVersion(runId) ?? latest ?? null;
  return { db, book, analysisPath: book?.analysisPath ?? null, previousVersionId };
}
