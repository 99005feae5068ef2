// `pawl diff RUN [STEP]`: shows what a run, or one of its steps, changed in the files of its workspace.

import { omitUndefined } from '../../base/fields.ts';
import { shortList } from '../../base/short-text.ts';
import { type FileReport, readFileChanges, type StepFiles } from '../../engine/undo/file-history.ts';
import type { FileSummary } from '../../process/snapshot-changes.ts';
import { Secrets } from '../../steps/secrets.ts';
import { snapshotsOf } from '../../steps/workspace/snapshot-log.ts';
import type { CommandRun } from '../command.ts';
import { diffLines } from '../decision/diff-lines.ts';
import { withShownRun } from '../session.ts';
import type { Shell } from '../shell.ts';
import { counted, oneLine, table } from '../terminal.ts';

/** Runs the command. */
export const run: CommandRun = (shell, args) =>
  withShownRun(shell, async ({ setup, store, id }) => {
    const isShort = args.has('stat') || args.has('name-only');
    const secrets = new Secrets(setup.settings.secrets ?? {}, (message) => shell.warn(message));
    secrets.refresh();
    const step = args.maybe('STEP');
    const report = await readFileChanges(
      { store, snapshots: snapshotsOf(setup.file), run: id },
      { ...omitUndefined({ step }), ...(isShort ? {} : { text: { redactor: secrets.redactor } }) },
    );
    if (args.has('name-only')) return shell.result(report, () => report.files.map(({ path }) => oneLine(path)));
    return shell.result(report, () => linesOf(shell, report));
  });

function linesOf(shell: Shell, report: FileReport): string[] {
  const { diff, run, step } = report;
  const command = `pawl diff ${run}${step === undefined ? '' : ` ${step}`}`;
  // A pipe gets the difference as git prints it, so that another program can read it.
  if (diff !== undefined && !shell.display.isTerminal) return diff === '' ? [] : diff.trimEnd().split('\n');
  return [
    ...statLines(shell, report),
    ...(diff === undefined || diff === '' ? [] : ['', ...diffLines(shell, { title: '', text: diff }, command).slice(1)]),
  ];
}

function statLines(shell: Shell, { files, steps, between, missing }: FileReport): string[] {
  const notes = [
    ...(between.length === 0 ? [] : [`changed while no step was running: ${between.map(oneLine).join(', ')}`]),
    ...(missing.length === 0 ? [] : [`not in the snapshots: ${missing.map(oneLine).join(', ')}`]),
  ];
  return [
    ...table(shell.display, [
      { title: 'STEP', cells: steps.map(({ path }) => oneLine(path)), shrinks: 'name' },
      { title: 'ATTEMPT', cells: steps.map(({ attempt }) => String(attempt)) },
      { title: 'ENDED', cells: steps.map(({ ended }) => oneLine(ended ?? 'open')) },
      { title: 'FILES', cells: steps.map(stepText), shrinks: 'text' },
    ]),
    '',
    ...(files.length === 0 ? ['No file differs.'] : fileLines(shell, files)),
    ...notes.map((note) => shell.style('dim', note)),
  ];
}

function stepText({ files, beside, restored }: StepFiles): string {
  const names = files.map(({ path }) => oneLine(path));
  const others = beside.length === 0 ? '' : ` (including changes of ${beside.map(oneLine).join(', ')}, which ran at the same time)`;
  return `${files.length === 0 ? 'none' : shortList(names, 3)}${others}${restored === true ? ', restored' : ''}`;
}

function fileLines(shell: Shell, files: readonly FileSummary[]): string[] {
  const count = (pick: 'added' | 'deleted'): number => files.reduce((sum, { lines }) => sum + (lines?.[pick] ?? 0), 0);
  return [
    ...table(shell.display, [
      { title: 'FILE', cells: files.map(({ path, from }) => oneLine(from === undefined ? path : `${from} → ${path}`)), shrinks: 'name' },
      { title: 'CHANGE', cells: files.map(({ what }) => what) },
      { title: 'LINES', cells: files.map(({ lines }) => (lines === undefined ? 'binary' : `+${lines.added} -${lines.deleted}`)) },
    ]),
    `${counted(files.length, 'file')}, +${count('added')} -${count('deleted')} lines`,
  ];
}
