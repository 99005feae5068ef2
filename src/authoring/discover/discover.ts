// Finds the workflows in folders by reading their files. No module is imported or run, so a module that throws, exits or
// writes changes nothing, and one that cannot be read does not hide the others.

import { type Dirent, readFileSync, realpathSync, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, isAbsolute, join, relative } from 'node:path';
import { messageOf } from '../../base/error.ts';
import { isStoreFile } from '../../base/store-files.ts';
import type { Definition } from '../../definition/model.ts';
import type { TriggerModel } from '../../definition/trigger/trigger.ts';
import type { Reference } from '../../definition/validation/reference.ts';
import type { Compilers } from '../graph/work.ts';
import { type DiscoveredWorkflow, isOutline, readOutline } from './outline.ts';
import type { FilePosition, SourceProblem } from './syntax.ts';

/** A problem of a file. */
export interface FileProblem extends SourceProblem {
  readonly file: string;
}

/** The workflows and problems found in folders. */
export interface Discovery {
  readonly workflows: readonly DiscoveredWorkflow[];
  /** The problems of all files; workflows without problems can still be used. */
  readonly problems: readonly FileProblem[];
}

/** The findings of a check in one file. */
export interface CheckedModule {
  readonly workflow?: DiscoveredWorkflow;
  readonly errors: readonly SourceProblem[];
  readonly warnings: readonly SourceProblem[];
  /** Advice. */
  readonly hints?: readonly SourceProblem[];
  /** Its references outside the file, with their positions. */
  readonly references?: readonly (Reference & FilePosition)[];
  /** The parameters, if the definition was read. */
  readonly params?: Definition['params'];
  /** The event that starts it, with its position. */
  readonly trigger?: { readonly model: TriggerModel } & FilePosition;
  /** The command that starts it, with its position. */
  readonly command?: { readonly name: string } & FilePosition;
}

/** The endings of files that may define a workflow. */
const MODULE_FILE = /\.m?[tj]s$/;
/** The endings of workflow files. */
export const YAML_FILE = /\.ya?ml$/;
const NOT_MODULES = /\.(?:d|test|spec)\.m?[tj]s$/;
const SKIPPED_FOLDERS = ['lib', 'node_modules'];
const BYTES_MAX = 1_000_000;
const START = { line: 1, column: 1 };

/** Finds the workflows in folders and their subfolders, except `lib`, `node_modules` and hidden ones. */
export async function discoverWorkflows(folders: readonly string[], registry: Compilers): Promise<Discovery> {
  const workflows: DiscoveredWorkflow[] = [];
  const problems: FileProblem[] = [];
  for (const folder of folders) {
    const files = await findFiles(folder);
    problems.push(...files.problems);
    for (const file of files.paths) {
      const read = await describeFile(file, registry);
      if ('name' in read) workflows.push(read);
      else problems.push(...read.map((problem) => ({ ...problem, file })));
    }
  }
  return { workflows, problems: [...problems, ...duplicates(workflows)] };
}

/** Loaded lazily and kept: importing a module again takes as long as reading a small file. */
let yamlChecker: typeof import('../yaml/check/check.ts') | undefined;

/** The workflow of a file, or the problems that prevent listing it. */
async function describeFile(file: string, registry: Compilers): Promise<DiscoveredWorkflow | readonly SourceProblem[]> {
  const text = readDefinition(file);
  if (typeof text !== 'string') return [text];
  if (!YAML_FILE.test(file)) {
    const read = await readOutline(file, text);
    return isOutline(read) ? read.workflow : read;
  }
  yamlChecker ??= await import('../yaml/check/check.ts');
  const { workflow, errors } = yamlChecker.findYamlProblems(file, text, registry);
  return errors.length > 0 ? errors.slice(0, 1) : (workflow as DiscoveredWorkflow);
}

/** The files in a folder that may define a workflow, in order, and links that are not followed. */
export async function findFiles(folder: string): Promise<{ readonly paths: readonly string[]; readonly problems: readonly FileProblem[] }> {
  const paths: string[] = [];
  const problems: FileProblem[] = [];
  const visited = new Set<string>();
  const root = realOf(folder);
  const visit = async (path: string): Promise<void> => {
    const real = realOf(path);
    if (real === undefined || visited.has(real)) return;
    visited.add(real);
    const entries = await readdir(path, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = join(path, entry.name);
      const kind = await kindOf(entry, file, root as string);
      if (kind === 'folder' && !SKIPPED_FOLDERS.includes(entry.name)) await visit(file);
      else if (kind === 'file' && mayDefine(file)) paths.push(file);
      else if (kind === 'outside' && mayDefine(file)) problems.push(linkProblem(file));
    }
  };
  if (root !== undefined) await visit(folder);
  return { paths, problems };
}

function mayDefine(file: string): boolean {
  return (MODULE_FILE.test(file) && !NOT_MODULES.test(file)) || YAML_FILE.test(file);
}

async function kindOf(entry: Dirent, file: string, root: string): Promise<'folder' | 'file' | 'outside' | 'other'> {
  if (entry.name.startsWith('.')) return 'other';
  if (entry.isDirectory()) return 'folder';
  if (entry.isFile()) return 'file';
  const real = entry.isSymbolicLink() ? realOf(file) : undefined;
  if (real === undefined) return 'other';
  const path = relative(root, real);
  if (path.startsWith('..') || isAbsolute(path)) return 'outside';
  return (await stat(real)).isDirectory() ? 'folder' : 'file';
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function linkProblem(file: string): FileProblem {
  return {
    file,
    code: 'LINK_OUTSIDE',
    message: 'this is a link to a file outside the folder of workflows, and links are not followed there',
    hint: 'replace it by a file, or name the file it links to',
    ...START,
  };
}

/** The text of a definition file, or why it cannot be read. Synchronous, because awaiting a thousand files is slower. */
export function readDefinition(file: string): string | SourceProblem {
  if (!MODULE_FILE.test(file) && !YAML_FILE.test(file))
    return {
      code: 'FILE_UNREADABLE',
      message: `unsupported file type of "${basename(file)}"`,
      hint: 'workflow files end in .yaml, .yml, .ts, .mts, .js or .mjs',
      ...START,
    };
  try {
    const facts = statSync(file);
    const { size } = facts;
    if (isStoreFile(file, facts)) throw new Error('it belongs to the database of runs');
    if (size <= BYTES_MAX) return readFileSync(file, 'utf8');
    return {
      code: 'FILE_TOO_LARGE',
      message: `the file has ${size} bytes; at most ${BYTES_MAX} are allowed`,
      hint: 'move data and long text to other files',
      ...START,
    };
  } catch (error) {
    return {
      code: 'FILE_UNREADABLE',
      message: `the file cannot be read: ${messageOf(error)}`,
      hint: 'check its path and its permissions',
      ...START,
    };
  }
}

/** Reports workflows with the same name at each of them: none of them takes precedence. */
export function duplicates(workflows: readonly Pick<DiscoveredWorkflow, 'name' | 'file' | 'line' | 'column'>[]): FileProblem[] {
  const byName = Map.groupBy(workflows, ({ name }) => name);
  return workflows.flatMap(({ name, file, line, column }) => {
    const others = (byName.get(name) ?? []).filter((other) => other.file !== file).map((other) => other.file);
    if (others.length === 0) return [];
    const message = `two workflows are called "${name}": one is here, one in ${others.join(' and in ')}`;
    return [{ code: 'WORKFLOW_DUPLICATE', message, hint: 'rename one of them', file, line, column }];
  });
}
