// P3a: one run with many branches whose workers take time: functions, agents and commands. Every run must complete. The time
// that the engine adds to that of the workers is compared with a run whose branches do nothing, measured alternately.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createScriptedDriver } from '../src/agents/scripted.ts';
import { createEngine, type Engine } from '../src/api/engine.ts';
import { compileGraph } from '../src/authoring/graph/graph.ts';
import type { CompiledWorkflow } from '../src/definition/code.ts';
import { REGISTRY } from '../src/kinds/registry.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import { WAL_AUTOCHECKPOINT } from './floor.ts';
import { median, type Row } from './measure.ts';
import { branches } from './workflows.ts';

const BRANCHES = 1000;
const COMMANDS = 100;
const COMMANDS_AT_ONCE = 16;
const MS_MAX = 20;
const WARM_UP = 5;

const someTime = (): number => Math.random() * MS_MAX;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const each = (name: string, count: number, branch: (n: number) => object): CompiledWorkflow =>
  compileGraph(
    {
      name,
      steps: [
        {
          id: 'fan',
          parallel: {
            branches: Array.from({ length: count }, (_, n) => ({ id: `branch-${n}`, ...branch(n) })),
            join: 'all',
            ...(name === 'commands' ? { concurrency: COMMANDS_AT_ONCE } : {}),
          },
          next: null,
        },
      ],
    },
    REGISTRY,
  );

const functions = each('functions', BRANCHES, (n) => ({
  handler: async () => {
    await pause(someTime());
    return { n };
  },
}));
const agents = each('agents', BRANCHES, (n) => ({ agent: 'worker', prompt: `Do ${n}.` }));
const commands = each('commands', COMMANDS, () => ({ command: ['sleep', (someTime() / 1000).toFixed(3)] }));

/** P3a: 1,000 functions and 1,000 scripted agents that take 0 to 20 ms, and 100 commands. */
export async function measureWidth(times: number): Promise<Row> {
  const dir = mkdtempSync(join(tmpdir(), 'pawl-bench-'));
  const store = await openSqliteStore({ file: join(dir, 'pawl.db'), synchronous: 'FULL', walAutocheckpoint: WAL_AUTOCHECKPOINT });
  const driver = createScriptedDriver(async () => {
    await pause(someTime());
    return [{ do: 'answer', output: { done: true } }];
  });
  const engine = await createEngine({
    store,
    cwd: dir,
    drives: 'own',
    roles: { worker: { driver: 'scripted' } },
    drivers: { scripted: driver },
  });
  try {
    return rowOf(times, await measureAll(engine, times));
  } finally {
    await engine.close();
    await store.close();
    rmSync(dir, { recursive: true });
  }
}

interface Measured {
  readonly completed: Readonly<Record<'functions' | 'agents' | 'commands', number>>;
  /** The time in milliseconds that the engine added to that of the functions. */
  readonly own: number;
  /** That time divided by the time of a run whose branches do nothing. */
  readonly ratio: number;
  readonly agentsMs: number;
  readonly commandsMs: number;
}

async function measureAll(engine: Engine, times: number): Promise<Measured> {
  const still = branches(BRANCHES);
  const completed = { functions: 0, agents: 0, commands: 0 };
  const ratios: number[] = [];
  const owns: number[] = [];
  const others: Record<'agents' | 'commands', number[]> = { agents: [], commands: [] };
  for (let n = 0; n < WARM_UP; n += 1) for (const workflow of [still, functions]) await timeRun(engine, workflow);
  for (let n = 0; n < times; n += 1) {
    const floor = await timeRun(engine, still);
    const bare = await timeBare();
    const run = await timeRun(engine, functions);
    completed.functions += run.completed;
    const own = Math.max(0, run.ms - bare);
    owns.push(own);
    ratios.push(own / floor.ms);
    for (const [name, workflow] of Object.entries({ agents, commands }) as ['agents' | 'commands', CompiledWorkflow][]) {
      const other = await timeRun(engine, workflow);
      completed[name] += other.completed;
      others[name].push(other.ms);
    }
  }
  return { completed, own: median(owns), ratio: median(ratios), agentsMs: median(others.agents), commandsMs: median(others.commands) };
}

async function timeRun(engine: Engine, workflow: CompiledWorkflow): Promise<{ readonly ms: number; readonly completed: 0 | 1 }> {
  const begin = performance.now();
  const { id } = await engine.start(workflow);
  await engine
    .run(id)
    .waitOnly('settled')
    .catch(() => undefined);
  const ms = performance.now() - begin;
  const { state } = await engine.store.load(id);
  return { ms, completed: state.status === 'completed' ? 1 : 0 };
}

/** The same pauses without an engine. */
async function timeBare(): Promise<number> {
  const begin = performance.now();
  await Promise.all(Array.from({ length: BRANCHES }, () => pause(someTime())));
  return performance.now() - begin;
}

function rowOf(times: number, { completed, own, ratio, agentsMs, commandsMs }: Measured): Row {
  const counts = Object.values(completed);
  return {
    id: 'P3a',
    what: `1,000 branches that take 0–20 ms: functions, scripted agents, and 100 commands, ${times} times`,
    measured: `${counts.join(' / ')} completed; functions ${own.toFixed(0)} ms beyond their own time, ${ratio.toFixed(2)}× P3; agents ${agentsMs.toFixed(0)} ms, commands ${commandsMs.toFixed(0)} ms`,
    target: `all complete, ≤ 2× P3`,
    met: counts.every((count) => count === times) && ratio <= 2,
    json: { ratio, ownUs: own, ms: own, completed: Math.min(...counts), times, agentsMs, commandsMs },
  };
}
