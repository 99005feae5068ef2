// Owns which local files a module brings with it, found by parsing: what somebody trusts when they trust a workflow.
// Packages are not local files; whoever installed them trusts them.

import { existsSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AnyNode, Program } from 'acorn';
import { digestText } from '../../base/digest.ts';
import { isStoreFile } from '../../base/store-files.ts';
import { isParsed, nodesIn, type ParsedModule, parseModule, placeAt, type SourceProblem } from './syntax.ts';

/** The files that are loaded with one, by their path relative to it, with the digest of each. */
export interface ModuleGraph {
  readonly file: string;
  /** The digest of all of it. */
  readonly digest: string;
  /** Digests by path relative to the folder of the file, sorted; the file itself is among them. */
  readonly parts: ReadonlyMap<string, string>;
  /** True when an import is computed as the module runs, so that what it loads is not known. */
  readonly hasHidden: boolean;
}

const FILES_MAX = 500;
const MISSING = 'missing';

/** Reads a file and all local files it imports, and those they import. */
export async function readModuleGraph(file: string): Promise<ModuleGraph> {
  const root = await realpath(file);
  const parts = new Map<string, string>();
  const seen = new Set<string>([root]);
  let hasHidden = false;
  for (const path of seen) {
    const text = await textOf(path);
    parts.set(relative(dirname(root), path).split(sep).join('/'), text === undefined ? MISSING : digestText(text));
    if (text === undefined || /\.(?:json|ya?ml)$/.test(path)) continue;
    const imports = await importsOf(path, text);
    hasHidden ||= imports.hasHidden;
    for (const target of imports.files) if (seen.size < FILES_MAX) seen.add(await existing(target));
    hasHidden ||= seen.size >= FILES_MAX;
  }
  const sorted = new Map([...parts].sort(([a], [b]) => (a < b ? -1 : 1)));
  const digest = digestText([...sorted].map(([path, part]) => `${part}  ${path}\n`).join(''));
  return { file: root, digest, parts: sorted, hasHidden };
}

/** The local files that a module imports by name and that do not exist. */
export function missingImports({ file, text, tree }: ParsedModule): SourceProblem[] {
  return tree.body.flatMap((node) => {
    const source = sourceOf(node);
    const target = source?.type === 'Literal' ? localFile(String(source.value), file) : undefined;
    if (source === undefined || target === undefined || existsSync(target)) return [];
    const message = `it imports ${target}, which does not exist`;
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

async function textOf(path: string): Promise<string | undefined> {
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined || isStoreFile(path, facts)) return undefined;
  return readFile(path, 'utf8').catch(() => undefined);
}

const IMPLIED = ['', '.js', '.cjs', '.json', '/index.js'];

/** The real path of a file; `require` leaves endings out, so the usual ones are tried. */
async function existing(target: string): Promise<string> {
  for (const ending of IMPLIED) {
    const found = await stat(target + ending).catch(() => undefined);
    if (found?.isFile() === true) return realpath(target + ending);
  }
  return target;
}

async function importsOf(path: string, text: string): Promise<{ readonly files: readonly string[]; readonly hasHidden: boolean }> {
  const read = await parseModule(path, text);
  // What cannot be parsed cannot be run either, and its text is part of the digest.
  const tree = isParsed(read) ? read.tree : await scriptTree(text);
  if (tree === undefined) return { files: [], hasHidden: false };
  const files: string[] = [];
  let hasHidden = false;
  for (const node of nodesIn(tree)) {
    const source = sourceOf(node);
    if (source === undefined) continue;
    const target = source.type === 'Literal' ? localFile(String(source.value), path) : undefined;
    if (target !== undefined) files.push(target);
    hasHidden ||= source.type !== 'Literal';
  }
  return { files, hasHidden };
}

async function scriptTree(text: string): Promise<Program | undefined> {
  const { parse } = await import('acorn');
  try {
    return parse(text, { ecmaVersion: 'latest', sourceType: 'script', allowHashBang: true, allowReturnOutsideFunction: true });
  } catch {
    return undefined;
  }
}

/** The expression that says what a node imports. */
function sourceOf(node: AnyNode): AnyNode | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
      return node.source;
    case 'ExportNamedDeclaration':
      return node.source ?? undefined;
    case 'CallExpression':
      return node.callee.type === 'Identifier' && node.callee.name === 'require' ? node.arguments[0] : undefined;
    default:
      return undefined;
  }
}

function localFile(specifier: string, from: string): string | undefined {
  const bare = specifier.replace(/[?#].*$/, '');
  if (bare.startsWith('file:')) return fileURLToPath(bare);
  if (isAbsolute(bare)) return bare;
  return /^\.\.?(\/|$)/.test(bare) ? resolve(dirname(from), decodeURI(bare)) : undefined;
}
