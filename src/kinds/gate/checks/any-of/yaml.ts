// Owns how the check `any_of` is written in a workflow file.

import { type CheckForm, checkForm } from '../../../../authoring/yaml/schema/form.ts';
import type { Json } from '../../../../base/json.ts';
import type { CheckModel, CheckOf } from '../../../../definition/check.ts';

/** Checks of which one must pass. */
export const yaml: CheckForm = checkForm({
  meaning: 'Passes when one of several checks does.',
  isMadeOfOthers: true,
  fields: ({ z, noted, simpleCheck }) => ({
    conditions: noted(z.array(simpleCheck).min(1), { description: 'Checks of which one must pass.', accepts: 'a list of checks' }),
  }),
  toSpec: ({ conditions }, checkOf) => ({ checks: conditions.map(checkOf) }),
});

/** How the check is written, beside what all checks have. */
export function write({ checks }: CheckOf<'any_of'>, checkOf: (inner: CheckModel) => Json): Readonly<Record<string, Json | undefined>> {
  return { checks: undefined, conditions: checks.map(checkOf) };
}
