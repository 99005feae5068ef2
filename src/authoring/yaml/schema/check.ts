// Owns the schema of the checks of a gate: those that declare a form, and those of an application.

import * as z from 'zod';
import * as field from './field.ts';
import type { CheckForm, FieldWords, YamlCheck } from './form.ts';
import * as part from './part.ts';

const { duration, map, noted, tree } = field;
const timeout = duration('How long the check may take.', '10m').optional();

/** The schema of one check of a gate, given the forms of the built-in ones by name. */
export function checkSchema(forms: Readonly<Record<string, CheckForm>>): z.ZodType<YamlCheck> {
  const names = Object.keys(forms);
  const own = ownCheck(names);
  const formsOf = (isMadeOfOthers: boolean, words: Omit<FieldWords, 'simpleCheck'> & { readonly simpleCheck?: z.ZodType<YamlCheck> }) =>
    names
      .filter((name) => (forms[name]?.isMadeOfOthers === true) === isMadeOfOthers)
      .map((name) => {
        const { fields, meaning } = forms[name] as CheckForm;
        const shape = { check: z.literal(name), ...fields(words as FieldWords), timeout };
        return map(`${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name} check`, shape, meaning);
      });
  const simple = formsOf(false, { ...field, ...part, z });
  const simpleCheck = z.union([union(simple), own]) as unknown as z.ZodType<YamlCheck>;
  const all = [...simple, ...formsOf(true, { ...field, ...part, z, simpleCheck })];
  return noted(z.union([union(all), own]), {
    id: 'check',
    what: 'a check',
    accepts: 'a map such as { check: command, run: "npm test" }',
  }) as unknown as z.ZodType<YamlCheck>;
}

function union(forms: readonly z.ZodObject[]) {
  return z.discriminatedUnion('check', forms as [z.ZodObject, ...z.ZodObject[]]);
}

// A built-in name is never read as a custom check, or a mistake in its fields would go unnoticed. A custom check is not
// examined further, or the validator would compare it with the nearest form and report only its name.
function ownCheck(builtIn: readonly string[]) {
  const name = z.string().regex(new RegExp(`^(?!(?:${builtIn.join('|')})$)[A-Za-z][A-Za-z0-9_.-]*$`), { abort: true });
  return noted(
    z
      .looseObject({ check: noted(name, { role: 'literal', examples: ['command'], accepts: 'the name of a check' }), timeout })
      .catchall(tree('A value for the check, which may have templates.')),
    { what: 'a check', description: 'A check that is registered in TypeScript; it defines all its other fields.' },
  );
}
