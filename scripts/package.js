// Writes the folder that is published, `dist-package`: what `npm run build` made without its maps, the types that users can
// reach, and the documents that the README leads to. Its package.json is generated: the one of the checkout brings a Node,
// tools and scripts, which must not get into the projects of users.

import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './bundle.js';
import { reachedDeclarations } from './declarations.js';

/** What is shipped as it is in the checkout. */
const AS_IT_IS = ['LICENSE', 'README.md', 'bin', 'dashboard/dist', 'docs', 'examples', 'schema', 'templates'];
/** What only those who work on Pawl read; the declarations have the text of the API reference in them. */
const LEFT_OUT = [
  'AGENTS.md',
  'CHANGELOG.md',
  'docs/features.md',
  'docs/internals',
  'docs/performance.md',
  'docs/reference/api',
  'docs/site',
];
/** What the published package.json has of the one of the checkout; all else is for working on Pawl. */
const PUBLISHED_FIELDS = [
  ...['name', 'version', 'description', 'license', 'type', 'engines', 'bin', 'exports', 'sideEffects'],
  ...['peerDependencies', 'peerDependenciesMeta'],
];

/**
 * Writes the package to a folder, in place of what was there, from a folder with bundles and types.
 * @param {string} dist
 * @param {string} folder
 */
export function writePackage(dist, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const fields = PUBLISHED_FIELDS.map((field) => [field, manifest[field]]);
  const published = { ...Object.fromEntries(fields), files: [...AS_IT_IS, 'dist'] };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  const filter = (/** @type {string} */ source) => !source.includes('node_modules') && !LEFT_OUT.includes(relative(root, source));
  for (const name of AS_IT_IS) cpSync(join(root, name), join(folder, name), { recursive: true, filter });
  for (const example of globSync('examples/**/*.ts', { cwd: folder })) nameThePackage(join(folder, example));
  for (const page of globSync('**/*.md', { cwd: folder })) unlinkLeftOut(folder, page);
  const entries = Object.values(manifest.exports).flatMap(({ types }) => (types === undefined ? [] : [relative('dist', types)]));
  const bundles = globSync(['**/*.{js,cjs,mjs}', 'cli/shipped/index.json'], { cwd: dist });
  for (const file of [...bundles, ...reachedDeclarations(dist, entries), 'THIRD-PARTY-LICENSES']) {
    const to = join(folder, 'dist', file);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, readFileSync(join(dist, file), 'utf8').replace(/\n\/\/# sourceMappingURL=\S+\n$/, '\n'));
  }
}

/**
 * Leaves the words of links whose page is not shipped.
 * @param {string} folder
 * @param {string} page
 */
function unlinkLeftOut(folder, page) {
  const file = join(folder, page);
  const text = readFileSync(file, 'utf8').replaceAll(/\[([^\]]+)\]\(([^)#\s]+)(?:#[^)]*)?\)/g, (link, words, target) => {
    const to = join(dirname(page), target);
    return LEFT_OUT.some((name) => to === name || to.startsWith(`${name}/`) || to === `${name}/`) ? words : link;
  });
  writeFileSync(file, text);
}

/**
 * Lets an example import the package by its name, where in the checkout it imports the sources.
 * @param {string} file
 */
function nameThePackage(file) {
  const text = readFileSync(file, 'utf8');
  const named = text.replaceAll("'../../src/index.ts'", "'pawl'").replaceAll("'../../src/proof/suites/index.ts'", "'pawl/testing/suites'");
  writeFileSync(file, named.replaceAll(/'\.\.\/\.\.\/src\/(compat|safe-db)\/index\.ts'/g, "'pawl/$1'"));
}

if (import.meta.main) writePackage(join(root, 'dist'), join(root, 'dist-package'));
