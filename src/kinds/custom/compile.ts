// Compiles a step of an application's kind: `use` in a graph, `.use(kind, config)` in a flow.

import type { FlowSpec, StepOptions } from '../../authoring/flow/model.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { functionShape } from '../../authoring/spec/shape.ts';
import { messageOf } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import type { CustomKind } from '../../definition/custom-kind.ts';
import { custom as declaration } from './declare.ts';

/** Compiles `custom` steps. */
export const custom: KindCompiler = {
  ...declaration,
  field: 'use',
  flow: {
    use: {
      most: 3,
      first: { ...functionShape(), must: 'a kind of defineStepKind(…)' },
      write: ([kind, config, options]: readonly [CustomKind, unknown, StepOptions?]): FlowSpec => ({
        fields: { use: { kind, config } },
        options,
      }),
    },
  },
  read({ use }, { step }) {
    const kind = use?.kind;
    if (typeof kind?.run !== 'function') {
      step.fault('FIELD_INVALID', '`use` must be a kind of step', 'write use: deploy({ … }), where deploy is from defineStepKind');
      return undefined;
    }
    step.code('run', kind.run);
    const config = step.plain(use?.config ?? null, 'its configuration');
    // A template of a file has no value yet; the configuration is read again before the work.
    const isTemplate = step.graph.isFile && JSON.stringify(config).includes('{{');
    const fault = isTemplate ? undefined : faultOf(kind, config);
    if (fault !== undefined)
      step.fault('KIND_INVALID', `the configuration of "${kind.kind}" is invalid: ${fault}`, 'change the configuration');
    return { work: workOf(kind, config), code: { custom: kind }, recovery: kind.recovery };
  },
};

function workOf({ kind, outcomes }: CustomKind, config: Json) {
  return { kind: 'custom' as const, config: { use: kind, with: config, outcomes: [...outcomes] } };
}

function faultOf(kind: CustomKind, config: Json): string | undefined {
  try {
    kind.parse(config);
    return undefined;
  } catch (thrown) {
    return messageOf(thrown);
  }
}
