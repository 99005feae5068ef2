// Owns how a check of a gate stands in a definition and what a check declares about itself: all that the definition and
// the ways of writing a workflow know of one. How it is made is in its folder below `kinds/gate/checks`.

import { isJsonObject, type Json } from '../base/json.ts';
import { isCount, isText, isTextList, type KindReport } from './kind.ts';

/**
 * The fields of each check, by its name. A check adds its own where it is declared, as kinds do in `WorkConfigs`, and so
 * may an application that defines a check (`declare module 'pawl'`).
 */
export interface CheckConfigs {}

/** What every check can have. */
export type CheckFrame = {
  /** How messages call it, instead of by what it does. */
  readonly name?: string;
  readonly timeoutMs?: number;
  /** True for a request whose texts are templates: they are filled in where it is sent, since secrets may go with it. */
  readonly templates?: true;
};

/** A check of one name, with its own fields. */
export type CheckOf<Name extends keyof CheckConfigs> = { readonly check: Name } & CheckFrame & CheckConfigs[Name];

/** One check of a gate, told apart by `check`. */
export type CheckModel = { [Name in keyof CheckConfigs]: CheckOf<Name> }[keyof CheckConfigs];

/** What a check of a gate declares. */
export interface CheckDeclaration {
  readonly name: string;
  /** True when it is about the pull request of the run, which is opened first where there is none yet. */
  readonly needsPullRequest?: true;
  /** True when it ends at its time limit by itself, so that nothing of it is left running; else it is given up then. */
  readonly stopsItself?: true;
  /** How messages call a check with this configuration; without it, by its name. */
  title?(config: CheckModel): string;
  /** Reports what is wrong with the configuration of such a check. */
  validate(config: CheckModel, report: KindReport): void;
}

/** Reports what is wrong with a list of checks, each under its number. */
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
  // A project's own check that is not known here looks at its configuration when it runs.
  report.check(check.check)?.validate(check, report);
}

/** The checks and, for those that are made of others, the checks inside them. */
export function allChecks(checks: readonly CheckModel[]): CheckModel[] {
  return checks.flatMap((check) => (check.check === 'any_of' ? [check, ...allChecks(check.checks)] : [check]));
}

/** Whether a list names some things, or all of them by being empty or absent. */
export function isSelection(value: Json | undefined): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0) || isTextList(value);
}

/** Reports a report file that is not written as a path. */
export function validateReport(place: string | undefined, report: KindReport): void {
  if (place !== undefined && !isText(place)) report.fault('`report` must be a path', 'name the file, as report: reports/junit.xml');
}

interface Expected {
  readonly example: string;
  readonly roots: readonly string[];
}

/** Reports an `expect` that is not an expression over these names. */
export function validateExpect(expect: string | undefined, report: KindReport, { example, roots }: Expected): void {
  if (expect === undefined) return;
  if (typeof expect === 'string') report.expression(expect, 'expect', roots);
  else report.fault('`expect` must be an expression', `write one such as "${example}"`);
}
