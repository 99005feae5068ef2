// P6: the time to start. Whole processes are timed from outside, alternating with `node -e 0`: a program that opens the
// store, runs a workflow of one step and exits, and the commands that people and agents call most often.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interleave, type Row } from './measure.ts';

const LIBRARY_TARGET = 2.6;
const COMMAND_TARGET = 2;
const DONE_TARGET = 3.4;
const SKILL_TARGET = 2.6;
const PAWL = fileURLToPath(new URL('../bin/pawl.js', import.meta.url));
const RUN = '0190a3c4-5d6e-7f80-91a2-b3c4d5e6f708';

/** The program of a user, in JavaScript: stripping types would take most of the time. */
const PROGRAM = `import { createEngine, defineWorkflow } from ${JSON.stringify(new URL('../dist/index.mjs', import.meta.url).href)};
const [db, id] = process.argv.slice(2);
const workflow = defineWorkflow({ name: 'cold', steps: { only: { handler: () => 'done', next: null } } });
const engine = await createEngine({ db, workflows: [workflow] });
await (await engine.start(workflow, {}, id === undefined ? {} : { id })).wait();
await engine.close();
`;

/** The rows of P6. */
export async function measureColdStart(repeats: number): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-cold-'));
  try {
    const program = join(folder, 'program.mjs');
    writeFileSync(program, PROGRAM);
    const db = join(folder, 'runs.db');
    timeOf([program, db, RUN]);
    let count = 0;
    const newFile = (): string => {
      count += 1;
      return join(folder, `${count}.db`);
    };
    const library = (): number => timeOf([program, newFile()]);
    const compiling = (): number => timeOf([program, newFile()], { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' });
    const rows = [
      await rowOf(repeats, { id: 'P6', what: 'a program that runs one step on a new store', target: LIBRARY_TARGET, run: library }),
      await rowOf(repeats, { id: 'P6c', what: 'the same without code that was compiled before', run: compiling }),
    ];
    for (const [id, words] of Object.entries({ P6s: ['show', RUN], P6g: ['inbox'], P6r: ['runs'] })) {
      const run = (): number => timeOf([PAWL, ...words, '--db', db]);
      rows.push(await rowOf(repeats, { id, what: `\`pawl ${words[0]}\``, target: COMMAND_TARGET, run }));
    }
    return [...rows, ...(await measureAttended(folder, repeats)), ...(await measureSkills(folder, repeats))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A workflow file with three agent steps. */
const ATTENDED = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: steps }
stages:
  - { id: plan, type: agent, agent: planner, action: Plan it. }
  - { id: build, type: agent, agent: builder, action: Build it. }
  - { id: check, type: agent, agent: checker, action: Check it. }
`;

/** The rows of the commands that an agent calls for every step. Each measured report is the first of a separate run. */
async function measureAttended(folder: string, repeats: number): Promise<readonly Row[]> {
  const file = join(folder, 'steps.yaml');
  writeFileSync(file, ATTENDED);
  const common = ['--project', folder, '--db', join(folder, 'attended.db')];
  const env = { ...process.env, PAWL_STATE: join(folder, 'state') };
  // Only a person can trust a workflow with `pawl trust`, so the benchmark writes the file itself.
  mkdirSync(env.PAWL_STATE, { mode: 0o700 });
  writeFileSync(join(env.PAWL_STATE, 'trust.json'), JSON.stringify({ version: 1, folders: { [realpathSync(folder)]: '' }, files: {} }));
  // One report for each turn, one for the turn that is not counted, and one run that `pawl next` only reads.
  const begun = Array.from({ length: repeats + 2 }, () => reportOf(outputOf([PAWL, 'run', file, '--attended', ...common], env)));
  const [open, ...reported] = begun;
  const next = (): number => timeOf([PAWL, 'next', open?.run ?? '', ...common], env);
  const done = (): number => {
    const { run = '', token = '' } = reported.pop() ?? {};
    return timeOf([PAWL, 'done', run, `--token=${token}`, ...common], env);
  };
  return [
    await rowOf(repeats, { id: 'P6n', what: '`pawl next`', target: COMMAND_TARGET, run: next }),
    await rowOf(repeats, { id: 'P6d', what: '`pawl done`, of a workflow file', target: DONE_TARGET, run: done }),
  ];
}

/** The rows of `pawl skill step`: a skill that comes with Pawl, and a new skill of the project in JavaScript and in TypeScript. */
async function measureSkills(folder: string, repeats: number): Promise<readonly Row[]> {
  const env = { ...process.env, PAWL_STATE: join(folder, 'state') };
  const at = (name: string): string => join(folder, '.pawl/skills', name);
  for (const name of ['plain', 'typed']) outputOf([PAWL, 'skill', 'new', name, '--project', folder], env);
  renameSync(join(at('typed'), 'skill.mjs'), join(at('typed'), 'skill.ts'));
  const rows: Row[] = [];
  for (const [id, name, what] of [
    ['P6k', 'codebase-analysis', 'that comes with Pawl'],
    ['P6j', 'plain', 'of the project, in JavaScript'],
    ['P6t', 'typed', 'of the project, in TypeScript'],
  ] as const) {
    const run = (): number => timeOf([PAWL, 'skill', 'step', name, '--step', '1', '--project', folder], env);
    rows.push(await rowOf(repeats, { id, what: `\`pawl skill step\`, a skill ${what}`, target: SKILL_TARGET, run }));
  }
  return rows;
}

/** The run and the token in the instructions that an agent got. */
function reportOf(instructions: string): { readonly run: string; readonly token: string } {
  const [, run = '', token = ''] = /pawl done (\S+) --token=(\S+)/.exec(instructions) ?? [];
  return { run, token };
}

function outputOf(words: readonly string[], env: NodeJS.ProcessEnv): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`node ${words.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

interface ColdStart {
  readonly id: string;
  readonly what: string;
  readonly target?: number;
  readonly run: () => number;
}

async function rowOf(repeats: number, { id, what, target = Number.POSITIVE_INFINITY, run }: ColdStart): Promise<Row> {
  const { floor, pawl, ratio, own } = await interleave(repeats, { floor: () => timeOf(['-e', '0']), pawl: async () => run() });
  return {
    id,
    what: `cold start: ${what}, against \`node -e 0\``,
    measured: `${ratio.toFixed(2)}× (${pawl.toFixed(0)} ms, ${floor.toFixed(0)} ms)`,
    target: Number.isFinite(target) ? `≤ ${target}×` : '—',
    met: ratio <= target,
    json: { ratio, ownUs: own * 1000, ms: pawl, nodeMs: floor },
  };
}

/** The time in milliseconds from the start of a Node process to its end. */
function timeOf(words: readonly string[], env: NodeJS.ProcessEnv = process.env): number {
  const begin = performance.now();
  const { status, stderr } = spawnSync(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  const ms = performance.now() - begin;
  if (status !== 0) throw new Error(`node ${words.join(' ')} ended with ${status}: ${stderr}`);
  return ms;
}
