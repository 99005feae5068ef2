// Owns the interface of gate checks: their inputs and their verdict. A check passes, fails, or is pending; if it could not
// run, the gate neither passes nor fails.

import { EngineError, messageOf } from '../base/error.ts';
import { present } from '../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { CheckDeclaration, CheckFrame, CheckModel, ConfiguredCheck, CustomCheckName } from '../definition/check.ts';
import { standingFor } from '../definition/hash.ts';
import type { KindReport } from '../definition/kind.ts';
import { type ConfigParser, parseConfig, type WrittenFor } from '../definition/parser.ts';
import { eventProblem } from '../definition/trigger/event.ts';
import type { RequestModel } from '../definition/web-request.ts';
import { type ForgeFailure, retryHintOf } from '../forge/forge.ts';
import type { ProcessResult } from '../process/command.ts';
import type { ForgeFacts } from './forge/forge-facts.ts';
import type { PersonDecision } from './person-decision.ts';
import type { ProgramSetting } from './services.ts';
import type { RateLimit } from './web/rate-limit.ts';
import type { WebAnswer } from './web/request.ts';
import type { Job } from './work.ts';

/** The inputs of a check. */
export interface CheckScene {
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
  /** The last decision of a person at a step of the run; undefined if nobody has decided. */
  decisionAt?(step: string): Promise<PersonDecision | undefined>;
  /** Runs a program in the workspace, with the declared environment, masked, ended with the attempt. */
  run(program: ProgramSetting): Promise<ProcessResult>;
  /** Sends a request to a web service, `{ url, method?, headers?, body?, timeoutMs?, templates? }`, if the project's allow-list permits it. */
  ask(request: RequestModel & Pick<CheckFrame, 'templates' | 'timeoutMs'>): Promise<WebAnswer>;
  /** Runs a nested check until `signal` stops it. It never rejects. */
  check(config: CheckModel, signal?: AbortSignal): Promise<CheckVerdict>;
}

/** The verdict of a check. `passed: null`: the check could not decide, and `error` says why; or it is `pending`. */
export interface CheckVerdict {
  readonly passed: boolean | null;
  readonly result: Json;
  readonly error?: string;
  /** With `passed: null`: it ran, but the result is not decided yet. `error` is what it waits for. */
  readonly pending?: true;
  /** True if it timed out. */
  readonly timedOut?: boolean;
  /** With `passed: null`: the service is rate limited. The gate waits and checks again. */
  readonly limited?: RateLimit;
  /** Additional facts for the gate's output; of several numbers with one name, the lowest counts. */
  readonly facts?: { readonly [name: string]: Json };
}

/** A check that gates can name. If it throws, it counts as not run. */
export interface GateCheck extends Partial<Omit<CheckDeclaration, 'name'>> {
  readonly name: string;
  /** Runs the check once. `config` is its configuration in the gate. */
  run(config: CheckModel, scene: CheckScene): CheckVerdict | Promise<CheckVerdict>;
}

/** The verdict of a check that timed out. */
export function timedOutVerdict(limitMs: number | undefined): CheckVerdict {
  return { passed: null, result: null, error: `it took longer than ${limitMs} ms`, timedOut: true };
}

const CHECK_TIMEOUT_MS = 3_600_000;

/** How long a check may take. Without a limit, a command that reads from a named pipe would wait for ever. */
export function checkTimeout({ runner, request }: Job, given: number | undefined): number | undefined {
  if (given !== undefined || request.bound.model.timeoutMs !== undefined) return given;
  return runner.services.checkTimeoutMs ?? CHECK_TIMEOUT_MS;
}

/** The verdict of a check whose request to the forge failed. */
export function forgeFailureVerdict(failure: ForgeFailure): CheckVerdict {
  const { until } = retryHintOf(failure);
  const limited = until === undefined ? {} : { limited: { until } };
  return { passed: null, result: { reason: failure.result }, error: failure.message, ...limited };
}

/** The argument of `defineCheck`. */
export interface CustomCheckSpec<Config, Written = unknown> {
  /** Its name in gates; it must not be that of a built-in check. */
  readonly name: string;
  readonly needsPullRequest?: true;
  /** The forge events after which it runs again, such as `issues.labeled` or `issues`. Default: every event. */
  readonly reactiveEvents?: readonly string[];
  /** The name of a check with this configuration in messages. Default: its name. */
  title?(config: Config): string;
  /** Returns the configuration from the gate's fields, or throws an error that says what is wrong. A schema of zod fits. */
  readonly parse: ConfigParser<Written, Config>;
  /** Runs the check once. */
  run(config: Config, scene: CheckScene): CheckVerdict | Promise<CheckVerdict>;
}

/** A check that an application defined. Called with its fields, it is a check of a gate in a graph or a flow. */
export interface CustomCheck<Written> extends GateCheck {
  (fields: Written): ConfiguredCheck;
}

/** Defines a gate check: `checks: [licences({ allow: ['MIT'] })]`. Workflow files name it once the engine knows it. */
export function defineCheck<Config extends object, Written = unknown>(
  spec: CustomCheckSpec<Config, Written>,
): CustomCheck<WrittenFor<Written, Config>> {
  const { name, needsPullRequest, reactiveEvents, title } = spec;
  const [fault] = (reactiveEvents ?? []).flatMap((event) => eventProblem(event) ?? []);
  if (fault !== undefined) throw new EngineError('DEFINITION_INVALID', `the check "${name}": ${fault.message}; ${fault.hint}`);
  const parse = (config: CheckModel): Config => parseConfig(spec.parse, fieldsOf(config));
  const check = (fields: WrittenFor<Written, Config>) => ({ check: name as CustomCheckName, with: fields as object, own });
  // The name of a function cannot be assigned.
  Object.defineProperty(check, 'name', { value: name });
  const own: CustomCheck<WrittenFor<Written, Config>> = Object.freeze(
    Object.assign(check, {
      ...present({ needsPullRequest, reactiveEvents }),
      ...(title === undefined ? {} : { title: (config: CheckModel) => title(parse(config)) }),
      validate(config: CheckModel, report: KindReport) {
        // A template has no value yet; the fields are read again before the check runs.
        if (JSON.stringify(config).includes('{{')) return;
        try {
          parse(config);
        } catch (thrown) {
          report.fault(`the fields of the check "${name}" are wrong: ${messageOf(thrown)}`, 'correct them');
        }
      },
      run: standingFor((config: CheckModel, scene: CheckScene) => spec.run(parse(config), scene), [spec.parse, spec.run]),
    }),
  );
  return own;
}

/** The own fields of a check: those under `with`, or, as workflow files may write them, those beside its name. */
function fieldsOf({ check: _, name: __, timeoutMs: ___, templates: ____, ...fields }: CheckModel): unknown {
  const { with: own, ...beside } = fields as Readonly<Record<string, Json>>;
  return isJsonObject(own) && Object.keys(beside).length === 0 ? own : fields;
}
