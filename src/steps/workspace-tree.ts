// Owns what a gate judges, as one thing to compare: the files of the workspace before its checks and after them. A
// verdict about files that moved meanwhile is about neither the old ones nor the new ones.
//
// T1. In a repository of git, every file counts that is tracked or could be: what git ignores (build products, caches)
//     does not. A file that is touched and has the same content has not moved.
// T2. Elsewhere nothing tells work from build products, so only files count that the workflow names: declared outputs
//     and protected paths.
// T3. New files do not count: checks write reports. Nor do reports where a check says that it reads them.
//
// Not seen: what git ignores or was told to overlook (`assume-unchanged`), new files, what moved and was put back before
// the checks ended, and anything outside of the workspace.

import { createHash } from 'node:crypto';
import { lstat, readFile, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { isStoreFile } from '../base/store-files.ts';
import { patternRefusal } from '../definition/kinds/output-pattern.ts';
import type { StepModel } from '../definition/model.ts';
import { matches } from './glob.ts';
import { declaredOutputs, isFileOutput } from './outputs/declaration.ts';
import { runProgram } from './program.ts';
import { digestProtected, gitFolder } from './protected-files.ts';
import type { Job } from './work.ts';

/** What stands for the content of each file, by path. */
export type Tree = ReadonlyMap<string, string>;

/** A file that is not what it was. */
export interface Move {
  readonly path: string;
  readonly what: 'changed' | 'deleted';
}

const LISTING_MAX = 64 << 20;
const HASHED_MAX = 8 << 20;
const AT_ONCE = 32;
// Settings of the repository that would start a program: the listing is no occasion for it.
const QUIETLY = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
// Packages are the work of nobody here, also where git was not told to ignore them.
const LISTING = ['ls-files', '-z', '-s', '-t', '-c', '-d', '-m', '-o', '--exclude-standard', '--exclude=node_modules'];
const LOOKS_ELSEWHERE: ReadonlySet<string> = new Set(['pr_approval', 'ci_status', 'webhook']);
const COVERAGE_REPORTS = ['**/coverage.xml', '**/*cobertura*.xml', '**/lcov.info', 'coverage/**'];

/** Whether any of these checks looks at files at all. */
export function judgesFiles(checks: readonly Json[]): boolean {
  return checks.filter(isJsonObject).some(({ check, checks: inner }) => {
    return check === 'any_of' && Array.isArray(inner) ? judgesFiles(inner) : !LOOKS_ELSEWHERE.has(String(check));
  });
}

/** The files of the workspace as they are now. */
export async function readTree(job: Job): Promise<Tree> {
  const { cwd } = job.bench.services;
  const listing = (await gitFolder(cwd)) === undefined ? undefined : await listFiles(job);
  if (listing !== undefined) return await treeOf(cwd, listing);
  const patterns = namedPatterns(job).filter((pattern) => patternRefusal(pattern) === undefined);
  return await digestProtected({ cwd, patterns, signal: job.request.signal });
}

/** What moved between two looks; reports of the checks are theirs to write. */
export function movesBetween(before: Tree, after: Tree, checks: readonly Json[]): Move[] {
  const reports = reportsOf(checks);
  const moves: Move[] = [];
  for (const [path, content] of before) {
    const now = after.get(path);
    if (now === content || reports.some((pattern) => matches(path, pattern))) continue;
    moves.push({ path, what: now === undefined ? 'deleted' : 'changed' });
  }
  return moves;
}

function reportsOf(checks: readonly Json[]): string[] {
  return checks.filter(isJsonObject).flatMap((config: JsonObject) => {
    const { check, report, checks: inner } = config;
    if (Array.isArray(inner)) return reportsOf(inner);
    if (typeof report === 'string') return [posix.normalize(report)];
    return check === 'coverage' ? COVERAGE_REPORTS : [];
  });
}

function namedPatterns({ bench, request }: Job): string[] {
  const { definition } = request.workflow;
  return [...(bench.services.protected ?? []), ...(definition.protected ?? []), ...definition.steps.flatMap(patternsOf)];
}

function patternsOf({ config, members, protected: named = [] }: StepModel): string[] {
  const files = declaredOutputs(config.outputs).filter(isFileOutput);
  return [...files.map(({ pattern }) => pattern), ...named, ...members.flatMap(patternsOf)];
}

async function listFiles({ bench, request }: Job): Promise<string[] | undefined> {
  const result = await runProgram(bench, request, { argv: ['git', ...QUIETLY, ...LISTING], outputMax: LISTING_MAX });
  if (result.kind !== 'exited' || result.exitCode !== 0 || result.stdoutBytes > LISTING_MAX) return undefined;
  return result.stdout.split('\0').filter((line) => line !== '');
}

// A file that git knows and finds unchanged is told by what git knows; the rest is read.
async function treeOf(cwd: string, listing: readonly string[]): Promise<Tree> {
  const tree = new Map<string, string>();
  const unknown = new Set<string>();
  for (const line of listing) {
    const tab = line.indexOf('\t');
    const known = tab === -1 ? undefined : /^([A-Z]) (\d+) (\w+) \d$/.exec(line.slice(0, tab));
    const path = known === undefined || known === null ? line.slice(2) : line.slice(tab + 1);
    if (known?.[1] === 'H') tree.set(path, String(known[3]));
    else if (!path.endsWith('/')) unknown.add(path);
  }
  const paths = [...unknown];
  for (let start = 0; start < paths.length; start += AT_ONCE) {
    const some = paths.slice(start, start + AT_ONCE);
    const contents = await Promise.all(some.map((path) => contentOf(join(cwd, path))));
    for (const [index, path] of some.entries()) {
      const content = contents[index];
      if (content === undefined) tree.delete(path);
      else tree.set(path, content);
    }
  }
  return tree;
}

async function contentOf(file: string): Promise<string | undefined> {
  try {
    const facts = await lstat(file);
    if (facts.isSymbolicLink()) return `link ${await readlink(file)}`;
    if (isStoreFile(file, facts)) return undefined;
    if (!facts.isFile() || facts.size > HASHED_MAX) return `${facts.size} bytes of ${facts.mtimeMs}`;
    const content = await readFile(file);
    // As git names it, so that a file that is only added or committed meanwhile has not moved.
    return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
  } catch {
    // Gone, or not to be read: either way it cannot be told from what is not there.
    return undefined;
  }
}
