// Owns how tests play a workflow file: a text below a usual head, checked, and run on a real engine with agents whose
// moves are written down.

import { readFileSync, writeFileSync } from 'node:fs';
import type { AgentRequest } from '../../src/agents/driver.ts';
import { createScriptedDriver, type ScriptedMove } from '../../src/agents/scripted.ts';
import { checkYaml } from '../../src/authoring/yaml/check/check.ts';
import type { Json, JsonObject } from '../../src/base/json.ts';
import type { CompiledWorkflow } from '../../src/definition/code.ts';
import type { RunView } from '../../src/engine/inspect.ts';
import type { Engine, EngineOptions, RunHandle } from '../../src/index.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { createRig, type Rig } from '../engine/rig.ts';

/** What stands above the lines of a test, so that its first line is the fourth of the file. */
const HEAD = 'apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\n';

/** What an agent does at each asking; nothing is to claim that all is done. */
export type Script = (request: AgentRequest) => readonly ScriptedMove[];

/** How a file is run. */
export interface PlayOptions extends EngineOptions {
  readonly script?: Script;
  readonly params?: JsonObject;
  readonly facts?: JsonObject;
}

/** A file that was started. */
export interface Playing {
  readonly engine: Engine;
  readonly run: RunHandle;
}

/** A place to run files in. */
export interface Play {
  readonly rig: Rig;
  /** What agents were asked, oldest first. */
  readonly asked: AgentRequest[];
  start(file: string | CompiledWorkflow, options?: PlayOptions): Promise<Playing>;
  /** Runs a file to its end. */
  run(lines: string, options?: PlayOptions): Promise<RunView>;
  write(name: string, text: string): void;
  read(name: string): string;
  close(): Promise<void>;
}

/** Opens a place with roles `dev`, `sec` and `docs`; close it after the test. */
export function createPlay(): Play {
  const rig = createRig();
  const asked: AgentRequest[] = [];
  const start: Play['start'] = async (file, { script = () => [], params = {}, facts, ...options } = {}) => {
    const workflow = typeof file === 'string' ? workflowOf(file) : file;
    const driver = createScriptedDriver((request) => {
      asked.push(request);
      return script(request);
    });
    const roles = Object.fromEntries(['dev', 'sec', 'docs', 'mender'].map((role) => [role, { driver: 'scripted' }]));
    const engine = await rig.open({ workflows: [workflow], roles, drivers: { scripted: driver }, ...options });
    return { engine, run: await engine.start(workflow, params, facts === undefined ? {} : { facts }) };
  };
  return {
    rig,
    asked,
    start,
    run: async (lines, options) => await (await start(lines, options)).run.wait(),
    write: (name, text) => writeFileSync(rig.path(name), text),
    read: (name) => readFileSync(rig.path(name), 'utf8'),
    close: () => rig.close(),
  };
}

/** The workflow of a file with these lines below the head. */
export function workflowOf(lines: string): CompiledWorkflow {
  const { compiled, errors } = checkYaml('w.yaml', `${HEAD}${lines}`, REGISTRY);
  if (compiled === undefined) throw new Error(JSON.stringify(errors));
  return compiled;
}

/** What is wrong with a file with these lines below the head: place, code and message of each error. */
export function errorsOf(lines: string): string[] {
  return told(checkYaml('w.yaml', `${HEAD}${lines}`, REGISTRY).errors);
}

/** What a file with these lines below the head is warned of. */
export function warningsOf(lines: string): string[] {
  return told(checkYaml('w.yaml', `${HEAD}${lines}`, REGISTRY).warnings);
}

function told(problems: ReturnType<typeof checkYaml>['errors']): string[] {
  return problems.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`);
}

/** The status of a run and its steps with their outcomes, in order. */
export function storyOf({ status, steps }: RunView): string[] {
  return [status, ...steps.map(({ path, outcome }) => `${path} ${outcome}`)];
}

/** The output of the latest attempt of a step. */
export function outputOf({ steps }: RunView, step: string): Json | undefined {
  return steps.findLast((one) => one.step === step)?.output;
}

/** Resolves when an activation of a run has settled. */
export async function settled(engine: Engine, run: string, path: string): Promise<void> {
  for await (const event of engine.run(run).log()) if (event.type === 'step.settled' && event.path === path) return;
  throw new Error(`${path} has not settled, and the run is over`);
}
