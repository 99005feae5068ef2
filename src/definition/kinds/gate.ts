// Owns what the kind `gate` declares: checks that let work pass or do not. They only look, so they can look again.

import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { checkInvocation, isCount, isText, isTextList, type KindDeclaration, type KindReport } from './kind.ts';
import { parsePercent } from './percent.ts';

const COMMAND_ROOTS = ['exit_code', 'stdout', 'stderr'];
const WEBHOOK_ROOTS = ['status', 'headers', 'body'];
const METRICS: readonly Json[] = ['line', 'branch', 'function', 'lines', 'branches', 'functions'];

type Fields = { readonly [field: string]: Json | undefined };

// What each built-in check must be told; a project's own checks look at their configuration themselves.
const CHECKS: Readonly<Record<string, (check: Fields, report: KindReport) => void>> = {
  command: checkCommand,
  file_exists: checkFiles,
  coverage: checkCoverage,
  webhook: checkWebhook,
  pr_approval: checkApproval,
  ci_status: checkStatus,
  any_of: checkAnyOf,
};

/** Checks by the engine: `{ checks: [{ check, … }] }`; `any_of` is a check made of others, of which one must pass. */
export const gate: KindDeclaration = {
  kind: 'gate',
  pipeline: 'execute',
  outcomes: [],
  recovery: 'rerun',
  mayBeMember: true,
  check(step, report) {
    const { checks } = step.config;
    if (!Array.isArray(checks) || checks.length === 0)
      return report.fault('it is a gate without checks', 'give at least one, such as { check: "command", run: "npm test" }');
    checks.forEach((check: Json, index) => {
      checkOne(check, numbered(report, index));
    });
  },
};

function numbered(report: KindReport, index: number): KindReport {
  return {
    fault: (message, hint) => report.fault(`check ${index + 1}: ${message}`, hint),
    expression: (source, what, roots) => report.expression(source, `check ${index + 1}: ${what}`, roots),
  };
}

function checkOne(check: Json, report: KindReport): void {
  if (!isJsonObject(check) || !isText(check.check))
    return report.fault('it does not say what to check', 'name it, as in { check: "file_exists", paths: ["README.md"] }');
  if (check.timeoutMs !== undefined && !isCount(check.timeoutMs, 1)) report.fault('its timeout is no duration', 'write one such as "30s"');
  if (Object.hasOwn(CHECKS, check.check)) CHECKS[check.check]?.(check, report);
}

function checkCommand(check: Fields, report: KindReport): void {
  checkInvocation(check as JsonObject, report);
  checkExpression(check.expect, report, { example: 'exit_code == 0', roots: COMMAND_ROOTS });
  checkReport(check.report, report);
  const { tests } = check;
  if (tests !== undefined && tests !== 'required' && tests !== 'optional')
    report.fault('its tests are neither required nor optional', 'write tests: required, or leave it out');
}

function checkFiles({ paths }: Fields, report: KindReport): void {
  if (!isTextList(paths)) report.fault('it names no files', 'write them as paths: ["dist/index.js"]');
}

function checkCoverage({ minimum, metric, paths, report: place }: Fields, report: KindReport): void {
  if (parsePercent(minimum) === undefined)
    report.fault('its minimum is no share', 'write it in percent, as 80% or 80; a number up to 1 could mean two things and is refused');
  if (metric !== undefined && !METRICS.includes(metric)) report.fault('its metric is none', 'write lines, branches or functions');
  if (!isSelection(paths)) report.fault('its paths are no patterns', 'write them as paths: ["src/**"]');
  checkReport(place, report);
}

// Nothing, or a list without anything in it, selects all.
function isSelection(value: Json | undefined): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0) || isTextList(value);
}

function checkReport(place: Json | undefined, report: KindReport): void {
  if (place !== undefined && !isText(place)) report.fault('its report is no path', 'name the file, as report: reports/junit.xml');
}

function checkWebhook({ url, expect }: Fields, report: KindReport): void {
  if (!isText(url)) report.fault('it does not say what to ask', 'write it as url: "https://api.example.com/validate"');
  checkExpression(expect, report, { example: 'status == 200', roots: WEBHOOK_ROOTS });
}

function checkApproval({ from, count }: Fields, report: KindReport): void {
  if (!isText(from) && !isTextList(from)) report.fault('it does not say whose approval it needs', 'name a group, as from: maintainers');
  if (count !== undefined && !isCount(count, 1)) report.fault('its count is no number of people', 'write a whole number from 1 up');
}

function checkStatus({ workflows, expect }: Fields, report: KindReport): void {
  if (!isSelection(workflows)) report.fault('its workflows are no names', 'write them as workflows: ["test"]');
  if (expect !== undefined && !(typeof expect === 'string' && /^[a-z_]+$/.test(expect)))
    report.fault('its expect is no conclusion', 'write a word such as success');
}

function checkAnyOf({ checks }: Fields, report: KindReport): void {
  if (!Array.isArray(checks) || checks.length === 0)
    return report.fault('it has no checks to choose from', 'write them as checks: [{ check: "command", run: "npm test" }, …]');
  checks.forEach((check: Json, index) => {
    checkOne(check, numbered(report, index));
  });
}

interface Expected {
  readonly example: string;
  readonly roots: readonly string[];
}

function checkExpression(expect: Json | undefined, report: KindReport, { example, roots }: Expected): void {
  if (expect === undefined) return;
  if (typeof expect === 'string') report.expression(expect, 'expect', roots);
  else report.fault('its expect is no expression', `write one such as "${example}"`);
}
