// Verifies signatures: of all runs of a store, together with the store's own checks, and of the decisions in a report.

import type { KeyList } from '../../authority/enrolment.ts';
import { verifySignature } from '../../authority/verification.ts';
import { isEngineError } from '../../base/error.ts';
import type { RunReport } from '../../control/schema/run.ts';
import { proveRun } from '../../engine/signature/signature-proof.ts';
import { decisionStatement } from '../../engine/signature/signatures.ts';
import type { ChangeOf, EventOf } from '../../kernel/event.ts';
import type { Store, StoreReport } from '../../store/store.ts';
import { keyListOf } from '../identity/identity.ts';
import type { Setup } from '../session.ts';
import type { Shell } from '../shell.ts';

/** Verifies the store and the signatures of every run in it. */
export async function checkStore(shell: Shell, { project }: Setup, store: Store): Promise<StoreReport> {
  const report = await store.check();
  const known = new Set(report.problems.flatMap(({ run }) => run ?? []));
  const keys = keyListOf(shell, project);
  const problems = [...report.problems];
  for (const { id, damaged } of await store.list({})) {
    // The store has reported the others.
    if (damaged === undefined && !known.has(id)) problems.push(...(await problemsOf(store, id, () => keys)));
  }
  return { ...report, ok: problems.length === 0, problems };
}

async function problemsOf(store: Store, run: string, keys: Parameters<typeof proveRun>[2]): Promise<StoreReport['problems']> {
  try {
    await proveRun(store, await store.load(run), keys);
    return [];
  } catch (error) {
    if (!isEngineError(error)) throw error;
    const { seq } = error.details;
    return [{ run, what: error.message, ...(typeof seq === 'number' ? { seq } : {}) }];
  }
}

/** The report of a run, with `isProved` set on each signature. */
export async function verifySignatures(
  shell: Shell,
  { project }: Setup,
  { store, report }: { readonly store: Store; readonly report: RunReport },
): Promise<RunReport> {
  const { id: run } = report.run;
  const keys = keyListOf(shell, project);
  const loaded = await store.load(run);
  const isSound = (await problemsOf(store, run, () => keys)).length === 0;
  const events = (await store.events(run, 0)).flatMap((row) => row.events);
  const proved = events.flatMap((event) =>
    event.type === 'run.changed' && event.change === 'decided' && isProved(event, { run, keys }) ? [event] : [],
  );
  const decisions = report.decisions.map((decision) => {
    const { signed } = decision;
    const isSigned = ({ at, signed: by }: EventOf<'run.changed'> & ChangeOf<'decided'>): boolean =>
      new Date(at).toISOString() === decision.at && by?.signature.key === signed?.fingerprint;
    return signed === null
      ? decision
      : { ...decision, signed: { ...signed, isProved: (isSound || loaded.state.signed !== true) && proved.some(isSigned) } };
  });
  return { ...report, decisions };
}

function isProved(
  event: EventOf<'run.changed'> & ChangeOf<'decided'>,
  { run, keys }: { readonly run: string; readonly keys: KeyList },
): boolean {
  const { signed, decision, at } = event;
  if (signed === undefined) return false;
  const { path, digest, signature } = signed;
  const statement = decisionStatement({ run, path, digest, option: decision.option, input: decision.input, actor: decision.actor });
  return verifySignature(keys, { statement, signature, at }).isValid;
}
