// Owns how an `action` is written: a forge action by its name, with its fields.

import type { MethodArguments } from '../../authoring/flow/method.ts';
import { parsedOf, type StepParts } from '../../authoring/flow/model.ts';
import { builtCode, takeFunctions } from '../../authoring/graph/built.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { objectShape } from '../../authoring/spec/shape.ts';
import { type ForgeAction, parseForgeAction } from '../../definition/forge/forge-action.ts';
import { action as declaration } from './declare.ts';
import type { ActionStep } from './spec.ts';

/** Stands for an action that was refused. */
const NOTHING: ForgeAction = { action: 'close_issue' };

/** The kind `action`; the texts of a graph's action may be templates. */
export const action: KindCompiler = {
  ...declaration,
  field: 'forge',
  flow: { action: { most: 2, build } },
  shapes: { forge: objectShape<object>({}, { example: '{ action: "merge_pr" }' }) },
  read({ forge }, { step }) {
    const { action: name, ...fields } = { ...forge };
    const texts = Object.fromEntries(Object.keys(fields).map((field) => [field, 'data' as const]));
    const { data, built } = takeFunctions(fields, texts, { step });
    const config = step.parsed({ action: name, ...data }, 'its forge', parseForgeAction) ?? NOTHING;
    return { work: { kind: 'action', config }, code: builtCode(built), templates: true };
  },
};

/** Builds a forge action from its name and fields. */
function build(name: string, [given, options = {}]: MethodArguments<ActionStep<never, never>, 'action'>): StepParts {
  return { name, work: { kind: 'action', config: parsedOf(name, given, parseForgeAction) }, options };
}
