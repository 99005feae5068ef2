// Owns the check `any_of` as the registry has it: its declaration, how it is written in a workflow file, and its execution.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import { checkForm } from '../../../../authoring/yaml/schema/form.ts';
import type { Json } from '../../../../base/json.ts';
import type { CheckModel, CheckOf } from '../../../../definition/check.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { anyOfCheck as declaration } from './declare.ts';
import { run } from './run.ts';

const yaml = checkForm({
  meaning: 'Passes when one of several checks does.',
  isMadeOfOthers: true,
  fields: ({ z, noted, simpleCheck }) => ({
    conditions: noted(z.array(simpleCheck).min(1), { description: 'Checks of which one must pass.', accepts: 'a list of checks' }),
  }),
  toSpec: ({ conditions }, checkOf) => ({ checks: conditions.map(checkOf) }),
});

/** How the check is written, beside what all checks have. */
function write({ checks }: CheckOf<'any_of'>, checkOf: (inner: CheckModel) => Json): Readonly<Record<string, Json | undefined>> {
  return { checks: undefined, conditions: checks.map(checkOf) };
}

/** The check `any_of`: how it is declared, written in files and made. */
export const anyOfCheck: CheckCompiler & GateCheck = { ...declaration, run, write, yaml };
