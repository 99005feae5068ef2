// Owns the caller of a request: a person with a name and scopes, however they logged in. Routes see nothing else of a login.
// `rightOf` of `src/authority` decides what they may do, as for a caller of the command line.

import type { LoggedIn } from '../authority/right.ts';
import type { LoginScope } from '../authority/rights.ts';

/** What a caller may do: look at runs, start and control them, or decide in their own name. */
export type CallerScope = LoginScope;

/** Who sent a request: a name to record, scopes, how they proved it, and the groups that the settings put them in. */
export interface Caller extends LoggedIn {
  readonly groups: readonly string[];
}
