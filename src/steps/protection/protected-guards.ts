// Owns the list of protected files, and their changes: files that the project and the workflows name, files that decide
// what gates run, and always the settings of the engine, of git, of CI and of agents.

import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { omitUndefined } from '../../base/fields.ts';
import { shortList } from '../../base/short-text.ts';
import { checksIn } from '../../definition/check.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { commandLine } from '../../definition/contract/step-contract.ts';
import { type Definition, stepsWithin } from '../../definition/model.ts';
import { patternRefusal } from '../../definition/output-pattern.ts';
import type { AttemptRequest } from '../attempt.ts';
import type { ProgramSetting, StageSetting } from '../services.ts';
import type { Job } from '../work.ts';
import { matches } from '../workspace/glob.ts';
import { readWorkspaceFile } from '../workspace/workspace-file.ts';
import { commandsIn, type GateCommand, gateGuards } from './gate-files.ts';
import { createShadowSearch, hidesPythonModule } from './import-shadows.ts';
import { digestProtected, type Guard, isUnreadable, PRESENT } from './protected-files.ts';

/** Patterns that are always protected from every agent; new files there count as changes too. */
const ALWAYS_PROTECTED: readonly string[] = Object.freeze([
  '.pawl/**',
  '.squadron/**',
  '.git/hooks/**',
  '.git/config',
  '.git/config.worktree',
  '.git/info/*',
  '.gitattributes',
  '.github/workflows/**',
  '.github/actions/**',
  '.gitlab-ci.yml',
  '.circleci/**',
  'Jenkinsfile',
  'azure-pipelines.yml',
  '.claude/settings*.json',
  '.claude/hooks/**',
  '.mcp.json',
  '.codex/**',
  '.cursor/*.json',
  '.gemini/settings.json',
  '.opencode/**',
  'opencode.json',
  '.vscode/**',
  '.devcontainer/**',
  '.envrc',
  '.npmrc',
  '.yarnrc*',
  '.pnpmfile.cjs',
  '.pre-commit-config.yaml',
  // Deeper files are written by husky itself, when packages are installed.
  '.husky/*',
  'lefthook.y*ml',
]);

const GIT = '.git/';
const SHOWN_MAX = 20;

/** The digests of files by their paths. */
export type Digests = ReadonlyMap<string, string>;

/** The protected files, and the guards that found them. */
export interface ProtectedState {
  readonly files: Digests;
  readonly guards: readonly Guard[];
}

/** The guards in the git folder. */
export const GIT_GUARDS: readonly Guard[] = ALWAYS_PROTECTED.filter((pattern) => pattern.startsWith(GIT)).map(closed);

/**
 * The guards for every step of the run and of the runs that it starts, except those of the git folder: people and other runs
 * change it during a run, and it is not in the tree that a gate checks.
 */
export async function sharedGuards(job: Job): Promise<readonly Guard[]> {
  const { cwd, protected: ofProject = [] } = job.runner.services;
  const read = async (path: string): Promise<string | undefined> => (await readWorkspaceFile(join(cwd, path)))?.toString();
  const definitions = definitionsOf(job.request);
  const named = [...ofProject, ...definitions.flatMap((definition) => definition.protected ?? [])];
  return [
    ...ALWAYS_PROTECTED.filter((pattern) => !pattern.startsWith(GIT)).map(closed),
    ...named.filter((pattern) => patternRefusal(pattern) === undefined).map(guardFor),
    ...(await gateGuards(gateCommands(job, definitions), read)),
  ];
}

/**
 * The protected files of this step for the agent's instructions, except those that are always protected: the patterns that
 * people named, and the files that decide what gates run.
 */
export async function protectedNames(job: Job): Promise<readonly string[]> {
  const { cwd } = job.runner.services;
  const own = (job.request.bound.model.protected ?? []).map(guardFor);
  const guards = [...own, ...(await sharedGuards(job))].filter(({ pattern }) => !ALWAYS_PROTECTED.includes(pattern));
  const shown = guards.filter(
    ({ pattern, part }) => part !== 'python-module' && (/[*?[{]/.test(pattern) || existsSync(join(cwd, pattern))),
  );
  // Agents have no reason to change installed packages, so they are not mentioned.
  const names = shown.filter(({ pattern }) => !pattern.startsWith('node_modules/')).map(nameOf);
  return [...new Set(names)];
}

function nameOf({ pattern, part }: Guard): string {
  return part === undefined ? pattern : `${pattern} (the parts that decide which commands run)`;
}

/** The guard for a written pattern. A trailing slash means a folder to which nothing may be added. */
export function guardFor(pattern: string): Guard {
  return pattern.endsWith('/') ? closed(`${pattern}**`) : { pattern };
}

function closed(pattern: string): Guard {
  return { pattern, isClosed: true };
}

/** The workflow and those that it starts, as far as they are known in advance. */
function definitionsOf({ workflow, runTree }: AttemptRequest): Definition[] {
  const found = new Map<string, CompiledWorkflow>([[workflow.definition.name, workflow]]);
  // The map grows during the loop: each workflow is followed by those it starts.
  for (const { definition, children } of found.values()) {
    for (const [name, child] of children) if (!found.has(name)) found.set(name, child);
    for (const step of definition.steps.flatMap(stepsWithin)) {
      const child = step.kind !== 'workflow' || found.has(step.workflow) ? undefined : runTree?.workflow(step.workflow);
      if (child !== undefined) found.set(child.definition.name, child);
    }
  }
  return [...found.values()].map(({ definition }) => definition);
}

/**
 * The commands that check the work of these workflows: those of their gates and contracts, and the stages of their
 * validations. The parameters of a child are not known here; its contract is guarded as far as it names files itself.
 */
function gateCommands({ runner, request }: Job, definitions: readonly Definition[]): GateCommand[] {
  const steps = definitions.flatMap((definition) => definition.steps.flatMap(stepsWithin));
  const checks = steps.flatMap((step) => commandsIn(checksIn(step)));
  const stages = steps.some(({ kind }) => kind === 'validate') ? Object.values(runner.services.stages ?? {}) : [];
  const contracts = steps.flatMap(({ contract }) => {
    // A command that is a parameter runs the tests of the project, which the work is meant to change.
    const isGiven = /^\s*\{\w+\}\s*$/.test(contract?.command ?? '');
    const line = contract?.command === undefined || isGiven ? undefined : commandLine(contract.command, request.params);
    return line === undefined ? [] : [{ run: line }];
  });
  return [
    ...checks,
    ...contracts,
    ...stages.flatMap((stage) => (typeof stage === 'string' ? [{ run: stage }] : isProgram(stage) ? [stage] : [])),
  ];
}

function isProgram(stage: StageSetting): stage is ProgramSetting {
  return typeof stage === 'object' && !Array.isArray(stage);
}

/** The digests of all files that these guards match, without those of the engine. */
export async function digestGuarded({ runner, request }: Job, guards: readonly Guard[]): Promise<Digests> {
  const { cwd, pidDir } = runner.services;
  return await digestProtected({ cwd, guards, signal: request.signal, ...omitUndefined({ database: pidDir?.replace(/\.pids$/, '') }) });
}

/** A changed protected file. */
export interface Change {
  readonly path: string;
  readonly what: 'changed' | 'deleted' | 'added';
}

/** The changes between two states. A new file counts only if nothing may be added there. */
export function changesBetween({ files: before, guards }: ProtectedState, after: Digests): Change[] {
  const changes: Change[] = [];
  for (const [path, digest] of before) {
    const now = after.get(path);
    if (now !== digest && digest !== PRESENT) changes.push({ path, what: now === undefined ? 'deleted' : 'changed' });
  }
  const closedGuards = guards
    .filter(({ isClosed }) => isClosed === true)
    .map((guard) => ({ ...guard, pattern: posix.normalize(guard.pattern) }));
  const hidesOther = createShadowSearch(before.keys());
  for (const [path, digest] of after) {
    if (before.has(path)) continue;
    if (isUnreadable(digest) || closedGuards.some((guard) => isGuarded(path, guard)) || hidesOther(path))
      changes.push({ path, what: 'added' });
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Whether a guard protects a file. */
export function isGuarded(path: string, { pattern, part }: Guard): boolean {
  return matches(path, pattern) && (part !== 'python-module' || hidesPythonModule(path));
}

/** Changes as text, for a message. */
export function describeChanges(changes: readonly Change[]): string {
  return shortList(
    changes.map(({ path, what }) => `${path} (${what})`),
    SHOWN_MAX,
  );
}
