// Owns how an `each` step is written in a graph: a list, and the step that is done for every item of it.

import { readGroup } from '../../authoring/graph/join.ts';
import { GROUP, STEP_PART } from '../../authoring/graph/shape.ts';
import { codesOf, type KindCompiler } from '../../authoring/graph/work.ts';
import { objectShape, TEXT } from '../../authoring/spec/shape.ts';
import { each as declaration } from './declare.ts';

/** The kind `each`. */
export const each: KindCompiler = {
  ...declaration,
  field: 'each',
  shapes: {
    each: objectShape<object>(
      { items: TEXT, step: STEP_PART, ...GROUP },
      { example: '{ items: "params.files", step: { … } }', needs: ['items', 'step'] },
    ),
  },
  read({ each: given }, { step, id, readMember }) {
    const group = given ?? { items: '', step: {} };
    step.knownFields(group, ['items', 'step', 'join', 'concurrency'], 'an each');
    const body = readMember({ ...group.step, id, name: undefined }, id);
    const work = { kind: 'each' as const, items: group.items, body: body.model, ...readGroup(group, step, undefined) };
    return { work, code: { members: codesOf([body]) } };
  },
};
