// Owns the resources of a skill: conventions, files of the project, reference texts, skills, and the data of steps. Code that
// uses a `ResourceProvider` can be tested with one in memory.
//
// - A name is lower case words with hyphens; it is never used as a path.
// - A path is relative, has no "..", and does not lead out of the root, not even through links.

import { EngineError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Skill } from '../skill.ts';
import { nameFault } from '../skill-name.ts';
import { referenceTexts, unknownResource } from './conventions.ts';

/** Provides resources. Each function throws RESOURCE_UNKNOWN if the resource does not exist. */
export interface ResourceProvider {
  /** The text of a convention. */
  getConvention(name: string): string;
  /** The text of a file, by its path from the root. */
  readFile(path: string): string;
  /** Writes a file, by its path from the root. */
  writeFile(path: string, text: string): void;
  /** A reference text, such as the format of a document. */
  getResource(name: string): string;
  /** A skill, by its name. */
  getWorkflow(name: string): Skill;
  /** The data of a step, by its id. */
  getStepData(step: string): JsonObject;
}

/** The content of an in-memory provider. The conventions and formats of Pawl are always included. */
export interface MemoryResources {
  readonly conventions?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly resources?: Readonly<Record<string, string>>;
  readonly workflows?: readonly Skill[];
  readonly stepData?: Readonly<Record<string, JsonObject>>;
}

/** A provider that keeps everything in memory, including written files, for tests. */
export function memoryResources(content: MemoryResources = {}): ResourceProvider {
  const files = new Map(Object.entries(content.files ?? {}));
  return {
    ...namedResources(content),
    readFile: (path) => files.get(safePath(path)) ?? missingFile(path),
    writeFile: (path, text) => void files.set(safePath(path), text),
  };
}

function missingFile(path: string): never {
  throw new EngineError('RESOURCE_UNKNOWN', `there is no file "${path}"`, { details: { path } });
}

/** The functions of a provider that find resources by name. */
export function namedResources({
  conventions = {},
  resources = {},
  workflows = [],
  stepData = {},
}: Omit<MemoryResources, 'files'>): Omit<ResourceProvider, 'readFile' | 'writeFile'> {
  const texts = (kind: 'convention' | 'format', own: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
    ...Object.fromEntries(referenceTexts().flatMap((text) => (text.kind === kind ? [[text.name, text.text]] : []))),
    ...own,
  });
  const skills = Object.fromEntries(workflows.map((skill) => [skill.name, skill]));
  return {
    getConvention: (name) => findByName('convention', name, texts('convention', conventions)),
    getResource: (name) => findByName('resource', name, texts('format', resources)),
    getWorkflow: (name) => findByName('workflow', name, skills),
    getStepData: (step) => findByName('data of a step', step, stepData),
  };
}

function findByName<T>(kind: string, name: string, all: Readonly<Record<string, T>>): T {
  const found = Object.hasOwn(all, safeName(name)) ? all[name] : undefined;
  if (found === undefined) throw unknownResource(kind, name, Object.keys(all));
  return found;
}

/** Returns a valid name. Throws RESOURCE_REFUSED for one that is not lower case words with hyphens. */
function safeName(name: string): string {
  if (nameFault(name) === undefined) return name;
  throw new EngineError('RESOURCE_REFUSED', `"${name}" is not the name of a resource: use lower case words with hyphens`, {
    details: { name },
  });
}

/** Returns a path inside the root, with slashes. Throws RESOURCE_REFUSED for any other. Links are checked when it is opened. */
export function safePath(path: string): string {
  const parts = path.split(/[\\/]/);
  const isOutside = /^(?:[\\/~]|[A-Za-z]:)/.test(path) || parts.includes('..');
  const isNone = parts.every((part) => part === '' || part === '.') || path.includes('\0');
  if (!isOutside && !isNone) return parts.filter((part) => part !== '' && part !== '.').join('/');
  throw new EngineError('RESOURCE_REFUSED', `"${path}" is not a path inside the project; name a file relative to its root, without ".."`, {
    details: { path },
  });
}
