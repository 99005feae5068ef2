// Owns the author-facing types of the check `any_of`: the checks of which one must pass.

import type { CheckSpec } from '../../../../authoring/spec/check.ts';

/** The checks of which one must pass. */
export interface AnyOfFields<C, Asks> {
  readonly checks: readonly CheckSpec<C, Asks>[];
}
