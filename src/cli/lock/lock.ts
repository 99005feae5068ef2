// Owns lock files: what a workflow consists of at the time somebody froze it, as digests, and what has changed since.
//
// - A lock covers the file of the workflow and the code that it loads, the workflows that its steps start, the files of
//   its roles, the step kinds and checks of the project that it uses, the scripts that its commands name, the settings
//   of the project, and the version of Pawl.
// - Equal content gives the same bytes on every machine: paths are relative to the project, and nothing of the user's
//   own settings is in it.
// - Nothing is run to compare a lock. A module is loaded when it is locked, if it is trusted; later its files tell
//   whether what it said then still holds.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { parseRoleFile, type RoleFile } from '../../agents/role-file.ts';
import { digestBytes, digestJson } from '../../base/digest.ts';
import { EngineError } from '../../base/error.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { readPlainFile } from '../../base/plain-file.ts';
import type { Definition } from '../../definition/model.ts';
import { referencesIn } from '../../definition/validation/reference.ts';
import { discoverProject } from '../definitions.ts';
import { compileDeclared, loadDescription } from '../load.ts';
import { versionOf } from '../package.ts';
import { type Project, roleFilesOf } from '../project.ts';
import { partFilesOf } from '../project-parts.ts';
import { isSettingsFile, readOrigins } from '../settings/settings.ts';
import type { Shell } from '../shell.ts';
import { readGraph } from '../trust/trust.ts';

/** A frozen workflow. */
interface Lock {
  readonly lock: 1;
  readonly pawl: string;
  readonly workflow: string;
  /** The digest of each file, by its path in the project. */
  readonly files: Readonly<Record<string, string>>;
  /** The digest of each setting of the project. */
  readonly settings: Readonly<Record<string, string>>;
  /** The names that the workflow refers to. */
  readonly refers: { readonly roles: readonly string[]; readonly workflows: readonly string[] };
}

/** A workflow to freeze. */
export interface LockSubject {
  readonly name: string;
  readonly file: string;
}

const YAML_FILE = /\.ya?ml$/;
/** Settings that say how a machine runs workflows, and not what they do. */
const LIVE_SETTINGS = /^(?:db$|limits\.|serve\.|metrics$|notifications\.|hooks\.|mcp\.)/;

/** The lock file of a workflow file. */
export function lockFileOf(file: string): string {
  return `${file.replace(/\.(?:ya?ml|[mc]?[tj]s)$/, '')}.lock.json`;
}

/** The lock as it is written. */
export function lockText(lock: Lock): string {
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/** Reads a lock file; undefined where there is none. */
export function readLock(file: string): Lock | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const lock = JSON.parse(readFileSync(file, 'utf8')) as Partial<Lock>;
    if (lock.lock === 1 && isTable(lock.files) && isTable(lock.settings) && Array.isArray(lock.refers?.workflows)) return lock as Lock;
  } catch {
    // Reported below.
  }
  throw new EngineError('NOT_LOCKED', `${file} is not a lock file of this version of Pawl; write it again with "pawl lock"`);
}

function isTable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every((digest) => typeof digest === 'string');
}

/** Freezes a workflow as it is now. `known`: an earlier lock, whose references hold for a module that is not loaded. */
export async function lockOf(
  shell: Shell,
  project: Project,
  { name, file, known }: LockSubject & { readonly known?: Lock },
): Promise<Lock> {
  const collected = new Collected(project);
  const refers = await collect(shell, project, { subject: { name, file }, known, collected, seen: new Set([name]) });
  for (const script of scriptsIn(await settingsOf(shell, project), project)) collected.add(script);
  return {
    lock: 1,
    pawl: versionOf(),
    workflow: name,
    files: sorted(collected.files),
    settings: sorted(new Map([...(await settingsOf(shell, project))].map(([key, value]) => [key, digestJson(value)]))),
    refers: { roles: [...refers.roles].sort(), workflows: [...refers.workflows].sort() },
  };
}

interface Collection {
  readonly subject: LockSubject;
  readonly known: Lock | undefined;
  readonly collected: Collected;
  readonly seen: Set<string>;
}

type Names = { readonly roles: Set<string>; readonly workflows: Set<string> };

async function collect(shell: Shell, project: Project, { subject, known, collected, seen }: Collection): Promise<Names> {
  const { file } = subject;
  const graph = await readGraph(file);
  for (const part of graph.files.keys()) collected.add(part);
  const definition = await definitionOf(shell, project, { subject, known });
  const names = definition === undefined ? namesIn(known) : namesOf(definition);
  // A module that is as it was refers to what it referred to.
  if (definition === undefined) for (const path of Object.keys(known?.files ?? {})) collected.add(join(project.root, path));
  else for (const script of scriptsIn(definition.steps as unknown as Json, project)) collected.add(script);
  await collectRoles(shell, project, { asked: names.roles, collected });
  // Which of them a file uses is known only by loading them, so all of them belong to it.
  for (const part of partFilesOf(project)) for (const one of (await readGraph(part)).files.keys()) collected.add(one);
  await collectChildren(shell, project, { names, collected, seen, known });
  return names;
}

function namesIn(known: Lock | undefined): Names {
  return { roles: new Set(known?.refers.roles), workflows: new Set(known?.refers.workflows) };
}

function namesOf(definition: Definition): Names {
  const references = referencesIn(definition);
  const named = (kind: 'role' | 'workflow'): Set<string> =>
    new Set(references.flatMap((reference) => (reference.kind === kind ? [reference.name] : [])));
  return { roles: named('role'), workflows: named('workflow') };
}

/** The files of roles, of the roles that they use as sub-agents, and of their programs. */
async function collectRoles(
  shell: Shell,
  project: Project,
  { asked, collected }: { readonly asked: ReadonlySet<string>; readonly collected: Collected },
): Promise<void> {
  const settings = await settingsOf(shell, project);
  const files = new Map(roleFilesOf(project).map((file) => [basename(file, '.md'), file]));
  const seen = new Set<string>();
  for (let names = [...asked]; names.length > 0; ) {
    const next: string[] = [];
    for (const name of names.filter((one) => !seen.has(one))) {
      seen.add(name);
      const file = files.get(name);
      if (file !== undefined) collected.add(file);
      const written = file === undefined ? {} : fieldsIn(file);
      for (const script of scriptsIn({ argv: [...(written.argv ?? [])] }, project)) collected.add(script);
      next.push(...(written.agents ?? []), ...subAgentsIn(settings, name));
    }
    names = next;
  }
}

/** The fields of a role's file; what is wrong with it is reported by the check of the project. */
function fieldsIn(file: string): RoleFile {
  try {
    return parseRoleFile(file, readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

function subAgentsIn(settings: ReadonlyMap<string, Json>, role: string): string[] {
  const roles = settings.get('roles') ?? settings.get('agent_roles');
  const fields = isJsonObject(roles) && Object.hasOwn(roles, role) ? roles[role] : undefined;
  const agents = isJsonObject(fields) ? fields.agents : undefined;
  return Array.isArray(agents) ? agents.filter((one) => typeof one === 'string') : [];
}

async function collectChildren(
  shell: Shell,
  project: Project,
  { names, collected, seen, known }: Pick<Collection, 'collected' | 'seen' | 'known'> & { readonly names: Names },
): Promise<void> {
  const { workflows } = await discoverProject(project);
  for (const child of [...names.workflows].filter((one) => !seen.has(one))) {
    seen.add(child);
    const found = workflows.find((one) => one.name === child);
    // One that is missing is reported by the check of the workflow.
    if (found === undefined) continue;
    const below = await collect(shell, project, { subject: found, known, collected, seen });
    for (const role of below.roles) names.roles.add(role);
  }
}

/** The definition of a workflow; undefined for a module whose earlier lock says what it refers to. */
async function definitionOf(
  shell: Shell,
  project: Project,
  { subject: { file }, known }: Pick<Collection, 'subject' | 'known'>,
): Promise<Definition | undefined> {
  if (isSettingsFile(project, file)) return undefined;
  if (YAML_FILE.test(file)) {
    const compiled = await compileDeclared(project, file, readPlainFile(file).toString('utf8'));
    if (typeof compiled === 'object') return compiled.definition;
  }
  return known === undefined ? (await loadDescription(shell, project, file)).workflow.definition : undefined;
}

/** Files of the project with their digests. */
class Collected {
  readonly files = new Map<string, string>();
  readonly #project: Project;

  constructor(project: Project) {
    this.#project = project;
  }

  /** Files outside the project and of installed packages belong to the machine, not to the project. */
  add(file: string): void {
    const path = relative(this.#project.root, file);
    if (path.startsWith('..') || path.split(sep).includes('node_modules') || !existsSync(file)) return;
    this.files.set(path.split(sep).join('/'), digestBytes(readFileSync(file)));
  }
}

/** The settings of the project that say what its workflows do. */
async function settingsOf(shell: Shell, project: Project): Promise<ReadonlyMap<string, Json>> {
  const all = await readOrigins(shell, project);
  return new Map(all.filter(({ layer, key }) => layer === 'project' && !LIVE_SETTINGS.test(key)).map(({ key, value }) => [key, value]));
}

const COMMAND_FIELDS = new Set(['run', 'argv', 'command', 'commands', 'script', 'stages']);

/** The files of the project that commands name. */
function scriptsIn(value: Json | ReadonlyMap<string, Json>, { root }: Project): string[] {
  const words = new Set<string>();
  const walk = (part: unknown, isCommand: boolean): void => {
    if (typeof part === 'string') {
      if (isCommand) for (const word of part.match(/[^\s'"`;|&()<>=]+/g) ?? []) words.add(word);
    } else if (Array.isArray(part)) for (const one of part) walk(one, isCommand);
    else if (typeof part === 'object' && part !== null)
      for (const [key, one] of Object.entries(part)) walk(one, isCommand || COMMAND_FIELDS.has(key));
  };
  if (value instanceof Map) {
    for (const [key, one] of value) walk(one, /^(?:commands|validation)\./.test(key));
  } else walk(value, false);
  const found = [...words].map((word) => resolve(root, word));
  return found.filter((file) => file.startsWith(join(root, sep)) && statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

function sorted(table: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries([...table].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** What differs from a lock, as text; empty if nothing does. */
export function driftOf(lock: Lock, now: Lock): string[] {
  return [
    ...(lock.pawl === now.pawl ? [] : [`Pawl is ${now.pawl}, and it was locked with ${lock.pawl}`]),
    ...(lock.workflow === now.workflow ? [] : [`the workflow is called "${now.workflow}", and the lock is for "${lock.workflow}"`]),
    ...differences(lock.files, now.files),
    ...differences(lock.settings, now.settings).map((text) => `the setting ${text}`),
  ];
}

function differences(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((name) => {
    if (before[name] === after[name]) return [];
    return [before[name] === undefined ? `${name} is new` : after[name] === undefined ? `${name} is gone` : `${name} changed`];
  });
}

const DRIFT_SHOWN = 5;

/** Throws if a workflow is not locked, or is not as it was locked. Call it before the workflow is loaded: that runs its code. */
export async function assertLocked(shell: Shell, project: Project, reference: string): Promise<void> {
  const { workflows } = await discoverProject(project);
  const path = resolve(shell.cwd, reference);
  const subject = workflows.find(({ name, file }) => (name === reference || file === path) && !isSettingsFile(project, file));
  if (subject === undefined)
    throw new EngineError(
      'NOT_LOCKED',
      `"${reference}" is not a workflow file of this project, so it cannot be locked; leave out --locked to start it`,
    );
  const file = lockFileOf(subject.file);
  const lock = readLock(file);
  const { name } = subject;
  if (lock === undefined)
    throw new EngineError('NOT_LOCKED', `workflow "${name}" is not locked: there is no ${file}; review it, then run "pawl lock ${name}"`);
  const drift = driftOf(lock, await lockOf(shell, project, { ...subject, known: lock }));
  if (drift.length === 0) return;
  const more = drift.length > DRIFT_SHOWN ? ` and ${drift.length - DRIFT_SHOWN} more` : '';
  const what = `workflow "${name}" has changed since it was locked: ${drift.slice(0, DRIFT_SHOWN).join('; ')}${more}`;
  throw new EngineError('NOT_LOCKED', `${what}; review the change, then run "pawl lock ${name}"`, { details: { drift } });
}
