// Owns what a check of a gate declares about itself: all that the definition and the ways of writing a workflow know of
// a check. How it is made is in its folder below `kinds/gate/checks`.

import { isJsonObject, type Json } from '../base/json.ts';
import { isCount, isText, isTextList, type KindReport } from './kind.ts';

/** The fields of a check as they are written, before anybody looked at them. */
export type CheckFields = { readonly [field: string]: Json | undefined };

/** What a check of a gate declares. */
export interface CheckDeclaration {
  readonly name: string;
  /** True when it does not look at files: a gate of such checks only judges no tree. */
  readonly looksElsewhere?: true;
  /** True when it is about the pull request of the run, which is opened first where there is none yet. */
  readonly needsPullRequest?: true;
  /** True when it ends at its time limit by itself, so that nothing of it is left running; else it is given up then. */
  readonly stopsItself?: true;
  /** How messages call a check with this configuration; without it, by its name. */
  title?(config: CheckFields): string;
  /** Reports what is wrong with the configuration of such a check. */
  validate(config: CheckFields, report: KindReport): void;
}

/** Reports what is wrong with a list of checks, each under its number. */
export function validateChecks(checks: readonly Json[], report: KindReport): void {
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

function validateCheck(check: Json, report: KindReport): void {
  if (!isJsonObject(check) || !isText(check.check))
    return report.fault('it does not say what to check', 'name it, as in { check: "file_exists", paths: ["README.md"] }');
  if (check.timeoutMs !== undefined && !isCount(check.timeoutMs, 1)) report.fault('its timeout is no duration', 'write one such as "30s"');
  // A project's own check that is not known here looks at its configuration when it runs.
  report.check(check.check)?.validate(check, report);
}

/** Whether a list names some things, or all of them by being empty or absent. */
export function isSelection(value: Json | undefined): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0) || isTextList(value);
}

/** Reports a report file that is not written as a path. */
export function validateReport(place: Json | undefined, report: KindReport): void {
  if (place !== undefined && !isText(place)) report.fault('its report is no path', 'name the file, as report: reports/junit.xml');
}

interface Expected {
  readonly example: string;
  readonly roots: readonly string[];
}

/** Reports an `expect` that is not an expression over these names. */
export function validateExpect(expect: Json | undefined, report: KindReport, { example, roots }: Expected): void {
  if (expect === undefined) return;
  if (typeof expect === 'string') report.expression(expect, 'expect', roots);
  else report.fault('its expect is no expression', `write one such as "${example}"`);
}
