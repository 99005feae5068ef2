// Owns every failure a user can see: one class, one catalogue. The catalogue decides the exit code of the command line,
// the HTTP status of the server and whether a retry can help. Ordinary outcomes (a step failed, a commit lost a race)
// are values, not errors; our own bugs go through `invariant`.

type Retry = 'never' | 'auto' | 'after-change';

interface ErrorClass {
  readonly http: number;
  readonly exit: number;
  readonly retry: Retry;
}

/** Every code a user can see. docs/errors.md has a section for each; a test keeps the two equal. */
export const ERROR_CODES = {
  USAGE: { http: 400, exit: 2, retry: 'after-change' },
  CONFIG_INVALID: { http: 422, exit: 2, retry: 'after-change' },
  MODULE_FAILED: { http: 422, exit: 2, retry: 'after-change' },
  NOT_TRUSTED: { http: 403, exit: 4, retry: 'after-change' },
  NOT_LOCKED: { http: 403, exit: 4, retry: 'after-change' },
  NOT_ALLOWED: { http: 403, exit: 4, retry: 'after-change' },
  ACTOR_REQUIRED: { http: 422, exit: 2, retry: 'after-change' },
  KEY_MISSING: { http: 403, exit: 4, retry: 'after-change' },
  PASSPHRASE_WRONG: { http: 403, exit: 4, retry: 'after-change' },
  SIGNATURE_REQUIRED: { http: 403, exit: 4, retry: 'after-change' },
  SIGNATURE_INVALID: { http: 403, exit: 4, retry: 'never' },
  RUN_AMBIGUOUS: { http: 409, exit: 2, retry: 'after-change' },
  DEFINITION_INVALID: { http: 422, exit: 2, retry: 'after-change' },
  DEFINITION_CHANGED: { http: 409, exit: 2, retry: 'after-change' },
  DEFINITION_CYCLE: { http: 422, exit: 2, retry: 'after-change' },
  WORKFLOW_UNKNOWN: { http: 404, exit: 2, retry: 'never' },
  WORKFLOW_DUPLICATE: { http: 409, exit: 2, retry: 'after-change' },
  RESOURCE_UNKNOWN: { http: 404, exit: 2, retry: 'never' },
  RESOURCE_REFUSED: { http: 403, exit: 4, retry: 'after-change' },
  PARAMS_INVALID: { http: 422, exit: 2, retry: 'after-change' },
  STEP_UNKNOWN: { http: 404, exit: 2, retry: 'never' },
  STEP_DUPLICATE: { http: 422, exit: 2, retry: 'after-change' },
  STEP_NOT_YIELDED: { http: 422, exit: 2, retry: 'after-change' },
  STEP_FAILED: { http: 422, exit: 1, retry: 'after-change' },
  STEP_OUTPUT_INVALID: { http: 422, exit: 1, retry: 'after-change' },
  PRECONDITION_FAILED: { http: 422, exit: 1, retry: 'after-change' },
  POSTCONDITION_FAILED: { http: 422, exit: 1, retry: 'auto' },
  PROTECTED_CHANGED: { http: 422, exit: 1, retry: 'auto' },
  CHECKOUT_CHANGED: { http: 422, exit: 1, retry: 'after-change' },
  SNAPSHOT_FAILED: { http: 500, exit: 1, retry: 'after-change' },
  UNDO_REFUSED: { http: 409, exit: 2, retry: 'after-change' },
  TREE_MOVED: { http: 409, exit: 1, retry: 'auto' },
  CONDITION_ERROR: { http: 422, exit: 1, retry: 'after-change' },
  CONTEXT_FAILED: { http: 422, exit: 1, retry: 'after-change' },
  EXPRESSION_SYNTAX: { http: 422, exit: 2, retry: 'after-change' },
  EXPRESSION_LIMIT: { http: 422, exit: 2, retry: 'after-change' },
  EXPRESSION_EVALUATION: { http: 422, exit: 1, retry: 'after-change' },
  COMMAND_NOT_RUN: { http: 422, exit: 1, retry: 'after-change' },
  NETWORK_NOT_ENFORCED: { http: 422, exit: 4, retry: 'after-change' },
  AGENT_FAILED: { http: 502, exit: 1, retry: 'auto' },
  ROLE_UNKNOWN: { http: 422, exit: 2, retry: 'after-change' },
  DATABASE_UNKNOWN: { http: 422, exit: 2, retry: 'after-change' },
  CHILD_DEPTH: { http: 422, exit: 2, retry: 'after-change' },
  NONDETERMINISM: { http: 409, exit: 2, retry: 'after-change' },
  RUN_NOT_FOUND: { http: 404, exit: 2, retry: 'never' },
  RUN_LOCKED: { http: 423, exit: 7, retry: 'auto' },
  RUN_FINAL: { http: 409, exit: 2, retry: 'never' },
  RUN_DAMAGED: { http: 500, exit: 6, retry: 'never' },
  RUN_EXISTS: { http: 409, exit: 2, retry: 'never' },
  RESUME_REFUSED: { http: 409, exit: 2, retry: 'after-change' },
  WAIT_NOT_FOUND: { http: 404, exit: 2, retry: 'never' },
  CASES_UNBOUNDED: { http: 422, exit: 2, retry: 'after-change' },
  OPTION_INVALID: { http: 422, exit: 2, retry: 'after-change' },
  INPUT_REQUIRED: { http: 422, exit: 2, retry: 'after-change' },
  CONTENT_CHANGED: { http: 409, exit: 2, retry: 'after-change' },
  ASSUMPTION_OPEN: { http: 409, exit: 2, retry: 'after-change' },
  ALREADY_DECIDED: { http: 409, exit: 2, retry: 'never' },
  WORKSPACE_FAILED: { http: 500, exit: 1, retry: 'after-change' },
  REPORT_INVALID: { http: 422, exit: 1, retry: 'after-change' },
  TOKEN_UNKNOWN: { http: 409, exit: 1, retry: 'never' },
  TOKEN_SPENT: { http: 409, exit: 1, retry: 'never' },
  TOKEN_INVALID: { http: 403, exit: 4, retry: 'never' },
  STATE_TAKEN: { http: 409, exit: 6, retry: 'auto' },
  STORE_UNAVAILABLE: { http: 503, exit: 6, retry: 'auto' },
  STORE_FULL: { http: 507, exit: 6, retry: 'auto' },
  STORE_READONLY: { http: 503, exit: 6, retry: 'after-change' },
  STORE_DAMAGED: { http: 500, exit: 6, retry: 'never' },
  STORE_GONE: { http: 500, exit: 6, retry: 'never' },
  STORE_NEWER: { http: 500, exit: 6, retry: 'never' },
  STORE_FOREIGN: { http: 403, exit: 4, retry: 'after-change' },
  STORE_COPIED: { http: 409, exit: 6, retry: 'after-change' },
  DATA_PROTECTED: { http: 403, exit: 4, retry: 'after-change' },
  DATABASE_CONFLICT: { http: 409, exit: 1, retry: 'auto' },
  DATABASE_FAILED: { http: 503, exit: 6, retry: 'after-change' },
  MIGRATION_REFUSED: { http: 409, exit: 2, retry: 'after-change' },
  VALUE_TOO_LARGE: { http: 413, exit: 2, retry: 'after-change' },
  LIMIT_REACHED: { http: 429, exit: 5, retry: 'auto' },
  REQUEST_INVALID: { http: 400, exit: 2, retry: 'after-change' },
  REQUEST_REUSED: { http: 422, exit: 2, retry: 'after-change' },
  LOGIN_REQUIRED: { http: 401, exit: 4, retry: 'after-change' },
  LOGIN_SLOWED: { http: 429, exit: 5, retry: 'auto' },
  LINK_INVALID: { http: 410, exit: 4, retry: 'after-change' },
  PASSKEY_INVALID: { http: 403, exit: 4, retry: 'after-change' },
  PERSON_UNKNOWN: { http: 404, exit: 2, retry: 'after-change' },
  HOST_REFUSED: { http: 421, exit: 4, retry: 'after-change' },
  ORIGIN_REFUSED: { http: 403, exit: 4, retry: 'never' },
  SCHEDULE_UNKNOWN: { http: 404, exit: 2, retry: 'never' },
  DELIVERY_UNKNOWN: { http: 404, exit: 2, retry: 'never' },
  DELIVERY_REFUSED: { http: 401, exit: 4, retry: 'never' },
  ROUTE_UNKNOWN: { http: 404, exit: 2, retry: 'never' },
  METHOD_REFUSED: { http: 405, exit: 2, retry: 'never' },
  ENGINE_CLOSED: { http: 503, exit: 6, retry: 'after-change' },
} as const satisfies Record<string, ErrorClass>;

/** A key of the error catalogue. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** A position in a source file; lines and columns start at 1. */
export interface SourcePosition {
  readonly file?: string;
  readonly line: number;
  readonly column: number;
}

/** What an error carries besides its message. */
export interface ErrorOptions {
  readonly cause?: unknown;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly position?: SourcePosition;
}

/** The class of all errors that users see. Recognise it by `code`, not by `instanceof`. */
export class EngineError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  readonly position: SourcePosition | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    this.position = options.position;
  }
}

// On the class as well, because Node prints the name of the class, and a bundle shortens it.
Object.defineProperty(EngineError, 'name', { value: 'EngineError' });
Object.defineProperty(EngineError.prototype, 'name', { value: 'EngineError', writable: true, configurable: true });

/** The code of an error of the system or of Node, such as ENOENT; undefined for anything without one. */
export function systemCodeOf(thrown: unknown): string | undefined {
  const error = readableError(thrown);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** True for every error of Pawl, including one from another copy of the module. */
export function isEngineError(error: unknown): error is EngineError {
  const code = systemCodeOf(error);
  return code !== undefined && Object.hasOwn(ERROR_CODES, code);
}

/** Returns the EngineError that `work` throws, if any; another error is rethrown. */
export async function failureOf(work: () => Promise<unknown>): Promise<EngineError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (isEngineError(error)) return error;
    throw error;
  }
}

/** Whether trying again may help although nothing was changed. */
export function isTransient(error: unknown): boolean {
  return isEngineError(error) && ERROR_CODES[error.code].retry === 'auto';
}

/** Returns the message of anything that was thrown, without its stack. */
export function messageOf(thrown: unknown): string {
  const error = readableError(thrown);
  if (error instanceof Error) return String(error.message === '' ? error.name : error.message);
  return typeof error === 'string' ? error : `a non-error was thrown: ${shownValue(error)}`;
}

/** What was thrown or, if it cannot be read, an error that says so: getters and proxies of an application may throw, too. */
export function readableError(thrown: unknown): unknown {
  try {
    if (thrown instanceof Error) for (const field of ['message', 'name', 'stack', 'code']) String(Reflect.get(thrown, field));
    else shownValue(thrown);
    return thrown;
  } catch {
    return new Error('what was thrown cannot be read');
  }
}

function shownValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
