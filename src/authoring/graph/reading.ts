// Owns the state of reading one graph: its problems, its functions, and how fields that users write are read without
// stopping at the first problem.

import { type Duration, parseDuration } from '../../base/duration.ts';
import { EngineError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject, toPlain } from '../../base/json.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import type { FindingCode } from '../../definition/finding.ts';
import type { CodeRole } from '../../definition/hash.ts';
import { ProblemList } from '../../definition/problem.ts';
import type { Compilers } from './work.ts';

/** One graph as it is read. */
export class GraphReading {
  readonly compilers: Compilers;
  readonly problems = new ProblemList();
  readonly roles: CodeRole[] = [];
  /** The name of the workflow. */
  name = '';
  /** The recovery of steps that do not say their own. */
  recovery: 'rerun' | 'ask' | undefined;
  readonly children = new Map<string, CompiledWorkflow>();
  /** The graph comes from a file: it has no functions, and says the bound of every transition that leads back. */
  readonly isFile: boolean;

  constructor(compilers: Compilers, { isFile = false }: { readonly isFile?: boolean } = {}) {
    this.compilers = compilers;
    this.isFile = isFile;
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
      this.problems.add({ code: 'RECOVERY_INVALID', message: `its recovery is ${JSON.stringify(recovery)}`, hint });
    }
  }

  /** Reports fields that an object of the workflow, or of a step, does not have. */
  knownFields(object: object, known: readonly string[], at: { readonly what: string; readonly step?: string }): void {
    for (const field of Object.keys(object)) {
      if (known.includes(field)) continue;
      const message = `${at.what} has no field "${field}"${this.problems.suggest(field, known)}`;
      const { what: _, ...where } = at;
      this.problems.add({ ...where, code: 'FIELD_UNKNOWN', message, hint: 'remove it, or fix the spelling' });
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

  /** Notes a function of this step, so that a change of it is seen; gives it back. */
  code<F extends (...args: never[]) => unknown>(role: string, code: F): F {
    this.graph.roles.push({ step: this.at, role, code });
    return code;
  }

  /** A span in milliseconds; with a fault, the least one that passes every later check. */
  duration(duration: Duration, what: string): number {
    try {
      return parseDuration(duration, what);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.fault(
        'TIMEOUT_INVALID',
        `${what} is ${JSON.stringify(duration)}, which is not a duration`,
        'write one such as "30s", "10m" or "24h"',
      );
      return 1;
    }
  }

  /** Data as the author wrote it; with a fault, nothing. */
  plain(value: unknown, what: string): Json {
    try {
      return toPlain(value, what);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.fault('FIELD_INVALID', error.message.replace(/;.*$/s, ''), 'write plain data here');
      return null;
    }
  }

  /** What the kind of a step parses from what the author wrote; with a fault, nothing. */
  parsed<Config>(value: unknown, what: string, parse: (plain: JsonObject) => Config): Config | undefined {
    const plain = this.plain(value, what);
    if (!isJsonObject(plain)) return undefined;
    try {
      return parse(plain);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.fault('KIND_INVALID', `${what} is wrong: ${error.message}`, 'correct it');
      return undefined;
    }
  }

  /** A configuration as the author wrote it; with a fault, nothing of it. Whether it fits, its kind checks afterwards. */
  config<Config extends object>(value: { readonly [Field in keyof Config]: unknown }, what: string): Config {
    return (this.plain(value, what) ?? {}) as unknown as Config;
  }

  /** Reports fields that this place does not have. */
  knownFields(object: object, known: readonly string[], what: string): void {
    this.graph.knownFields(object, known, { what, step: this.at });
  }
}

/** The object without the fields that are undefined: a definition has a field or does not. */
export function defined<T extends object>(object: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
