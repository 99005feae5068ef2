// Owns the schema of stages: for each kind of step with a form its own fields, the fields of every stage, and its
// transitions. A branch of a parallel stage is a stage without transitions.

import * as z from 'zod';
import type { CustomKind } from '../../../definition/custom-kind.ts';
import type { Compilers } from '../../graph/work.ts';
import * as action from './action.ts';
import { undo } from './action.ts';
import { checkSchema } from './check.ts';
import * as field from './field.ts';
import type { StageForm, StageVariant, StageWords, YamlStage } from './form.ts';
import * as part from './part.ts';
import { around, failures, leads, onEnter, outcomes } from './transition.ts';

const { map, noted, textsOrNone, tree } = field;

/** The fields of every stage and branch. */
const frame = { ...around, undo };

const writes = textsOrNone(
  'Patterns of the files that the branch changes, none for one that only reads; without it, the files among its outputs. Branches that would write the same files get separate checkouts.',
  ['src/**'],
).optional();

type Form = z.ZodObject | z.ZodDiscriminatedUnion;

/** The schema of one stage of a workflow, with these kinds and checks. */
export function stageSchema({ kinds, checks, customKinds = {} }: Compilers): z.ZodType<YamlStage> {
  const formsOf = <T>(list: Readonly<Record<string, { readonly yaml?: T }>>) =>
    Object.entries(list).flatMap(([name, { yaml }]): [string, T][] => (yaml === undefined ? [] : [[name, yaml]]));
  const check = checkSchema(Object.fromEntries(formsOf(checks)));
  const words = { ...field, ...part, ...action, z, check } as unknown as StageWords;
  const own = Object.values(customKinds);
  const described = formsOf<StageForm>(kinds);
  // Each field is described once, so that JSON Schema holds it once for stages and branches.
  const members = described.flatMap(([type, form]): DescribedKind[] =>
    form.branch === 'group' ? [] : [{ type, form, fields: form.fields(words) }],
  );
  const branch = oneOf([...members.map((member) => branchForm(member, words)), ...own.map((kind) => customForm(kind, 'branch', {}))], {
    id: 'branch',
    what: 'a branch',
    accepts: 'a map such as { id: security, agent: security-review, action: review }',
  });
  const stages = described.map(
    ([type, form]): DescribedKind =>
      members.find((member) => member.type === type) ?? { type, form, fields: form.fields({ ...words, branch }) },
  );
  return oneOf([...stages.map((stage) => stageForm(stage, words)), ...own.map(customStage)], {
    id: 'stage',
    what: 'a stage',
    accepts: 'a map such as { id: implement, type: agent, agent: feat-dev }',
  });
}

/** A kind with its fields as schemas. */
interface DescribedKind {
  readonly type: string;
  readonly form: StageForm;
  readonly fields: z.ZodRawShape;
}

function oneOf(forms: readonly Form[], note: field.Note): z.ZodType<YamlStage> {
  return noted(z.discriminatedUnion('type', forms as [Form, ...Form[]]), note) as unknown as z.ZodType<YamlStage>;
}

function branchForm({ type, form, fields }: DescribedKind, words: StageWords): Form {
  const { meaning, branch } = form;
  const word = branch === 'default' ? typed(type).optional() : typed(type);
  const shape = { ...frame, type: word, ...fields, ...(branch === undefined ? {} : { writes }) };
  return (
    variantsOf(form, words, ({ name, variant }) => map(`a ${name} branch`, { ...shape, ...variant.fields }, variant.meaning)) ??
    map(`${article(type)} ${type} branch`, shape, meaning)
  );
}

function stageForm({ type, form, fields }: DescribedKind, words: StageWords): Form {
  const { on_complete } = outcomes;
  const shape = { ...frame, type: typed(type), ...fields };
  const end = { ...failures, on_enter: onEnter };
  return (
    variantsOf(form, words, ({ name, variant }) => {
      const all = { ...shape, ...variant.fields, ...transitionsOf(variant), on_complete, ...transitionsOf(form), ...end };
      return map(`${article(name)} ${name} ${type}`, all, variant.meaning);
    }) ?? map(`${article(type)} ${type} stage`, { ...shape, ...transitionsOf(form), on_complete, ...end }, form.meaning)
  );
}

function variantsOf(
  { variants }: StageForm,
  words: StageWords,
  formOf: (named: { readonly name: string; readonly variant: StageVariant }) => z.ZodObject,
): Form | undefined {
  if (variants === undefined) return undefined;
  const { key } = variants;
  const forms = Object.entries(variants.of(words)).map(([name, variant]) => {
    const word = noted(z.literal(name), { description: `The ${key}: \`${name}\`.`, examples: [name] });
    return formOf({ name, variant: { ...variant, fields: { [key]: word, ...variant.fields } } });
  });
  return z.discriminatedUnion(key, forms as [z.ZodObject, ...z.ZodObject[]]);
}

function transitionsOf({ transitions }: Pick<StageForm, 'transitions'>): z.ZodRawShape {
  return Object.fromEntries(transitions.map((key) => [key, outcomes[key]]));
}

function typed(type: string) {
  return noted(z.literal(type), { description: `The type of the stage: \`${type}\`.`, examples: [type] });
}

function customStage(kind: CustomKind): z.ZodObject {
  const { on_complete, on_fail, on_reject } = outcomes;
  const own = kind.outcomes.map((outcome) => [`on_${outcome}`, leads(`on_${outcome}`, `When its outcome is \`${outcome}\`.`).optional()]);
  return customForm(kind, 'stage', { ...Object.fromEntries(own), on_complete, on_fail, on_reject, ...failures, on_enter: onEnter });
}

function customForm({ kind }: CustomKind, part: 'stage' | 'branch', transitions: z.ZodRawShape): z.ZodObject {
  const config = tree('The configuration of the kind, which may have templates.').optional();
  const shape = { ...frame, type: z.literal(kind), with: config, ...transitions };
  return noted(z.strictObject(shape), { what: `${article(kind)} ${kind} ${part}` });
}

function article(word: string): string {
  return /^[aeiou]/.test(word) ? 'an' : 'a';
}
