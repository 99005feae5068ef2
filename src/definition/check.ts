// Owns how a check of a gate appears in a definition and what a check declares: everything that definitions and authoring
// know about one. Its implementation is in its folder below `kinds/gate/checks`.

import { isJsonObject, type Json } from '../base/json.ts';
import { isCount, isText, isTextList, type KindReport } from './kind.ts';
import type { StepModel } from './model.ts';

/**
 * The fields of each check, by its name. A check adds its own in its declaration, as kinds do in `WorkConfigs`, and so
 * can an application that defines a check (`declare module 'pawl'`).
 */
export interface CheckConfigs {}

/** The fields that every check can have. */
export type CheckFrame = {
  /** Its name in messages, instead of a description of what it does. */
  readonly name?: string;
  readonly timeoutMs?: number;
  /** True for a request whose texts are templates: they are rendered when it is sent, because they may contain secrets. */
  readonly templates?: true;
};

/** A check with a given name and its fields. */
export type CheckOf<Name extends keyof CheckConfigs> = { readonly check: Name } & CheckFrame & CheckConfigs[Name];

/** One check of a gate, discriminated by `check`. */
export type CheckModel = { [Name in keyof CheckConfigs]: CheckOf<Name> }[keyof CheckConfigs];

/** What other parts of the engine need to know of a check. */
export interface CheckTraits {
  /** True if it does not look at files of the workspace. Others might. */
  readonly looksElsewhere?: true;
  /** True if a merge is held to what it found at the forge. */
  readonly heldAtMerge?: true;
  /** True if it is about the work, although it does not look at files itself. */
  readonly judgesWork?: true;
  /** True if it is about whether people approve. */
  readonly isApproval?: true;
  /** True if it looks at the same things in every run of a family. */
  readonly sameInEveryRun?: true;
}

/** The declaration of a check. */
export interface CheckDeclaration extends CheckTraits {
  readonly name: string;
  /** True if it is about the run's pull request, which is opened first if there is none yet. */
  readonly needsPullRequest?: true;
  /** True if it stops by itself at its time limit and leaves nothing running; otherwise the engine abandons it then. */
  readonly stopsItself?: true;
  /** The forge events that can change its verdict, such as `issues.labeled` or `issues`. Default: every event. */
  readonly reactiveEvents?: readonly string[];
  /** Returns the name of a check with this configuration for messages. Default: its name. */
  title?(config: CheckModel): string;
  /** Reports what is wrong with the configuration of such a check. */
  validate(config: CheckModel, report: KindReport): void;
}

/** Reports what is wrong with a list of checks, each with its number. */
export function validateChecks(checks: readonly CheckModel[], report: KindReport): void {
  checks.forEach((check, index) => {
    validateCheck(check, numbered(report, index));
  });
}

function numbered(report: KindReport, index: number): KindReport {
  return {
    fault: (message, hint) => report.fault(`check ${index + 1}: ${message}`, hint),
    expression: (source, what, roots) => report.expression(source, `check ${index + 1}: ${what}`, roots),
    check: (name) => report.check(name),
  };
}

function validateCheck(check: CheckModel, report: KindReport): void {
  if (!isJsonObject(check) || !isText(check.check))
    return report.fault('`check` must name what to check', 'write it as { check: "file_exists", paths: ["README.md"] }');
  if (check.timeoutMs !== undefined && !isCount(check.timeoutMs, 1))
    report.fault('`timeout` must be a duration', 'write one such as "30s"');
  // A project's own check that is not known here validates its configuration when it runs.
  report.check(check.check)?.validate(check, report);
}

/** Returns the checks that a check is made of; none for most. */
export function nestedChecks(check: CheckModel): readonly CheckModel[] {
  // A project's own check may call something else so.
  return 'checks' in check && Array.isArray(check.checks) ? check.checks.filter(isCheck) : [];
}

function isCheck(value: unknown): value is CheckModel {
  return typeof value === 'object' && value !== null && 'check' in value;
}

/** Returns the checks, including those nested in other checks. */
export function allChecks(checks: readonly CheckModel[]): CheckModel[] {
  return checks.flatMap((check) => [check, ...allChecks(nestedChecks(check))]);
}

/** Returns the checks that a step makes itself; none for most. */
export function checksIn(step: StepModel): readonly CheckModel[] {
  return 'config' in step && 'checks' in step.config ? step.config.checks : [];
}

/** Whether a list selects some items. An empty or missing list means all. */
export function isSelection(value: Json | undefined): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0) || isTextList(value);
}

/** Reports a `report` that is not a path. */
export function validateReport(place: string | undefined, report: KindReport): void {
  if (place !== undefined && !isText(place)) report.fault('`report` must be a path', 'name the file, as report: reports/junit.xml');
}

interface ExpectRule {
  readonly example: string;
  readonly roots: readonly string[];
}

/** Reports an `expect` that is not an expression over these names. */
export function validateExpect(expect: string | undefined, report: KindReport, { example, roots }: ExpectRule): void {
  if (expect === undefined) return;
  if (typeof expect === 'string') report.expression(expect, 'expect', roots);
  else report.fault('`expect` must be an expression', `write one such as "${example}"`);
}
