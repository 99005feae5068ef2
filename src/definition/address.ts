// Owns the names of steps and of their visits. No other file parses them.
//
// - A step is named by its id; a member of a group by both: `review/style`.
// - A path names a visit: `review#2`, or `review#2/style` for a member. After the slash comes the member's key: the id of a
//   branch, or the key of an item, which can contain any character.
// - A step that a stage of a file adds is named after the stage and what it is for: `build.enter`, `build.on_fail.spawn`.

import { type Definition, membersOf, type StepModel } from './model.ts';

const VISIT = /^([^#/]*)#(\d+)(?:\/(.*))?$/s;

/** The parts of a path. */
interface PathParts {
  readonly step: string;
  readonly visit: number;
  readonly key?: string;
}

/** The path of a visit of a step. */
export function createPath(step: string, visit: number): string {
  return `${step}#${visit}`;
}

/** The parts of a path; undefined for anything else, such as the name of a step. */
export function parsePath(path: string): PathParts | undefined {
  const [, step, visit, key] = VISIT.exec(path) ?? [];
  return step === undefined ? undefined : { step, visit: Number(visit), ...(key === undefined ? {} : { key }) };
}

/** The id of the step, or of the group, that a path or a name leads to. */
export function topStepOf(address: string): string {
  return parsePath(address)?.step ?? splitName(address).id;
}

/** Whether a path is that of a member of a group. */
export function isMember(path: string): boolean {
  return path.includes('/');
}

/** The part of a member's path that leads to its group. The path may begin with that of the step that started the run, `group` does not. */
export function pathToGroup(path: string, group: string): string {
  return path.slice(0, path.lastIndexOf(`${group}/`) + group.length);
}

/** A path in human-readable form, without the number of a first visit. */
export function pathText(path: string): string {
  return path.replace(/#1$/, '');
}

/** Whether a path is a visit of a step or of one of its members, or a name is the step's or a member's. */
export function isOfStep(path: string, step: string): boolean {
  return path === step || path.startsWith(`${step}#`) || path.startsWith(`${step}/`);
}

/** The name of a step that a stage adds for a purpose. */
export function addedName(stage: string, ...purpose: readonly string[]): string {
  return [stage, ...purpose].join('.');
}

/** The purpose for which a stage adds a step, such as `on_fail`, `spawn`; undefined for any other step. */
export function addedPurpose(step: string, stage: string): readonly string[] | undefined {
  return step.startsWith(`${stage}.`) ? step.slice(stage.length + 1).split('.') : undefined;
}

/** The same for every visit: a path without its numbers. */
export function withoutVisits(path: string): string {
  return path.replaceAll(/#\d+/g, '');
}

/** A step, or a member of a group, on the way to a path. */
interface PathPart {
  readonly name: string;
  readonly path: string;
  readonly is: 'step' | 'member';
}

/** The steps and members on the way to a path, outermost first. The path of a step in a child run begins with the step that started it. */
export function partsOf(path: string): readonly PathPart[] {
  const parts = path.split('/');
  return parts.map((part, index) => ({
    name: withoutVisits(part),
    path: parts.slice(0, index + 1).join('/'),
    is: part.includes('#') ? 'step' : 'member',
  }));
}

/** The part with a name: a step before a member, since an item can have the name of a step. */
export function partNamed(path: string, name: string): PathPart | undefined {
  const named = partsOf(path).filter((part) => part.name === name);
  return named.find(({ is }) => is === 'step') ?? named[0];
}

/** Whether a path is another one, or inside of it. */
export function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`);
}

/** The id in the name of a step and, for a member of a group, the member's. */
export function splitName(name: string): { readonly id: string; readonly member?: string } {
  const at = name.indexOf('/');
  return at === -1 ? { id: name } : { id: name.slice(0, at), member: name.slice(at + 1) };
}

/** The model of a step by its name. Ids of members are unique only within their group. */
export function modelNamed({ steps }: Pick<Definition, 'steps'>, name: string): StepModel | undefined {
  const { id, member } = splitName(name);
  const own = steps.find((step) => step.id === id);
  return member === undefined || own === undefined ? own : membersOf(own).find((step) => step.id === member);
}

/** The model of the step at a path; items of a fan-out have the same. */
export function modelAt({ steps }: Pick<Definition, 'steps'>, path: string): StepModel | undefined {
  const { step, key } = parsePath(path) ?? { step: path };
  const own = steps.find(({ id }) => id === step);
  if (own === undefined || key === undefined) return own;
  return own.kind === 'each' ? own.body : membersOf(own).find(({ id }) => id === key);
}
