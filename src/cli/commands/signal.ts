// `pawl signal RUN NAME [JSON]`: sends a named message to a run. A step that waits for it continues; otherwise it is kept
// until one does. If another process drives the run, that process continues it.

import type { Engine } from '../../api/engine.ts';
import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { readRunReport } from '../../control/run/report.ts';
import { isFinal } from '../../definition/run-status.ts';
import { type CommandRun, type ParsedArgs, usageError } from '../command.ts';
import { driveRun, driveWithEngine } from '../drive.ts';
import { workflowsToDrive } from '../load.ts';
import { readJson } from '../params.ts';
import { demandControl } from '../right.ts';
import { withRun } from '../session.ts';
import { oneLine } from '../terminal.ts';

/** Runs the command. */
export const run: CommandRun = (shell, args) =>
  withRun(shell, async ({ setup, store, id }) => {
    const name = args.word('NAME');
    const text = payloadText(args);
    const payload = text === undefined ? undefined : readJson(shell, text, 'the payload');
    await demandControl(shell, { store, id }, 'pawl signal');
    const frozen = await store.load(id);
    if (isFinal(frozen.state.status))
      throw new EngineError('RUN_FINAL', `run ${id} has ended (${frozen.state.status}); it does not accept signals`);
    const workflows = await workflowsToDrive(shell, setup.project, frozen);
    const use = async (engine: Engine): Promise<number> => {
      await engine.run(id).signal(name, omitUndefined({ payload, id: args.option('id') }));
      const line = `${shell.symbol('done')} signal "${oneLine(name)}" sent to run ${id}.`;
      if (workflows.length === 0) return shell.result(await readRunReport(store, id), () => [line]);
      shell.print(line);
      return driveRun(shell, { engine, run: id, wait: false });
    };
    return driveWithEngine(shell, setup, { store, workflows, use });
  });

function payloadText(args: ParsedArgs): string | undefined {
  const [word, option] = [args.maybe('JSON'), args.option('payload')];
  if (word !== undefined && option !== undefined) throw usageError('the payload is given twice; use JSON or --payload');
  return word ?? option;
}
