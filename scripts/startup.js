// Writes `startup.json`: the sources that small programs with the library and the most frequent commands execute. They
// are built and run under V8's coverage; a source counts if one of its functions was called. `bundle.js` puts
// these sources into the files that are loaded first.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundle, root } from './bundle.js';
import { CATALOGUE } from './shipped-skills.js';

const folder = mkdtempSync(join(tmpdir(), 'pawl-startup-'));
/** Below the checkout, since commands find templates there. */
const built = join(root, 'node_modules', '.cache', 'pawl-startup');
const env = { ...process.env, NODE_NO_WARNINGS: '1', PAWL_STATE: join(folder, 'state') };

/** What every program does: one step, on a new store and on one that exists. */
const SMALL_PROGRAM = `import { createEngine, defineWorkflow } from '${pathToFileURL(join(built, 'dist/index.mjs')).href}';
const workflow = defineWorkflow({ name: 'small', steps: { only: { handler: () => 'done', next: null } } });
const engine = await createEngine({ db: process.argv[2], workflows: [workflow] });
await (await engine.start(workflow)).wait();
await engine.close();
`;

/** A command and a loop with a condition: with a new store, and where another program left a run behind. */
const PROGRAM = `import { createEngine, defineWorkflow } from '${pathToFileURL(join(built, 'dist/index.mjs')).href}';
const [db, mode] = process.argv.slice(2);
const last = () => (mode === 'leave' ? process.exit() : 'done');
const workflow = defineWorkflow({ name: 'small', limits: { maxIterations: 5 }, steps: {
  build: { recovery: 'rerun', command: [process.execPath, '--version'], next: 'work' },
  work: { recovery: 'rerun', handler: (ctx) => ({ n: Number(ctx.checkpoint.n ?? 0) + 1 }),
    next: { condition: 'result.n >= 3', onTrue: 'last', onFalse: 'work', maxIterations: 5 } },
  last: { recovery: 'rerun', handler: last, next: null },
} });
const engine = await createEngine({ db, workflows: [workflow] });
await engine.recover();
await (await engine.start(workflow)).wait();
await engine.close();
`;

const WORKFLOW = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: steps }
stages:
  - { id: plan, type: agent, agent: planner, action: Plan it. }
  - { id: build, type: agent, agent: builder, action: Build it. }
`;

/**
 * The sources in which a function was called while some words were run.
 * @param {readonly string[]} words
 * @param {boolean} [isCounted]
 */
function executedBy(words, isCounted = true) {
  const coverage = join(folder, 'coverage');
  const { stdout, stderr, status } = spawnSync(process.execPath, words, {
    env: { ...env, ...(isCounted ? { NODE_V8_COVERAGE: coverage } : {}) },
    encoding: 'utf8',
  });
  if (status !== 0 && status !== 3) throw new Error(`node ${words.join(' ')} ended with ${status}: ${stderr}`);
  const sources = isCounted ? readdirSync(coverage).flatMap((file) => calledIn(join(coverage, file))) : [];
  rmSync(coverage, { recursive: true, force: true });
  return { sources, stdout };
}

/** @param {string} file */
function calledIn(file) {
  /** @type {{ result: { url: string, functions: { functionName: string, ranges: { startOffset: number, count: number }[] }[] }[] }} */
  const { result } = JSON.parse(readFileSync(file, 'utf8'));
  return result.flatMap(({ url, functions }) => {
    const path = url.startsWith('file:') ? fileURLToPath(url) : '';
    if (!path.startsWith(join(built, 'dist')) || !path.endsWith('.cjs')) return [];
    const sourceAt = sourcesOf(path);
    // Not counted: a file, a source that is loaded on demand (its function has the name of the source), what initializes a
    // class, and functions without a name, which are either inside of others or called when their source is loaded.
    const called = functions.filter(({ functionName, ranges: [range] }) => /^[^</]+$/.test(functionName) && (range?.count ?? 0) > 0);
    return called.flatMap(({ ranges: [range] }) => sourceAt(range?.startOffset ?? 0));
  });
}

/**
 * Finds the source of a place in a bundled file.
 * @param {string} path
 * @returns {(offset: number) => string[]}
 */
function sourcesOf(path) {
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  const lineStarts = [0, ...[...readFileSync(path, 'utf8').matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    const line = lineStarts.findLastIndex((start) => start <= offset);
    const entry = map.findEntry(line, offset - (lineStarts[line] ?? 0));
    const source =
      'originalSource' in entry
        ? relative(root, resolve(dirname(path), entry.originalSource))
            .split(sep)
            .join('/')
        : '';
    return source.startsWith('src/') ? [source] : [];
  };
}

/** @param {readonly string[]} words */
const command = (...words) => [join(built, 'bin', 'pawl.js'), ...words, '--project', folder, '--db', join(folder, 'commands.db')];

try {
  await bundle(join(built, 'dist'), [CATALOGUE], { minify: false });
  cpSync(join(root, 'bin'), join(built, 'bin'), { recursive: true });
  const small = join(folder, 'small.mjs');
  writeFileSync(small, SMALL_PROGRAM);
  const library = [1, 2].flatMap(() => executedBy([small, join(folder, 'small.db')]).sources);
  const program = join(folder, 'program.mjs');
  writeFileSync(program, PROGRAM);
  const often = ['run', 'leave', 'resume'].flatMap((mode) => executedBy([program, join(folder, 'runs.db'), mode]).sources);
  const file = join(folder, 'steps.yaml');
  writeFileSync(file, WORKFLOW);
  // Only a person can trust a workflow, so the file that says so is written here.
  mkdirSync(env.PAWL_STATE, { mode: 0o700 });
  writeFileSync(join(env.PAWL_STATE, 'trust.json'), JSON.stringify({ version: 1, folders: { [realpathSync(folder)]: '' }, files: {} }));
  executedBy(command('skill', 'new', 'own'), false);
  const { stdout } = executedBy(command('run', file, '--attended'), false);
  const [, run = '', token = ''] = /pawl done (\S+) --token=(\S+)/.exec(stdout) ?? [];
  const commands = [
    ['next', run],
    ['show', run],
    ['runs'],
    ['inbox'],
    ['skill', 'step', 'codebase-analysis', '--step', '1'],
    ['skill', 'step', 'own', '--step', '1'],
    ['done', run, `--token=${token}`],
  ].map((words) => command(...words));
  // Runs of the program above have ended.
  commands.push(...['runs', 'inbox'].map((word) => [join(built, 'bin', 'pawl.js'), word, '--db', join(folder, 'runs.db')]));
  const [ended = ''] =
    /\S+/.exec(
      executedBy(commands.at(-2) ?? [], false)
        .stdout.split('\n')
        .find((line) => line.includes('completed')) ?? '',
    ) ?? [];
  commands.push([join(built, 'bin', 'pawl.js'), 'show', ended, '--db', join(folder, 'runs.db')]);
  const executed = commands.flatMap((words) => executedBy(words).sources);
  const sorted = (/** @type {readonly string[]} */ sources) => [...new Set(sources)].sort();
  writeFileSync(
    join(root, 'scripts', 'startup.json'),
    `${JSON.stringify({ library: sorted(library), often: sorted(often.filter((source) => !library.includes(source))), commands: sorted(executed) }, null, 2)}\n`,
  );
} finally {
  for (const each of [folder, built]) rmSync(each, { recursive: true, force: true });
}
