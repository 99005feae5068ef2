// Owns work that is handed to the agent that called Pawl: which steps that are, what the agent is told, and what its
// report is read as. What it reports is a claim; it is verified like the work of a driven agent.

import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { misfit } from '../definition/json-schema.ts';
import type { StepKind } from '../definition/model.ts';
import type { OutcomeName } from '../definition/outcome.ts';
import type { Snapshot } from './attempt.ts';
import { entryOf, type StepServices } from './services.ts';
import type { Job } from './work.ts';

/** The key of the run's data that says: roles without a driver are done by the agent that called. */
export const ATTENDED = '$attended';

/** What an agent is told when work is handed to it. */
export interface Handover {
  /** What kind of step it is: that decides how the report is read. */
  readonly kind: StepKind;
  /** The instructions. They stand alone: an agent that has forgotten all else can do it. */
  readonly prompt: string;
  readonly role: string;
  readonly title: string;
  /** True when it may ask the person it works for. */
  readonly mayAsk: boolean;
  /** The JSON Schema that its result has to fit, where there is one. */
  readonly schema?: JsonObject;
}

/** Whether the work of a role is handed out: its driver is `attended`, or it has none and the run is attended. */
export function isHandedOut(services: StepServices, role: string, { data }: Pick<Snapshot, 'data'>): boolean {
  const setting = entryOf(services.roles, role);
  return setting === undefined ? data[ATTENDED] === true : setting.driver === 'attended';
}

/** Whether the work of a step of an agent is handed out; a live object does its own. */
export function isForCaller({ bench, request: { bound }, context }: Job): boolean {
  const { model, code } = bound;
  if ((model.kind !== 'agent' && model.kind !== 'generate') || code.agent !== undefined) return false;
  const role = model.kind === 'agent' ? model.config.role : model.config.generator;
  return isHandedOut(bench.services, role ?? '', context.snapshot);
}

/** What a report is read as: an outcome with its output, or what is wrong with it. */
export type ReportReading = { readonly outcome: OutcomeName; readonly output: Json } | { readonly problem: string };

/** Reads what an agent reports as its result. `success: false` and a `verdict` in it mean what they mean for a driver. */
export function readReport({ kind, schema }: Pick<Handover, 'kind' | 'schema'>, form: 'graph' | 'flow', result: Json): ReportReading {
  const fault = schema === undefined ? undefined : misfit(schema, result, 'the result');
  if (fault !== undefined) return { problem: fault };
  if (kind === 'generate') return typeof result === 'string' ? { outcome: 'ok', output: result } : { problem: 'the result must be a text' };
  const { success, verdict, status } = isJsonObject(result) ? result : {};
  if (verdict !== undefined && verdict !== 'approve' && verdict !== 'reject')
    return { problem: '"verdict" in the result must be "approve" or "reject"' };
  const outcome = verdict === 'reject' ? 'reject' : success === false || status === 'FAIL' ? 'fail' : 'ok';
  return { outcome, output: form === 'flow' ? inFlow(kind, result, outcome) : result };
}

/** The result as the kind of step gives it to a flow. */
function inFlow(kind: StepKind, result: Json, outcome: OutcomeName): Json {
  if (kind === 'command') return { exitCode: 0, stdout: '', stderr: '', result };
  return { success: outcome !== 'fail', output: result };
}
