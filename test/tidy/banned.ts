// Owns what may not be written: the outside world in the kernel, ways around the compiler, forgotten notes, tests that
// do not run, and paths of one machine.

import { importsOf } from './layers.ts';
import { at, isNode, isTest, nodesOf, type Source, type SyntaxNode } from './source.ts';

const OUTSIDE_WORLD = new Set(
  'Date performance crypto setTimeout setInterval setImmediate queueMicrotask process fetch console globalThis require'.split(' '),
);
const NAME_HOLDERS: Readonly<Record<string, string>> = {
  MemberExpression: 'property',
  Property: 'key',
  MethodDefinition: 'key',
  PropertyDefinition: 'key',
  TSPropertySignature: 'key',
  TSMethodSignature: 'key',
  TSQualifiedName: 'right',
};
const ASSERTIONS = ['TSAsExpression', 'TSTypeAssertion', 'TSSatisfiesExpression'];
const RUNNERS = new Set(['test', 'it', 'describe', 'suite', 'bench']);
const NOT_RUN = new Set(['only', 'skip', 'todo']);
// Spelled so that this file does not contain what it looks for.
const MACHINE_PATH = new RegExp(`(?<![\\w.*}-])/(?:${['tmp', 'work', 'root', 'home'].join('|')})(?![\\w-])`, 'g');

// Where a path or the name of a step is taken apart: the number of a visit in a pattern, or a cut at a sign of one.
const CUT_PATH = new RegExp(
  [
    /(?<![\w@])#(?:\\d\+|1\$)|\('#'\)(?=[[.])|ndexOf\('#'\)/,
    /\b(?:path|own|group|first|step|id)\??\.(?:split|includes|indexOf|lastIndexOf)\('[/#]'\)/,
    /\b(?:step|id)\??\.(?:split|includes|indexOf|lastIndexOf)\('\.'\)/,
    /\.startsWith\(`\$\{(?:step|id|stage|group)\}[/#.]|\.slice\([\w.]*\bid\.length/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);
/** The home of paths, the number behind the name of a machine, and paths of files. */
const TAKES_APART: ReadonlySet<string> = new Set([
  ...['src/definition/address.ts', 'src/process/identity.ts', 'src/process/owner.ts'],
  ...['src/process/restore-files.ts', 'src/steps/protection/gate-files.ts'],
]);

// A name that begins with `$`, in a text or as a field. JSON schemas have others.
const OWN_NAME = /(?<=['`])\$(?!schema|comment|ref|omitted)[a-z]\w*(?=[:'])|(?<=\.)\$(?!schema)[a-z]\w*/g;

const PURE = ['src/kernel/', 'src/programs/'];

/** Clocks, randomness and I/O in the kernel and its programs: they arrive inside inputs, or a replay would differ. */
export function kernelViolations(source: Source): string[] {
  if (!PURE.some((folder) => source.path.startsWith(folder)) || isTest(source.path)) return [];
  const found = importsOf(source)
    .filter(({ target }) => !target.startsWith('src/'))
    .map(({ node, target }) => at(source, node.start, `imports ${target}; the kernel imports nothing from outside src`));
  for (const { node, parent } of nodesOf(source)) {
    if (node.type === 'Identifier' && OUTSIDE_WORLD.has(String(node.name)) && !isNameOnly(node, parent)) {
      found.push(at(source, node.start, `uses ${node.name}; in the kernel time, chance and the outside arrive inside inputs`));
    }
    if (isMember(node, 'Math', 'random'))
      found.push(at(source, node.start, 'uses Math.random; in the kernel chance arrives inside inputs'));
  }
  return found;
}

function isNameOnly(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  if (parent === undefined || parent.computed === true || parent.shorthand === true) return false;
  const slot = NAME_HOLDERS[parent.type];
  return slot !== undefined && parent[slot] === node;
}

function isMember(node: SyntaxNode, object: string, property: string): boolean {
  return (
    node.type === 'MemberExpression' && nameOf(node.object) === object && (nameOf(node.property) ?? literalOf(node.property)) === property
  );
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Identifier' ? String(node.name) : undefined;
}

function literalOf(node: unknown): unknown {
  return isNode(node) ? node.value : undefined;
}

/** Casts to any, and comments that silence the compiler or postpone work without an issue. */
export function silencingViolations(source: Source): string[] {
  const found: string[] = [];
  for (const { node } of nodesOf(source)) {
    const cast = ASSERTIONS.includes(node.type) && isNode(node.typeAnnotation) && node.typeAnnotation.type === 'TSAnyKeyword';
    if (cast) found.push(at(source, node.start, 'casts to any; narrow the value, or cast through unknown to what it is'));
  }
  for (const comment of source.comments) {
    const why = commentRefusal(comment.value);
    if (why !== undefined) found.push(at(source, comment.start, why));
  }
  return found;
}

function commentRefusal(text: string): string | undefined {
  if (/@ts-(ignore|nocheck)\b/.test(text)) return 'silences the compiler; fix the type';
  if (/\bFIXME\b/.test(text)) return 'holds a FIXME; fix it, or open an issue';
  if (/\bTODO\b(?!\s*\(?#\d+)/.test(text)) return 'holds a TODO without an issue number; write "TODO #12: …"';
  return undefined;
}

/** Tests that are left out, or that leave others out. */
export function unrunTestViolations(source: Source): string[] {
  const found: string[] = [];
  for (const { node } of nodesOf(source)) {
    if (node.type !== 'MemberExpression' || !NOT_RUN.has(nameOf(node.property) ?? '')) continue;
    const runner = rootOf(node.object);
    if (runner !== undefined && RUNNERS.has(runner))
      found.push(at(source, node.start, `${runner}.${nameOf(node.property)} leaves tests out`));
  }
  return found;
}

function rootOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'MemberExpression') return rootOf(node.object);
  return node.type === 'CallExpression' ? rootOf(node.callee) : nameOf(node);
}

/** Paths of steps that are taken apart: `address.ts` knows how they are written. */
export function addressViolations(source: Source): string[] {
  if (!source.path.startsWith('src/') || isTest(source.path) || TAKES_APART.has(source.path)) return [];
  return [...source.text.matchAll(CUT_PATH)].map((match) =>
    at(source, match.index, `takes a path apart (${match[0]}); src/definition/address.ts does that`),
  );
}

/** Names of the engine's own data that are spelled: `run-records.ts` knows them. */
export function ownNameViolations(source: Source): string[] {
  if (!source.path.startsWith('src/') || isTest(source.path)) return [];
  return [...source.text.matchAll(OWN_NAME)].map((match) =>
    at(source, match.index, `spells the name of a record (${match[0]}); src/steps/run-records.ts does that`),
  );
}

/** Absolute paths in src that exist on one machine only; a place comes from the caller or the operating system. */
export function machinePathViolations(source: Source): string[] {
  if (!source.path.startsWith('src/')) return [];
  return [...source.text.matchAll(MACHINE_PATH)].map((match) => at(source, match.index, `names the path ${match[0]} of a machine`));
}
