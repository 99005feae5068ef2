// Owns how the check `any_of` is written in a workflow file.

import { type CheckForm, checkForm } from '../../../../authoring/yaml/schema/form.ts';

/** Checks of which one must pass. */
export const yaml: CheckForm = checkForm({
  meaning: 'Passes when one of several checks does.',
  isMadeOfOthers: true,
  fields: ({ z, noted, simpleCheck }) => ({
    conditions: noted(z.array(simpleCheck).min(1), { description: 'Checks of which one must pass.', accepts: 'a list of checks' }),
  }),
  toSpec: ({ conditions }, checkOf) => ({ checks: conditions.map(checkOf) }),
});
