// Extracts the part of a settings file that decides what a gate's command runs. The rest may change: an agent may add
// a dependency to package.json, but not change what `npm test` runs.

import { isJsonObject, type Json, parseJsonObject } from '../../base/json.ts';

/**
 * The part of a file that counts. `link`: only the target of a link, so that its package may be updated. `python-module`:
 * its existence, if Python would import it instead of a module that is installed. `name`: only that there is a file or a
 * folder with this name.
 */
export type FilePart =
  | 'link'
  | 'name'
  | 'python-module'
  /** package.json: these scripts, those that npm runs before and after them, and the settings of test tools. */
  | { readonly kind: 'scripts'; readonly names: readonly string[] }
  /** TOML or INI: the sections whose name begins like one of these. */
  | { readonly kind: 'sections'; readonly names: readonly string[] }
  /** TOML: all sections but those of dependencies. */
  | { readonly kind: 'no-dependencies' };

const TOOL_FIELDS = ['ava', 'babel', 'c8', 'config', 'eslintConfig', 'jest', 'mocha', 'nyc', 'stylelint', 'tap', 'vitest', 'xo'];

/** The part of a text that counts; undefined if it is missing. */
export function partOf(text: string, part: FilePart): string | undefined {
  if (typeof part === 'string') return text;
  if (part.kind === 'scripts') return scriptsIn(text, part.names);
  const counts = (section: string): boolean =>
    part.kind === 'sections'
      ? part.names.some((name) => section === name || section.startsWith(`${name}.`) || section.startsWith(`${name}:`))
      : !/(?:^|\.)(?:dev-|build-)?dependencies(?:\.|$)/.test(section);
  return sectionsIn(text, counts);
}

/** The script of a package.json by its name. */
export function scriptIn(text: string, name: string): string | undefined {
  const scripts = parseJsonObject(text)?.scripts;
  const script =
    isJsonObject(scripts ?? null) && Object.hasOwn(scripts as object, name) ? (scripts as Record<string, Json>)[name] : undefined;
  return typeof script === 'string' ? script : undefined;
}

// All of an invalid file counts: npm would not run it either.
function scriptsIn(text: string, names: readonly string[]): string | undefined {
  const json = parseJsonObject(text);
  if (json === undefined) return text;
  const scripts = isJsonObject(json.scripts ?? null) ? (json.scripts as { readonly [name: string]: Json }) : {};
  const wanted = names.flatMap((name) => [`pre${name}`, name, `post${name}`]);
  const picked = [...new Set(wanted)]
    .filter((name) => Object.hasOwn(scripts, name))
    .map((name): [string, Json] => [name, scripts[name] as Json]);
  const fields = TOOL_FIELDS.filter((name) => json[name] !== undefined).map((name): [string, Json] => [name, json[name] as Json]);
  return picked.length + fields.length === 0 ? undefined : JSON.stringify([picked.sort(byName), fields]);
}

function byName([one]: readonly [string, Json], [other]: readonly [string, Json]): number {
  return one < other ? -1 : 1;
}

function sectionsIn(text: string, counts: (section: string) => boolean): string | undefined {
  let isIn = counts('');
  const kept = text.split(/\r?\n/).filter((line) => {
    const header = /^\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}\s*(?:[#;].*)?$/.exec(line)?.[1];
    if (header !== undefined) isIn = counts(header.replaceAll(/["'\s]/g, ''));
    return isIn && line.trim() !== '';
  });
  return kept.length === 0 ? undefined : kept.join('\n');
}
