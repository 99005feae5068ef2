// Owns the model of a gate's check and the declaration of a check: everything that definitions and authoring know about
// one. Its implementation is in its folder below `kinds/gate/checks`.

import type { Duration } from '../base/duration.ts';
import { omitUndefined } from '../base/fields.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { countFrom, type FieldReader, fieldReader, oneOf } from './field-reader.ts';
import { isText, isTextList, type KindReport } from './kind.ts';
import type { ExecutedWork, StepFrame, StepModel } from './model.ts';

/**
 * The fields of each built-in check, by its name. A check adds its own in its declaration, as kinds do in `WorkConfigs`.
 * The checks of applications add nothing here: see `OwnCheckModel`, and `Checks` for how they are written.
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

type BuiltInModels = { readonly [Name in keyof CheckConfigs]: { readonly check: Name } & CheckFrame & CheckConfigs[Name] };

/** A built-in check with its fields. */
export type CheckOf<Name extends keyof CheckConfigs> = BuiltInModels[Name];

/** The name of a check of an application. No literal is one, so a misspelt name is not taken for it. */
export type CustomCheckName = string & { readonly '~own': true };

/** A check of an application, by its name. Its own fields, under `with` or beside the name, are up to its `parse`. */
export type CustomCheckModel = { readonly check: CustomCheckName } & CheckFrame;

/** One check of a gate: a built-in one by its name, or one of an application. */
export type CheckModel = CheckOf<keyof CheckConfigs> | CustomCheckModel;

/** The properties of a check that other parts of the engine depend on. */
export interface CheckTraits {
  /** False if it reads no files of the workspace. Default: it may read any. */
  readonly readsFiles?: false;
  /** True if a merge requires it to hold for the head that is merged: what it found at the forge must still be true. */
  readonly requiredAtMerge?: true;
  /** True if it checks the work although it reads no files itself, as CI does. */
  readonly checksWork?: true;
  /** True if it is about whether people approve. */
  readonly isApproval?: true;
  /** True if its verdict does not depend on the run: another run of the tree can repeat it. */
  readonly independentOfRun?: true;
  /** Returns the patterns of the reports that a check with this configuration reads. They may change while it runs. */
  reports?(config: CheckModel): readonly string[];
}

/** The declaration of a check. */
export interface CheckDeclaration extends CheckTraits {
  readonly name: string;
  /** True if it is about the run's pull request, which is opened first if there is none yet. */
  readonly needsPullRequest?: true;
  /** True if it consists of other checks, which have their own time limits. */
  readonly isMadeOfOthers?: true;
  /** True if it stops by itself at its time limit and leaves nothing running; otherwise the engine abandons it then. */
  readonly stopsItself?: true;
  /** The forge events that can change its verdict, such as `issues.labeled` or `issues`. Default: every event. */
  readonly reactiveEvents?: readonly string[];
  /** Returns the name of a check with this configuration for messages. Default: its name. */
  title?(config: CheckModel): string;
  /** Returns the step whose approval by a person a check with this configuration requires. */
  approvalOf?(config: CheckModel): string | undefined;
  /** Reports what is wrong with the configuration of such a check. */
  validate(config: CheckModel, report: KindReport): void;
}

/** A check of the application that a workflow contains. */
export interface CheckCode extends Partial<CheckDeclaration> {
  readonly name: string;
  run(config: never, scene: never): unknown;
}

/** The checks of the application that a step contains, by name. */
export type CheckCodes = Readonly<Record<string, CheckCode>>;

/** The report, which also knows these checks. */
export function knowingChecks(report: KindReport, checks: CheckCodes = {}): KindReport {
  const check = (name: string): CheckDeclaration | undefined => {
    const known = report.check(name);
    if (!Object.hasOwn(checks, name)) return known;
    if (known !== undefined) report.fault(`"${name}" is the name of a built-in check`, 'give your check another name');
    // The name of a function is not copied with its properties.
    return { validate() {}, ...checks[name], name };
  };
  return { ...report, check };
}

interface ParsedCheck extends CheckDeclaration {
  /** Parses a check, and reports what is wrong with it. */
  parseCheck(input: JsonObject, report: KindReport): CheckModel;
}

function isParsed(check: CheckDeclaration | undefined): check is ParsedCheck {
  return check !== undefined && 'parseCheck' in check;
}

/** What a built-in check declares: `fields` parses those that are its own. */
interface CheckParts<Name extends keyof CheckConfigs> extends Omit<CheckDeclaration, 'validate'> {
  readonly name: Name;
  title?(config: CheckOf<Name>): string;
  approvalOf?(config: CheckOf<Name>): string;
  reports?(config: CheckOf<Name>): readonly string[];
  fields(read: FieldReader, report: KindReport, input: JsonObject): CheckConfigs[Name];
}

/** A built-in check. Validating one is parsing it. */
export function declareCheck<Name extends keyof CheckConfigs>({ fields, ...declaration }: CheckParts<Name>): CheckDeclaration {
  const { name } = declaration;
  const parseCheck = (input: JsonObject, report: KindReport) => {
    const { unread, ...read } = fieldReader(input, report);
    const parsed = Object.assign({ check: name }, parseFrame(read), fields(read, report, input));
    for (const field of unread().filter((unknown) => !(unknown in parsed)))
      report.fault(`a check "${name}" has no field "${field}"`, 'remove it, or fix the spelling');
    return parsed;
  };
  const parsed = {
    ...declaration,
    parseCheck,
    validate(config: CheckModel, report: KindReport) {
      parseCheck(config, report);
    },
  };
  return parsed;
}

function parseFrame({ optional }: FieldReader): CheckFrame {
  return omitUndefined({
    name: optional('name', isText, ['`name` must be a string', 'write one, or leave it out']),
    timeoutMs: optional('timeoutMs', countFrom(1), ['`timeout` must be a duration', 'write one such as "30s"']),
    templates: optional('templates', oneOf(true), ['`templates` must be true', 'write true, or leave it out']),
  });
}

/** Parses a list of checks; faults have the number of the check. */
export function parseChecks(input: readonly unknown[], report: KindReport): readonly CheckModel[] {
  return input.flatMap((check, index) => parseCheck(check, numbered(report, index)) ?? []);
}

function numbered(report: KindReport, index: number): KindReport {
  return {
    ...report,
    fault: (message, hint) => report.fault(`check ${index + 1}: ${message}`, hint),
    expression: (source, label, roots) => report.expression(source, `check ${index + 1}: ${label}`, roots),
    check: (name) => report.check(name),
  };
}

function parseCheck(input: unknown, report: KindReport): CheckModel | undefined {
  if (!isCheck(input)) {
    report.fault('`check` must name what to check', 'write it as { check: "file_exists", paths: ["README.md"] }');
    return undefined;
  }
  const declared = report.check(input.check);
  if (isParsed(declared)) return declared.parseCheck(input, report);
  // A project's own check validates its fields itself; one that is not known here, when it runs.
  parseFrame(fieldReader(input, report));
  declared?.validate(input, report);
  return input;
}

/** Returns the checks inside a check; none for most. */
export function nestedChecks(check: CheckModel): readonly CheckModel[] {
  // A project's own check may use this name for something else.
  return 'checks' in check && Array.isArray(check.checks) ? check.checks.filter(isCheck) : [];
}

function isCheck(value: unknown): value is CheckModel {
  return isJsonObject(value) && isText(value.check);
}

/** Whether a check is the built-in one with this name. A check of an application has another name. */
export function isBuiltIn<Name extends keyof CheckConfigs>(check: CheckModel, name: Name): check is CheckOf<Name> {
  return check.check === name;
}

/** Returns the step whose pull request a built-in check is about, if it names one. */
export function pullRequestOf(check: CheckModel, declared: CheckDeclaration | undefined): string | undefined {
  return isParsed(declared) && 'pr' in check && isText(check.pr) ? check.pr : undefined;
}

/** Returns the checks, including those nested in other checks. */
export function allChecks(checks: readonly CheckModel[]): CheckModel[] {
  return checks.flatMap((check) => [check, ...allChecks(nestedChecks(check))]);
}

/** Work that makes checks itself, of a kind whose configuration has them. */
export type CheckedWork = Extract<ExecutedWork, { readonly config: { readonly checks: readonly CheckModel[] } }>;

/** Whether a step makes checks itself; most do not. */
export function isChecked(step: StepModel): step is StepFrame & CheckedWork {
  return 'config' in step && 'checks' in step.config;
}

/** Returns the checks that a step makes itself. */
export function checksIn(step: StepModel): readonly CheckModel[] {
  return isChecked(step) ? step.config.checks : [];
}

/** True for a list that selects some items; an empty one means all. */
export function isSelection(value: unknown): value is readonly string[] {
  return (Array.isArray(value) && value.length === 0) || isTextList(value);
}

/** True for a name, or several. */
export function isNames(value: unknown): value is string | readonly string[] {
  return isText(value) || isTextList(value);
}

/** True for a list that is not empty. */
export function isFilledList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}

/** Reads the step that opened the pull request. */
export function readPr({ optional }: FieldReader): string | undefined {
  return optional('pr', isText, ['`pr` must name a step', 'name the step that opened the pull request']);
}

/** Reads how many people must agree. */
export function readPeople({ optional }: FieldReader): number | undefined {
  return optional('count', countFrom(1), ['`count` must be a number of people', 'write a positive integer']);
}

/** Reads the path of a report. */
export function readReport({ optional }: FieldReader): string | undefined {
  return optional('report', isText, ['`report` must be a path', 'name the file, as report: reports/junit.xml']);
}

interface ExpectRule {
  readonly example: string;
  readonly roots: readonly string[];
}

/** Reads an `expect`, an expression over these names. */
export function readExpect({ optional }: FieldReader, report: KindReport, { example, roots }: ExpectRule): string | undefined {
  const isExpression = (value: unknown): value is string => typeof value === 'string';
  const expect = optional('expect', isExpression, ['`expect` must be an expression', `write one such as "${example}"`]);
  if (expect !== undefined) report.expression(expect, 'expect', roots);
  return expect;
}

/** A check with its fields, as a gate of a graph or a flow has it. */
export type ConfiguredCheck = {
  readonly check: CustomCheckName;
  /** Its own fields. */
  readonly with: object;
  readonly timeout?: Duration;
  /** The check itself: the workflow contains it, so the engine need not be given it. */
  readonly own: CheckCode;
};
