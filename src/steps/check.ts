// Owns the interface of gate checks: their inputs and their verdict. A check passes, fails, or is pending; if it could not
// run, the gate neither passes nor fails.

import { EngineError, messageOf } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { CheckDeclaration, CheckFrame, CheckModel, CheckTraits, ConfiguredCheck, CustomCheckName } from '../definition/check.ts';
import { withSourceOf } from '../definition/hash.ts';
import type { KindReport } from '../definition/kind.ts';
import { type ConfigParser, parseConfig, type WrittenFor } from '../definition/parser.ts';
import { eventProblem } from '../definition/trigger/event.ts';
import type { RequestModel } from '../definition/web-request.ts';
import { type ForgeFailure, retryHintOf } from '../forge/forge.ts';
import type { ProcessResult } from '../process/command.ts';
import type { ForgeFacts } from './forge/forge-facts.ts';
import type { PersonDecision } from './person-decision.ts';
import type { ProgramSetting } from './services.ts';
import type { WebAnswer } from './web/request.ts';
import type { Job } from './work.ts';

/** The inputs of a check. */
export interface CheckContext {
  /** The workspace. */
  readonly cwd: string;
  readonly runId: string;
  readonly step: string;
  readonly attempt: number;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** When the gate began; reports written before that do not count as evidence. */
  readonly startedAt: number;
  /** Facts about the run's pull request; undefined without a forge. */
  readonly forge: ForgeFacts | undefined;
  /** The last decision of a person at a step of the run; undefined if no one has decided. */
  decisionAt?(step: string): Promise<PersonDecision | undefined>;
  /** Runs a program in the workspace, with the declared environment, masked, ended with the attempt. */
  run(program: ProgramSetting): Promise<ProcessResult>;
  /** Sends a request to a web service, `{ url, method?, headers?, body?, timeoutMs?, templates? }`, if the project's allow-list permits it. */
  ask(request: RequestModel & Pick<CheckFrame, 'templates' | 'timeoutMs'>): Promise<WebAnswer>;
  /** Runs a nested check until `signal` stops it. It never rejects. */
  check(config: CheckModel, signal?: AbortSignal): Promise<CheckVerdict>;
}

/** The verdict of a check. With `passed: null` it did not decide, and `why` says what the gate does then. */
export type CheckVerdict = {
  readonly result: Json;
  /** Additional facts for the gate's output; of several numbers with one name, the lowest counts. */
  readonly facts?: { readonly [name: string]: Json };
} & (
  | { readonly passed: true }
  | { readonly passed: false; readonly error: string }
  /** `pending`: not decided yet; the gate waits and checks again. `error` is what it waits for. */
  | { readonly passed: null; readonly why: 'pending' | 'timeout' | 'unable'; readonly error: string }
  /** A service is rate limited until that time, if it is known. The gate waits and checks again. */
  | { readonly passed: null; readonly why: 'limited'; readonly error: string; readonly until?: number }
);

/** Why a check did not decide; undefined if it did. */
export function whyUndecided(verdict: CheckVerdict): 'pending' | 'timeout' | 'unable' | 'limited' | undefined {
  return verdict.passed === null ? verdict.why : undefined;
}

/** The reason in messages if a check did not pass. */
export function errorOf(verdict: CheckVerdict): string | undefined {
  return verdict.passed === true ? undefined : verdict.error;
}

/** The verdict of a check that could not run. */
export function notRunVerdict(error: string, result: Json = null): CheckVerdict {
  return { passed: null, why: 'unable', result, error };
}

/** A check that gates can name. If it throws, it counts as not run. */
export interface GateCheck extends Partial<Omit<CheckDeclaration, 'name'>> {
  readonly name: string;
  /** Runs the check once. `config` is its configuration in the gate. */
  run(config: CheckModel, context: CheckContext): CheckVerdict | Promise<CheckVerdict>;
}

/** The verdict of a check that timed out. */
export function timedOutVerdict(limitMs: number | undefined): CheckVerdict {
  return { passed: null, why: 'timeout', result: null, error: `it took longer than ${limitMs} ms` };
}

const CHECK_TIMEOUT_MS = 3_600_000;

/** How long a check may take. Without a limit, a command that reads from a named pipe would wait forever. */
export function checkTimeout({ runner, request }: Job, own: number | undefined): number | undefined {
  if (own !== undefined || request.bound.model.timeoutMs !== undefined) return own;
  return runner.services.checkTimeoutMs ?? CHECK_TIMEOUT_MS;
}

/** The verdict of a check whose request to the forge failed. */
export function forgeFailureVerdict(failure: ForgeFailure): CheckVerdict {
  const { until } = retryHintOf(failure);
  const result = { reason: failure.result };
  if (until === undefined) return notRunVerdict(failure.message, result);
  return { passed: null, why: 'limited', until, result, error: failure.message };
}

/** The argument of `defineCheck`. */
export interface CustomCheckSpec<Config, Written = unknown> extends Omit<CheckTraits, 'reports'> {
  /** Its name in gates; it must not be that of a built-in check. */
  readonly name: string;
  readonly needsPullRequest?: true;
  /** The forge events after which it runs again, such as `issues.labeled` or `issues`. Default: every event. */
  readonly reactiveEvents?: readonly string[];
  /** The name of a check with this configuration in messages. Default: its name. */
  title?(config: Config): string;
  /** Returns the patterns of the reports that a check with this configuration reads. They may change while it runs. */
  reports?(config: Config): readonly string[];
  /** Returns the step whose approval by a person a check with this configuration requires. */
  approvalOf?(config: Config): string;
  /** Returns the configuration from the gate's fields, or throws an error that says what is wrong. A schema of zod fits. */
  readonly parse: ConfigParser<Written, Config>;
  /** Runs the check once. */
  run(config: Config, context: CheckContext): CheckVerdict | Promise<CheckVerdict>;
}

/** A check that an application defined. Called with its fields, it is a check of a gate in a graph or a flow. */
export interface CustomCheck<Written> extends GateCheck {
  (fields: Written): ConfiguredCheck;
}

/** Defines a gate check: `checks: [licences({ allow: ['MIT'] })]`. Workflow files name it once the engine knows it. */
export function defineCheck<Config extends object, Written = unknown>(
  spec: CustomCheckSpec<Config, Written>,
): CustomCheck<WrittenFor<Written, Config>> {
  const { name, title, reports, approvalOf, reactiveEvents, needsPullRequest } = spec;
  const { readsFiles, requiredAtMerge, checksWork, isApproval, independentOfRun } = spec;
  const [fault] = (reactiveEvents ?? []).flatMap((event) => eventProblem(event) ?? []);
  if (fault !== undefined) throw new EngineError('DEFINITION_INVALID', `the check "${name}": ${fault.message}; ${fault.hint}`);
  const parse = (config: CheckModel): Config => parseConfig(spec.parse, fieldsOf(config));
  const check = (fields: WrittenFor<Written, Config>) => ({ check: name as CustomCheckName, with: fields as object, own });
  // The name of a function cannot be assigned.
  Object.defineProperty(check, 'name', { value: name });
  const own: CustomCheck<WrittenFor<Written, Config>> = Object.freeze(
    Object.assign(check, {
      ...omitUndefined({ needsPullRequest, reactiveEvents, readsFiles, requiredAtMerge, checksWork, isApproval, independentOfRun }),
      ...(title === undefined ? {} : { title: (config: CheckModel) => title(parse(config)) }),
      // These are called for every gate of the workflow; `validate` reports invalid fields.
      ...(reports === undefined ? {} : { reports: (config: CheckModel) => valueOr([], () => reports(parse(config))) }),
      ...(approvalOf === undefined ? {} : { approvalOf: (config: CheckModel) => valueOr(undefined, () => approvalOf(parse(config))) }),
      validate(config: CheckModel, report: KindReport) {
        // A template has no value yet; the fields are read again before the check runs.
        if (JSON.stringify(config).includes('{{')) return;
        try {
          parse(config);
        } catch (thrown) {
          report.fault(`the fields of the check "${name}" are wrong: ${messageOf(thrown)}`, 'correct them');
        }
      },
      run: withSourceOf((config: CheckModel, context: CheckContext) => spec.run(parse(config), context), [spec.parse, spec.run]),
    }),
  );
  return own;
}

function valueOr<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** The own fields of a check: those under `with`, or, as workflow files may write them, those next to its name. */
function fieldsOf({ check: _, name: __, timeoutMs: ___, templates: ____, ...fields }: CheckModel): unknown {
  const { with: own, ...others } = fields as Readonly<Record<string, Json>>;
  return isJsonObject(own) && Object.keys(others).length === 0 ? own : fields;
}
