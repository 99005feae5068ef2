// Owns finding the question that is meant: of a run and of the runs it waits for, by gate and by the digest of what
// was seen. Only the store is read.

import { EngineError, isEngineError } from '../../base/error.ts';
import { type OpenGate, openGates } from '../../engine/gates.ts';
import { childOf } from '../../kernel/activation.ts';
import type { Store } from '../../store/store.ts';

/** A question and the run that asks it. */
export interface PendingApproval {
  readonly run: string;
  readonly workflow: string;
  readonly gate: OpenGate;
}

/** The open questions of a run and of the runs it waits for, oldest first. */
export async function pendingApprovals(store: Store, run: string): Promise<readonly PendingApproval[]> {
  const { state } = await store.load(run);
  const own = (await openGates({ store }, run)).map((gate) => ({ run, workflow: state.workflow, gate }));
  const children = Object.values(state.live).flatMap((activation) => childOf(activation) ?? []);
  const below = await Promise.all(children.map((child) => pendingApprovals(store, child).catch(noneYet)));
  return [...own, ...below.flat()].sort((a, b) => a.gate.since - b.gate.since);
}

/** A child that its parent is about to start asks nothing yet. */
function noneYet(error: unknown): readonly PendingApproval[] {
  if (isEngineError(error) && error.code === 'RUN_NOT_FOUND') return [];
  throw error;
}

/** The run that started the run that started this one, up to the first: whoever drives it drives all of them. */
export async function rootOf(store: Store, run: string): Promise<string> {
  const { parent } = (await store.load(run)).state;
  return parent === undefined ? run : rootOf(store, parent.run);
}

/** What names a question: its path or step, and the digest of what was seen or its beginning. */
export interface Named {
  readonly gate?: string | undefined;
  readonly digest?: string | undefined;
}

/** The one question that is meant; several, or none, are errors that say which there are. */
export function pickApproval(run: string, open: readonly PendingApproval[], named: Named): PendingApproval | undefined {
  const ofGate = open.filter(({ gate }) => named.gate === undefined || gate.path === named.gate || gate.step === named.gate);
  const seen = ofGate.filter(({ gate }) => named.digest === undefined || gate.digest.startsWith(named.digest));
  const found = seen.length > 0 ? seen : ofGate;
  if (found.length <= 1) return found[0];
  const list = found.map(({ gate }) => gate.path).join(', ');
  throw new EngineError('WAIT_NOT_FOUND', `run ${run} has ${found.length} gates that wait; name one with --gate: ${list}`);
}
