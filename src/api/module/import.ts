// Owns importing the module of a workflow: as a module wherever it lies, with the library this program is part of, and
// only with the content that was checked.

import { registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ModuleGraph } from '../../authoring/discover/imports.ts';
import { digestText } from '../../base/digest.ts';
import { EngineError, type ErrorCode, isEngineError, messageOf, type SourcePosition } from '../../base/error.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import type { Problem } from '../../definition/problem.ts';
import { libraryEntries } from './library.ts';

/** The files that a module may be loaded with: their digests by path relative to it. */
export type CheckedContent = Pick<ModuleGraph, 'file' | 'parts'>;

/** The workflow that a file exports. A file that is not what was checked is not run, nor is one that it imports. */
export async function importWorkflow(file: string, checked?: CheckedContent): Promise<CompiledWorkflow> {
  provideLibrary();
  moduleFolders.add(new URL('./', pathToFileURL(file)).href);
  if (checked !== undefined) holdTo(checked);
  const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(file).href);
  const entry = module.default ?? module.WORKFLOW;
  const workflow = compiledOf(entry);
  if (workflow !== undefined) return workflow;
  const why = entry === undefined ? 'exports no workflow' : `exports ${describe(entry)} instead of a workflow`;
  throw new EngineError('DEFINITION_INVALID', `it ${why}; write export default defineWorkflow({ … })`);
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
    ...(problems === undefined ? {} : { problems }),
    ...(position === undefined ? {} : { position }),
    ...(missing === undefined ? {} : { missing }),
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

/** Lets the files that were checked be loaded only with the content they had then, however late they are imported. */
function holdTo({ file, parts }: CheckedContent): void {
  const digests = new Map([...parts].map(([name, digest]) => [pathToFileURL(join(dirname(file), name)).href, digest]));
  registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context);
      const digest = digests.get(url);
      const { source } = loaded;
      if (digest === undefined || source === undefined || source === null) return loaded;
      const text = typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString('utf8');
      if (digestText(text) !== digest)
        throw new EngineError('NOT_TRUSTED', `${fileURLToPath(url)} changed after its content was checked; start again`);
      return loaded;
    },
  });
}
