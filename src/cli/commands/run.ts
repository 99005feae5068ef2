// `pawl run`: starts a run of a workflow and drives it until it ends or waits.

import { existsSync } from 'node:fs';
import type { Engine } from '../../api/engine.ts';
import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { isRunId, RUN_ID_RULE } from '../../base/id.ts';
import { payloadOf } from '../../control/trigger/forge-payload.ts';
import { assertFirstFor, openRunsFor, secondRun } from '../../control/trigger/open-runs.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { bindParams } from '../../definition/param/arg.ts';
import { mismatchOf } from '../../definition/trigger/trigger.ts';
import { referencesIn } from '../../definition/validation/reference.ts';
import type { ForgeAnswer } from '../../forge/forge.ts';
import { ATTENDED } from '../../steps/run-records.ts';
import type { SessionRun } from '../agent-session.ts';
import { type CommandRun, type ParsedArgs, usageError } from '../command.ts';
import { driveRun, driveWithEngine } from '../drive.ts';
import { assertSettingsTrusted, openForge } from '../forge/session.ts';
import { signingOf } from '../identity/signing.ts';
import { type LoadedWorkflow, loadWorkflow } from '../load.ts';
import { readOutputs, readParams, wholeNumber } from '../params.ts';
import { assertRunnable } from '../reference-check.ts';
import { starterName } from '../right.ts';
import { closing, findSetup, openStore, type Setup } from '../session.ts';
import type { Shell } from '../shell.ts';
import { startDataOf } from '../trigger/start-data.ts';
import { readTrigger, type Trigger, triggerOf } from '../trigger/trigger.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const isAttended = args.has('attended');
  if (isAttended) assertAttendedOptions(args);
  else if (shell.format !== undefined) throw usageError('--format is only valid with --attended');
  const setup = await findSetup(shell, args);
  if (args.has('locked')) await (await import('../lock/lock.ts')).assertLocked(shell, setup.project, args.word('WORKFLOW'));
  const loaded = await loadWorkflow(shell, setup.project, args.word('WORKFLOW'));
  const { definition } = loaded.workflow;
  const params = readParams(shell, args, definition.params);
  // Report invalid parameters before a database is created or a process started.
  bindParams(definition.params, params, `workflow "${definition.name}"`);
  await assertSettingsTrusted(shell, setup);
  await assertRunnable(setup.project, { loaded, settings: setup.settings, isAttended });
  if (!isAttended) await warnAboutRoles(shell, setup, loaded);
  const trigger = await completeTrigger(shell, setup, readTrigger(shell, args));
  assertStarts(loaded.workflow, trigger);
  const facts = { ...startDataOf(definition, { settings: setup.settings, trigger }), ...(isAttended ? ATTENDED.with(true) : {}) };
  const options = startOptions(args, loaded);
  const outputs = readOutputs(shell, args);
  const priority = wholeNumber(args, 'priority', { min: -1000, max: 1000 });
  await rejectSecondRun(setup, definition.name, trigger);
  const detach = args.has('detach') ? await import('../detach.ts') : undefined;
  const server = detach === undefined ? undefined : (await import('../serve/running-servers.ts')).findServer(setup.file);
  if (detach !== undefined && server === undefined) return detach.detachRun(shell, setup, { args, file: loaded.file });
  const skipsSteps = args.option('from') !== undefined || args.options('output').length > 0;
  const signing = signingOf(shell, { isSigned: skipsSteps && setup.settings.decisions === 'signed' });
  const use = async (engine: Engine): Promise<number> => {
    const actor = signing.sign === undefined ? await starterName(shell) : signing.actor;
    const { id } = await engine.start(loaded.workflow, params, {
      origin: { file: loaded.file, ...trigger?.origin, actor, ...omitUndefined({ priority }) },
      ...omitUndefined({ sign: signing.sign }),
      ...options,
      ...(Object.keys(facts).length === 0 ? {} : { facts }),
      ...(Object.keys(outputs).length === 0 ? {} : { outputs }),
      ...(server === undefined ? {} : { parked: true }),
    });
    // If two runs were started at the same time for the same issue or pull request, the newer one is cancelled.
    await assertFirstFor(engine, id, trigger?.origin ?? {});
    if (detach !== undefined && server !== undefined) return detach.handOverToServer(shell, setup, { store: engine.store, id, server });
    return isAttended
      ? printFirstStep(shell, engine, { run: id, db: setup.file })
      : driveRun(shell, { engine, run: id, wait: args.has('wait') });
  };
  return closing(await openStore(setup), (store) => driveWithEngine(shell, setup, { store, workflows: [loaded.workflow], use }));
};

async function warnAboutRoles(shell: Shell, { project, settings }: Setup, { workflow }: LoadedWorkflow): Promise<void> {
  const named = referencesIn(workflow.definition).flatMap((one) => (one.kind === 'role' ? [one.name] : []));
  if (named.length === 0) return;
  const { missingForRoles } = await import('../doctor/roles.ts');
  for (const lack of await missingForRoles(project, { settings, env: shell.env, names: new Set(named) })) shell.warn(lack);
}

/** Rejects a second run for the same issue or pull request before a database is created or a process started. */
async function rejectSecondRun(setup: Setup, workflow: string, trigger: Trigger | undefined): Promise<void> {
  if (trigger === undefined || !existsSync(setup.file)) return;
  await using store = await openStore(setup, 'read');
  const [open] = await openRunsFor(store, workflow, trigger.origin);
  if (open !== undefined) throw secondRun(open, trigger.origin);
}

/** The agent's reports drive an attended run, so no process waits for it or runs in the background. */
function assertAttendedOptions(args: ParsedArgs): void {
  const other = ['detach', 'wait'].find((name) => args.has(name));
  if (other !== undefined) throw usageError(`--attended and --${other} cannot be combined: --attended prints the first step and exits`);
}

async function printFirstStep(shell: Shell, engine: Engine, { db, run }: SessionRun): Promise<number> {
  const [{ driveForAgent }, { withoutSubmission }, { replyUntilSignal }, { bindRun }] = await Promise.all([
    import('../../attended/drive.ts'),
    import('../../attended/submission.ts'),
    import('../attended/submit.ts'),
    import('../agent-session.ts'),
  ]);
  bindRun(shell, { run, db });
  return replyUntilSignal(shell, { engine, run }, async (stopped) => withoutSubmission(await driveForAgent(engine, run, { stopped })));
}

function startOptions(args: ParsedArgs, { workflow }: LoadedWorkflow): { readonly id?: string; readonly from?: string } {
  const id = args.option('id');
  if (id !== undefined && !isRunId(id)) throw usageError(`--id must be ${RUN_ID_RULE}, not "${id}"`);
  const from = args.option('from');
  if (from === undefined && args.options('output').length > 0)
    throw usageError(
      `--output replaces the output of skipped steps, so it needs --from, the step where "${workflow.definition.name}" starts`,
    );
  return omitUndefined({ id, from });
}

/** Throws if the trigger would not start the workflow. */
function assertStarts({ definition, trigger: model }: CompiledWorkflow, trigger: Trigger | undefined): void {
  if (model === undefined || trigger === undefined) return;
  const { event, issue } = trigger.origin;
  const mismatch = mismatchOf(model, { event, payload: trigger.payload });
  if (mismatch === undefined) return;
  const isLabel = issue !== undefined && mismatch.includes('label');
  const hint = isLabel ? `; "pawl forge label ${issue} --add LABEL" adds one` : '';
  throw usageError(`${trigger.option} does not start workflow "${definition.name}": ${mismatch}${hint}`);
}

/** The trigger with the data of its issue or pull request; an event, which has its own payload, is returned as it is. */
async function completeTrigger(shell: Shell, setup: Setup, trigger: Trigger | undefined): Promise<Trigger | undefined> {
  if (trigger === undefined || trigger.origin.event !== undefined) return trigger;
  const forge = await openForge(shell, setup);
  if (forge === undefined) return trigger;
  const { origin, option } = trigger;
  return closing(forge, async () => triggerOf(valueIn(await payloadOf(forge, origin), forge.name, option), { option }));
}

function valueIn<T>(answer: ForgeAnswer<T>, forge: string, option: string): T {
  if (answer.result === 'ok') return answer.value;
  const isMissing = answer.result === 'not_found';
  throw new EngineError(
    isMissing ? 'USAGE' : 'STORE_UNAVAILABLE',
    `cannot read ${option} from the ${forge} forge: ${answer.message}; ${isMissing ? 'use a number that exists' : 'try again later'}`,
    { details: { result: answer.result } },
  );
}
