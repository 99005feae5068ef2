// Owns the contract of a step that writes one document.

import type { DocumentContract } from '../index.ts';

/** What makes a step complete whose result is one document. With `command` or `report`, spread it into the contract. */
export function document(path: string, required: Omit<DocumentContract, 'path'>): { readonly documents: readonly DocumentContract[] } {
  return { documents: [{ path, ...required }] };
}
