// Compiles an `action` step: a forge action by its name, with its fields.

import type { MethodArguments } from '../../authoring/flow/method.ts';
import type { FlowSpec } from '../../authoring/flow/model.ts';
import { builtCode, extractFunctions } from '../../authoring/graph/built.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { objectShape } from '../../authoring/spec/shape.ts';
import { type ForgeAction, parseForgeAction } from '../../definition/forge/forge-action.ts';
import { action as declaration } from './declare.ts';
import type { ActionStep } from './spec.ts';

/** A placeholder for an invalid action. */
const NOTHING: ForgeAction = { action: 'close_issue' };

/** Compiles `action` steps. The strings of an action in a graph, and of any undo, may be templates. */
export const action: KindCompiler = {
  ...declaration,
  field: 'forge',
  flow: {
    action: {
      most: 2,
      write: ([forge, options]: MethodArguments<ActionStep<never, never, never>, 'action'>): FlowSpec => ({ fields: { forge }, options }),
    },
  },
  shapes: { forge: objectShape<object>({}, { example: '{ action: "merge_pr" }' }) },
  read({ forge }, { step }) {
    const { action: name, ...fields } = { ...forge };
    const texts = Object.fromEntries(Object.keys(fields).map((field) => [field, 'data' as const]));
    const { data, built } = extractFunctions(fields, texts, { step });
    const config = step.parsed({ action: name, ...data }, '`forge`', parseForgeAction) ?? NOTHING;
    return { work: { kind: 'action', config }, code: builtCode(built), ...(step.graph.isFlow ? {} : { templates: true }) };
  },
};
