// Compiles an `each` step: a list, and the step that is done for every item of it.

import { readGroup } from '../../authoring/graph/join.ts';
import { GROUP, STEP_PART } from '../../authoring/graph/shape.ts';
import { codesOf, type KindCompiler } from '../../authoring/graph/work.ts';
import { objectShape, TEXT } from '../../authoring/spec/shape.ts';
import { each as declaration } from './declare.ts';

/** Compiles `each` steps. */
export const each: KindCompiler = {
  ...declaration,
  field: 'each',
  shapes: {
    each: objectShape<object>(
      { items: TEXT, step: STEP_PART, ...GROUP },
      { example: '{ items: "params.files", step: { … } }', needs: ['items', 'step'], label: 'an each' },
    ),
  },
  read({ each: given }, { step, id, readMember }) {
    if (given === undefined) return undefined;
    const body = readMember({ ...given.step, id }, id);
    const work = { kind: 'each' as const, items: given.items, body: body.model, ...readGroup(given, step, undefined) };
    return { work, code: { members: codesOf([body]) } };
  },
};
