// Finds the code that a module loads, by parsing: the code that a person trusts together with a workflow.
//
// - Imports are resolved by Node's rules, under all conditions, with the package.json fields that decide them.
// - A computed import may load any code file in the folder of its file, so all of those belong to the module.
// - Installed packages belong to it as a whole, with their dependencies.
// - Anything else that is loaded while the module runs is rejected then (see src/api/module/hold.ts).

import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Program } from 'acorn';
import { digestBytes, digestText } from '../../base/digest.ts';
import { isStoreFile } from '../../base/store-files.ts';
import { readPackages } from './package-files.ts';
import { rememberedReferences } from './reference-cache.ts';
import { type Reference, referencesIn } from './references.ts';
import { isInstalled, localPath, manifestAbove, resolveSpecifier, type Target } from './resolution.ts';
import { type FilePosition, isParsed, type ParsedModule, parseModule, placeAt, type SourceProblem } from './syntax.ts';

/** All code that is loaded with a file. */
export interface ModuleGraph {
  readonly file: string;
  /** The digest of all of it. */
  readonly digest: string;
  /** Digests by name, sorted: paths relative to the folder of the file, which is among them, and packages. */
  readonly parts: ReadonlyMap<string, string>;
  /** The digest of every file that may be loaded, by its real path. */
  readonly files: ReadonlyMap<string, string>;
  /** Folders in which a computed import may load anything, relative to the file. */
  readonly openFolders: readonly string[];
  /** Why the module cannot be trusted by its content. */
  readonly problems: readonly (SourceProblem & { readonly file: string })[];
}

const FILES_MAX = 2000;
const MISSING = 'missing';
const START: FilePosition = { line: 1, column: 1 };
const CODE_FILE = /\.(?:[mc]?[jt]s|json|wasm|node)$/;
const RUNNABLE = /\.(?:[mc]?[jt]s|wasm|node)$/;
const PARSED_FILE = /\.[mc]?[jt]s$/;
const DECIDING = ['name', 'type', 'main', 'imports', 'exports'] as const;

/** Reads a file and all code that it loads. Parsed modules are cached in a folder. */
export async function readModuleGraph(file: string, cache: string | undefined = getCompileCacheDir()): Promise<ModuleGraph> {
  const root = realpathSync(file);
  const reader = new GraphReader(root, cache);
  await reader.readAll();
  return reader.graph();
}

class GraphReader {
  private readonly root: string;
  private readonly cache: string | undefined;
  private readonly parts = new Map<string, string>();
  private readonly files = new Map<string, string>();
  private readonly openFolders = new Set<string>();
  private readonly packages = new Set<string>();
  private readonly problems: (SourceProblem & { readonly file: string })[] = [];
  /** Files to read, and whether each also runs in its own worker or process. */
  private readonly waiting = new Map<string, boolean>();

  constructor(root: string, cache: string | undefined) {
    this.root = root;
    this.cache = cache;
    this.waiting.set(root, false);
  }

  async readAll(): Promise<void> {
    // Iterating a map includes entries added meanwhile; a file that turns out to run in its own process is read again.
    for (const [path, isApart] of this.waiting) {
      await this.readOne(path, isApart);
      if (this.waiting.size <= FILES_MAX) continue;
      this.refuse(this.root, START, {
        message: `the module may load more than ${FILES_MAX} files`,
        hint: 'import the files that it needs by literal paths',
      });
      return;
    }
    const packages = readPackages(this.packages);
    if (packages === undefined)
      this.refuse(this.root, START, { message: 'the packages that the module imports have too many files', hint: 'import fewer' });
    for (const [folder, { name, digest, files }] of packages ?? []) {
      this.parts.set(`package ${name} in ${this.nameOf(folder)}`, digest);
      for (const [path, fileDigest] of files) this.files.set(path, fileDigest);
    }
  }

  graph(): ModuleGraph {
    const parts = new Map([...this.parts].sort(([a], [b]) => (a < b ? -1 : 1)));
    return {
      file: this.root,
      digest: digestText([...parts].map(([path, part]) => `${part}  ${path}\n`).join('')),
      parts,
      files: this.files,
      openFolders: [...this.openFolders].map((folder) => this.nameOf(folder) || '.').sort(),
      problems: this.problems,
    };
  }

  private async readOne(path: string, isApart: boolean): Promise<void> {
    const bytes = bytesOf(path);
    const digest = bytes === undefined ? MISSING : digestBytes(bytes);
    this.parts.set(this.nameOf(path), digest);
    if (bytes === undefined) return;
    this.files.set(path, digest);
    if (!PARSED_FILE.test(path)) return;
    this.addManifest(dirname(path));
    const text = bytes.toString('utf8');
    for (const reference of await rememberedReferences(this.cache, { path, digest }, () => referencesOf(path, text)))
      this.follow(reference, { path, text, isApart });
  }

  private follow(reference: Reference, from: { readonly path: string; readonly text: string; readonly isApart: boolean }): void {
    const { path, isApart } = from;
    switch (reference.kind) {
      case 'module': {
        // Only the folder matters here, so any file name in it will do.
        const base = reference.base === undefined ? path : join(dirname(path), reference.base.replace(/\/$/, '/-'));
        for (const target of resolveSpecifier(reference.specifier, base)) this.add(target, isApart);
        return;
      }
      case 'path':
        return this.addPath(reference.path === '' ? path : (localPath(reference.path, path) ?? resolve(dirname(path), reference.path)), {
          isApart: reference.isApart || isApart,
          runs: reference.isApart,
        });
      case 'computed':
        if (!isApart) return this.addFolder(dirname(path));
        return this.refuse(path, placeAt(from.text, reference.at), {
          message: 'this code runs in a worker or another process, and its import path is computed',
          hint: 'use a literal path',
        });
      case 'problem':
        return this.refuse(path, placeAt(from.text, reference.at), reference);
    }
  }

  private add(target: Target, isApart: boolean): void {
    if (target.kind === 'package') this.packages.add(target.folder);
    else if (this.waiting.get(target.path) !== true && (isApart || !this.waiting.has(target.path))) {
      this.waiting.delete(target.path);
      this.waiting.set(target.path, isApart);
    }
  }

  /** Adds a named file. A file that is not known to be run counts only if it is code: data may change at any time. */
  private addPath(path: string, { isApart, runs }: { readonly isApart: boolean; readonly runs: boolean }): void {
    if (isInstalled(path) || (!runs && !RUNNABLE.test(path)) || statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
    this.add({ kind: 'file', path: realpathSync(path) }, isApart);
  }

  private addFolder(folder: string): void {
    if (this.openFolders.has(folder)) return;
    this.openFolders.add(folder);
    const visit = (path: string): void => {
      for (const entry of readdirSync(path, { withFileTypes: true })) {
        if (this.waiting.size > FILES_MAX) return;
        const inside = join(path, entry.name);
        if (entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.')) visit(inside);
        else if (entry.isFile() && CODE_FILE.test(entry.name)) this.add({ kind: 'file', path: realpathSync(inside) }, false);
      }
    };
    visit(folder);
  }

  /** Adds the fields of the package.json above that decide how the files in a folder are loaded. */
  private addManifest(folder: string): void {
    const manifest = manifestAbove(folder);
    if (manifest === undefined) return;
    const deciding = Object.fromEntries(DECIDING.map((field) => [field, manifest[field]]));
    const name = `${this.nameOf(join(manifest.folder, 'package.json'))} (${DECIDING.join(', ')})`;
    this.parts.set(name, digestText(JSON.stringify(deciding)));
  }

  private nameOf(path: string): string {
    return relative(dirname(this.root), path).split(sep).join('/');
  }

  private refuse(file: string, { line, column }: FilePosition, about: Pick<SourceProblem, 'message' | 'hint'>): void {
    this.problems.push({ file, code: 'CODE_UNSEEN', message: about.message, hint: about.hint, line, column });
  }
}

/** The local files that a module imports by name and that do not exist. */
export function missingImports({ file, text, tree }: ParsedModule): SourceProblem[] {
  return tree.body.flatMap((node) => {
    const source = 'source' in node ? node.source : undefined;
    const target = source?.type === 'Literal' ? localPath(String(source.value), file) : undefined;
    if (source === undefined || source === null || target === undefined || existsSync(target)) return [];
    const message = `cannot find the imported file ${target}`;
    return [
      {
        code: 'IMPORT_NOT_FOUND',
        message,
        hint: 'fix the path, with the ending of the file, or add the file',
        ...placeAt(text, source.start),
      },
    ];
  });
}

/** Synchronous: the first use of `node:fs/promises` takes longer than reading the few small files of a module. */
function bytesOf(path: string): Buffer | undefined {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts?.isFile() !== true || isStoreFile(path, facts)) return undefined;
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

async function referencesOf(path: string, text: string): Promise<readonly Reference[]> {
  const tree = await treeOf(path, text);
  return tree === undefined ? [] : referencesIn(tree);
}

/** A file that cannot be parsed cannot run either, and its text is part of the digest. */
async function treeOf(path: string, text: string): Promise<Program | undefined> {
  const read = await parseModule(path, text);
  if (isParsed(read)) return read.tree;
  const { parse } = await import('acorn');
  try {
    return parse(text, { ecmaVersion: 'latest', sourceType: 'script', allowHashBang: true, allowReturnOutsideFunction: true });
  } catch {
    return undefined;
  }
}
