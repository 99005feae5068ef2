// Owns the import order: which folder of src may import which, and which neighbours may not know each other. Tests
// are free of it: they bind folders together on purpose and are never shipped.

import { dirname, posix } from 'node:path';
import { at, isTest, nodesOf, type Source, type SyntaxNode } from './source.ts';

const BELOW_STEPS = ['base', 'expr', 'definition', 'kernel', 'programs', 'process', 'authority', 'agents', 'forge', 'safe-db'];
const BELOW_HOSTS = [...BELOW_STEPS, 'store', 'steps'];
const BELOW_KINDS = [...BELOW_STEPS, 'authoring', 'steps'];
const BELOW_API = [...BELOW_HOSTS, 'notify', 'authoring', 'engine', 'kinds'];
const BELOW_ATTENDED = [...BELOW_API, 'api'];
const BELOW_CONTROL = [...BELOW_ATTENDED, 'attended'];
const BELOW_SERVERS = [...BELOW_CONTROL, 'control'];
const BELOW_PROOF = [...BELOW_ATTENDED, 'restate', 'skills'];
const BELOW_CLI = [...BELOW_PROOF, 'proof', 'attended', 'control', 'server', 'mcp'];

// What each folder of src may import besides itself, in import order.
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  expr: ['base'],
  definition: ['base', 'expr'],
  kernel: ['base', 'expr', 'definition'],
  programs: ['base', 'expr', 'definition', 'kernel'],
  authoring: ['base', 'expr', 'definition', 'kernel', 'programs', 'kinds'],
  store: ['base', 'definition', 'kernel'],
  'safe-db': ['base'],
  process: ['base'],
  authority: ['base', 'process'],
  agents: ['base', 'definition', 'process'],
  forge: ['base', 'definition', 'process'],
  steps: BELOW_STEPS,
  notify: ['base', 'process', 'steps'],
  kinds: BELOW_KINDS,
  engine: BELOW_HOSTS,
  restate: BELOW_HOSTS,
  api: BELOW_API,
  compat: BELOW_ATTENDED,
  skills: ['base', 'definition', 'authoring'],
  proof: BELOW_PROOF,
  attended: BELOW_ATTENDED,
  control: BELOW_CONTROL,
  server: BELOW_SERVERS,
  mcp: BELOW_SERVERS,
  cli: BELOW_CLI,
};

// The list of what authors write for each kind. It has nothing but types, so whoever reads it loads no kind.
const SPEC_LIST = 'src/kinds/spec.ts';

// The schemas of reports. Only the server, which answers with them, loads them.
const REPORT_SCHEMAS = 'src/control/schema/';

// Hosts see the store as a contract; which driver is behind it is decided by whoever wires them.
const ONLY_FILE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  authoring: { kinds: SPEC_LIST },
  engine: { store: 'src/store/store.ts' },
  restate: { store: 'src/store/store.ts' },
};

// What a file of a kind may import by its name; one with another name declares something.
const OF_KIND: Readonly<Record<string, readonly string[]>> = {
  'declare.ts': ['base', 'expr', 'definition'],
  'spec.ts': ['base', 'expr', 'definition', 'kernel', 'programs', 'authoring'],
  'compile.ts': ['base', 'expr', 'definition', 'kernel', 'programs', 'authoring'],
  'run.ts': [...BELOW_STEPS, 'steps'],
  'kind.ts': BELOW_KINDS,
  'check.ts': BELOW_KINDS,
};

// Where every folder is a neighbour of the others, the members need no list.
const NEIGHBOURS: Readonly<Record<string, readonly string[] | 'folders'>> = {
  'src/store': ['sqlite', 'postgres'],
  'src/agents': ['attended', 'acp', 'claude-code', 'codex', 'ai-sdk', 'command', 'scripted'],
  'src/kinds': 'folders',
  'src/kinds/gate/checks': 'folders',
};

/** Imports of one file that point up, sideways into a neighbour, or past a contract. */
export function layerViolations(source: Source): string[] {
  if (!source.path.startsWith('src/') || isTest(source.path)) return [];
  return importsOf(source).flatMap(({ node, target }) => {
    const why =
      refusal(source.path, target) ?? (loadsTypes(source.path, target, node) ? `imports more than types from ${target}` : undefined);
    return why === undefined ? [] : [at(source, node.start, why)];
  });
}

/** Whether the types of what authors write would load something, or the types of reports zod, without which a command starts. */
function loadsTypes(path: string, target: string, { importKind, exportKind, type }: SyntaxNode): boolean {
  if (importKind === 'type' || exportKind === 'type' || type === 'TSImportType') return false;
  if (target.startsWith(REPORT_SCHEMAS) && !path.startsWith(REPORT_SCHEMAS) && folderOf(path) !== 'server') return true;
  return [path, target].some((file) => /^src\/kinds\/([a-z-]+\/)*spec\.ts$/.test(file));
}

/** Every module a file asks for: static, re-exported, dynamic and in a type. */
export function importsOf(source: Source): { node: SyntaxNode; target: string }[] {
  const found: { node: SyntaxNode; target: string }[] = [];
  for (const { node } of nodesOf(source)) {
    const from = node.source as { value?: unknown } | null | undefined;
    if (typeof from?.value === 'string') found.push({ node, target: resolve(source.path, from.value) });
  }
  return found;
}

function resolve(path: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.normalize(posix.join(dirname(path), specifier)) : specifier;
}

function refusal(path: string, target: string): string | undefined {
  if (!/^[a-z]+\//.test(target) || path.split('/').length < 3) return undefined;
  const from = folderOf(path);
  const to = folderOf(target);
  const allowed = ofKind(path) ?? MAY_IMPORT[from];
  if (allowed === undefined) return `lies in src/${from}, which has no place in the import order; give it one in test/tidy/layers.ts`;
  if (!target.startsWith('src/')) return looksLocal(target) ? `imports ${target}, which is outside src` : undefined;
  if (from === to) return neighbourRefusal(path, target) ?? layerOfKindRefusal(path, target);
  if (!allowed.includes(to)) return `imports ${target}; src/${from} may import: ${allowed.join(', ') || 'nothing'}`;
  const only = ONLY_FILE[from]?.[to];
  return only === undefined || only === target ? undefined : `imports ${target}; of src/${to} it may import ${only} only`;
}

/** What a file in the folder of a kind may import; undefined for files that list the kinds. */
function ofKind(path: string): readonly string[] | undefined {
  if (!path.startsWith('src/kinds/') || path.split('/').length < 4) return undefined;
  return OF_KIND[posix.basename(path)] ?? OF_KIND['declare.ts'];
}

/** Inside of a kind, a file may import the types of `spec.ts` and those that see no more than it does, never the list of kinds. */
function layerOfKindRefusal(path: string, target: string): string | undefined {
  const mine = ofKind(path);
  if (mine === undefined) return undefined;
  const other = ofKind(target);
  if ((other !== undefined && posix.basename(target) === 'spec.ts') || other?.every((folder) => mine.includes(folder))) return undefined;
  return `imports ${target}, which sees more than ${posix.basename(path)} of a kind may`;
}

function looksLocal(target: string): boolean {
  return /\.(ts|js|json)$/.test(target) && /^(test|scripts|bench|examples|dashboard|bin|dist)\//.test(target);
}

function folderOf(path: string): string {
  const parts = path.split('/');
  return parts.length < 3 ? '' : (parts[1] as string);
}

function neighbourRefusal(path: string, target: string): string | undefined {
  for (const [folder, members] of Object.entries(NEIGHBOURS)) {
    const mine = memberOf(path, folder, members);
    const other = memberOf(target, folder, members);
    if (mine !== undefined && other !== undefined && mine !== other) return `imports ${target}; ${mine} and ${other} are neighbours`;
  }
  return undefined;
}

function memberOf(path: string, folder: string, members: readonly string[] | 'folders'): string | undefined {
  if (!path.startsWith(`${folder}/`)) return undefined;
  const [first = '', ...rest] = path.slice(folder.length + 1).split('/');
  if (members === 'folders') return rest.length === 0 ? undefined : first;
  return members.find((member) => first === member || first === `${member}.ts`);
}
