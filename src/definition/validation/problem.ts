// Owns the problems of a definition: each with the step, a stable code, a message and a hint, and all of them in one
// error, so that an author fixes a file once and not once per problem.

import { EngineError } from '../../base/error.ts';
import { didYouMean } from '../../base/suggest.ts';
import { FINDINGS, type FindingCode, type Severity } from './finding.ts';

/** One problem of a definition. */
export interface Problem {
  /** The step it is about; members are named `group/member`. Absent for the workflow as a whole. */
  readonly step?: string;
  /** The parameter it is about. */
  readonly param?: string;
  /** The position of the reaction it is about, from 0. */
  readonly reaction?: number;
  /** The path of an expression that it is about. */
  readonly reads?: readonly string[];
  readonly code: FindingCode;
  readonly message: string;
  readonly hint: string;
  /** Its severity, if it differs from that of the code. */
  readonly severity?: Severity;
}

/** Returns the severity of a problem. */
export function severityOf({ code, severity }: Pick<Problem, 'code' | 'severity'>): Severity {
  return severity ?? FINDINGS[code];
}

// Problems that are mere consequences of a field with the wrong type; they are not reported for the same step.
const FOLLOWS: ReadonlySet<FindingCode> = new Set([
  'FIELD_INVALID',
  'FIELD_MISSING',
  'NAME_INVALID',
  'NUMBER_INVALID',
  'KIND_INVALID',
  'QUESTION_INVALID',
  'JOIN_INVALID',
  'RECOVERY_INVALID',
  'NEXT_MISSING',
  'ENTRY_UNKNOWN',
  'EVENT_UNKNOWN',
  'OUTCOME_UNKNOWN',
]);

// A suggestion compares with every known name. If every target is wrong, that would be quadratic.
const SUGGESTIONS_MAX = 20;

/** Collects problems while a definition is read. */
export class ProblemList {
  readonly found: Problem[] = [];
  /** Steps whose configuration was rejected when it was parsed; the rest of it is not validated again. */
  readonly refused = new Set<string>();
  /** Steps whose work was not read: nothing that depends on their kind is validated. */
  readonly unread = new Set<string>();
  #suggestionsLeft = SUGGESTIONS_MAX;

  /** The steps with fields of a wrong type; undefined for the workflow itself. */
  readonly mistyped = new Set<string | undefined>();

  /** Adds one problem, unless it follows from a field of a wrong type. */
  add(problem: Problem): void {
    if (!(FOLLOWS.has(problem.code) && this.mistyped.has(problem.step))) this.found.push(problem);
  }

  /** Adds a field of a wrong type, which is read as if it were absent. */
  addMistyped(problem: Problem): void {
    this.found.push(problem);
    this.mistyped.add(problem.step);
  }

  /** Returns ` (did you mean "x"?)` for the first problems, and nothing once there are many. */
  suggest(given: string, known: Iterable<string>): string {
    if (this.#suggestionsLeft === 0) return '';
    this.#suggestionsLeft -= 1;
    return didYouMean(given, known);
  }

  /** Throws one error with all problems, if there are any. */
  refuse(workflow: string): void {
    if (this.found.length > 0) throw invalidDefinition(workflow, this.found);
  }
}

/** The error with every problem of a workflow. */
export function invalidDefinition(workflow: string, problems: readonly Problem[]): EngineError {
  const lines = problems.map(({ step, message, hint }) => `${step === undefined ? '' : `step "${step}": `}${message}; ${hint}`);
  const text =
    lines.length === 1 ? ` is not valid: ${lines[0]}` : ` has ${lines.length} problems:\n${lines.map((line) => `- ${line}`).join('\n')}`;
  return new EngineError('DEFINITION_INVALID', `workflow "${workflow}"${text}`, { details: { workflow, problems } });
}
