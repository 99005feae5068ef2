// Owns the last lines of a command that drove or watched a run: how it stands, who or what is waited for, and the exact
// commands that come next.

import { formatDuration } from '../../base/duration.ts';
import type { RunTree, TreeWait } from '../../engine/run-tree.ts';
import type { Path } from '../../kernel/activation.ts';
import { isSettled, type RunState, unknownAt } from '../../kernel/run-state.ts';
import { statusOf } from '../../kernel/status.ts';
import { pasteable } from '../caller.ts';
import { type WayOn, waysFromHalt, waysFromUnknown } from '../choices.ts';
import type { Shell } from '../shell.ts';
import { statusMark } from '../status.ts';
import { commandFor } from '../story/command.ts';
import type { Story } from '../story/story.ts';
import { oneLine } from '../terminal.ts';
import { untilText } from '../time.ts';

const SHOWN_MEMBERS = 5;

/** A run at the end of a command. */
export interface End {
  readonly story: Story;
  readonly state: RunState;
  readonly rest: RunTree;
  readonly interrupted: boolean;
}

/** The last lines about a run. */
export function endLines(shell: Shell, end: End): string[] {
  const { state, interrupted, rest } = end;
  const { id } = state;
  if (interrupted)
    return [`${statusMark(shell, 'waiting')} run ${id} is stopped where it was; it goes on with`, commandLine(shell, `pawl resume ${id}`)];
  if (isSettled(state.status)) return settledLines(shell, end);
  const groups = groupsUnknown(state);
  const single = rest.waits.filter(
    ({ run, wait }) => run !== id || wait.kind !== 'unknown' || !groups.has(state.live[wait.path ?? '']?.member?.group ?? ''),
  );
  const waits = single.flatMap((wait) => waitLines(shell, end, wait));
  return [`${statusMark(shell, 'waiting')} run ${id} waits`, ...[...groups].flatMap((group) => groupLines(shell, state, group)), ...waits];
}

/** The groups with several members whose end is unknown: a person need not say of each what happened. */
function groupsUnknown({ live }: RunState): ReadonlySet<Path> {
  const groups = Object.values(live).flatMap(({ state, member }) => (state === 'unknown' ? (member?.group ?? []) : []));
  return new Set(groups.filter((group, index) => groups.indexOf(group) !== index));
}

function groupLines(shell: Shell, state: RunState, group: Path): string[] {
  const members = unknownAt(state, group);
  return [
    `  ${members.length} steps of "${oneLine(group.replace(/#1$/, ''))}" may have run, and there is no record of their end; say what happened to all of them:`,
    ...wayLines(shell, waysFromUnknown(state.id, group)),
    `  or to one of them, by its path: ${members
      .slice(0, SHOWN_MEMBERS)
      .map(({ path }) => oneLine(path))
      .join(', ')}${members.length > SHOWN_MEMBERS ? ', …' : ''}`,
  ];
}

function settledLines(shell: Shell, { story, state }: End): string[] {
  const { id, halt } = state;
  const status = statusOf(state);
  const mark = statusMark(shell, status);
  const took = formatDuration(story.run.durationMs);
  if (halt === undefined) return [`${mark} run ${id} ${status} in ${took}; its story: ${pasteable(shell, `pawl show ${id}`)}`];
  const at = halt.step === undefined ? '' : ` at "${oneLine(halt.step)}"`;
  return [`${mark} run ${id} ${status}${at}: ${oneLine(halt.message)}`, ...wayLines(shell, waysFromHalt(state))];
}

/** Ways on, one per line, with what each means. */
function wayLines(shell: Shell, ways: readonly WayOn[]): string[] {
  return ways.flatMap(({ about, command }) => [`  ${oneLine(about)}`, commandLine(shell, command, 4)]);
}

function waitLines(shell: Shell, { story }: End, { run, wait }: TreeWait): string[] {
  const at = wait.step === undefined ? '' : `"${oneLine(wait.path?.replace(/#1$/, '') ?? wait.step)}" `;
  const below = run === story.run.id ? '' : `of run ${run} `;
  const until = wait.due === undefined ? '' : `, ${untilText(wait.due)} at the latest`;
  const told = story.waits.find((candidate) => candidate.path !== undefined && candidate.path === wait.path && run === story.run.id);
  const command = told?.command ?? commandFor(run, wait, { gate: undefined, several: false, halt: undefined });
  const next = command === undefined ? [] : [commandLine(shell, command)];
  switch (wait.kind) {
    case 'human':
      return [`  ${at}${below}waits for a person to decide${until}:`, ...next];
    case 'report':
      return [`  ${at}${below}waits for the agent that does it to report${until}; what it is told:`, ...next];
    case 'answer':
      return [`  ${at}${below}waits for a person to answer the questions of its agent${until}:`, ...next];
    case 'delay':
      return [
        `  ${at}${below}waits for a time that comes ${wait.due === undefined ? 'later' : untilText(wait.due)}; nothing drives the run until then:`,
        commandLine(shell, `pawl resume ${story.run.id} --wait`),
      ];
    case 'signal':
      return [
        `  ${at}${below}waits for signal "${oneLine(wait.name ?? '')}"${until}; to stay with the run until it comes:`,
        commandLine(shell, `pawl resume ${story.run.id} --wait`),
      ];
    case 'checks':
      return [
        `  ${at}${below}waits for people or CI at the forge; once they have answered, it goes on with`,
        commandLine(shell, `pawl resume ${story.run.id}`),
      ];
    case 'unknown':
      return [
        `  ${at}${below}may have run, and there is no record of its end; say what happened:`,
        ...wayLines(shell, waysFromUnknown(run, wait.path ?? '')),
      ];
    case 'pause':
      return [`  ${run === story.run.id ? 'the run' : `run ${run}`} is paused; it goes on with`, commandLine(shell, `pawl resume ${run}`)];
    case 'escalation':
      return [`  run ${run} stopped: ${oneLine(wait.message ?? '')}`, commandLine(shell, `pawl resume ${run}`)];
    case 'budget':
      return [`  ${at}${below}waits for budget: ${oneLine(told?.message ?? `"pawl show ${run}" says for which`)}`];
    case 'capacity':
      if (wait.due !== undefined)
        return [
          `  ${at}${below}waits ${untilText(wait.due)}: ${oneLine(told?.message ?? 'its account has no capacity')}`,
          commandLine(shell, `pawl resume ${story.run.id} --wait`),
        ];
      return [
        `  ${at}${below}waits for capacity that other work holds; it goes on with`,
        commandLine(shell, `pawl resume ${story.run.id} --wait`),
      ];
    default:
      return [`  ${at}${below}waits for ${wait.kind === 'child' ? `run ${wait.child ?? ''}` : `its ${wait.kind}`}${until}`, ...next];
  }
}

function commandLine(shell: Shell, command: string, indent = 4): string {
  return `${' '.repeat(indent)}${shell.style('cyan', oneLine(pasteable(shell, command)))}`;
}
