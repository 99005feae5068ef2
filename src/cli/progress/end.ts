// Owns the last lines of a command that drove or watched a run: the status, what the run waits for, and the commands to run
// next.

import { commandFor } from '../../attended/wait-command.ts';
import { NO_VERDICT, waitText } from '../../attended/wait-words.ts';
import { formatDuration } from '../../base/duration.ts';
import type { RunReport } from '../../control/schema/run.ts';
import { untilText } from '../../control/time-text.ts';
import { pathText } from '../../definition/address.ts';
import { isSettled } from '../../definition/run-status.ts';
import type { RunTree, TreeWait } from '../../engine/run-tree.ts';
import { statusOf } from '../../engine/status.ts';
import type { Activation, Path } from '../../kernel/activation.ts';
import { type RunState, unknownAt } from '../../kernel/run-state.ts';
import { type Choice, choicesAfterHalt, choicesForUnknown } from '../resumption/choices.ts';
import type { Shell } from '../shell.ts';
import { statusMark } from '../status.ts';
import { firstNames, oneLine } from '../terminal.ts';

const SHOWN_MEMBERS = 5;

/** A run at the end of a command. */
interface EndedRun {
  readonly report: RunReport;
  readonly state: RunState;
  readonly tree: RunTree;
  readonly interrupted: boolean;
}

/** The last lines about a run. */
export function endLines(shell: Shell, end: EndedRun): string[] {
  const { state, interrupted, tree } = end;
  const { id } = state;
  if (interrupted)
    return [`${statusMark(shell, 'waiting')} run ${id} was interrupted; continue it with`, commandLine(shell, `pawl resume ${id}`)];
  if (isSettled(state.status)) return settledLines(shell, end);
  const groups = groupsUnknown(state);
  const single = tree.waits.filter(({ run, wait }) => run !== id || wait.kind !== 'unknown' || !isMemberOf(groups, state.live[wait.path]));
  return [
    `${statusMark(shell, 'waiting')} run ${id} is waiting`,
    ...[...groups].flatMap((group) => groupLines(shell, state, group)),
    ...single.flatMap((wait) => waitLines(shell, end, wait)),
  ];
}

/** Groups with several members of unknown outcome, which a person can settle all at once. */
function groupsUnknown({ live }: RunState): ReadonlySet<Path> {
  const groups = Object.values(live).flatMap(({ state, member }) => (state === 'unknown' ? (member?.group ?? []) : []));
  return new Set(groups.filter((group, index) => groups.indexOf(group) !== index));
}

function isMemberOf(groups: ReadonlySet<Path>, activation: Activation | undefined): boolean {
  const group = activation?.member?.group;
  return group !== undefined && groups.has(group);
}

function groupLines(shell: Shell, state: RunState, group: Path): string[] {
  const paths = unknownAt(state, group).map(({ path }) => oneLine(path));
  return [
    `  ${paths.length} steps of "${oneLine(pathText(group))}" were interrupted, and there is no record of how they ended; choose what happened to all of them:`,
    ...choiceLines(shell, choicesForUnknown(state.id, group)),
    `  or to a single one, by its path: ${firstNames(paths, SHOWN_MEMBERS)}`,
  ];
}

function settledLines(shell: Shell, { report, state }: EndedRun): string[] {
  const { id, halt } = state;
  const status = statusOf(state);
  const mark = statusMark(shell, status);
  const took = formatDuration(report.run.durationMs);
  if (halt === undefined) return [`${mark} run ${id} ${status} in ${took}; details: ${shell.pasteable(`pawl show ${id}`)}`];
  const at = halt.step === undefined ? '' : ` at "${oneLine(halt.step)}"`;
  const choices = choicesAfterHalt(state);
  const undone = choices.length > 0 ? [] : ['  its work was undone, so it cannot continue; start it again, or fork it'];
  return [`${mark} run ${id} ${status}${at}: ${oneLine(halt.message)}`, ...choiceLines(shell, choices), ...undone];
}

function choiceLines(shell: Shell, choices: readonly Choice[]): string[] {
  return choices.flatMap(({ about, command }) => [`  ${oneLine(about)}`, commandLine(shell, command)]);
}

function waitLines(shell: Shell, { report }: EndedRun, { run, wait }: TreeWait): string[] {
  const at = wait.step === undefined ? '' : `"${oneLine(pathText(wait.path))}" `;
  const below = run === report.run.id ? '' : `of run ${run} `;
  const until = wait.due === undefined ? '' : `, due ${untilText(wait.due)}`;
  const reported = report.waits.find(({ id }) => id === wait.path && run === report.run.id);
  const command = reported?.command ?? commandFor(run, wait, { approval: undefined, several: false, halt: undefined });
  const missing = reported?.kind === 'budget' || reported?.kind === 'capacity' ? reported.message : undefined;
  const next = command === undefined ? [] : [commandLine(shell, command)];
  const resume = (id: string): string => commandLine(shell, `pawl resume ${id}`);
  const waitCommand = commandLine(shell, `pawl resume ${report.run.id} --wait`);
  switch (wait.kind) {
    case 'human':
      return [`  ${at}${below}needs a decision${until}:`, ...next];
    case 'report':
      return [`  ${at}${below}waits for its agent to report${until}; the agent's instructions:`, ...next];
    case 'answer':
      return [`  ${at}${below}has questions from its agent${until}:`, ...next];
    case 'delay': {
      const due = wait.due === undefined ? '' : ` and due ${untilText(wait.due)}`;
      return [`  ${at}${below}is delayed${due}; no process drives the run until then; wait for it with`, waitCommand];
    }
    case 'signal':
      return [`  ${at}${below}waits for signal "${oneLine(wait.name)}"${until}; wait for it with`, waitCommand];
    case 'checks':
      return [
        `  ${at}${below}is pending: ${oneLine(wait.message ?? NO_VERDICT)}`,
        `  next check${until.replace(', due', '')}, while a process drives the run; check now with`,
        resume(report.run.id),
      ];
    case 'unknown':
      return [
        `  ${at}${below}was interrupted, and there is no record of how it ended; choose what happened:`,
        ...choiceLines(shell, choicesForUnknown(run, wait.path)),
      ];
    case 'pause':
      return [`  ${run === report.run.id ? 'the run' : `run ${run}`} is paused; continue it with`, resume(run)];
    case 'escalation':
      return [`  run ${run} stopped: ${oneLine(wait.message)}`, resume(run)];
    case 'budget':
      return [`  ${at}${below}waits for budget: ${oneLine(missing ?? `"pawl show ${run}" shows which`)}`];
    case 'capacity':
      if (wait.due === undefined) return [`  ${at}${below}waits for capacity that other work uses; wait for it with`, waitCommand];
      return [`  ${at}${below}waits ${untilText(wait.due)}: ${oneLine(missing ?? 'its account has no capacity left')}`, waitCommand];
    default:
      return [`  ${at}${below}waits for ${waitText(wait)}${until}`, ...next];
  }
}

function commandLine(shell: Shell, command: string): string {
  return `    ${shell.style('cyan', oneLine(shell.pasteable(command)))}`;
}
