// Owns what the tests of real programs have in common: a workspace and a home of their own, a workflow of three steps on
// a real engine, and the look at what is left running.

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentAnswer, AgentDriver, AgentRequest } from '../../src/agents/driver.ts';
import { compileYaml } from '../../src/authoring/yaml/compile.ts';
import { readYamlWorkflow } from '../../src/authoring/yaml/read.ts';
import type { CompiledWorkflow } from '../../src/definition/code.ts';
import { createEngine, type RunView } from '../../src/index.ts';
import { readProcesses } from '../../src/process/process-table.ts';
import { createAgentRequest } from '../../src/proof/driver-suite.ts';
import type { ModelStub } from './model-stub.ts';

/** Folders for one test: `cwd` to work in, `home` for the program's own files. */
export interface Place {
  readonly cwd: string;
  readonly home: string;
  remove(): void;
}

/** Makes the folders for one test. */
function createPlace(): Place {
  const root = mkdtempSync(join(tmpdir(), 'pawl-real-'));
  const place = { cwd: join(root, 'work'), home: join(root, 'home') };
  for (const folder of Object.values(place)) mkdirSync(folder);
  return { ...place, remove: () => rmSync(root, { recursive: true, force: true }) };
}

const STEPS = `apiVersion: pawl.dev/v1
kind: Workflow
metadata:
  name: three-steps
stages:
  - id: plan
    type: agent
    agent: developer
    prompt: Write the plan.
    outputs:
      - { name: plan, type: file, pattern: plan.md, required: true }
  - id: build
    type: agent
    agent: developer
    prompt: Build what the plan says.
    outputs:
      - { name: code, type: file, pattern: code.txt, required: true }
  - id: review
    type: agent
    agent: developer
    prompt: Review the code.
`;

function threeSteps(): CompiledWorkflow {
  const { document, problems } = readYamlWorkflow(STEPS, 'three-steps.yaml');
  if (document === undefined) throw new Error(JSON.stringify(problems));
  const { workflow, problems: faults } = compileYaml(document);
  if (workflow === undefined) throw new Error(JSON.stringify(faults));
  return workflow;
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

/** Asks the program once. */
export function askOnce(driver: AgentDriver, place: Place, fields: Partial<AgentRequest> = {}): Promise<AgentAnswer> {
  return driver.ask(createAgentRequest({ cwd: place.cwd, ...fields }));
}

/** Runs a test against a stub of the model, in folders of its own, and cleans up. */
export async function withStub<T>(starting: Promise<ModelStub>, body: (stub: ModelStub, place: Place) => Promise<T>): Promise<T> {
  const stub = await starting;
  const place = createPlace();
  try {
    return await body(stub, place);
  } finally {
    await stub.close();
    place.remove();
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
