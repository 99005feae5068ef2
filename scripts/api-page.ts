// Owns the reference of the library as documents: for each published entry a page with every name that it exports, by topic.

import { posix } from 'node:path';
import { type Module, parseModule, reexports, type ShownDeclaration, showDeclaration, withoutComments } from './api-declaration.ts';
import { withKinds } from './api-kind.ts';
import { anchorsOf } from './site-pages.ts';

/** A page of the reference. */
export interface ApiPage {
  readonly file: string;
  readonly text: string;
}

interface Shown extends ShownDeclaration {
  readonly name: string;
  readonly path: string;
}

/** An entry of the package: what users import, the file behind it, and what it is for. */
interface Entry {
  readonly specifier: string;
  readonly path: string;
  readonly page: string;
  /** The heading of the page, if it is not the specifier. */
  readonly title?: string;
  readonly about: string;
  /** The names that most programs import. */
  readonly usual: string;
}

const ENTRIES: readonly Entry[] = [
  {
    specifier: 'pawl',
    path: 'src/index.ts',
    usual: 'arg, createEngine, defineWorkflow, step, workflow',
    page: 'pawl.md',
    about:
      'Everything to write workflows in TypeScript and to run them in your own program. The types that agents, stores, forges, logs and definitions are made of are on [a page of their own](pawl-parts.md).',
  },
  {
    specifier: 'pawl/compat',
    path: 'src/compat/index.ts',
    usual: 'defineWorkflow, Outcome, StepDef, Workflow',
    page: 'compat.md',
    about: 'Other ways to write the same workflows: lists of steps, step objects and classes.',
  },
  {
    specifier: 'pawl/safe-db',
    path: 'src/safe-db/index.ts',
    usual: 'SafeDatabaseClient, backUp, migrate, restoreBackup',
    page: 'safe-db.md',
    about: 'A SQLite database whose rows cannot be lost by accident: [protected data](../../guides/protected-data.md).',
  },
  {
    specifier: 'pawl/server',
    path: 'src/server/index.ts',
    usual: 'createServer',
    page: 'server.md',
    about: 'The HTTP API, the event streams and the dashboard of an engine, for a program to mount: [the server](../../guides/server.md).',
  },
  {
    specifier: 'pawl/skills',
    path: 'src/skills/index.ts',
    usual: 'defineSkill, renderStep, runSkill, skillWorkflow',
    page: 'skills.md',
    about: 'Instructions for agents, step by step: [skills](../../guides/skills.md), their blocks and their rendering.',
  },
  {
    specifier: 'pawl/testing',
    path: 'src/proof/index.ts',
    usual: 'createVirtualClock, proveCrashes, runHostile, simulate',
    page: 'testing.md',
    about:
      'Tools to test workflows: a clock that you set, [crash proofs](../../guides/crash-proof.md), [simulation](../../guides/simulation.md) and [agents that cheat](../../guides/hostile-agents.md).',
  },
  {
    specifier: 'pawl/testing/suites',
    path: 'src/proof/suites/index.ts',
    usual: 'describeCheck, describeDriver, describeForge, describeStepKind, describeStore',
    page: 'testing-suites.md',
    about:
      'The tests that every store, agent driver, forge, step kind and gate check must pass, for your own implementations. They need vitest.',
  },
];

/** The types of `pawl` that few programs name. */
const PARTS: Entry = {
  specifier: 'pawl',
  path: 'src/parts.ts',
  usual: 'type Definition, type RunOrigin, type RunState',
  page: 'pawl-parts.md',
  title: 'Parts of pawl',
  about: 'Types that few programs name, because the compiler infers them. The rest is in [pawl](pawl.md).',
};

/** The headings of a page, by the folder of `src` that owns a name, in the order of the page. */
const TOPICS: Readonly<Record<string, string>> = {
  api: 'Workflows and the engine',
  authoring: 'Parts of a workflow',
  kinds: 'Kinds of steps',
  programs: 'Flows',
  definition: 'Parameters, results and custom kinds',
  engine: 'Runs',
  agents: 'Agents',
  steps: 'Checks, roles and services',
  forge: 'Forge',
  notify: 'Notifications',
  store: 'Stores',
  kernel: 'State of a run',
  authority: 'Identity and signatures',
  process: 'Programs',
  compat: 'The syntax of older workflows',
  'safe-db': 'Protected databases',
  server: 'The server',
  skills: 'Skills',
  proof: 'Testing',
  base: 'Errors and values',
};

/** Files whose names belong under the heading of another folder. */
const UNDER: Readonly<Record<string, string>> = { 'src/programs/undo.ts': 'engine' };

const NOTE = '<!-- Written by scripts/reference.js from the types and their comments; changes here are lost. -->';

/** Every page of the reference; `read` gives the text of a file of the repository. */
export function apiPages(read: (path: string) => string): ApiPage[] {
  const modules = new Map<string, Module>();
  const load = (path: string): Module => {
    const module = modules.get(path) ?? parseModule(path, read(path));
    modules.set(path, module);
    return module;
  };
  const main = ENTRIES[0] as Entry;
  const named = new Set([main, PARTS].flatMap(({ path }) => reexports(load(path)).map(({ name }) => name)));
  const parts = entryPage(PARTS, load, () => undefined);
  const anchors = anchorsByHeading([...parts.matchAll(/^##+ (.+)$/gm)].map(([, heading = '']) => heading));
  const inParts = (name: string): string | undefined =>
    named.has(name) && anchors.has(name) ? `${PARTS.page}#${anchors.get(name)}` : undefined;
  const pages = ENTRIES.map((entry) => ({ file: entry.page, text: entryPage(entry, load, inParts) }));
  return [{ file: 'README.md', text: overview() }, ...pages, { file: PARTS.page, text: parts }];
}

function overview(): string {
  const rows = ENTRIES.map(({ specifier, page, about }) => `| [\`${specifier}\`](${page}) | ${about} |`);
  return ['# TypeScript API', '', NOTE, '', '| import | what it is |', '|---|---|', ...rows, ''].join('\n');
}

type Load = (path: string) => Module;
/** Where a name is explained, if it is. */
type Link = (name: string) => string | undefined;

function entryPage({ specifier, title = specifier, path, about, usual }: Entry, load: Load, inParts: Link): string {
  const names = reexports(load(path));
  const shown = names.map(({ name, origin }) => ({ ...resolve(load, { path, ...origin }), name }));
  return page([`# ${title}`, '', NOTE, '', about, '', '```ts', `import { ${usual} } from '${specifier}';`, '```', ''], shown, inParts);
}

function target(path: string, from: string): string {
  return posix.join(posix.dirname(path), from);
}

/** The declaration behind a name, through modules that only pass it on. */
function resolve(load: Load, { path, from, name }: { readonly path: string; readonly from: string; readonly name: string }): Shown {
  const file = target(path, from);
  const found = showDeclaration(load(file), name);
  if (found !== undefined) return { ...found, code: withKinds(found.code, load), name, path: file };
  const next = reexports(load(file)).find((one) => one.name === name);
  if (next === undefined) throw new Error(`${path} exports ${name} from ${file}, which has no such declaration`);
  return resolve(load, { path: file, ...next.origin });
}

const KINDS = ['function', 'class', 'constant', 'type'];

function page(head: readonly string[], shown: readonly Shown[], inParts: Link): string {
  const topics = Map.groupBy(shown, ({ path }) => UNDER[path] ?? path.split('/')[1] ?? '');
  const unknown = [...topics.keys()].find((folder) => TOPICS[folder] === undefined);
  if (unknown !== undefined) throw new Error(`no topic for names of src/${unknown}: add one to TOPICS in scripts/api-page.ts`);
  const ordered = Object.keys(TOPICS).flatMap((folder) => {
    const names = [...(topics.get(folder) ?? [])].sort(
      (a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || (a.name < b.name ? -1 : 1),
    );
    return names.length === 0 ? [] : [{ title: TOPICS[folder] ?? '', names }];
  });
  const anchors = anchorsByHeading(ordered.flatMap((topic) => [topic.title, ...topic.names.map(({ name }) => name)]));
  const names = new Set(shown.map(({ name }) => name));
  const link: Link = (name) => (names.has(name) ? `#${anchors.get(name)}` : inParts(name));
  const index = ordered.map((topic) => `**${topic.title}**: ${topic.names.map(({ name }) => `[${name}](${link(name)})`).join(' · ')}`);
  const sections = ordered.flatMap((topic) => [`## ${topic.title}`, '', ...topic.names.flatMap((name) => section(name, link))]);
  return [...head, ...index.flatMap((line) => [line, '']), ...sections].join('\n').replace(/\n+$/, '\n');
}

/** The anchor of each heading, by its text; the first one of two with the same text. */
function anchorsByHeading(headings: readonly string[]): Map<string, string> {
  const anchors = anchorsOf(headings);
  return new Map(headings.map((heading, index) => [heading, anchors[index] as string] as const).reverse());
}

function section({ name, comment, code }: Shown, link: Link): string[] {
  const words = new Set(withoutComments(code).match(/\b[A-Z]\w*\b/g));
  const mentioned = [...words].filter((word) => word !== name && link(word) !== undefined);
  const see = mentioned.sort().map((word) => `[${word}](${link(word)})`);
  return [
    `### ${name}`,
    '',
    ...(comment === '' ? [] : [comment, '']),
    '```ts',
    code,
    '```',
    '',
    ...(see.length === 0 ? [] : [`See ${see.join(', ')}.`, '']),
  ];
}
