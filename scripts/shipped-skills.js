// Bundles the skills that Pawl ships, each into a small file of its own, so that printing a step of one loads no other.
// The file is a function of the skill library: the program that loads the skill gives it its own copy. `index.json` beside
// them has what a list of skills shows.

import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';

const LIBRARY = 'src/skills/index.ts';

/** Where the skills are written. */
export const CATALOGUE = 'src/skills/catalogue';

/**
 * Bundles the skills in some folders into the folder of the command line, in which the command line is already. Returns what
 * esbuild knows of the files.
 * @param {{ root: string, commands: string, folders: readonly string[], fileOf: (source: string) => string, options: import('esbuild').BuildOptions }} given
 */
export async function bundleSkills({ root, commands, folders, fileOf, options }) {
  const skills = folders.flatMap((folder) => skillFolders(join(root, folder)).map((name) => ({ name, folder: join(root, folder, name) })));
  const outdir = join(commands, 'shipped');
  mkdirSync(outdir, { recursive: true });
  const load = createRequire(join(outdir, 'index.json'));
  /** @type {object} */
  const library = load(join(commands, fileOf(LIBRARY))).modules[LIBRARY];
  const { metafile } = await build({
    ...options,
    entryPoints: skills.map(({ name, folder }) => ({ in: join(folder, 'skill.ts'), out: name })),
    outdir,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    banner: { js: "'use strict'; module.exports = (require) => { const module = {};" },
    footer: { js: 'return module.exports; };' },
    plugins: [onlyTheLibrary(root, new Set(Object.keys(library)))],
    metafile: true,
  });
  const index = skills
    .map(({ name }) =>
      rowOf(name, {
        ...load(`./${name}.cjs`)(() => library),
        digest: digestOf(readFileSync(join(outdir, `${name}.cjs`), 'utf8')),
      }),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  writeFileSync(join(outdir, 'index.json'), `${JSON.stringify(index, null, 1)}\n`);
  return metafile;
}

/** @param {string} folder */
function skillFolders(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}

/**
 * @param {string} folder
 * @param {{ default: import('../src/skills/skill.ts').Skill, aliases?: readonly string[], partOf?: string, digest: string }} module
 */
function rowOf(folder, { default: skill, aliases = [], partOf, digest }) {
  const { name, description, totalSteps } = skill;
  if (name !== folder) throw new Error(`the shipped skill in the folder "${folder}" has the name "${name}"; they must be the same`);
  return { name, description, totalSteps, aliases, ...(partOf === undefined ? {} : { partOf }), digest };
}

/**
 * The identity of a skill's code: open runs go on only with the code that they began with. The library is no part of it.
 * @param {string} code
 */
function digestOf(code) {
  return hash('sha256', code.replace(/\n\/\/# sourceMappingURL=\S+\n$/, '\n'));
}

/**
 * A shipped skill imports the skill library, or files of it, and files of the catalogue, and nothing else: it does no work
 * of its own. What it imports of the library is published, so that the program that loads the skill can give it.
 * @param {string} root
 * @param {ReadonlySet<string>} published
 * @returns {import('esbuild').Plugin}
 */
function onlyTheLibrary(root, published) {
  /** @param {string} folder @param {string} path */
  const sourceOf = (folder, path) => relative(root, join(folder, path)).split(sep).join('/');
  /** @param {string} source */
  const isOfLibrary = (source) => source.startsWith('src/') && !source.startsWith(`${CATALOGUE}/`);
  return {
    name: 'only-the-library',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /./ }, ({ path, resolveDir, kind, importer }) => {
        if (kind === 'entry-point') return undefined;
        if (path.startsWith('.')) return isOfLibrary(sourceOf(resolveDir, path)) ? { path: 'pawl/skills', external: true } : undefined;
        return { errors: [{ text: `${relative(root, importer)} imports "${path}"; a shipped skill imports the skill library only` }] };
      });
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const contents = readFileSync(path, 'utf8');
        const errors = [...contents.matchAll(/^import \{([^}]*)\} from '(\.[^']*)';/gm)].flatMap(([, names = '', from = '']) =>
          isOfLibrary(sourceOf(dirname(path), from))
            ? missing(names, published).map((name) => ({
                text: `${relative(root, path)} imports ${name}, which ${LIBRARY} does not export`,
              }))
            : [],
        );
        return { contents, loader: 'ts', errors };
      });
    },
  };
}

/**
 * The values among imported names that the library does not have.
 * @param {string} names
 * @param {ReadonlySet<string>} published
 */
function missing(names, published) {
  return names.split(',').flatMap((part) => {
    const [name = ''] = part.trim().split(' as ');
    return name === '' || name.startsWith('type ') || published.has(name) ? [] : [name];
  });
}
