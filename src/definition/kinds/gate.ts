// Owns what the kind `gate` declares: checks that let work pass or do not. They only look, so they can look again.

import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { checkInvocation, isCount, isText, isTextList, type KindDeclaration, type KindReport } from './kind.ts';

const COMMAND_ROOTS = ['exit_code', 'stdout', 'stderr'];

/** Checks by the engine: `{ checks: [{ check, … }] }`. */
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
  if (check.check === 'command') checkCommand(check, report);
  if (check.check === 'file_exists' && !isTextList(check.paths))
    report.fault('it names no files', 'write them as paths: ["dist/index.js"]');
}

function checkCommand(check: JsonObject, report: KindReport): void {
  checkInvocation(check, report);
  if (check.expect === undefined) return;
  if (typeof check.expect === 'string') report.expression(check.expect, 'expect', COMMAND_ROOTS);
  else report.fault('its expect is no expression', 'write one such as "exit_code == 0"');
}
