// Provides the person who is logged in, so that components offer only what this person may do.

import { createContext, useContext } from 'react';
import type { SessionReport } from './connection/contract.ts';

/** The session of the person who looks at the page. */
export const Person = createContext<SessionReport | undefined>(undefined);

/** True if the person who looks at the page has this scope. */
export function useMay(scope: 'view' | 'operate' | 'decide'): boolean {
  return useContext(Person)?.scopes.includes(scope) ?? false;
}

/** The name of the person who looks at the page. */
export function useMyName(): string {
  return useContext(Person)?.person.name ?? '';
}
