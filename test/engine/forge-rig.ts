// Owns what tests of whole runs on a forge stand on: a rig, a real local forge beside it, and a run of a workflow file
// that is about a pull request of that forge.

import { checkYaml } from '../../src/authoring/yaml/check/check.ts';
import type { Engine, EngineOptions, RunHandle } from '../../src/index.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { openSample } from '../../src/proof/forge-suite/stage.ts';
import { type LocalForgeStage, openLocalForgeStage } from '../forge/local-stage.ts';
import { createRig } from './rig.ts';

/** A place for one test, with a forge. */
export interface ForgeRig {
  readonly stage: LocalForgeStage;
  /**
   * Opens a pull request and starts a run about it, on an engine with the forge unless the options leave that out.
   * `prepare` is called in between.
   */
  start(
    text: string,
    options?: EngineOptions,
    prepare?: () => void,
  ): Promise<{ readonly engine: Engine; readonly run: RunHandle; readonly number: number }>;
  close(): Promise<void>;
}

/** Builds the place; close it after the test. */
export async function openForgeRig(): Promise<ForgeRig> {
  const rig = createRig();
  const stage = await openLocalForgeStage();
  return {
    stage,
    async start(text, options = { forge: stage.forge }, prepare = () => {}) {
      const { compiled, errors } = checkYaml('workflow.yaml', text, REGISTRY);
      if (compiled === undefined) throw new Error(JSON.stringify(errors));
      const { number } = await openSample(stage, 'feature');
      prepare();
      const engine = await rig.open({ workflows: [compiled], ...options });
      const run = await engine.start(compiled, {}, { facts: { pr_number: number, issue_number: number } });
      return { engine, run, number };
    },
    async close() {
      await rig.close();
      await stage.close();
    },
  };
}

/** The steps of a run and how they ended, in order. */
export function told({ steps }: { readonly steps: readonly { readonly path: string; readonly outcome?: string }[] }): string[] {
  return steps.map(({ path, outcome }) => `${path} ${outcome}`);
}
