// Combines the check `any_of` for the registry, with its form in workflow files.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import { checkForm } from '../../../../authoring/yaml/schema/form.ts';
import type { Json } from '../../../../base/json.ts';
import type { CheckModel, CheckOf } from '../../../../definition/check.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { anyOfCheck as declaration } from './declare.ts';
import { run } from './run.ts';

const yaml = checkForm({
  meaning: 'Passes if one of several checks passes.',
  isMadeOfOthers: true,
  fields: ({ z, noted, simpleCheck }) => ({
    conditions: noted(z.array(simpleCheck).min(1), { description: 'Checks of which one must pass.', accepts: 'a list of checks' }),
  }),
  toSpec: ({ conditions }, checkOf) => ({ checks: conditions.map(checkOf) }),
});

/** The fields of the check in a file, in addition to those that all checks have. */
function write({ checks }: CheckOf<'any_of'>, checkOf: (inner: CheckModel) => Json): Readonly<Record<string, Json | undefined>> {
  return { checks: undefined, conditions: checks.map(checkOf) };
}

/** The registry entry of the check `any_of`. */
export const anyOfCheck: CheckCompiler & GateCheck = { ...declaration, run, write, yaml };
