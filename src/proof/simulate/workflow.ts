// Owns the workflows of a simulation: small random graphs and flows that use every kind of wait, every join, bounded loops,
// retries, timeouts, contracts and every recovery policy. Their functions are never called: the simulated runner answers in
// their place.

import { all, type FlowBatch, type FlowCall, race } from '../../authoring/flow/call.ts';
import { compileFlow } from '../../authoring/flow/flow.ts';
import { compileGraph } from '../../authoring/graph/graph.ts';
import type { GraphSpec, MemberSpec, NextSpec, QuestionSpec, StepSpec } from '../../authoring/graph/spec.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import type { RecoveryPolicy } from '../../definition/model.ts';
import { arg } from '../../definition/param/arg.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { step } from '../../kinds/step-builder.ts';
import { StepFailed } from '../../programs/flow-step.ts';
import type { Random } from './random.ts';

/** The semaphore that steps of a simulation may request. */
export const SHARED_SLOT = 'shared';
/** The signals that steps of a simulation wait for. */
export const SIGNAL_NAMES = ['red', 'blue'] as const;

const STEPS_MAX = 5;
const HOLDS = [{ name: 'holds', check: () => true, error: 'it does not hold' }];

/** Creates the workflow of a seed, with the one that it starts as a child. */
export function createWorkflow(random: Random): CompiledWorkflow {
  const child = random.chance(0.2) ? createFlow(random, 'child') : createGraph(random, 'child');
  return random.chance(0.35) ? createFlow(random, 'main', child) : createGraph(random, 'main', child);
}

type Kind = 'task' | 'human' | 'delay' | 'poll' | 'signal' | 'child' | 'parallel' | 'each' | 'validate';

function kindOf(random: Random, position: { readonly isMember: boolean; readonly mayStart: boolean }): Kind {
  const kind = random.weighted<Kind>({ task: 9, human: 3, delay: 1, poll: 1, signal: 3, child: 3, parallel: 4, each: 3, validate: 1 });
  const isGroup = kind === 'parallel' || kind === 'each' || kind === 'validate';
  return (position.isMember && isGroup) || (!position.mayStart && kind === 'child') ? 'task' : kind;
}

function createGraph(random: Random, name: string, child?: CompiledWorkflow): CompiledWorkflow {
  const count = random.int(1, child === undefined ? 2 : STEPS_MAX);
  const ids = Array.from({ length: count }, (_, index) => `s${index}`);
  const steps = ids.map((id, index) => graphStep(random, { ids, index, id }, child));
  const params = {
    list: arg({ description: 'items', type: 'json', default: ['a', 'b', 'c', 'd'].slice(0, random.int(0, 4)) }),
    flag: arg({ description: 'a switch', type: 'boolean', default: random.chance(0.7) }),
  };
  return compileGraph({ name, params, steps } as unknown as GraphSpec, REGISTRY);
}

interface StepPosition {
  readonly ids: readonly string[];
  readonly index: number;
  readonly id: string;
}

function graphStep(random: Random, position: StepPosition, child: CompiledWorkflow | undefined): StepSpec {
  const kind = kindOf(random, { isMember: false, mayStart: child !== undefined });
  const next = graphNext(random, position, kind);
  const condition = random.chance(0.08) ? { condition: 'params.flag === true' } : {};
  if (kind === 'parallel' || kind === 'each')
    return { id: position.id, next, ...condition, ...group(random, kind, child), ...shared(random, kind) } as StepSpec;
  const asked = kind === 'task' && random.chance(0.12) ? { humanGate: question(random, position) } : {};
  return { id: position.id, next, ...condition, ...work(random, kind, { position, child }), ...shared(random, kind), ...asked } as StepSpec;
}

function group(random: Random, kind: 'parallel' | 'each', child: CompiledWorkflow | undefined): object {
  const size = random.int(2, 3);
  const join = random.pick(['all', 'any', random.int(1, size)]);
  const concurrency = random.chance(0.4) ? { concurrency: random.int(1, 2) } : {};
  if (kind === 'each') return { each: { items: 'params.list', step: member(random, child), join, ...concurrency } };
  const branches = Array.from({ length: size }, (_, index) => ({ id: `b${index}`, ...member(random, child) }));
  return { parallel: { branches, join, ...concurrency } };
}

function member(random: Random, child: CompiledWorkflow | undefined): MemberSpec<never> {
  const kind = kindOf(random, { isMember: true, mayStart: child !== undefined });
  return { ...work(random, kind, { child }), ...shared(random, kind) } as MemberSpec<never>;
}

function work(
  random: Random,
  kind: Kind,
  options: { readonly position?: StepPosition; readonly child: CompiledWorkflow | undefined },
): object {
  switch (kind) {
    case 'human':
      return { human: question(random, options.position) };
    case 'delay':
      return { delay: `${random.int(1, 300)}ms` };
    case 'poll':
      return { delay: { duration: `${random.int(50, 300)}ms`, poll: { interval: `${random.int(10, 60)}ms`, condition: 'params.flag' } } };
    case 'signal':
      return { signal: random.pick(SIGNAL_NAMES) };
    case 'child':
      return { workflow: options.child };
    case 'validate':
      return { validate: { stages: [], retry: random.int(0, 2), ...(random.chance(0.6) ? { onFailure: { handler: () => null } } : {}) } };
    default:
      return { handler: () => null };
  }
}

function shared(random: Random, kind: Kind): object {
  const isTask = kind === 'task';
  const isGroup = kind === 'parallel' || kind === 'each';
  return {
    ...(random.chance(isTask ? 0.2 : 0.15) ? { timeout: `${random.int(20, 400)}ms` } : {}),
    ...(random.chance(isTask ? 0.2 : 0.1) ? { postconditions: HOLDS } : {}),
    ...(random.chance(0.08) ? { preconditions: HOLDS } : {}),
    ...(!isGroup && kind !== 'validate' && random.chance(0.4) ? { retry: retryOf(random) } : {}),
    ...(isTask ? recoveryOf(random) : {}),
    ...(isTask && random.chance(0.15) ? { slots: [SHARED_SLOT] } : {}),
  };
}

function retryOf(random: Random) {
  const backoff = random.chance(0.5) ? { backoff: { initial: `${random.int(1, 50)}ms`, max: '200ms' } } : {};
  return { max: random.int(1, 2), on: random.pick([['error'], ['error', 'timeout']] as const), ...backoff };
}

function recoveryOf(random: Random): { recovery: RecoveryPolicy; reconcile?: () => boolean } {
  const recovery = random.pick(['rerun', 'ask', 'reconcile'] as const);
  return recovery === 'reconcile' ? { recovery, reconcile: () => true } : { recovery };
}

function question(random: Random, position?: StepPosition): QuestionSpec {
  const back = position === undefined ? undefined : random.pick(position.ids.slice(0, position.index + 1));
  const returns = position !== undefined && random.chance(0.4) ? [{ label: 'again', nextStep: back as string, requiresInput: true }] : [];
  const end = position !== undefined && random.chance(0.2) ? [{ label: 'stop', nextStep: null }] : [];
  const options = [{ label: 'yes' }, { label: 'no', outcome: 'reject' }, ...returns, ...end];
  // Not drawn, so that older seeds keep their meaning.
  const turn = position === undefined ? 0 : position.index + position.ids.length;
  const about = turn % 3 === 1 ? { subjects: { files: ['*'] } } : {};
  return { prompt: 'Go on?', show: ['v'], options, ...about, ...(turn % 4 === 1 ? { count: 2 } : {}) };
}

function graphNext(random: Random, position: StepPosition, kind: Kind): NextSpec {
  const forward = position.ids[position.index + 1] ?? null;
  const back = (): NextSpec & object => ({
    to: random.pick(position.ids.slice(0, position.index + 1)),
    maxIterations: random.int(1, 2),
    onExhausted: random.pick([forward, 'escalate', 'fail', null]),
  });
  const form = random.weighted({ plain: 5, table: 5, choice: kind === 'task' ? 3 : 0 });
  if (form === 'plain') return forward;
  if (form === 'choice') {
    const { to, ...bound } = back() as unknown as { to: string; maxIterations: number; onExhausted: string | null };
    return { condition: 'result.n > 3', onTrue: forward, onFalse: to, ...bound };
  }
  const anywhere = () => (random.chance(0.4) ? back() : random.pick([forward, 'escalate', 'fail', 'reject', null]));
  const table: Record<string, unknown> = { ok: forward };
  for (const outcome of ['fail', 'error', 'timeout', 'reject', 'skip', 'iterate', '_default'])
    if (random.chance(0.4)) table[outcome] = anywhere();
  return table as NextSpec;
}

interface FlowPart {
  readonly caught: boolean;
  readonly call: () => FlowCall<unknown> | FlowBatch<unknown>;
}

function createFlow(random: Random, name: string, child?: CompiledWorkflow): CompiledWorkflow {
  const count = random.int(1, child === undefined ? 2 : STEPS_MAX);
  const parts = Array.from({ length: count }, (_, index) => flowPart(random, `s${index}`, child));
  const children = child === undefined ? [] : [child];
  return compileFlow(name, { children }, function* () {
    let passed = 0;
    for (const { caught, call } of parts) {
      try {
        yield* call();
        passed += 1;
      } catch (thrown) {
        if (!caught || !(thrown instanceof StepFailed)) throw thrown;
      }
    }
    return { passed };
  });
}

function flowPart(random: Random, name: string, child: CompiledWorkflow | undefined): FlowPart {
  const caught = random.chance(0.5);
  const kind = random.weighted({ single: 6, all: 2, race: 2, each: 2 });
  if (kind === 'single') return { caught, call: flowStep(random, name, child) };
  if (kind === 'each') {
    const body = flowStep(random, `${name}-item`, child);
    const items = ['a', 'b', 'c'].slice(0, random.int(0, 3));
    const options = random.chance(0.4) ? { concurrency: random.int(1, 2) } : {};
    return { caught, call: () => step(name).each(items, () => body(), options) };
  }
  const members = Array.from({ length: random.int(2, 3) }, (_, index) => flowStep(random, `${name}-${index}`, child));
  const together = kind === 'all' ? all : race;
  return { caught, call: () => together(members.map((create) => create())) };
}

function flowStep(random: Random, name: string, child: CompiledWorkflow | undefined): () => FlowCall<unknown> {
  const kind = kindOf(random, { isMember: true, mayStart: child !== undefined });
  const options = shared(random, kind);
  const durationMs = random.int(1, 200);
  const signal = random.pick(SIGNAL_NAMES);
  switch (kind) {
    case 'human':
      return () => step(name).human({ prompt: 'Go on?', options: ['yes', 'no', 'reject'], ...options });
    case 'delay':
      return () => step(name).delay({ duration: `${durationMs}ms`, ...options });
    case 'poll':
      return () => step(name).delay({ duration: `${durationMs}ms`, poll: { interval: '20ms', condition: () => true }, ...options });
    case 'signal':
      return () => step(name).signal(signal, options);
    case 'child':
      return () => step(name).workflow(child as CompiledWorkflow, {}, options);
    default:
      return () => step(name).task({ action: () => null, ...options });
  }
}
