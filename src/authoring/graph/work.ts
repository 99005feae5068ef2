// Reads the work of a step: finds the field that selects its kind. The kind reads its own configuration and code.

import type { Json, JsonObject } from '../../base/json.ts';
import type { CheckDeclaration, CheckModel } from '../../definition/check.ts';
import type { BoundStep, StepCode, StepContext } from '../../definition/code.ts';
import type { CustomKind } from '../../definition/custom-kind.ts';
import type { KindDeclaration, KindRegistry } from '../../definition/kind.ts';
import type { RecoveryPolicy, StepKind, StepModel, StepWork } from '../../definition/model.ts';
import type { FlowMethod } from '../flow/method.ts';
import type { Shape } from '../spec/shape.ts';
import type { CheckForm, StageForm } from '../yaml/schema/form.ts';
import type { StageWriter } from '../yaml/write/stage.ts';
import type { StepReading } from './reading.ts';
import { STEP } from './shape.ts';
import type { Entries, GroupSpec, MemberSpec, WorkSpec } from './spec.ts';

/** A step's work in the spec, without the types of its context. */
export type AnyWork = WorkSpec & GroupSpec<StepContext, Entries<MemberSpec>>;

/** The work of a step. */
export interface Work {
  readonly work: StepWork;
  /** Its functions, and those of the steps inside it. */
  readonly code?: Partial<Omit<StepCode, 'preconditions' | 'postconditions'>>;
  /** Whether its strings are templates that the engine renders. Default: the `templates` of the step. */
  readonly templates?: boolean;
  /** What happens after a crash, if that depends on more than the kind. */
  readonly recovery?: RecoveryPolicy;
}

/** The functions of the steps inside a step, by their ids. */
export function codesOf(members: readonly BoundStep[]): Readonly<Record<string, StepCode>> {
  return Object.freeze(Object.fromEntries(members.map(({ model, code }) => [model.id, code])));
}

/** The step whose work is read, and how to read a step inside it. */
export interface WorkContext {
  readonly step: StepReading;
  readonly id: string;
  readonly isMember: boolean;
  /** Whether its `next` names outcomes. */
  readonly namesOutcomes: boolean;
  readMember(spec: unknown, id: string): BoundStep;
}

/** A kind of step that workflows can be written with. */
export interface KindCompiler extends KindDeclaration {
  /** The field of a graph's step that selects this kind. */
  readonly field: string;
  /** Further fields of this kind. */
  readonly beside?: readonly string[];
  /** The types of these fields, unless parsing its configuration checks them. */
  readonly shapes?: Readonly<Record<string, Shape<unknown>>>;
  /** Reads the work of a graph's step; undefined if it is too broken to continue. */
  read(spec: AnyWork, context: WorkContext): Work | undefined;
  /** Its methods of `step(name)` in flows, by name. */
  readonly flow?: Readonly<Record<string, FlowMethod>>;
  /** The strings of its work that an agent, a person, a program or a web server reads; templates only if the step says so. */
  literals?(work: StepWork): unknown;
  /**
   * Its form in workflow files, if it has one.
   * @internal
   */
  readonly yaml?: StageForm;
  /**
   * Writes a step as the stage of a workflow file, without its type, if files can have one.
   * @internal
   */
  write?(step: StepModel, words: StageWriter): JsonObject;
}

/** A check that gates can be written with. */
export interface CheckCompiler extends CheckDeclaration {
  /**
   * Its form in workflow files, if it has one.
   * @internal
   */
  readonly yaml?: CheckForm;
  /**
   * Writes the fields that differ between a file and the definition; undefined leaves a field out.
   * @internal
   */
  write?(check: CheckModel, checkOf: (inner: CheckModel) => Json): Readonly<Record<string, Json | undefined>>;
}

/** The kinds and checks that workflows can be written with. */
export interface Compilers extends KindRegistry {
  readonly kinds: Readonly<Record<StepKind, KindCompiler>>;
  readonly checks: Readonly<Record<string, CheckCompiler>>;
  /** Kinds of the application, by the names that workflow files use. */
  readonly customKinds?: CustomKinds;
}

/** Kinds of steps that an application defined, by their names. */
export type CustomKinds = Readonly<Record<string, CustomKind>>;

/** The fields of a graph's step that are about its work. */
export interface WorkFields {
  /** The fields that select a kind, with that kind. */
  readonly kinds: ReadonlyMap<string, KindCompiler>;
  /** Further fields, with the kind-selecting fields they belong to. */
  readonly beside: ReadonlyMap<string, readonly string[]>;
  /** All of them. */
  readonly names: readonly string[];
  /** The types of all fields of a step that no kind parses. */
  readonly shapes: Readonly<Record<string, Shape<unknown>>>;
}

const KNOWN = new WeakMap<Compilers, WorkFields>();

/** The fields that are about the work of a step. */
export function workFields(compilers: Compilers): WorkFields {
  const known = KNOWN.get(compilers) ?? fieldsOf(Object.values(compilers.kinds));
  KNOWN.set(compilers, known);
  return known;
}

function fieldsOf(kinds: readonly KindCompiler[]): WorkFields {
  const beside = new Map<string, string[]>();
  for (const kind of kinds) for (const name of kind.beside ?? []) beside.set(name, [...(beside.get(name) ?? []), kind.field]);
  const fields = kinds.map(({ field }) => field);
  const shapes = { ...STEP, ...Object.fromEntries(kinds.flatMap((kind) => Object.entries(kind.shapes ?? {}))) };
  return { kinds: new Map(kinds.map((kind) => [kind.field, kind])), beside, names: [...fields, ...beside.keys()], shapes };
}

/** A placeholder for work that was not read. The requirements of its kind are not checked. */
export const UNREAD: Work = { work: { kind: 'task', config: {} } };

/** Reads the work of a step: exactly one field selects its kind, or none, and then it only has instructions. */
export function readWork(spec: AnyWork, context: WorkContext): Work {
  const values = spec as Readonly<Record<string, unknown>>;
  const { compilers } = context.step.graph;
  const { kinds, beside } = workFields(compilers);
  const field = [...kinds.keys()].find((name) => values[name] !== undefined);
  for (const [name, owners] of beside) {
    if (values[name] !== undefined && !(field !== undefined && owners.includes(field)))
      context.step.fault('FIELD_INVALID', `\`${name}\` needs \`${owners.join('` or `')}\``, 'add that field, or remove this one');
  }
  const work = (kinds.get(field ?? 'handler') ?? compilers.kinds.task).read(spec, context);
  if (work === undefined) context.step.graph.problems.unread.add(context.step.at);
  return work ?? UNREAD;
}
