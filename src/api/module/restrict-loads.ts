// Restricts what modules of users may load: only the files that were checked, with the content they had then,
// regardless of when and how they are imported. In a folder that is trusted as a whole, everything may be loaded.
//
// In a process that was started to run Pawl, every load except Pawl's own is a load of the user. In any other process a
// load is the user's if a module of the user loaded the importing file. Workers have no such check; what they load is
// found by parsing.

import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ModuleGraph } from '../../authoring/discover/imports.ts';
import { digestBytes, digestText } from '../../base/digest.ts';
import { EngineError } from '../../base/error.ts';
import { isWithin } from '../../base/inside-folder.ts';
import { isOwnProcess } from '../../base/own-process.ts';
import { libraryEntries } from './library.ts';

/** The files that a module may load. */
export interface CheckedContent extends Pick<ModuleGraph, 'file' | 'files'> {
  /** The folder that is trusted as a whole, if one is. */
  readonly folder?: string | undefined;
}

const digests = new Map<string, string>();
const folders = new Set<string>();
/** What modules of users imported, and what Pawl imported besides its own files, as URLs. */
const ofUsers = new Set<string>();
const ofPawl = new Set<string>();
/** The restricted modules, as URLs. */
const roots = new Set<string>();
let isRestricting = false;

/** Restricts a module, and everything that it loads, to the content that was checked. */
export function restrictLoads({ file, files, folder }: CheckedContent): void {
  for (const [path, digest] of files) digests.set(path, digest);
  if (folder !== undefined) folders.add(folder);
  roots.add(pathToFileURL(file).href);
  ofUsers.add(pathToFileURL(file).href);
  if (isRestricting) return;
  isRestricting = true;
  const entries = libraryEntries();
  const own = new URL('./', entries.pawl).href;
  registerHooks({
    resolve: (specifier, context, next) => {
      const resolved = next(specifier, context);
      const url = plain(resolved.url);
      const parent = plain(context.parentURL ?? '');
      if (Object.values(entries).includes(url)) return resolved;
      if (isAskedByPawl(own, { parent, url })) ofPawl.add(url);
      else if (ofUsers.has(parent) || isOwnProcess()) ofUsers.add(url);
      // Native code is loaded without a call of the hook below.
      if (url.endsWith('.node') && ofUsers.has(url)) assertChecked(url, () => digestBytes(readFileSync(fileURLToPath(url))));
      return resolved;
    },
    load: (url, context, next) => {
      const loaded = next(url, context);
      if (ofUsers.has(plain(url)) && !ofPawl.has(plain(url))) assertChecked(plain(url), (known) => digestOf(loaded.source, known));
      return loaded;
    },
  });
}

/** Pawl loads its own files and installed packages. Any other file that it loads is a module of a user. */
function isAskedByPawl(own: string, { parent, url }: { readonly parent: string; readonly url: string }): boolean {
  if (parent.startsWith(own)) return url.startsWith(own) || (url.includes('/node_modules/') && !roots.has(url));
  return ofPawl.has(parent);
}

/** Returns a URL without the query and the fragment, which only distinguish two copies of a module. */
function plain(url: string): string {
  return url.startsWith('file:') ? url.replace(/[?#].*$/, '') : url;
}

function assertChecked(url: string, digestNow: (known: string) => string | undefined): void {
  if (!url.startsWith('file:')) return;
  const path = fileURLToPath(url);
  const known = digests.get(path);
  if (known === undefined) {
    if ([...folders].some((folder) => isWithin(folder, path))) return;
    throw new EngineError(
      'NOT_TRUSTED',
      `${path} was loaded, but it is not part of what was trusted, because only running the code shows that it is loaded; import it by its path, or trust the whole folder with "pawl trust --folder"`,
    );
  }
  if (digestNow(known) !== known && ![...folders].some((folder) => isWithin(folder, path)))
    throw new EngineError('NOT_TRUSTED', `${path} changed after its content was checked; start again`);
}

/** The digest of what is about to run. Node takes the byte order mark off the text of a CommonJS module. */
function digestOf(source: unknown, known: string): string {
  if (typeof source !== 'string') return source === undefined || source === null ? known : digestBytes(source as Uint8Array);
  const digest = digestText(source);
  return digest === known ? digest : digestText(`\uFEFF${source}`);
}
