// Prints the reply of a command for agents, as text, XML or JSON, and its exit code.

import type { AttendedRun, OpenWork } from '../../attended/attended-run.ts';
import { type Receipt, type Reply, workIn } from '../../attended/submission.ts';
import { omitUndefined } from '../../base/fields.ts';
import { readRunReport } from '../../control/run/report.ts';
import type { Store } from '../../store/store.ts';
import type { Shell } from '../shell.ts';
import { EXIT_WAITING, exitOf, exitOfWaits } from '../status.ts';
import { dispatchOf, replyLines } from './rendering.ts';

const EXIT_REFUSED = 1;

/** Prints the reply to an agent, and returns the exit code. */
export async function printReply(shell: Shell, store: Store, reply: Reply): Promise<number> {
  const { run } = reply;
  if (shell.wantsJson) {
    // Without the history, which the agent would read again with each step.
    const { run: overview, plan, waits } = await readRunReport(store, run.id, () => false);
    const openSteps = workIn(run).map((work) => (work.dispatch === undefined ? workRow(work) : dispatchRow(shell, work)));
    shell.result({ run: overview, plan, waits, openSteps, ...omitUndefined({ verdict: verdictRow(reply.receipt) }) }, () => []);
  } else if (shell.format === 'xml') {
    const { replyXml } = await import('./xml.ts');
    shell.print(replyXml(shell, reply));
  } else for (const line of replyLines(shell, reply)) shell.print(line);
  return exitOfReply(reply);
}

/** A refused report exits with 1, unless the end of the run says more. */
function exitOfReply({ run, receipt, only }: Reply): number {
  const exit = only === true ? 0 : exitOfRun(run);
  return receipt?.kind === 'refused' && (exit === 0 || exit === EXIT_WAITING) ? EXIT_REFUSED : exit;
}

/** The exit code for an agent; 0 if a step is open for it. */
export function exitOfRun(run: AttendedRun): number {
  if (run.kind === 'work') return 0;
  if (run.kind === 'executing' || run.kind === 'abandoned') return EXIT_WAITING;
  return run.kind === 'waiting' ? exitOfWaits('waiting', run.waits) : exitOf(run.status);
}

function workRow(work: OpenWork): object {
  const { run, path, step, title, role, attempt, token, prompt, mayAsk, item, schema, reviews, args, outcomes, parts } = work;
  const due = work.due === undefined ? undefined : new Date(work.due).toISOString();
  const identity = { run, path, step, title, role, attempt, token };
  return omitUndefined({ ...identity, prompt, mayAsk, item, due, schema, reviews, args, outcomes, ...parts.loop });
}

function verdictRow(receipt: Receipt | undefined): object | undefined {
  if (receipt === undefined || !('path' in receipt)) return undefined;
  const { kind, repeated } = receipt;
  return { accepted: kind === 'accepted', repeated, ...(kind === 'accepted' ? {} : { message: receipt.message }) };
}

function dispatchRow(shell: Shell, work: OpenWork): object {
  const { run, path, step, title, role, attempt, token, item } = work;
  const { agent, prompt, returns } = dispatchOf(shell, work) ?? {};
  return omitUndefined({ run, path, step, title, role, attempt, token, item, dispatch: omitUndefined({ agent, prompt, returns }) });
}
