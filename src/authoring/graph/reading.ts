// Owns the state while one workflow, or one step of a flow, is read: its problems and its functions. Reading does not stop at
// the first problem.

import { type Duration, parseDuration } from '../../base/duration.ts';
import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type Json, type JsonObject, plainFault, toPlain } from '../../base/json.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { type CodeRole, sourceOf } from '../../definition/hash.ts';
import type { KindReport } from '../../definition/kind.ts';
import { CONDITION_ROOTS } from '../../definition/scope/scope-root.ts';
import type { FindingCode } from '../../definition/validation/finding.ts';
import { ProblemList } from '../../definition/validation/problem.ts';
import { kindReport } from '../../definition/validation/validate-step.ts';
import { readFields, readShape, type Shape, type ShapeFault } from '../spec/shape.ts';
import type { Compilers } from './work.ts';

/** A workflow while it is being read. */
export class Reading {
  readonly problems = new ProblemList();

  /** Reports unknown fields and fields of a wrong type. */
  shapeFault(step?: string): ShapeFault {
    const at = step === undefined ? {} : { step };
    return (code, message, hint) => {
      if (code === 'FIELD_UNKNOWN') this.problems.add({ ...at, code, message, hint });
      else this.problems.addMistyped({ ...at, code, message, hint });
    };
  }

  /** Reports fields that an object of the workflow, or of a step, does not have. */
  knownFields(object: object, known: readonly string[], at: { readonly subject: string; readonly step?: string }): void {
    for (const field of Object.keys(object)) {
      if (known.includes(field)) continue;
      const message = `${at.subject} has no field "${field}"${this.problems.suggest(field, known)}`;
      const { subject: _, ...where } = at;
      this.problems.add({ ...where, code: 'FIELD_UNKNOWN', message, hint: 'remove it, or fix the spelling' });
    }
  }
}

/** The source of the steps: TypeScript, a workflow file, or the calls of a flow while it runs. */
type Source = 'graph' | 'file' | 'flow';

/** A graph, or a step of a flow, while it is being read. */
export class GraphReading extends Reading {
  readonly compilers: Compilers;
  readonly roles: CodeRole[] = [];
  /** The name of the workflow. */
  name = '';
  /** The recovery of steps that set none. */
  recovery: 'rerun' | 'ask' | undefined;
  readonly children = new Map<string, CompiledWorkflow>();
  /** True if the graph comes from a file: it has no functions, and a bound for every backward transition. */
  readonly isFile: boolean;
  /** True for a step of a flow: its values are known, so it has no templates, and no functions that build values. */
  readonly isFlow: boolean;

  constructor(compilers: Compilers, source: Source = 'graph') {
    super();
    this.compilers = compilers;
    this.isFile = source === 'file';
    this.isFlow = source === 'flow';
  }

  /** The reading of one step, or of a member by its qualified name. */
  step(at: string): StepReading {
    return new StepReading(this, at);
  }

  /** Reads the recovery of the whole workflow. */
  readRecovery(recovery: unknown): void {
    if (recovery === undefined) return;
    if (recovery === 'rerun' || recovery === 'ask') this.recovery = recovery;
    else {
      const hint = 'write "rerun" or "ask"; "reconcile" needs a function, so write it at a step';
      this.problems.add({
        code: 'RECOVERY_INVALID',
        message: `\`recovery\` must be "rerun" or "ask", not ${JSON.stringify(recovery)}`,
        hint,
      });
    }
  }
}

/** The reading of one step. */
export class StepReading {
  readonly graph: GraphReading;
  readonly at: string;

  constructor(graph: GraphReading, at: string) {
    this.graph = graph;
    this.at = at;
  }

  /** Adds a fault of this step. */
  fault(code: FindingCode, message: string, hint: string): void {
    this.graph.problems.add({ step: this.at, code, message, hint });
  }

  /** A field of this step; undefined, and reported, if it has a wrong type. Fields of a file have been checked already. */
  shaped<T>(shape: Shape<T>, value: unknown, path: string): T | undefined {
    if (this.graph.isFile) return value as T | undefined;
    return value === undefined ? undefined : readShape(shape, value, { path, fault: this.graph.shapeFault(this.at) });
  }

  /** All fields of this step, or of one inside it. */
  shapedFields<T extends object>(shapes: Readonly<Record<string, Shape<unknown>>>, given: object): T {
    return (this.graph.isFile ? given : readFields(shapes, given, { path: '', fault: this.graph.shapeFault(this.at) })) as T;
  }

  /** Records a function of this step, so that changes to it are detected, and returns it. */
  code<F extends (...args: never[]) => unknown>(role: string, code: F): F {
    // The code of a flow is its whole function, which has a digest of its own.
    if (!this.graph.isFlow) this.graph.roles.push({ step: this.at, role, source: sourceOf(code) });
    return code;
  }

  /** A duration in milliseconds; for an invalid one, the smallest value that passes later checks. */
  duration(duration: Duration, field: string): number {
    try {
      return parseDuration(duration, field);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.fault(
        'TIMEOUT_INVALID',
        `${field} must be a duration, not ${JSON.stringify(duration)}`,
        'write one such as "30s", "10m" or "24h"',
      );
      return 1;
    }
  }

  /** Data as the author wrote it; null if it is invalid. */
  plain(value: unknown, field: string): Json {
    const fault = value === undefined ? undefined : plainFault(value);
    if (fault === undefined) return toPlain(value, field);
    this.fault('FIELD_INVALID', `${field} is not plain JSON: ${fault.path} ${fault.reason}`, 'write plain data here');
    return null;
  }

  /** The configuration that a parser which throws returns for the author's value; undefined if it is invalid. */
  parsed<Config>(value: unknown, field: string, parse: (plain: JsonObject) => Config): Config | undefined {
    const plain = this.plain(value, field);
    if (!isJsonObject(plain)) return undefined;
    try {
      return parse(plain);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.fault('KIND_INVALID', `${field} is invalid: ${error.message}`, 'change its fields');
      return undefined;
    }
  }

  /** The configuration that a kind parses from the author's value. If it has faults, the rest is not checked again. */
  parse<Config>(value: unknown, field: string, parse: (plain: Json, report: KindReport) => Config): Config {
    const { problems, compilers: registry } = this.graph;
    const before = problems.found.length;
    const config = parse(this.plain(value, field) ?? {}, kindReport(this.at, { problems, registry, roots: CONDITION_ROOTS }));
    if (problems.found.length > before) problems.refused.add(this.at);
    return config;
  }

  /** Reports unknown fields. */
  knownFields(object: object, known: readonly string[], subject: string): void {
    this.graph.knownFields(object, known, { subject, step: this.at });
  }
}

/** The object without its undefined fields: a definition has a field or does not. */
export function defined<T extends object>(object: { readonly [K in keyof T]: T[K] | undefined }): T {
  return omitUndefined(object) as T;
}
