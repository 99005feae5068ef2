// Owns what a skill can be given from outside, in five ways: conventions, files of the project, resources, workflow
// objects, and the data of steps. Code that takes a `ResourceProvider` can be tested with one that is in memory.
//
// - A name is lower case words with hyphens; it is never used as a path.
// - A path is relative, has no "..", and leads to no file outside the root, through links neither.

import { EngineError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Skill } from '../skill.ts';
import { nameFault } from '../skill-name.ts';
import { referenceTexts, unknownResource } from './conventions.ts';

/** What a skill can read from outside. Each function throws RESOURCE_UNKNOWN if the resource does not exist. */
export interface ResourceProvider {
  /** The text of a convention. */
  getConvention(name: string): string;
  /** The text of a file, by its path from the root. */
  readFile(path: string): string;
  /** Writes a file, by its path from the root. */
  writeFile(path: string, text: string): void;
  /** A reference text, such as the format of a document. */
  getResource(name: string): string;
  /** A skill, as a program can inspect it. */
  getWorkflow(name: string): Skill;
  /** What a step left, by the id of the step. */
  getStepData(step: string): JsonObject;
}

/** The content of an in-memory provider. Conventions and resources that are not given default to those that come with Pawl. */
export interface MemoryResources {
  readonly conventions?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly resources?: Readonly<Record<string, string>>;
  readonly workflows?: readonly Skill[];
  readonly stepData?: Readonly<Record<string, JsonObject>>;
}

/** A provider that keeps everything in memory, for tests: nothing is read from a disk, and files that are written are kept. */
export function memoryResources(given: MemoryResources = {}): ResourceProvider {
  const files = new Map(Object.entries(given.files ?? {}));
  return {
    ...namedResources(given),
    readFile: (path) => files.get(safePath(path)) ?? notThere(path),
    writeFile: (path, text) => void files.set(safePath(path), text),
  };
}

function notThere(path: string): never {
  throw new EngineError('RESOURCE_UNKNOWN', `there is no file "${path}"`, { details: { path } });
}

/** The part of a provider that finds things by name. */
export function namedResources({
  conventions = {},
  resources = {},
  workflows = [],
  stepData = {},
}: Omit<MemoryResources, 'files'>): Omit<ResourceProvider, 'readFile' | 'writeFile'> {
  const texts = (kind: 'convention' | 'format', own: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
    ...Object.fromEntries(referenceTexts().flatMap((one) => (one.kind === kind ? [[one.name, one.text]] : []))),
    ...own,
  });
  const skills = Object.fromEntries(workflows.map((skill) => [skill.name, skill]));
  return {
    getConvention: (name) => named('convention', name, texts('convention', conventions)),
    getResource: (name) => named('resource', name, texts('format', resources)),
    getWorkflow: (name) => named('workflow', name, skills),
    getStepData: (step) => named('data of a step', step, stepData),
  };
}

function named<T>(what: string, name: string, all: Readonly<Record<string, T>>): T {
  const found = Object.hasOwn(all, safeName(name)) ? all[name] : undefined;
  if (found === undefined) throw unknownResource(what, name, Object.keys(all));
  return found;
}

/** A name that can be looked up; throws RESOURCE_REFUSED for one that is not lower case words with hyphens. */
function safeName(name: string): string {
  if (nameFault(name) === undefined) return name;
  throw new EngineError('RESOURCE_REFUSED', `"${name}" is not the name of a resource: use lower case words with hyphens`, {
    details: { name },
  });
}

/** A path inside the root, with slashes; throws RESOURCE_REFUSED for any other. Links are for whoever opens it. */
export function safePath(path: string): string {
  const parts = path.split(/[\\/]/);
  const isOutside = /^(?:[\\/~]|[A-Za-z]:)/.test(path) || parts.includes('..');
  const isNone = parts.every((part) => part === '' || part === '.') || path.includes('\0');
  if (!isOutside && !isNone) return parts.filter((part) => part !== '' && part !== '.').join('/');
  throw new EngineError('RESOURCE_REFUSED', `"${path}" is not a path inside the project; name a file relative to its root, without ".."`, {
    details: { path },
  });
}
