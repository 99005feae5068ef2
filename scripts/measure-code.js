// Counts the TypeScript of folders, for docs/internals/review.md: `node scripts/measure-code.js src/kernel src`. Of a package
// without sources it takes what its source maps contain: `npm pack xstate && tar xzf xstate-*.tgz`, then the folder `package`.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const COMMENT = /^\s*($|\/\/|\/\*|\*)/;
const CAST = /\bas (unknown|readonly|string|number|any|[A-Z])/g;
const ANY = /\bas any\b|: any\b|<any>/g;
const SILENCED = /@ts-ignore|@ts-expect-error|eslint-disable|biome-ignore/g;

for (const folder of process.argv.slice(2)) {
  const sources = [...sourcesIn(folder).values()];
  const sizes = sources.map((text) => text.split('\n').length).sort((one, other) => one - other);
  const lines = sources.flatMap((text) => text.split('\n'));
  const code = lines.filter((line) => !COMMENT.test(line)).length;
  const all = sources.join('\n');
  /** @param {RegExp} pattern */
  const perThousand = (pattern) => (((all.match(pattern) ?? []).length / code) * 1000).toFixed(1);
  process.stdout.write(
    `${folder}: ${sources.length} files, ${lines.length} lines, ${code} of code; a file has ${sizes[sizes.length >> 1]} lines (median), ` +
      `${sizes.at(-1)} at most; for 1,000 lines of code ${perThousand(CAST)} casts, ${perThousand(ANY)} times any; ` +
      `${(all.match(SILENCED) ?? []).length} comments that silence a tool\n`,
  );
}

/**
 * The sources of a folder, without tests, by their paths.
 * @param {string} folder
 * @returns {Map<string, string>}
 */
function sourcesIn(folder) {
  const own = globSync('**/*.ts', { cwd: folder }).filter((file) => !/\.d\.ts$|\.test\.ts$|__tests__|node_modules/.test(file));
  if (own.length > 0) return new Map(own.map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const map of globSync('**/*.map', { cwd: folder })) {
    const { sources, sourcesContent = [] } = JSON.parse(readFileSync(join(folder, map), 'utf8'));
    for (const [index, text] of sourcesContent.entries())
      if (text && /\.ts$/.test(sources[index]) && !/node_modules/.test(sources[index]))
        found.set(sources[index].replace(/^(\.\.\/)+/, ''), text);
  }
  return found;
}
