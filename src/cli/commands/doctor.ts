// `pawl doctor`: checks the setup and shows where the state is kept.

import { omitUndefined } from '../../base/fields.ts';
import type { CommandRun, ParsedArgs } from '../command.ts';
import { type Check, checkProgram, checkSecrets, checkSetup } from '../doctor/doctor.ts';
import { wrap } from '../help.ts';
import type { Setup } from '../session.ts';
import type { Shell } from '../shell.ts';
import { counted, oneLine, type StyleName, type SymbolName } from '../terminal.ts';

const STATUS_STYLES: Readonly<Record<Check['status'], readonly [StyleName, SymbolName]>> = {
  ok: ['green', 'done'],
  warning: ['yellow', 'waiting'],
  problem: ['red', 'failed'],
  broken: ['red', 'failed'],
};

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const { checks: setupChecks, setup } = await checkSetup(shell, args);
  const checks = [...checkProgram(shell), ...setupChecks, ...(setup === undefined ? [] : await checkProject(shell, args, setup))];
  shell.result({ ok: exitOf(checks) === 0, checks: checks.map(toRow) }, () => [
    ...checks.flatMap((check) => linesOf(shell, check)),
    summaryOf(checks),
  ]);
  return exitOf(checks);
};

async function checkProject(shell: Shell, args: ParsedArgs, setup: Setup): Promise<readonly Check[]> {
  const { project, settings, file } = setup;
  const [{ checkDatabase }, { checkRoles }, { checkWorkflows }] = await Promise.all([
    import('../doctor/store.ts'),
    import('../doctor/roles.ts'),
    import('../doctor/workflows.ts'),
  ]);
  return [
    ...(await checkWorkflows(shell, args)),
    ...(await checkRoles(project, settings, shell.env)),
    ...checkSecrets(setup),
    ...(settings.forge?.kind === 'github' ? await (await import('../doctor/forge.ts')).checkForge(shell, setup) : []),
    ...(await checkDatabase(shell, setup)),
    ...((settings.serve?.projects ?? []).length > 0 ? await (await import('../doctor/projects.ts')).checkProjects(shell, setup) : []),
    ...(args.has('repair') ? [(await import('../doctor/repair.ts')).saveRuns(file)] : []),
  ];
}

function exitOf(checks: readonly Check[]): number {
  if (checks.some(({ status }) => status === 'broken')) return 6;
  return checks.every(({ status }) => status === 'ok') ? 0 : 1;
}

function toRow({ id, status, what, hint, project }: Check): object {
  return { id, status: status === 'broken' ? 'problem' : status, what, ...omitUndefined({ hint, project }) };
}

function linesOf(shell: Shell, { status, what, hint }: Check): string[] {
  const [style, name] = STATUS_STYLES[status];
  const mark = shell.symbol(name);
  const indent = ' '.repeat(mark.length + 1);
  const room = (shell.display.isTerminal ? shell.display.columns : Number.POSITIVE_INFINITY) - indent.length;
  const [first, ...rest] = wrap(oneLine(what), room);
  return [
    `${shell.style(style, mark)} ${first}`,
    ...rest.map((line) => `${indent}${line}`),
    ...(hint === undefined
      ? []
      : wrap(`${shell.symbol('arrow')} ${oneLine(hint)}`, room).map((line) => `${indent}${shell.style('dim', line)}`)),
  ];
}

function summaryOf(checks: readonly Check[]): string {
  const count = checks.filter(({ status }) => status !== 'ok').length;
  return count === 0 ? 'No problems found.' : `${counted(count, 'problem')} found.`;
}
