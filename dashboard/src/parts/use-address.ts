// Owns reading the address of the page. The router decodes it by halves; here each word is exactly what was written.

import { useParams, useSearch } from 'wouter';

/** The words after the question mark. */
export function useWords(): URLSearchParams {
  // It only says when they change.
  useSearch();
  return new URLSearchParams(location.search);
}

/** A varying part of the path, such as the id of a run. */
export function usePathWord(name: string): string | undefined {
  const word = (useParams() as Readonly<Record<string, string | undefined>>)[name];
  try {
    return word === undefined ? undefined : decodeURIComponent(word);
  } catch {
    return word;
  }
}
