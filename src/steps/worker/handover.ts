// Owns work that is handed to the agent that called Pawl: which steps, their instructions, and parsing its report. The
// report is a claim; it is verified like the work of a driven agent.

import { isJsonObject, type Json } from '../../base/json.ts';
import { isAgentKind } from '../../definition/kind.ts';
import { roleOf, type StepKind, type StepModel } from '../../definition/model.ts';
import type { OutcomeName } from '../../definition/outcome.ts';
import type { Snapshot } from '../attempt.ts';
import type { Instructions } from '../instructions/instructions.ts';
import { ATTENDED } from '../run-records.ts';
import { ownEntry, type StepServices } from '../services.ts';
import type { Job } from '../work.ts';
import { type ReplyRules, replyFault } from './reply-rules.ts';
import type { StateFiles } from './saved-state.ts';

/** The instructions for an agent that does a step itself. */
export interface Handover extends Omit<ReplyRules, 'givesText'> {
  /** The kind of step, which decides how the report is parsed. */
  readonly kind: StepKind;
  /** The instructions, which are complete: an agent without any other context can do the step. */
  readonly prompt: string;
  /** The same in parts, so that a caller can add how to report. */
  readonly parts: Instructions;
  readonly role: string;
  readonly title: string;
  /** True when it may ask the person it works for. */
  readonly mayAsk: boolean;
  /** The outcomes that the report may choose in `outcome`; absent if there is no choice. */
  readonly outcomes?: readonly string[];
}

/** Handed-out work, as stored. */
export interface StoredHandover extends Handover {
  /** Where the agent saves its state before it asks; absent if the step does not require that. */
  readonly state?: StateFiles;
}

/** Whether the work of a role is handed out: its driver is `attended`, or it has none and the run is attended. */
export function isHandedOut(services: StepServices, role: string, { data }: Pick<Snapshot, 'data'>): boolean {
  const setting = ownEntry(services.roles, role);
  return setting === undefined ? ATTENDED.in(data) === true : setting.driver === 'attended';
}

/** Whether a step has instructions and nothing that carries them out. */
export function isInstructed(model: StepModel): boolean {
  return 'config' in model && 'instructed' in model.config && model.config.instructed === true;
}

/** Whether the work of an agent's step is handed out. An in-process agent does its own work. */
export function isForCaller({ runner, request: { bound }, context }: Job): boolean {
  const { model, code } = bound;
  if (isInstructed(model)) return ATTENDED.in(context.snapshot.data) === true;
  if (!isAgentKind(runner, model.kind) || code.agent !== undefined) return false;
  return isHandedOut(runner.services, roleOf(model) ?? '', context.snapshot);
}

/** A parsed report: an outcome with its output, or its fault. */
export type ReportReading = { readonly outcome: OutcomeName; readonly output: Json } | { readonly problem: string };

/** Parses an agent's report, with the same rules as the reply of a driven agent. */
export function readReport(
  { kind, outcomes = [], ...rules }: Pick<Handover, 'kind' | 'outcomes'> & ReplyRules,
  form: 'graph' | 'flow',
  result: Json,
): ReportReading {
  if (kind === 'generate')
    return typeof result === 'string' ? { outcome: 'ok', output: result } : { problem: 'the result must be a string' };
  const fields = isJsonObject(result) ? result : {};
  const { success, verdict, status, postconditionsPassed, outcome: chosen } = fields;
  const fault = replyFault(rules, { success: success !== false, output: result, verdict });
  if (fault !== undefined) return { problem: fault.replace(/^output\b/, 'the result') };
  if (success !== false && postconditionsPassed === false)
    return { problem: '"postconditionsPassed" is false, so the work is not done; finish it, or report a failure' };
  if (outcomes.length > 0 && chosen !== undefined && !outcomes.some((known) => known === chosen))
    return { problem: `"outcome" must be one of ${outcomes.join(', ')}` };
  const reported = verdict === 'reject' ? 'reject' : success === false || status === 'FAIL' ? 'fail' : 'ok';
  const outcome = outcomes.length > 0 && typeof chosen === 'string' ? chosen : reported;
  return { outcome, output: form === 'flow' ? flowOutput(kind, result, outcome) : result };
}

/** The result that a flow receives from this kind of step. */
function flowOutput(kind: StepKind, result: Json, outcome: OutcomeName): Json {
  if (kind === 'command') return { exitCode: 0, stdout: '', stderr: '', result };
  return { success: outcome !== 'fail', output: result };
}
