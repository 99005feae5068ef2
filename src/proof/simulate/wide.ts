// Owns the wide workflows of a simulation: fan-outs of 64 to 500 members, whose work is done by functions, programs, agents
// and the calling agent. These workers are simulated and take random times, so results come in while others are written.

import { all } from '../../authoring/flow/call.ts';
import { compileFlow } from '../../authoring/flow/flow.ts';
import { compileGraph } from '../../authoring/graph/graph.ts';
import type { GraphSpec } from '../../authoring/graph/spec.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { arg } from '../../definition/param/arg.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { step } from '../../kinds/step-builder.ts';
import type { Random } from './random.ts';

/** The role whose work is handed to the calling agent. */
export const CALLER = 'caller';

const WIDTH_MIN = 64;
const WIDTH_MAX = 500;
const FLOW_MAX = 150;
const CALLER_MAX = 20;

type Worker = 'function' | 'program' | 'agent' | 'caller';

/** Creates the wide workflow of a seed. */
export function createWideWorkflow(random: Random): CompiledWorkflow {
  return random.chance(0.3) ? createWideFlow(random) : createWideGraph(random);
}

function createWideGraph(random: Random): CompiledWorkflow {
  const worker = random.weighted<Worker>({ function: 5, program: 2, agent: 2, caller: 1 });
  const width = worker === 'caller' ? random.int(2, CALLER_MAX) : random.int(WIDTH_MIN, WIDTH_MAX);
  const concurrency = random.chance(0.4) ? { concurrency: random.int(8, WIDTH_MAX) } : {};
  const join = random.weighted({ all: 6, any: 1, most: 1 });
  const member = { ...workOf(worker), recovery: 'rerun', ...(random.chance(0.5) ? { retry: random.int(1, 2) } : {}) };
  return compileGraph(
    {
      name: 'main',
      params: { list: arg({ description: 'items', type: 'json', default: itemsOf(width) }) },
      steps: [
        {
          id: 's0',
          each: { items: 'params.list', step: member, join: join === 'most' ? Math.ceil(width / 2) : join, ...concurrency },
          next: { ok: 's1', _default: 's1' },
        },
        { id: 's1', handler: () => null, recovery: 'rerun', next: null },
      ],
    } as unknown as GraphSpec,
    REGISTRY,
  );
}

function workOf(worker: Worker): object {
  if (worker === 'function') return { handler: () => null };
  if (worker === 'program') return { command: 'true' };
  return { agent: worker, prompt: 'Work.' };
}

function createWideFlow(random: Random): CompiledWorkflow {
  const items = itemsOf(random.int(WIDTH_MIN, FLOW_MAX));
  const inOne = random.chance(0.5);
  const create = (name: string) => step(name).task({ action: () => null, recovery: 'rerun' as const, retry: { max: 2 } });
  return compileFlow('main', {}, function* () {
    let passed = 0;
    try {
      const results = inOne ? yield* step('s0').each(items, () => create('work')) : yield* all(items.map((item) => create(`work-${item}`)));
      // A flow may change its results, which must not affect a replay.
      (results as unknown[]).reverse();
      passed = (results as unknown[]).length;
    } catch {
      passed = -1;
    }
    yield* step('s1').task({ action: (value: number) => value, args: [passed] as const, recovery: 'rerun' });
    return { passed };
  });
}

function itemsOf(width: number): string[] {
  return Array.from({ length: width }, (_, n) => `i${n}`);
}
