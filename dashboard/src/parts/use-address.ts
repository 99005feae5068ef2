// Reads the address of the page. The router decodes parameters only in part; here they are decoded in full.

import { useParams, useSearch } from 'wouter';

/** The query parameters. */
export function useQueryParams(): URLSearchParams {
  // It is only called to render again when they change.
  useSearch();
  return new URLSearchParams(location.search);
}

/** A parameter of the path, such as the id of a run. */
export function usePathParam(name: string): string | undefined {
  const value = (useParams() as Readonly<Record<string, string | undefined>>)[name];
  try {
    return value === undefined ? undefined : decodeURIComponent(value);
  } catch {
    return value;
  }
}
