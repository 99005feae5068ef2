// `pawl run`: starts a run of a workflow and drives it until it ends or waits.

import { EngineError } from '../../base/error.ts';
import { isRunIdPrefix } from '../../base/id.ts';
import { bindParams } from '../../definition/arg.ts';
import { userActor } from '../actor.ts';
import type { CommandRun, Given } from '../command.ts';
import { driveRun, driveWithEngine } from '../drive.ts';
import { type LoadedWorkflow, loadWorkflow } from '../load.ts';
import { readOutputs, readParams } from '../params.ts';
import { findPlace, openStore } from '../session.ts';
import { assertSettingsTrusted } from '../session-forge.ts';
import { readTrigger } from '../trigger.ts';
import { factsOf } from '../trigger-facts.ts';
import { completeTrigger } from '../trigger-forge.ts';

const ID_LENGTH = 16;

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  if (given.has('attended'))
    throw new EngineError(
      'USAGE',
      'attended runs, in which the agent that calls pawl does the work, are not there yet; leave --attended out',
    );
  const place = await findPlace(shell, given);
  const loaded = await loadWorkflow(shell, place.project, given.word('WORKFLOW'));
  const { definition } = loaded.workflow;
  const params = readParams(shell, given, definition.params);
  // Wrong values are told before a database is made or a process started.
  bindParams(definition.params, params, `workflow "${definition.name}"`);
  await assertSettingsTrusted(shell, place);
  const trigger = await completeTrigger(shell, place, readTrigger(shell, given));
  const facts = factsOf(definition, { settings: place.settings, trigger });
  const options = startOptions(given, loaded);
  const outputs = readOutputs(shell, given);
  if (given.has('detach')) {
    const { detachRun } = await import('../detach.ts');
    return detachRun(shell, place, { given, file: loaded.file });
  }
  const store = await openStore(place);
  try {
    return await driveWithEngine(shell, place, {
      store,
      workflows: [loaded.workflow],
      use: async (engine) => {
        const { id } = await engine.start(loaded.workflow, params, {
          origin: { file: loaded.file, actor: userActor(shell), ...trigger?.origin },
          ...options,
          ...(Object.keys(facts).length === 0 ? {} : { facts }),
          ...(Object.keys(outputs).length === 0 ? {} : { outputs }),
        });
        return driveRun(shell, { engine, run: id, wait: given.has('wait') });
      },
    });
  } finally {
    await store.close();
  }
};

function startOptions(given: Given, { workflow }: LoadedWorkflow): { readonly id?: string; readonly from?: string } {
  const id = given.option('id');
  if (id !== undefined && (id.length !== ID_LENGTH || !isRunIdPrefix(id)))
    throw new EngineError('USAGE', `--id takes ${ID_LENGTH} characters of 0-9 and a-z without i, l, o and u, not "${id}"`);
  const from = given.option('from');
  if (from === undefined && given.options('output').length > 0)
    throw new EngineError(
      'USAGE',
      `--output gives results in place of steps that are not run; say with --from where "${workflow.definition.name}" begins`,
    );
  return { ...(id === undefined ? {} : { id }), ...(from === undefined ? {} : { from }) };
}
