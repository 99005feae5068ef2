// Resolves a specifier to the files that it may load, by Node's rules. If conditions choose between files (`import`, `require`,
// `node`, custom ones), all of them are returned: any of them could run.

import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isStoreFile } from '../../base/store-files.ts';

/** A file of the user's, or a package that was installed. */
export type Target = { readonly kind: 'file'; readonly path: string } | { readonly kind: 'package'; readonly folder: string };

/** The fields of a package.json that decide what is loaded. */
export interface Manifest {
  readonly folder: string;
  readonly name?: unknown;
  readonly version?: unknown;
  readonly type?: unknown;
  readonly main?: unknown;
  readonly imports?: unknown;
  readonly exports?: unknown;
  readonly dependencies?: unknown;
  readonly optionalDependencies?: unknown;
  readonly peerDependencies?: unknown;
}

/** Packages that the command line provides itself, whatever is installed. */
const PROVIDED = /^pawl(?:\/compat|\/skills|\/testing)?$/;
const ENDINGS = ['', '.js', '.json', '.node'];
const INSTALLED = /[\\/]node_modules[\\/]/;

/** The files and packages that a specifier in a file may load. One that does not exist is returned as its path. */
export function resolveSpecifier(specifier: string, from: string): Target[] {
  if (isBuiltin(specifier) || PROVIDED.test(specifier) || /^(?:data|https?):/.test(specifier)) return [];
  const local = localPath(specifier, from);
  if (local !== undefined) return resolvePath(local);
  const own = manifestAbove(dirname(from));
  if (specifier.startsWith('#')) return own === undefined ? [] : mapped(own.imports, specifier, own);
  const { name, rest } = splitName(specifier);
  if (own?.name === name && own.exports !== undefined) return mapped(subpathsOf(own.exports), `.${rest}`, own);
  const folder = packageFolder(name, from);
  return folder === undefined ? [] : resolveInPackage(folder, rest);
}

/** The path that a specifier names, unless it names a package. */
export function localPath(specifier: string, from: string): string | undefined {
  const path = specifier.replace(/[?#].*$/, '');
  if (specifier.startsWith('#')) return undefined;
  if (path.startsWith('file:')) return fileURLToPath(path);
  if (isAbsolute(path)) return path;
  return /^\.\.?(?:\/|$)/.test(path) ? resolve(dirname(from), decoded(path)) : undefined;
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** Resolves a path as `require` does: extensions may be left out, and a folder stands for its main file. */
function resolvePath(path: string): Target[] {
  for (const ending of ENDINGS) if (isFile(path + ending)) return [{ kind: 'file', path: realpathSync(path + ending) }];
  const manifest = readManifest(path);
  const main = typeof manifest?.main === 'string' ? resolve(path, manifest.main) : undefined;
  for (const base of [...(main === undefined ? [] : [main, join(main, 'index')]), join(path, 'index')])
    for (const ending of ENDINGS) {
      if (!isFile(base + ending)) continue;
      const file: Target = { kind: 'file', path: realpathSync(base + ending) };
      return manifest === undefined ? [file] : [file, { kind: 'file', path: realpathSync(join(path, 'package.json')) }];
    }
  return [{ kind: 'file', path }];
}

/** The folder in which a package is installed for a file, with links unresolved. */
export function packageFolder(name: string, from: string): string | undefined {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (basename(folder) !== 'node_modules' && existsSync(candidate)) return candidate;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Whether a path is in a folder of installed packages. */
export function isInstalled(path: string): boolean {
  return INSTALLED.test(path);
}

/** An installed package counts as a whole; a linked one is the user's code, of which only some is loaded. */
function resolveInPackage(path: string, rest: string): Target[] {
  const folder = realpathSync(path);
  if (isFile(folder)) return [{ kind: 'file', path: folder }];
  if (isInstalled(folder)) return [{ kind: 'package', folder }];
  const manifest = readManifest(folder);
  if (manifest?.exports !== undefined) return mapped(subpathsOf(manifest.exports), `.${rest}`, manifest);
  return resolvePath(join(folder, rest));
}

function splitName(specifier: string): { readonly name: string; readonly rest: string } {
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  return { name, rest: specifier.slice(name.length) };
}

/** `exports` may be only the target of the package itself. */
function subpathsOf(exports: unknown): unknown {
  const isMap = typeof exports === 'object' && exports !== null && Object.keys(exports).some((key) => key.startsWith('.'));
  return isMap ? exports : { '.': exports };
}

/** All targets of a key in a map of `imports` or `exports`, under any condition. */
function mapped(map: unknown, key: string, { folder }: Manifest): Target[] {
  if (typeof map !== 'object' || map === null) return [];
  return Object.entries(map).flatMap(([pattern, target]) => {
    const [before = '', after] = pattern.split('*');
    const isMatch = after === undefined ? pattern === key : key.length >= pattern.length && key.startsWith(before) && key.endsWith(after);
    if (!isMatch) return [];
    const star = after === undefined ? '' : key.slice(before.length, key.length - after.length);
    return textsIn(target).flatMap((text) => {
      const path = text.replaceAll('*', star);
      return path.startsWith('./') ? resolvePath(join(folder, path)) : resolveSpecifier(path, join(folder, 'package.json'));
    });
  });
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The package.json that applies to the files in a folder. */
export function manifestAbove(from: string): Manifest | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const manifest = basename(folder) === 'node_modules' ? undefined : readManifest(folder);
    if (manifest !== undefined || folder === dirname(folder)) return manifest;
  }
}

/** The package.json of a folder; undefined if there is none or it cannot be read. */
export function readManifest(folder: string): Manifest | undefined {
  const file = join(folder, 'package.json');
  if (!isFile(file)) return undefined;
  try {
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return { ...(typeof read === 'object' && read !== null ? read : {}), folder };
  } catch {
    return { folder };
  }
}

function isFile(path: string): boolean {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts?.isFile() === true && !isStoreFile(path, facts);
}
