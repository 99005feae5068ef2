// Owns lock files: the digests of everything that a workflow consists of, and the changes since it was locked.
//
// - A lock covers the file of the workflow and the code that it loads, the workflows that its steps start, the files of
//   its roles, the step kinds and checks of the project, the scripts that its commands name, the settings of the project,
//   and the version of Pawl.
// - Equal content gives the same bytes on every machine: paths are relative to the project, and the user's settings are
//   left out.
// - Comparing a lock runs no code. A module is loaded only when it is locked, and must be trusted then; later its references
//   are taken from the lock, which holds as long as its files are unchanged.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { parseRoleFile, type RoleFile } from '../../agents/role-file.ts';
import { digestBytes, digestJson } from '../../base/digest.ts';
import { EngineError } from '../../base/error.ts';
import { isWithin } from '../../base/inside-folder.ts';
import { fieldOf, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
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
import { readGraph } from '../trust/trust-list.ts';

interface Lock {
  readonly lock: 1;
  readonly pawl: string;
  readonly workflow: string;
  /** The digest of each file, by its path in the project. */
  readonly files: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
  readonly refers: { readonly roles: readonly string[]; readonly workflows: readonly string[] };
}

/** A workflow to lock. */
export interface LockSubject {
  readonly name: string;
  readonly file: string;
}

const YAML_FILE = /\.ya?ml$/;
/** Settings for how a machine runs workflows, which do not change what the workflows do. */
const MACHINE_SETTINGS = /^(?:db$|limits\.|serve\.|metrics$|notifications\.|hooks\.|mcp\.)/;

/** The lock file of a workflow file. */
export function lockFileOf(file: string): string {
  return `${file.replace(/\.(?:ya?ml|[mc]?[tj]s)$/, '')}.lock.json`;
}

/** The text of a lock file. */
export function lockText(lock: Lock): string {
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/** Reads a lock file; undefined if it does not exist. */
export function readLock(file: string): Lock | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const lock = JSON.parse(readFileSync(file, 'utf8')) as Partial<Lock>;
    if (lock.lock === 1 && isDigestTable(lock.files) && isDigestTable(lock.settings) && Array.isArray(lock.refers?.workflows))
      return lock as Lock;
  } catch {
    // Reported below.
  }
  throw new EngineError('NOT_LOCKED', `${file} is not a lock file of this version of Pawl; write it again with "pawl lock"`);
}

function isDigestTable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every((digest) => typeof digest === 'string');
}

/** The current lock of a workflow. `known`: an earlier lock, whose references are used for a module, so that it is not loaded. */
export async function lockOf(
  shell: Shell,
  project: Project,
  { name, file, known }: LockSubject & { readonly known?: Lock },
): Promise<Lock> {
  const settings = await settingsOf(shell, project);
  const collector = new LockCollector(shell, { project, settings, known });
  const refers = await collector.addWorkflow({ name, file });
  collector.addScripts(settings);
  return {
    lock: 1,
    pawl: versionOf(),
    workflow: name,
    files: sorted(collector.files),
    settings: sorted(new Map(Object.entries(settings).map(([key, value]) => [key, digestJson(value)]))),
    refers: { roles: [...refers.roles].sort(), workflows: [...refers.workflows].sort() },
  };
}

async function settingsOf(shell: Shell, project: Project): Promise<JsonObject> {
  const all = await readOrigins(shell, project);
  return Object.fromEntries(
    all.filter(({ layer, key }) => layer === 'project' && !MACHINE_SETTINGS.test(key)).map(({ key, value }) => [key, value]),
  );
}

interface LockSources {
  readonly project: Project;
  readonly settings: JsonObject;
  readonly known: Lock | undefined;
}

type ReferencedNames = { readonly roles: Set<string>; readonly workflows: Set<string> };

class LockCollector {
  readonly files = new Map<string, string>();
  private readonly shell: Shell;
  private readonly sources: LockSources;
  private readonly seen = new Set<string>();

  constructor(shell: Shell, sources: LockSources) {
    this.shell = shell;
    this.sources = sources;
  }

  /** Adds a workflow and those that it starts; returns the names that it refers to. */
  async addWorkflow({ name, file }: LockSubject): Promise<ReferencedNames> {
    const { project, known } = this.sources;
    this.seen.add(name);
    await this.addCode(file);
    const definition = await this.definitionOf(file);
    const names = definition === undefined ? namesIn(known) : namesOf(definition);
    // An unchanged module still refers to the same files.
    if (definition === undefined) for (const path of Object.keys(known?.files ?? {})) this.add(join(project.root, path));
    else this.addScripts(definition.steps as unknown as Json);
    this.addRoles(names.roles);
    // Which of them a workflow uses is only known by loading them, so all are added.
    for (const part of partFilesOf(project)) await this.addCode(part);
    await this.addChildren(names);
    return names;
  }

  /** Adds the files of the project that commands name. */
  addScripts(value: Json): void {
    const { root } = this.sources.project;
    for (const word of commandWords(value, false)) {
      const file = resolve(root, word);
      if (isWithin(root, file) && statSync(file, { throwIfNoEntry: false })?.isFile() === true) this.add(file);
    }
  }

  /** Adds a file, unless it is outside the project or in an installed package: those differ between machines. */
  private add(file: string): void {
    const path = relative(this.sources.project.root, file);
    if (!isWithin(this.sources.project.root, file) || path.split(sep).includes('node_modules') || !existsSync(file)) return;
    this.files.set(path.split(sep).join('/'), digestBytes(readFileSync(file)));
  }

  private async addCode(file: string): Promise<void> {
    for (const part of (await readGraph(file)).files.keys()) this.add(part);
  }

  private addRoles(asked: ReadonlySet<string>): void {
    const { project, settings } = this.sources;
    const files = new Map(roleFilesOf(project).map((file) => [basename(file, '.md'), file]));
    const names = new Set(asked);
    for (const name of names) {
      const file = files.get(name);
      if (file !== undefined) this.add(file);
      const { argv = [], agents = [] } = file === undefined ? {} : readRole(file);
      this.addScripts({ argv: [...argv] });
      for (const agent of [...agents, ...subAgentsIn(settings, name)]) names.add(agent);
    }
  }

  private async addChildren(names: ReferencedNames): Promise<void> {
    const { workflows } = await discoverProject(this.sources.project);
    for (const child of names.workflows) {
      // A missing workflow is reported when the workflow is checked.
      const found = this.seen.has(child) ? undefined : workflows.find((one) => one.name === child);
      if (found === undefined) continue;
      const { roles } = await this.addWorkflow(found);
      for (const role of roles) names.roles.add(role);
    }
  }

  /** The definition of a workflow; undefined for a module whose references are in the earlier lock. */
  private async definitionOf(file: string): Promise<Definition | undefined> {
    const { project, known } = this.sources;
    if (isSettingsFile(project, file)) return undefined;
    if (YAML_FILE.test(file)) {
      const compiled = await compileDeclared(project, file, readPlainFile(file).toString('utf8'));
      if (typeof compiled === 'object') return compiled.definition;
    }
    return known === undefined ? (await loadDescription(this.shell, project, file)).workflow.definition : undefined;
  }
}

function namesIn(known: Lock | undefined): ReferencedNames {
  return { roles: new Set(known?.refers.roles), workflows: new Set(known?.refers.workflows) };
}

function namesOf(definition: Definition): ReferencedNames {
  const references = referencesIn(definition);
  const named = (kind: 'role' | 'workflow'): Set<string> =>
    new Set(references.flatMap((reference) => (reference.kind === kind ? [reference.name] : [])));
  return { roles: named('role'), workflows: named('workflow') };
}

/** The fields of a role's file; errors in it are reported when the project is checked. */
function readRole(file: string): RoleFile {
  try {
    return parseRoleFile(file, readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

function subAgentsIn(settings: JsonObject, role: string): string[] {
  const roles = settings.roles ?? settings.agent_roles;
  const fields = isJsonObject(roles) && Object.hasOwn(roles, role) ? roles[role] : undefined;
  const agents = fieldOf(fields, 'agents');
  return Array.isArray(agents) ? agents.filter((one) => typeof one === 'string') : [];
}

/** Fields of steps, and settings, that contain commands. */
const COMMAND_FIELD = /^(?:run|argv|commands?|script|stages|(?:commands|validation)\..*)$/;

function commandWords(value: Json, isCommand: boolean): string[] {
  if (typeof value === 'string') return isCommand ? (value.match(/[^\s'"`;|&()<>=]+/g) ?? []) : [];
  if (Array.isArray(value)) return value.flatMap((one: Json) => commandWords(one, isCommand));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => commandWords(one, isCommand || COMMAND_FIELD.test(key)));
}

function sorted(table: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries([...table].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The differences from a lock, as texts. */
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

/** Throws if a workflow is not locked, or has changed since. Call it before loading the workflow, because that runs its code. */
export async function assertLocked(shell: Shell, project: Project, reference: string): Promise<void> {
  const { workflows } = await discoverProject(project);
  const path = resolve(shell.cwd, reference);
  const subject = workflows.find(({ name, file }) => (name === reference || file === path) && !isSettingsFile(project, file));
  if (subject === undefined)
    throw new EngineError(
      'NOT_LOCKED',
      `"${reference}" is not a workflow file of this project, so it cannot be locked; leave out --locked to start it`,
    );
  const { name } = subject;
  const file = lockFileOf(subject.file);
  const lock = readLock(file);
  if (lock === undefined)
    throw new EngineError('NOT_LOCKED', `workflow "${name}" is not locked: there is no ${file}; review it, then run "pawl lock ${name}"`);
  const drift = driftOf(lock, await lockOf(shell, project, { ...subject, known: lock }));
  if (drift.length === 0) return;
  const more = drift.length > DRIFT_SHOWN ? ` and ${drift.length - DRIFT_SHOWN} more` : '';
  const change = `workflow "${name}" has changed since it was locked: ${drift.slice(0, DRIFT_SHOWN).join('; ')}${more}`;
  throw new EngineError('NOT_LOCKED', `${change}; review it, then run "pawl lock ${name}"`, { details: { drift } });
}
