// Owns the references of a workflow to things outside its own file: roles, groups, checks and other workflows. Only the
// project or the application that runs it knows whether they exist, and passes their names.

import { isJsonObject, type Json } from '../../base/json.ts';
import { foldedName } from '../../base/person.ts';
import { didYouMean } from '../../base/suggest.ts';
import { allChecks, checksIn, isBuiltIn } from '../check.ts';
import { databaseNames } from '../database.ts';
import { type ArgModel, type Definition, membersOf, roleOf, type StepModel } from '../model.ts';
import type { Problem } from './problem.ts';

/** Something outside the file that a step needs. */
export type Reference =
  | { readonly kind: 'role'; readonly step: string; readonly name: string }
  | { readonly kind: 'check'; readonly step: string; readonly name: string }
  /** The input is null if a function builds it. */
  | { readonly kind: 'workflow'; readonly step: string; readonly name: string; readonly input: Json }
  | { readonly kind: 'database'; readonly step: string; readonly name: string }
  | ({ readonly kind: 'group' } & Quorum);

/** What exists outside the file. A part that is left out is not known here and not checked. */
export interface ExternalNames {
  /** The roles, each with what is wrong with it, if anything. */
  readonly roles?: { readonly [name: string]: { readonly problem?: string } };
  /** How to configure a role. */
  readonly roleHint?: (name: string) => string;
  readonly checks?: readonly string[];
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  /** The names of the protected databases. */
  readonly databases?: readonly string[];
  /** The other workflows, with their parameters if they are known. */
  readonly workflows?: ReadonlyMap<string, { readonly params?: Readonly<Record<string, ArgModel>> }>;
}

/** Returns everything outside the file that the steps of a definition need; `contained` are the checks that it contains. */
export function referencesIn({ steps }: Pick<Definition, 'steps'>, contained: readonly string[] = []): Reference[] {
  return [
    ...steps.flatMap((step) => stepReferences(step, step.id)),
    ...quorumsIn(steps).map((quorum) => ({ kind: 'group' as const, ...quorum })),
  ].filter((one) => one.kind !== 'check' || !contained.includes(`${one.step} ${one.name}`));
}

function stepReferences(step: StepModel, at: string): Reference[] {
  return [...ownReferences(step, at), ...membersOf(step).flatMap((member) => stepReferences(member, `${at}/${member.id}`))];
}

function ownReferences(work: StepModel, step: string): Reference[] {
  return [...workReferences(work, step), ...databaseNames(work).map((name) => ({ kind: 'database' as const, step, name }))];
}

function workReferences(work: StepModel, step: string): Reference[] {
  const role = roleOf(work);
  if (role !== undefined) return [{ kind: 'role', step, name: role }];
  if (work.kind === 'workflow' && work.review !== undefined) {
    const { roles, from } = work.review;
    const group = from === undefined ? [] : [{ kind: 'group' as const, step, from, count: 1 }];
    return [...roles.map((name) => ({ kind: 'role' as const, step, name })), ...group];
  }
  if (work.kind === 'workflow') return [{ kind: 'workflow', step, name: work.workflow, input: work.input }];
  return allChecks(checksIn(work)).map(({ check }) => ({ kind: 'check', step, name: check }));
}

/** Returns a problem for each reference to something that does not exist. */
export function referenceProblems<R extends Reference>(
  references: readonly R[],
  known: ExternalNames,
): { readonly reference: R; readonly problem: Problem }[] {
  return references.flatMap((reference) =>
    problemsOf(reference, known).map((problem) => ({ reference, problem: { step: reference.step, ...problem } })),
  );
}

function problemsOf(reference: Reference, known: ExternalNames): Problem[] {
  switch (reference.kind) {
    case 'role':
      return known.roles === undefined ? [] : roleProblems(reference.name, known);
    case 'check':
      return known.checks === undefined ? [] : checkProblems(reference.name, known.checks);
    case 'group':
      return known.groups === undefined ? [] : groupProblems(reference, known.groups);
    case 'database':
      return known.databases === undefined ? [] : databaseProblems(reference.name, known.databases);
    case 'workflow':
      return known.workflows === undefined ? [] : childProblems(reference, known.workflows);
  }
}

function roleProblems(name: string, { roles = {}, roleHint }: ExternalNames): Problem[] {
  const problem = Object.hasOwn(roles, name) ? roles[name]?.problem : undefined;
  if (problem !== undefined)
    return [{ code: 'DRIVER_UNKNOWN', message: `the role "${name}" cannot be used: ${problem}`, hint: 'fix the driver of the role' }];
  if (Object.hasOwn(roles, name)) return [];
  const known = Object.keys(roles);
  return [
    {
      code: 'ROLE_UNKNOWN',
      message: `there is no role "${name}"${didYouMean(name, known)}${known.length === 0 ? ', so only an attended run (--attended) can do this step' : ''}`,
      hint: roleHint?.(name) ?? 'define it under `roles`',
      // A project without roles may leave all work to the calling agent.
      ...(known.length === 0 ? { severity: 'warning' } : {}),
    },
  ];
}

function checkProblems(name: string, known: readonly string[]): Problem[] {
  if (known.includes(name)) return [];
  return [
    { code: 'CHECK_UNKNOWN', message: `there is no check "${name}"${didYouMean(name, known)}`, hint: `use one of ${known.join(', ')}` },
  ];
}

function databaseProblems(name: string, known: readonly string[]): Problem[] {
  if (known.includes(name)) return [];
  const message = `there is no database "${name}"${didYouMean(name, known)}`;
  return [
    {
      code: 'DATABASE_UNKNOWN',
      message,
      hint: `name its file in .pawl/config.yaml, under databases: { ${name}: { path: data/${name}.db } }`,
    },
  ];
}

function groupProblems({ from, count }: Quorum, groups: NonNullable<ExternalNames['groups']>): Problem[] {
  const unknown = from.filter((name) => !Object.hasOwn(groups, name));
  if (unknown.length > 0)
    return unknown.map((name) => ({
      code: 'GROUP_UNKNOWN',
      message: `there is no group "${name}"${didYouMean(name, Object.keys(groups))}, so no one could decide`,
      hint: `list its people in .pawl/config.yaml, under groups: { ${name}: [ann] }`,
      // The people of a project without groups may be listed elsewhere.
      ...(Object.keys(groups).length === 0 ? { severity: 'warning' } : {}),
    }));
  const people = new Set(from.flatMap((name) => groups[name] ?? []).map(foldedName)).size;
  if (people >= count) return [];
  const message = `${count} people of ${from.join(' or ')} must agree, but there ${people === 1 ? 'is only 1' : `are only ${people}`}`;
  return [{ code: 'GROUP_TOO_SMALL', message, hint: 'add people under `groups` in .pawl/config.yaml, or lower `count`' }];
}

function childProblems(
  { name, input }: Extract<Reference, { kind: 'workflow' }>,
  workflows: NonNullable<ExternalNames['workflows']>,
): Problem[] {
  const child = workflows.get(name);
  if (child === undefined)
    return [
      {
        code: 'CHILD_UNKNOWN',
        message: `there is no workflow "${name}"${didYouMean(name, workflows.keys())}`,
        hint: 'name a workflow of this project; "pawl list" shows them',
      },
    ];
  if (child.params === undefined || !isJsonObject(input)) return [];
  const params = child.params;
  const unknown = Object.keys(input).filter((param) => !Object.hasOwn(params, param));
  const missing = Object.keys(params).filter((param) => params[param]?.required === true && !Object.hasOwn(input, param));
  return [
    ...unknown.map((param) => `has no parameter "${param}"${didYouMean(param, Object.keys(params))}`),
    ...missing.map((param) => `requires the parameter "${param}"`),
  ].map((fault) => ({ code: 'CHILD_INPUT', message: `the workflow "${name}" ${fault}`, hint: 'fix the input of this step' }));
}

/** Returns the cycle of workflows that starts with this one, as names, if its children lead back to it. */
export function childCycle(name: string, childrenOf: (workflow: string) => readonly string[]): string[] | undefined {
  const seen = new Set<string>();
  const trails: string[][] = [[name]];
  for (let trail = trails.pop(); trail !== undefined; trail = trails.pop()) {
    for (const child of childrenOf(trail.at(-1) as string)) {
      if (child === name) return [...trail, name];
      if (!seen.has(child)) trails.push([...trail, child]);
      seen.add(child);
    }
  }
  return undefined;
}

/** The number of people of these groups who must agree at a step. */
interface Quorum {
  readonly step: string;
  readonly from: readonly string[];
  readonly count: number;
}

/** Returns every place in a workflow where people of named groups must agree, in order. */
function quorumsIn(steps: readonly StepModel[], group?: string): Quorum[] {
  return steps.flatMap((step) => {
    const name = group === undefined ? step.id : `${group}/${step.id}`;
    const { from, count = 1 } = step.question ?? {};
    const asked = from === undefined ? [] : [{ step: name, from, count }];
    return [...asked, ...approvalsOf(step, name), ...quorumsIn(membersOf(step), name)];
  });
}

// An approval inside `any_of` is not required, because another check can pass instead.
function approvalsOf(step: StepModel, name: string): Quorum[] {
  return checksIn(step).flatMap((check) =>
    isBuiltIn(check, 'pr_approval') ? [{ step: name, from: [check.from].flat(), count: check.count ?? 1 }] : [],
  );
}
