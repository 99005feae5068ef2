// Writes the licences of the packages whose code is in the bundles: most licences ask that their text goes with the code.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The folders of the packages from which a bundle has code.
 * @param {Iterable<import('esbuild').Metafile>} metafiles
 * @returns {string[]}
 */
export function bundledPackages(metafiles) {
  /** @type {Set<string>} */
  const found = new Set();
  for (const { outputs } of metafiles)
    for (const { inputs } of Object.values(outputs))
      for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
        const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [];
        if (folder !== undefined && bytesInOutput > 0) found.add(folder);
      }
  return [...found].sort();
}

/** Licences that ask for nothing, not even that their text is given. */
const WITHOUT_CONDITIONS = ['Unlicense', '0BSD', 'CC0-1.0'];

/**
 * Writes one file with the licence of each package; throws for a package that has none.
 * @param {string} root
 * @param {readonly string[]} packages
 * @param {string} file
 */
export function writeLicences(root, packages, file) {
  const texts = packages.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const names = readdirSync(join(root, folder)).filter((entry) => /^(?:licen[cs]e|notice)(?:[.-].*)?$/i.test(entry));
    const isMissing = !names.some((entry) => /^licen/i.test(entry)) && !WITHOUT_CONDITIONS.includes(license);
    if (isMissing) throw new Error(`${name} is bundled and has no file with its licence`);
    const text = names.map((entry) => readFileSync(join(root, folder, entry), 'utf8').trim()).join('\n\n');
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  const head = 'Pawl contains code of these packages, each under its own licence.\n';
  writeFileSync(file, [head, ...texts].join(`\n${'-'.repeat(80)}\n\n`));
}
