// What a command loads is what its user waits for, so each command that is called all day has a list of what it may
// load. The files of the bundle are taken from the process, and what is in them from their source maps.

import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import { createEngine } from '../../src/index.ts';
import { CliRig } from './rig.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const ID = '01900000-0000-7000-8000-000000000001';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

/** A module to be loaded first, which writes down every file that is loaded after it. */
const RECORDER = `import { registerHooks } from 'node:module';
import { appendFileSync } from 'node:fs';
registerHooks({
  load: (url, context, next) => {
    appendFileSync(process.env.LOADED_FILES, url + '\\n');
    return next(url, context);
  },
});
`;

/** The sources in what a command loads, with paths from the root of the project, and the modules of Node. */
async function loadedBy(words: readonly string[]): Promise<readonly string[]> {
  const recorder = rig.write('recorder.mjs', RECORDER);
  const file = join(rig.folder, 'loaded');
  rmSync(file, { force: true });
  const { code, stderr } = await rig.run(words, {
    env: { NODE_OPTIONS: `--import=${pathToFileURL(recorder).href}`, LOADED_FILES: file },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const urls = readFileSync(file, 'utf8').trimEnd().split('\n');
  // What lies in one file with all it takes is read by the launcher itself.
  const alone = join(inject('bundle'), 'cli', `${words[0]}.run.js`);
  if (existsSync(alone)) urls.push(pathToFileURL(alone).href);
  return [...new Set(urls.flatMap(sourcesOf))].sort();
}

function sourcesOf(url: string): string[] {
  if (url.startsWith('node:')) return [url];
  const path = fileURLToPath(url);
  // The launcher is no bundle, and its folder is copied.
  if (path.startsWith(import.meta.dirname) || basename(dirname(path)) === 'bin') return [];
  const map = JSON.parse(readFileSync(`${path}.map`, 'utf8')) as SourceMap;
  return usedSources(map).map((source) => relative(ROOT, resolve(dirname(path), source)).replace(/^.*(?=node_modules\/)/, ''));
}

interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The sources of which something is in the file: a map also names those that were looked at and left out. */
function usedSources({ sources, mappings }: SourceMap): string[] {
  const used = new Set<number>();
  let source = 0;
  for (const segment of mappings.split(/[;,]/)) {
    const [, step] = numbersOf(segment);
    if (step === undefined) continue;
    source += step;
    used.add(source);
  }
  return [...used].map((index) => sources[index] as string);
}

/** Numbers as source maps write them: digits of five bits, the lowest first, the last bit of a number is its sign. */
function numbersOf(segment: string): number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const digit of segment) {
    const bits = DIGITS.indexOf(digit);
    value |= (bits & 31) << shift;
    shift += 5;
    if ((bits & 32) !== 0) continue;
    numbers.push((value & 1) === 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}

async function makeRun(db: string): Promise<void> {
  const engine = await createEngine({ db });
  const workflow = defineWorkflow({ name: 'small', steps: [{ id: 'one', handler: () => null, next: null }] });
  await (await engine.start(workflow, {}, { id: ID })).wait();
  await engine.close();
}

const SMALL = `import { defineWorkflow } from 'pawl/compat';
export default defineWorkflow({ name: 'small', steps: [{ id: 'one', handler: () => null, next: null }] });
`;

/** What every command loads; a folder ends with a slash. */
const FRAME = [
  'src/base/',
  'src/cli/catalogue/',
  ...['catalogue', 'command', 'failure', 'help', 'main', 'package', 'parse', 'shell', 'terminal'].map((name) => `src/cli/${name}.ts`),
  // What a verb takes is looked up for each; the rest is loaded by those that take something, or lies in one file with them.
  'src/authority/',
  ...['actor', 'agent-session', 'project', 'right', 'settings', 'signed-projects', 'state-file', 'tokens', 'trust', 'trust-signature'].map(
    (name) => `src/cli/${name}.ts`,
  ),
  'src/definition/hash.ts',
  'src/engine/gates.ts',
  'src/engine/signature-proof.ts',
  'src/engine/signatures.ts',
  'src/kernel/question-digest.ts',
  ...['check-signatures', 'identity', 'identity-signing', 'passphrase', 'store-origin'].map((name) => `src/cli/${name}.ts`),
  'src/process/process-table.ts',
];
/** What finding the project takes. */
const PROJECT = ['src/cli/project.ts'];
/** What reading the database takes; `apply` is there to hold a checkpoint against its log. */
const STORE = [
  ...['session', 'settings', 'status', 'time'].map((name) => `src/cli/${name}.ts`),
  'src/store/',
  ...['identity', 'owner', 'process-table'].map((name) => `src/process/${name}.ts`),
  ...['apply', 'run-state', 'status'].map((name) => `src/kernel/${name}.ts`),
  'src/definition/budget.ts',
];

const STORY = [
  ...['', '-command', '-evidence', '-facts', '-history', '-lines', '-steps', '-text', '-usage'].map((name) => `src/cli/story${name}.ts`),
  'src/cli/caller.ts',
  'src/cli/name-order.ts',
  'src/engine/gates.ts',
  'src/engine/inspect.ts',
];

/** What reading the open work and the questions of agents takes. */
const ATTENDED = ['src/cli/attended-standing.ts', 'src/cli/progress-rest.ts', 'src/engine/reports.ts', 'src/process/key-file.ts'];

const MAY_LOAD: Readonly<Record<string, readonly string[]>> = {
  '--help': FRAME,
  '--version': FRAME,
  runs: [...FRAME, ...PROJECT, ...STORE, 'src/cli/caller.ts', 'src/cli/story-usage.ts', 'src/cli/commands/runs.ts'],
  [`show ${ID}`]: [...FRAME, ...PROJECT, ...STORE, ...STORY, 'src/cli/commands/show.ts'],
  [`next ${ID}`]: [
    ...FRAME,
    ...PROJECT,
    ...STORE,
    ...STORY,
    ...ATTENDED,
    'src/cli/attended.ts',
    'src/cli/attended-xml.ts',
    'src/cli/commands/next.ts',
  ],
  gates: [
    ...FRAME,
    ...PROJECT,
    ...STORE,
    ...ATTENDED,
    'src/cli/attended-answer.ts',
    ...['actor', 'commands/gates', 'decision', 'decision-gates', 'decision-prompt', 'caller', 'story-command'].map(
      (name) => `src/cli/${name}.ts`,
    ),
    'src/engine/gates.ts',
  ],
  list: [
    ...FRAME,
    ...PROJECT,
    'src/cli/commands/list.ts',
    'src/cli/definitions.ts',
    'src/cli/settings.ts',
    'src/authoring/',
    'src/definition/',
    'src/expr/',
    'src/kernel/',
    'node_modules/acorn/',
  ],
  'completion bash --words run': [
    ...FRAME,
    ...PROJECT,
    ...STORE,
    ...['commands/completion', 'completion', 'completion-words', 'definitions', 'role-files'].map((name) => `src/cli/${name}.ts`),
  ],
};

function besides(loaded: readonly string[], allowed: readonly string[]): string[] {
  return loaded.filter(
    (path) => !path.startsWith('node:') && !allowed.some((at) => (at.endsWith('/') ? path.startsWith(at) : path === at)),
  );
}

test.each(Object.entries(MAY_LOAD))('pawl %s loads no more than it uses', async (line, allowed) => {
  const db = join(rig.state, 'runs.db');
  mkdirSync(rig.state, { mode: 0o700 });
  await makeRun(db);
  rig.write('.pawl/workflows/small.ts', SMALL);
  expect(besides(await loadedBy([...line.split(' '), ...(line.startsWith('--') ? [] : ['--db', db])]), allowed)).toEqual([]);
});
