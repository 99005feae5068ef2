// Owns what the files of a step's outputs were before it began. A retry compares with what was there before the first
// attempt, since what an earlier attempt changed is the work of the step as well.
//
// Baselines live in memory, because an activation has no place for them on record. After a crash a new one is taken: what
// the interrupted attempt had changed by then does not count, so that such a step can be asked once too often, and never
// passes without a change. Steps that work at the same time in one workspace see each other's changes as their own.

import type { AttemptRequest } from '../attempt.ts';
import type { Bench } from '../work.ts';
import { isFileOutput, type OutputDeclaration } from './declaration.ts';
import { digestMatching, type FileDigests } from './workspace-digest.ts';

/** The digests before the step, by pattern. */
export type Baseline = ReadonlyMap<string, FileDigests>;

// A step that ends without success may be tried again much later or never; the oldest are forgotten, as after a crash.
const KEPT_MAX = 256;
const kept = new WeakMap<Bench, Map<string, Baseline>>();

/** The baseline of an activation: the one from before its first attempt where it is known, else what is there now. */
export async function openBaseline(bench: Bench, request: AttemptRequest, declared: readonly OutputDeclaration[]): Promise<Baseline> {
  const baselines = baselinesOf(bench);
  const known = baselines.get(keyOf(request));
  if (known !== undefined) return known;
  const taken = await takeDigests(bench, request, declared);
  const [oldest] = baselines.keys();
  if (oldest !== undefined && baselines.size >= KEPT_MAX) baselines.delete(oldest);
  baselines.set(keyOf(request), taken);
  return taken;
}

/** Forgets the baseline of an activation that is done. */
export function closeBaseline(bench: Bench, request: AttemptRequest): void {
  baselinesOf(bench).delete(keyOf(request));
}

/** The digests of all files that the outputs are about, as they are now. */
export async function takeDigests(bench: Bench, request: AttemptRequest, declared: readonly OutputDeclaration[]): Promise<Baseline> {
  const digests = new Map<string, FileDigests>();
  for (const { pattern } of declared.filter(isFileOutput)) {
    if (digests.has(pattern)) continue;
    digests.set(pattern, await digestMatching({ cwd: bench.services.cwd, pattern, signal: request.signal }));
  }
  return digests;
}

function baselinesOf(bench: Bench): Map<string, Baseline> {
  const known = kept.get(bench) ?? new Map<string, Baseline>();
  kept.set(bench, known);
  return known;
}

function keyOf({ runId, activation }: AttemptRequest): string {
  return `${runId}/${activation.path}`;
}
