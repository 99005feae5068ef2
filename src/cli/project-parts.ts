// Owns the step kinds and gate checks of a project: the modules in `.pawl/kinds` and `.pawl/checks`. Parsing them is enough to
// list and draw workflow files that name them. They are loaded when such a workflow is run or checked, if they are trusted.

import { join } from 'node:path';
import type { LoadedParts } from '../api/module/import.ts';
import type { DeclaredPart } from '../authoring/discover/custom-parts.ts';
import type { FileProblem } from '../authoring/discover/discover.ts';
import type { Compilers } from '../authoring/graph/work.ts';
import { EngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { allChecks, checksIn } from '../definition/check.ts';
import { type CustomKind, defineStepKind } from '../definition/custom-kind.ts';
import { type Definition, stepsWithin } from '../definition/model.ts';
import { REGISTRY, registryWith } from '../kinds/registry.ts';
import type { GateCheck } from '../steps/check.ts';
import { LoadedModules } from './loaded-modules.ts';
import { HOMES, namesIn, type Project } from './project.ts';
import type { Shell } from './shell.ts';
import { assertTrusted, type TrustedContent } from './trust/trust.ts';

/** The step kinds and gate checks that a project declares, and the problems in their files. */
export interface ProjectParts {
  readonly declared: readonly DeclaredPart[];
  readonly problems: readonly FileProblem[];
}

const FOLDERS = ['kinds', 'checks'];
const PART_FILE = /^(?!\.).*(?<!\.(?:d|test|spec))\.m?[tj]s$/;

/** The files of a project that define step kinds and gate checks, sorted. */
export function partFilesOf({ root }: Pick<Project, 'root'>): string[] {
  const folders = HOMES.flatMap((home) => FOLDERS.map((folder) => join(root, home, folder)));
  return folders.flatMap((folder) => namesIn(folder).flatMap((name) => (PART_FILE.test(name) ? [join(folder, name)] : [])));
}

/** Parses the step kinds and gate checks of a project; nothing is run. */
export async function readProjectParts(project: Project): Promise<ProjectParts> {
  const files = partFilesOf(project);
  if (files.length === 0) return { declared: [], problems: [] };
  const [{ readDefinition }, { partClashes, readDeclaredParts }] = await Promise.all([
    import('../authoring/discover/discover.ts'),
    import('../authoring/discover/custom-parts.ts'),
  ]);
  const parsed = await Promise.all(
    files.map(async (file) => {
      const text = readDefinition(file);
      const { parts, problems } = typeof text === 'string' ? await readDeclaredParts(file, text) : { parts: [], problems: [text] };
      return { parts, problems: problems.map((problem) => ({ ...problem, file })) };
    }),
  );
  const declared = parsed.flatMap(({ parts }) => parts);
  return { declared, problems: [...parsed.flatMap(({ problems }) => problems), ...partClashes(declared, REGISTRY)] };
}

/** The built-in kinds and checks, and those of the project without their code: enough to parse, not to run. */
export function declaredRegistry({ declared }: ProjectParts): Compilers {
  if (declared.length === 0) return REGISTRY;
  const added = declared.filter(({ part, name }) => !Object.hasOwn(part === 'kind' ? REGISTRY.kinds : REGISTRY.checks, name));
  const byName = <T>(part: DeclaredPart['part'], create: (declaration: DeclaredPart) => T): Record<string, T> =>
    Object.fromEntries(added.filter((one) => one.part === part).map((one) => [one.name, create(one)]));
  return registryWith({ kinds: byName('kind', kindWithoutCode), checks: byName('check', (one) => checkOf(one, notLoaded)) });
}

function kindWithoutCode({ name, outcomes, recovery }: DeclaredPart): CustomKind {
  return defineStepKind({ kind: name, outcomes, recovery, parse: (config) => config, run: notLoaded }) as CustomKind;
}

function checkOf({ name, needsPullRequest, reactiveEvents }: DeclaredPart, run: GateCheck['run']): GateCheck {
  return { name, ...(needsPullRequest ? { needsPullRequest: true as const } : {}), ...omitUndefined({ reactiveEvents }), run };
}

function notLoaded(): never {
  throw new EngineError('NOT_TRUSTED', 'its code is not loaded');
}

/** The declared parts that a workflow names. The steps of a flow are unknown before it runs, so this finds none there. */
export function partsUsedBy({ steps }: Definition, { declared }: ProjectParts): DeclaredPart[] {
  const all = steps.flatMap(stepsWithin);
  const kinds = new Set(all.flatMap((step) => ('config' in step && 'use' in step.config ? [step.config.use] : [])));
  const checks = new Set(all.flatMap((step) => allChecks(checksIn(step)).map(({ check }) => check)));
  return declared.filter(({ part, name }) => (part === 'kind' ? kinds : checks).has(name));
}

/** The code of parts that a workflow uses. Throws if one has a problem or is not trusted. */
export async function assertPartsTrusted(shell: Shell, project: Project, { used, problems }: UsedParts): Promise<TrustedContent[]> {
  const files = new Set(used.map(({ file }) => file));
  const problem = problems.find(({ file }) => files.has(file));
  if (problem !== undefined) {
    const { message, hint, file, line, column } = problem;
    throw new EngineError('DEFINITION_INVALID', `${message}; ${hint}`, { position: { file, line, column } });
  }
  const contents: TrustedContent[] = [];
  // One at a time, because each may ask for trust.
  for (const file of files) contents.push(await assertTrusted(shell, project, { file }));
  return contents;
}

/** The parts that a workflow uses, and the problems of all parts of the project. */
interface UsedParts extends Pick<ProjectParts, 'problems'> {
  readonly used: readonly DeclaredPart[];
}

const loadedBy = new WeakMap<Shell, LoadedModules>();

/** Loads parts into this process. */
export async function loadParts(shell: Shell, project: Project, parts: UsedParts): Promise<LoadedParts> {
  const contents = await assertPartsTrusted(shell, project, parts);
  const modules = loadedBy.get(shell) ?? new LoadedModules('start the server again');
  loadedBy.set(shell, modules);
  for (const { file, digest } of contents) modules.assertSame(file, digest);
  const { importParts, loadFailure } = await import('../api/module/import.ts');
  const loaded = await importParts(contents).catch((cause: unknown) => {
    const { code, message } = loadFailure(cause);
    throw code === 'NOT_TRUSTED'
      ? cause
      : new EngineError('MODULE_FAILED', `a step kind or check could not be loaded: ${message}`, { cause });
  });
  const missing = parts.used.find(({ part, name }) => !Object.hasOwn(part === 'kind' ? loaded.kinds : loaded.checks, name));
  if (missing === undefined) return loaded;
  throw new EngineError('MODULE_FAILED', `${missing.file} does not define "${missing.name}" when it is loaded; "pawl validate" shows why`);
}

/** The checks of a project for an engine. Each is loaded when a gate first runs it: a flow names its checks only while it runs. */
export async function lazyChecks(shell: Shell, project: Project): Promise<Record<string, GateCheck>> {
  const { declared, problems } = await readProjectParts(project);
  const checks = declared.filter(({ part, name }) => part === 'check' && !Object.hasOwn(REGISTRY.checks, name));
  return Object.fromEntries(
    checks.map((one) => {
      let loading: Promise<LoadedParts> | undefined;
      const run: GateCheck['run'] = async (config, scene) => {
        loading ??= loadParts(shell, project, { used: [one], problems });
        return ((await loading).checks[one.name] as GateCheck).run(config, scene);
      };
      return [one.name, checkOf(one, run)];
    }),
  );
}
