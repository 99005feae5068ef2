// Owns how faults of a definition are reported: each with the step, a stable code, the fault and a hint, and all of
// them in one error, so that an author fixes a file once and not once per fault.

import { EngineError } from '../base/error.ts';
import { didYouMean } from '../base/suggest.ts';

/** The stable codes of faults in a definition. */
export type ProblemCode =
  | 'NAME_INVALID'
  | 'NO_STEPS'
  | 'ENTRY_UNKNOWN'
  | 'STEP_DUPLICATE'
  | 'STEP_RESERVED'
  | 'TARGET_UNKNOWN'
  | 'TARGET_IN_BRANCH'
  | 'NO_END'
  | 'UNREACHABLE'
  | 'DEAD_END'
  | 'NEXT_MISSING'
  | 'OUTCOME_UNKNOWN'
  | 'LOOP_REENTERED'
  | 'LOOP_UNBOUNDED'
  | 'JOIN_INVALID'
  | 'MEMBER_INVALID'
  | 'CONDITION_INVALID'
  | 'TIMEOUT_INVALID'
  | 'NUMBER_INVALID'
  | 'RECOVERY_INVALID'
  | 'ARG_INVALID'
  | 'GATE_INVALID'
  | 'CHECK_BYPASSED'
  | 'COMMAND_UNSEEN'
  | 'GATE_BEFORE_WORK'
  | 'KIND_AMBIGUOUS'
  | 'KIND_INVALID'
  | 'FIELD_UNKNOWN'
  | 'FIELD_INVALID';

/** One fault of a definition. */
export interface Problem {
  /** The step it is about; members are named `group/member`. Absent for the workflow as a whole. */
  readonly step?: string;
  readonly code: ProblemCode;
  readonly message: string;
  readonly hint: string;
}

// A suggestion compares with every known name. If every target is wrong, that would be quadratic.
const SUGGESTIONS_MAX = 20;

/** Collects faults while a definition is read. */
export class ProblemList {
  readonly found: Problem[] = [];
  #suggestionsLeft = SUGGESTIONS_MAX;

  /** Adds one fault. */
  add(problem: Problem): void {
    this.found.push(problem);
  }

  /** Returns ` (did you mean "x"?)` for the first faults, and nothing once there are many. */
  suggest(given: string, known: Iterable<string>): string {
    if (this.#suggestionsLeft === 0) return '';
    this.#suggestionsLeft -= 1;
    return didYouMean(given, known);
  }

  /** Throws one error with all faults, if there are any. */
  refuse(workflow: string): void {
    if (this.found.length > 0) throw invalidDefinition(workflow, this.found);
  }
}

/** The error with every fault of a workflow. */
function invalidDefinition(workflow: string, problems: readonly Problem[]): EngineError {
  const lines = problems.map(({ step, message, hint }) => `${step === undefined ? '' : `step "${step}": `}${message}; ${hint}`);
  const text =
    lines.length === 1 ? ` is not valid: ${lines[0]}` : ` has ${lines.length} problems:\n${lines.map((line) => `- ${line}`).join('\n')}`;
  return new EngineError('DEFINITION_INVALID', `workflow "${workflow}"${text}`, { details: { workflow, problems } });
}
