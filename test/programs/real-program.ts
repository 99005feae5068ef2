// Owns what the tests of real programs stand on: a workspace and a home of their own, a model that does as the test says,
// a workflow of three steps on a real engine, and the look at what is left running.

import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentAnswer, AgentDriver, AgentRequest } from '../../src/agents/driver.ts';
import { checkYaml } from '../../src/authoring/yaml/check/check.ts';
import type { CompiledWorkflow } from '../../src/definition/code.ts';
import { createEngine, type RunView } from '../../src/index.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { readProcesses } from '../../src/process/process-table.ts';
import { removeFolder } from '../../src/process/remove-folder.ts';
import { createAgentRequest } from '../../src/proof/driver-suite.ts';
import { THREE_STEPS } from '../cli/mcp-client.ts';
import type { ModelCall, ModelStub, ModelTurn } from './model-stub.ts';

/** Folders for one test: `cwd` to work in, `home` for the program's own files. */
export interface Place {
  readonly cwd: string;
  readonly home: string;
  remove(): Promise<void>;
}

/** Makes the folders for one test. */
function createPlace(): Place {
  const root = mkdtempSync(join(tmpdir(), 'pawl-real-'));
  const place = { cwd: join(root, 'work'), home: join(root, 'home') };
  for (const folder of Object.values(place)) mkdirSync(folder);
  return { ...place, remove: () => removeFolder(root) };
}

function threeSteps(): CompiledWorkflow {
  const { compiled, errors } = checkYaml('three-steps.yaml', THREE_STEPS, REGISTRY);
  if (compiled === undefined) throw new Error(JSON.stringify(errors));
  return compiled;
}

/** Drives three steps through the program, on an engine with a database on disk. */
export async function runThreeSteps(driver: AgentDriver, place: Place): Promise<RunView> {
  const workflow = threeSteps();
  const engine = await createEngine({
    db: join(place.home, 'pawl.db'),
    cwd: place.cwd,
    workflows: [workflow],
    roles: { developer: { driver: driver.name } },
    drivers: { [driver.name]: driver },
  });
  try {
    return await (await engine.start(workflow)).wait();
  } finally {
    await engine.close();
  }
}

/** What a test of a program works with. */
export interface Stage {
  readonly driver: AgentDriver;
  readonly stub: ModelStub;
  readonly place: Place;
  /** Asks the program once. */
  ask(fields?: Partial<AgentRequest>): Promise<AgentAnswer>;
}

/** A real program: the stub that its model is played by, and its driver. */
export interface RealProgram {
  readonly startStub: (model: (call: ModelCall) => ModelTurn) => Promise<ModelStub>;
  readonly driverFor: (stub: ModelStub, place: Place) => AgentDriver;
}

/** What the model says at the end of its work. */
export const DONE: ModelTurn = { text: 'Done.\n{"success": true, "output": {"n": 1}}' };

/** A model that calls a tool once, and is done then. */
export function callsOnce(tool: ModelTurn): (call: ModelCall) => ModelTurn {
  return ({ toolResults }) => (toolResults > 0 ? DONE : tool);
}

/** Runs a test with a program whose model does this at every call, in folders of its own, and cleans up. */
export async function withModel(
  { startStub, driverFor }: RealProgram,
  model: ModelTurn | ((call: ModelCall) => ModelTurn),
  body: (stage: Stage) => Promise<void>,
): Promise<void> {
  const stub = await startStub(typeof model === 'function' ? model : () => model);
  const place = createPlace();
  const driver = driverFor(stub, place);
  try {
    await body({ driver, stub, place, ask: (fields = {}) => driver.ask(createAgentRequest({ cwd: place.cwd, ...fields })) });
  } finally {
    await stub.close();
    await place.remove();
  }
}

/** The processes that have the home of the test in their environment and have not ended, where the system shows it. */
export function leftRunning({ home }: Place): number[] {
  const pids = readProcesses().flatMap(({ pid, ended }) => (ended ? [] : [pid]));
  return pids.filter((pid) => environmentOf(pid).includes(home));
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}
