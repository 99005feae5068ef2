// Owns the caller of a request: a person with a name and scopes, however they logged in. Routes see nothing else of a login.
// `rightOf` of `src/authority` decides what they may do, as for a caller of the command line.

import type { LoginIdentity } from '../authority/right.ts';

/** Who sent a request: the name to record, their scopes, how they were authenticated, and their groups in the settings. */
export interface Caller extends LoginIdentity {
  readonly groups: readonly string[];
}
