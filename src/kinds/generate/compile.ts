// Compiles a `generate` step: the generator of the text, and its instructions.

import type { MethodArguments } from '../../authoring/flow/method.ts';
import type { FlowSpec } from '../../authoring/flow/model.ts';
import { builtCode, extractFunctions } from '../../authoring/graph/built.ts';
import { LIVE_AGENT } from '../../authoring/graph/shape.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { objectShape, TEXT } from '../../authoring/spec/shape.ts';
import { liveCode, readContext } from '../../authoring/spec/worker.ts';
import type { WorkOf } from '../../definition/model.ts';
import { generate as declaration, parseGenerate } from './declare.ts';
import type { GenerateStep } from './spec.ts';

/** Compiles `generate` steps. */
export const generate: KindCompiler = {
  ...declaration,
  field: 'generate',
  flow: {
    generate: {
      most: 1,
      first: objectShape<object>({ prompt: TEXT }, { example: '{ generator: "writer", prompt: "…" }' }),
      own: ['generator', 'prompt', 'context', 'budget'],
      write([{ generator, prompt, context, budget, ...options }]: MethodArguments<GenerateStep<never>, 'generate'>): FlowSpec {
        return { fields: { generate: generator, prompt, context, budget }, options };
      },
    },
  },
  shapes: { generate: LIVE_AGENT },
  beside: ['prompt', 'context', 'budget'],
  literals: ({ config: { prompt, context } }: WorkOf<'generate'>) => ({ prompt, context }),
  read(spec, { step }) {
    const generator = typeof spec.generate === 'string' ? spec.generate : undefined;
    const { context, code } = readContext(spec, step);
    const { data, built } = extractFunctions({ prompt: spec.prompt }, { prompt: 'text' }, { step });
    const config = { generator, prompt: data.prompt, context, budget: spec.budget };
    return {
      work: { kind: 'generate', config: step.parse(config, '`generate`', parseGenerate) },
      code: { ...code, ...builtCode(built), ...liveCode(spec.generate, 'generator', step) },
    };
  },
};
