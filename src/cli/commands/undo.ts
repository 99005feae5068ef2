// `pawl undo RUN --to STEP`: restores the files of a run's workspace to their state before a step.

import { dirname, join } from 'node:path';
import type { Engine } from '../../api/engine.ts';
import { holdDatabase } from '../../base/store-files.ts';
import { agoText } from '../../control/time-text.ts';
import { topStepOf } from '../../definition/address.ts';
import { planUndo, type UndoPlan } from '../../engine/undo/undo.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { listBackups } from '../../safe-db/backup.ts';
import { snapshotsOf } from '../../steps/workspace/snapshot-log.ts';
import type { CommandRun } from '../command.ts';
import { driveWithEngine } from '../drive.ts';
import { requiredOption } from '../params.ts';
import { demandControl } from '../right.ts';
import { type Setup, withRun } from '../session.ts';
import type { Shell } from '../shell.ts';
import { counted, oneLine } from '../terminal.ts';

const SHOWN = 20;

/** Runs the command. */
export const run: CommandRun = (shell, args) =>
  withRun(
    shell,
    async ({ setup, store, id }) => {
      const to = requiredOption(args, 'to', 'files are restored to their state before this step; "pawl diff" lists the steps');
      const source = { store, snapshots: snapshotsOf(setup.file), run: id, facts: REGISTRY };
      const data = backupsOf(setup, id);
      for (const { path } of Object.values(setup.settings.databases ?? {})) holdDatabase(path, join(dirname(path), 'backups'));
      if (args.has('dry-run')) {
        const plan = await planUndo(source, { to });
        return shell.result({ dryRun: true, ...plan, data }, () => planLines(shell, plan, { data, verb: 'would be' }));
      }
      await demandControl(shell, { store, id }, 'pawl undo');
      const use = async (engine: Engine): Promise<number> => {
        const done = await engine.run(id).undo({ to, actor: shell.actor, keepChanged: args.has('keep-changed') });
        return shell.result({ dryRun: false, ...done, data }, () => planLines(shell, done, { data, verb: 'are' }));
      };
      return driveWithEngine(shell, setup, { store, workflows: [], use });
    },
    args.has('dry-run') ? 'read' : 'drive',
  );

function backupsOf({ settings }: Setup, run: string): readonly string[] {
  const databases = Object.entries(settings.databases ?? {});
  return databases.filter(([, { path }]) => listBackups(path).some(({ runId }) => runId === run)).map(([name]) => name);
}

interface PlanText {
  readonly data: readonly string[];
  /** `are`: the files were restored. */
  readonly verb: 'would be' | 'are';
}

function headLine({ to, at }: UndoPlan, count: number, verb: PlanText['verb']): string {
  const moment = `before "${oneLine(to)}" (${agoText(at)})`;
  if (count === 0) return `No file ${verb === 'are' ? 'was' : 'would be'} restored to its state ${moment}.`;
  return `${counted(count, 'file')} ${count === 1 && verb === 'are' ? 'is' : verb} as ${moment}:`;
}

function planLines(shell: Shell, plan: UndoPlan, { data, verb }: PlanText): string[] {
  const { run, to, files, changed, undeclared, isCutOff, missing, effects } = plan;
  const kept = new Set(changed.map(({ path }) => path));
  const restored = files.filter(({ path }) => !kept.has(path));
  const words = { restore: 'restored', delete: 'deleted', change: 'changed back' } as const;
  const some = <T>(list: readonly T[], text: (item: T) => string): string[] => [
    ...list.slice(0, SHOWN).map((item) => `  ${oneLine(text(item))}`),
    ...(list.length > SHOWN ? [`  and ${list.length - SHOWN} more`] : []),
  ];
  return [
    headLine(plan, restored.length, verb),
    ...some(restored, ({ path, what }) => `${words[what]}: ${path}`),
    ...(changed.length === 0
      ? []
      : [
          shell.style('yellow', 'Not restored, because someone else changed them:'),
          ...some(changed, ({ path, why }) => `${path}: ${why}`),
        ]),
    ...(undeclared.length === 0
      ? []
      : [
          shell.style('yellow', 'Not declared by the step that was running, so check that no other program wrote them:'),
          ...some(undeclared, (path) => path),
        ]),
    ...(restored.length > 0 && verb === 'would be'
      ? ['Changes by other programs to these files while a step was running count as its work and are undone, too.']
      : []),
    ...(isCutOff ? ['A step was interrupted, so all later changes count as its work.'] : []),
    ...(missing.length === 0 ? [] : ['Not restored, because they are not in the snapshots:', ...some(missing, (one) => one)]),
    ...(effects.length === 0
      ? []
      : ['Not undone, because it is outside the workspace:', ...some(effects, ({ path, what }) => `${path}: ${what}`)]),
    ...data.map((name) => `The database "${name}" was backed up before the run: pawl data restore ${run} --database ${name}`),
    `The run itself does not change; to continue from there: pawl resume ${run} --to ${topStepOf(to)}, or pawl fork ${run} --from ${topStepOf(to)}`,
  ];
}
