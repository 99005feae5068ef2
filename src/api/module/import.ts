// Imports the module of a workflow: as a module wherever it lies, with the library this program is part of, and only
// with the content that was checked.

import { registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { EngineError, type ErrorCode, isEngineError, messageOf, type SourcePosition } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import type { CustomKind } from '../../definition/custom-kind.ts';
import type { Problem } from '../../definition/validation/problem.ts';
import type { GateCheck } from '../../steps/check.ts';
import { libraryEntries } from './library.ts';
import { type CheckedContent, restrictLoads } from './restrict-loads.ts';

/** The workflow that a file exports. A file that is not what was checked is not run, nor is one that it imports. */
export async function importWorkflow(file: string, checked?: CheckedContent): Promise<CompiledWorkflow> {
  const module = await importModule(file, checked);
  const entry = module.default ?? module.WORKFLOW;
  const workflow = compiledOf(entry);
  if (workflow !== undefined) return workflow;
  const why = entry === undefined ? 'exports no workflow' : `exports ${describe(entry)} instead of a workflow`;
  throw new EngineError('DEFINITION_INVALID', `it ${why}; write export default defineWorkflow({ … })`);
}

/** The default export of a file, whatever it is. */
export async function importDefault(file: string, checked: CheckedContent): Promise<unknown> {
  return (await importModule(file, checked)).default;
}

/** Step kinds and checks of the user, by name. */
export interface LoadedParts {
  readonly kinds: Readonly<Record<string, CustomKind>>;
  readonly checks: Readonly<Record<string, GateCheck>>;
}

/** The step kinds and checks that files export. */
export async function importParts(files: readonly CheckedContent[]): Promise<LoadedParts> {
  const modules = await Promise.all(files.map((checked) => importModule(checked.file, checked)));
  const exported = modules.flatMap((module) => Object.values(module));
  const byName = <T>(parts: readonly T[], nameOf: (part: T) => string) => Object.fromEntries(parts.map((part) => [nameOf(part), part]));
  return {
    kinds: byName(exported.filter(isKind), ({ kind }) => kind),
    checks: byName(exported.filter(isCheck), ({ name }) => name),
  };
}

function isKind(value: unknown): value is CustomKind {
  return typeof value === 'function' && 'kind' in value && 'parse' in value && 'run' in value;
}

function isCheck(value: unknown): value is GateCheck {
  return typeof value === 'function' && 'validate' in value && 'run' in value;
}

async function importModule(file: string, checked?: CheckedContent): Promise<Readonly<Record<string, unknown>>> {
  provideLibrary();
  moduleFolders.add(new URL('./', pathToFileURL(file)).href);
  if (checked !== undefined) restrictLoads(checked);
  return import(pathToFileURL(file).href);
}

function compiledOf(entry: unknown): CompiledWorkflow | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const inner: unknown = 'compiled' in entry ? entry.compiled : entry;
  if (typeof inner !== 'object' || inner === null || !('definition' in inner && 'codeHash' in inner)) return undefined;
  return inner as CompiledWorkflow;
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Promise) return 'a promise';
  return typeof value === 'object' ? 'a plain object' : `a ${typeof value}`;
}

/** Why a module could not be loaded, as data. */
export interface LoadFailure {
  /** The code of an error of ours, `SYNTAX`, or `MODULE_FAILED` for whatever else was thrown. */
  readonly code: ErrorCode | 'SYNTAX';
  readonly message: string;
  /** Everything that is wrong with the definition, when that was the reason. */
  readonly problems?: readonly Problem[];
  /** The first place of the stack that is in a file of the user. */
  readonly position?: SourcePosition;
  /** The import that was not found. */
  readonly missing?: { readonly specifier: string; readonly from: string };
}

/** The reason in whatever an import threw. */
export function loadFailure(cause: unknown): LoadFailure {
  const position = positionOf(cause);
  const missing = (cause as { missing?: LoadFailure['missing'] } | null)?.missing;
  const problems = isEngineError(cause) ? (cause.details.problems as readonly Problem[] | undefined) : undefined;
  return {
    code: isEngineError(cause) ? cause.code : cause instanceof SyntaxError ? 'SYNTAX' : 'MODULE_FAILED',
    message: messageOf(cause).replace(/ imported from \S+$/, ''),
    ...omitUndefined({ problems, position, missing }),
  };
}

function positionOf(cause: unknown): SourcePosition | undefined {
  const own = dirname(fileURLToPath(libraryEntries().pawl as string));
  for (const line of String((cause as { stack?: unknown } | null)?.stack ?? '').split('\n')) {
    const [, url, row, column] = /(file:\/\/[^\s)]+?):(\d+)(?::(\d+))?\)?$/.exec(line) ?? [];
    if (url === undefined) continue;
    const file = fileURLToPath(url);
    const isOthers = file.startsWith(join(own, '/')) || file.includes('/node_modules/');
    if (!isOthers) return { file, line: Number(row), column: Number(column ?? 1) };
  }
  return undefined;
}

let provided = false;
/** Folders with workflows: their files are modules, also where the package around them says that its files are not. */
const moduleFolders = new Set<string>();

/** Lets a module import "pawl" wherever it lies: it gets the library this program is part of, and no second copy. */
function provideLibrary(): void {
  if (provided) return;
  provided = true;
  const entries = libraryEntries();
  registerHooks({
    resolve: (specifier, context, next) => {
      const url = entries[specifier];
      if (url !== undefined) return { url, shortCircuit: true };
      const resolved = found(specifier, context.parentURL, () => next(specifier, context));
      const format = [...moduleFolders].some((folder) => resolved.url.startsWith(folder)) ? formatOf(resolved.url) : undefined;
      return format === undefined ? resolved : { ...resolved, format };
    },
  });
}

/** Notes on the error of an import that is not found which one it was. */
function found<T>(specifier: string, parent: string | undefined, resolve: () => T): T {
  try {
    return resolve();
  } catch (error) {
    if (error instanceof Error && parent?.startsWith('file:') === true)
      Object.assign(error, { missing: { specifier, from: fileURLToPath(parent) } });
    throw error;
  }
}

function formatOf(url: string): 'module' | 'module-typescript' | undefined {
  if (url.includes('/node_modules/')) return undefined;
  const { pathname } = new URL(url);
  return pathname.endsWith('.ts') ? 'module-typescript' : pathname.endsWith('.js') ? 'module' : undefined;
}
