// Reads what the sources export and import, which decides how they are divided among the files of a bundle
// (`split-bundle.js`).

import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/**
 * One source. `functions` and `values` are the names that it exports; `uses` has the names that it imports from other
 * sources, and whether their value is needed, or only a function to call later; `packages` are those that it imports.
 * @typedef {{
 *   functions: ReadonlySet<string>,
 *   values: ReadonlySet<string>,
 *   uses: readonly Use[],
 *   packages: readonly string[],
 * }} Source
 * @typedef {{ source: string, name: string, isFunctionEnough: boolean }} Use
 */

/**
 * Reads sources by their path below a folder, each once.
 * @param {string} root
 * @returns {(source: string) => Source}
 */
export function sourceReader(root) {
  /** @type {Map<string, Source>} */
  const known = new Map();
  return (source) => {
    const found = known.get(source) ?? parseSource(source, readFileSync(join(root, source), 'utf8'));
    known.set(source, found);
    return found;
  };
}

/**
 * @param {string} source
 * @param {string} text
 * @returns {Source}
 */
function parseSource(source, text) {
  const { program, module } = parseSync(source, text);
  const functions = new Set();
  const values = new Set();
  for (const node of program.body) {
    if (node.type !== 'ExportNamedDeclaration' || node.declaration === null) continue;
    const { declaration } = node;
    if (declaration.type === 'FunctionDeclaration' && declaration.id !== null) functions.add(declaration.id.name);
    if (declaration.type === 'ClassDeclaration' && declaration.id !== null) values.add(declaration.id.name);
    if (declaration.type === 'VariableDeclaration')
      for (const { id } of declaration.declarations) if (id.type === 'Identifier') values.add(id.name);
  }
  const needed = namesUsedAtStart(program);
  /** @type {Use[]} */
  const uses = [];
  for (const { moduleRequest, entries } of module.staticImports) {
    const from = besides(source, moduleRequest.value);
    for (const { isType, importName, localName } of from === undefined ? [] : entries)
      if (!isType) uses.push({ source: from ?? '', name: importName.name ?? '*', isFunctionEnough: !needed.has(localName.value) });
  }
  for (const { entries } of module.staticExports)
    for (const { isType, moduleRequest, importName, exportName } of entries) {
      const from = isType || moduleRequest === null ? undefined : besides(source, moduleRequest.value);
      if (from === undefined) continue;
      values.add(exportName.name ?? '');
      uses.push({ source: from, name: importName.name ?? '*', isFunctionEnough: true });
    }
  const packages = module.staticImports
    .filter(({ entries }) => entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => moduleRequest.value)
    .filter((name) => !/^(?:\.|node:)/.test(name));
  return { functions, values, uses, packages };
}

/**
 * @param {string} source
 * @param {string} specifier
 */
function besides(source, specifier) {
  return specifier.startsWith('.') ? posix.join(posix.dirname(source), specifier) : undefined;
}

/**
 * The names in calls outside of functions, which are evaluated when the source is loaded; also those in functions that are
 * passed to such a call, which may call them at once: `STATES.filter((state) => isOpen(state))`.
 * @param {import('oxc-parser').Program} program
 */
function namesUsedAtStart(program) {
  /** @type {Set<string>} */
  const names = new Set();
  let functions = 0;
  let calls = 0;
  const enterFunction = () => {
    if (calls === 0) functions += 1;
  };
  const leaveFunction = () => {
    if (calls === 0) functions -= 1;
  };
  const enterCall = () => {
    if (functions === 0) calls += 1;
  };
  const leaveCall = () => {
    if (functions === 0) calls -= 1;
  };
  new Visitor({
    FunctionDeclaration: enterFunction,
    'FunctionDeclaration:exit': leaveFunction,
    FunctionExpression: enterFunction,
    'FunctionExpression:exit': leaveFunction,
    ArrowFunctionExpression: enterFunction,
    'ArrowFunctionExpression:exit': leaveFunction,
    CallExpression: enterCall,
    'CallExpression:exit': leaveCall,
    NewExpression: enterCall,
    'NewExpression:exit': leaveCall,
    Identifier: ({ name }) => {
      if (functions === 0 && calls > 0) names.add(name);
    },
  }).visit(program);
  return names;
}

/**
 * The sources that have to be in one file with some others: those whose exported values they use, for a function can be
 * loaded when it is first called; and of `all` those that import the same packages, which would be there twice.
 * @param {Iterable<string>} sources
 * @param {{ read: (source: string) => Source, all: Iterable<string> }} from
 */
export function loadedTogether(sources, { read, all }) {
  const together = new Set(sources);
  for (const source of together) {
    const { uses, packages } = read(source);
    for (const use of uses) if (!use.isFunctionEnough || !read(use.source).functions.has(use.name)) together.add(use.source);
    if (packages.length === 0) continue;
    for (const other of all) if (read(other).packages.some((name) => packages.includes(name))) together.add(other);
  }
  return together;
}

/**
 * The sources that some sources import, and these themselves; not what they load with `import()`.
 * @param {Iterable<string>} entries
 * @param {(source: string) => Source} read
 */
export function importedBy(entries, read) {
  const found = new Set(entries);
  for (const source of found) for (const use of read(source).uses) found.add(use.source);
  return found;
}

/**
 * The names that a source exports.
 * @param {Source} source
 */
export function namesOf({ functions, values }) {
  return [...functions, ...values];
}
