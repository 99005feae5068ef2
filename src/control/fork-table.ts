// Owns the preview of a fork: which results are reused, which steps run again and may repeat external effects, and which
// approvals are requested again. Changes nothing.

import type { Engine } from '../api/engine.ts';
import { modelNamed } from '../definition/address.ts';
import { traitsOf } from '../definition/kind.ts';
import type { Definition } from '../definition/model.ts';
import { REGISTRY } from '../kinds/registry.ts';
import type { ForkTable } from './schema/fork.ts';
import { usageOfAll } from './usage.ts';

type PlanRow = ForkTable['steps'][number];

/** Reads what a fork would do; changes nothing. */
export async function readForkTable(engine: Engine, run: string, from: string): Promise<ForkTable> {
  const plan = await engine.run(run).planFork(from);
  const [{ state, definition }, rows, uses] = await Promise.all([
    engine.store.load(run),
    engine.store.attempts(run),
    engine.store.uses(run),
  ]);
  const kinds = new Map(rows.map(({ path, kind }) => [path, kind as string]));
  const outcomes = new Map(rows.flatMap(({ path, outcome }) => (outcome === undefined ? [] : [[path, outcome] as const])));
  const asked = new Set(plan.asksFirst);
  const reused = plan.reused.map(({ path, step }) =>
    rowOf({ path, step, kind: kinds.get(path) ?? 'task' }, outcomes, asked.has(step) ? 'again' : 'reused'),
  );
  const settled = new Set([...plan.reused, ...plan.repeated].map(({ path }) => path));
  const open = Object.values(state.live).filter(({ path }) => !settled.has(path));
  const again = [...plan.repeated, ...open].map((step) => rowOf(step, outcomes, 'again'));
  const asking = (part: readonly PlanRow[]): string[] => [...new Set(part.filter((row) => asks(row, definition)).map(({ step }) => step))];
  const paths = new Set(again.map(({ path }) => path));
  return {
    ...{ run, from: plan.from, steps: [...reused, ...again] },
    ...{ askedAgain: asking(again), asksFirst: plan.asksFirst, passed: plan.passed },
    usedBefore: usageOfAll(uses.filter(({ path }) => paths.has(path))) ?? null,
  };
}

function rowOf(
  { path, step, kind }: { readonly path: string; readonly step: string; readonly kind: string },
  outcomes: ReadonlyMap<string, string>,
  inFork: PlanRow['inFork'],
): PlanRow {
  const outcome = outcomes.get(path) ?? null;
  if (inFork === 'reused') return { path, step, kind, outcome, inFork, mayRepeatEffects: false, means: 'result reused' };
  // Pawl cannot know what a program, a function or an agent does outside the run: it lists whatever may have effects.
  const { effects, again = 'runs again' } = traitsOf(REGISTRY, kind);
  return { path, step, kind, outcome, inFork, mayRepeatEffects: effects !== 'none', means: again };
}

function asks({ step, kind }: PlanRow, definition: Definition): boolean {
  return kind === 'human' || modelNamed(definition, step)?.question !== undefined;
}
