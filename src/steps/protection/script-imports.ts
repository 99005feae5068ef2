// Finds the files that a script imports, from its text: relative imports of JavaScript, and Python modules next to
// the script. Only files in the folder of the script, or below it, belong to the check; its other imports are the work that
// it checks. For a script at the top of the workspace these cannot be distinguished, so its imports are ignored.

import { posix } from 'node:path';
import type { ReadText } from './gate-files.ts';

const JS_FILE = /\.(?:[cm]?[jt]s|[jt]sx)$/;
const JS_IMPORT = /\b(?:from|import|require)\s*\(?\s*['"](\.{1,2}\/[^'"\n]+)['"]/g;
const PYTHON_IMPORT = /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([\w., \t]+))/gm;
const JS_ENDINGS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.jsx', '.tsx'];
const FILES_MAX = 200;

/** The files that a script imports, and the names that would be imported in their place. */
export async function importedFiles(script: string, read: ReadText): Promise<string[]> {
  const folder = posix.dirname(posix.normalize(script));
  if (folder === '.' || folder.startsWith('..') || posix.isAbsolute(folder)) return [];
  const found = new Set<string>();
  const open = [posix.normalize(script)];
  const seen = new Set(open);
  for (let file = open.pop(); file !== undefined && found.size < FILES_MAX; file = open.pop()) {
    const text = await read(file);
    for (const places of text === undefined ? [] : importsIn(file, text)) {
      const inside = places.filter((place) => place.startsWith(`${folder}/`));
      const target = await firstOf(inside, read);
      if (target === undefined) continue;
      for (const place of inside) found.add(place);
      if (!seen.has(target)) open.push(target);
      seen.add(target);
    }
  }
  return [...found];
}

/** For each import, the files that may provide it. */
function importsIn(file: string, text: string): string[][] {
  const folder = posix.dirname(file);
  if (JS_FILE.test(file)) return [...text.matchAll(JS_IMPORT)].map(([, path = '']) => javascriptPlaces(posix.join(folder, path)));
  if (!file.endsWith('.py')) return [];
  return [...text.matchAll(PYTHON_IMPORT)].flatMap(([, from, list = '']) => {
    const names = from === undefined ? list.split(',').map((name) => name.trim().split(/\s/)[0] ?? '') : [from];
    return names.map((name) => modulePlaces(folder, name.replace(/^\.+/, ''))).filter((places) => places.length > 0);
  });
}

function javascriptPlaces(path: string): string[] {
  return JS_FILE.test(path) ? [path] : [path, ...JS_ENDINGS.map((ending) => `${path}${ending}`), `${path}/index.js`];
}

/** Where Python looks for a module in a folder. */
export function modulePlaces(folder: string, name: string): string[] {
  if (!/^\w+(?:\.\w+)*$/.test(name)) return [];
  const path = posix.join(folder, name.replaceAll('.', '/'));
  return [`${path}/__init__.py`, `${path}.py`];
}

async function firstOf(places: readonly string[], read: ReadText): Promise<string | undefined> {
  for (const place of places) if ((await read(place)) !== undefined) return place;
  return undefined;
}
