// Reads the content of installed packages: all code of a package and its dependencies, whether it is loaded or not. An agent
// can write to node_modules too, so these files are also trusted by content.

import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { digestBytes, digestText } from '../../base/digest.ts';
import { type Manifest, packageFolder, readManifest } from './resolution.ts';

/** An installed package: its display name, and the digest of each file that can be loaded, by real path. */
export interface PackageContent {
  readonly name: string;
  readonly digest: string;
  readonly files: ReadonlyMap<string, string>;
}

const FILES_MAX = 50_000;
/** The files that Node loads from a package: no TypeScript, but also files without an extension. */
const LOADABLE = /(?:\.(?:[mc]?js|json|wasm|node)|^[^.]+)$/;

/** The packages in some folders and those they depend on, by folder; undefined if they have too many files. */
export function readPackages(folders: Iterable<string>): ReadonlyMap<string, PackageContent> | undefined {
  const packages = new Map<string, PackageContent>();
  const waiting = new Set(folders);
  let count = 0;
  for (const folder of waiting) {
    const manifest = readManifest(folder);
    const content = contentOf(folder, manifest);
    packages.set(folder, content);
    count += content.files.size;
    if (count > FILES_MAX) return undefined;
    for (const name of dependenciesOf(manifest)) {
      const path = packageFolder(name, join(folder, 'package.json'));
      if (path !== undefined) waiting.add(realpathSync(path));
    }
  }
  return packages;
}

function contentOf(folder: string, manifest: Manifest | undefined): PackageContent {
  const files = new Map<string, string>();
  const lines: string[] = [];
  for (const path of filesIn(folder).sort()) {
    const digest = digestBytes(readFileSync(join(folder, path)));
    files.set(join(folder, path), digest);
    lines.push(`${digest}  ${path}\n`);
  }
  return { name: `${manifest?.name ?? folder}@${manifest?.version ?? '?'}`, digest: digestText(lines.join('')), files };
}

/** All files except those of nested packages. Links are not followed: loading their targets is rejected at run time. */
function filesIn(folder: string, below = ''): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesIn(folder, path);
    return entry.isFile() && LOADABLE.test(entry.name) ? [path] : [];
  });
}

function dependenciesOf(manifest: Manifest | undefined): string[] {
  const { dependencies, optionalDependencies, peerDependencies } = manifest ?? {};
  return [dependencies, optionalDependencies, peerDependencies].flatMap((list) =>
    typeof list === 'object' && list !== null ? Object.keys(list) : [],
  );
}
