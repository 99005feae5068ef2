// `pawl doctor`: checks the setup and shows where the state is kept.

import { present } from '../../base/fields.ts';
import type { CommandRun } from '../command.ts';
import { type Check, checkPlace, checkProgram, checkSecrets } from '../doctor/doctor.ts';
import { wrap } from '../help.ts';
import type { Shell } from '../shell.ts';
import { oneLine, type StyleName, type SymbolName } from '../terminal.ts';

const LOOKS: Readonly<Record<Check['status'], readonly [StyleName, SymbolName]>> = {
  ok: ['green', 'done'],
  warning: ['yellow', 'waiting'],
  problem: ['red', 'failed'],
  broken: ['red', 'failed'],
};

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const { checks: around, place } = await checkPlace(shell, given);
  const { checkDatabase } = await import('../doctor/store.ts');
  const { checkRoles } = await import('../doctor/roles.ts');
  const roles = place === undefined ? [] : await checkRoles(place.project, place.settings, shell.env);
  const { checkWorkflows } = await import('../doctor/workflows.ts');
  const workflows = place === undefined ? [] : await checkWorkflows(shell, given);
  const secrets = place === undefined ? [] : checkSecrets(place);
  const forge = place?.settings.forge?.kind === 'github' ? await (await import('../doctor/forge.ts')).checkForge(shell, place) : [];
  const database = place === undefined ? [] : await checkDatabase(shell, place);
  const isServed = (place?.settings.serve?.projects ?? []).length > 0;
  const others = place !== undefined && isServed ? await (await import('../doctor/projects.ts')).checkProjects(shell, place) : [];
  const saved = given.has('repair') && place !== undefined ? [(await import('../doctor/repair.ts')).saveRuns(place.file)] : [];
  const checks = [...checkProgram(shell), ...around, ...workflows, ...roles, ...secrets, ...forge, ...database, ...others, ...saved];
  shell.result({ ok: exitOf(checks) === 0, checks: checks.map(toRow) }, () => [
    ...checks.flatMap((check) => linesOf(shell, check)),
    summaryOf(checks),
  ]);
  return exitOf(checks);
};

function exitOf(checks: readonly Check[]): number {
  if (checks.some(({ status }) => status === 'broken')) return 6;
  return checks.every(({ status }) => status === 'ok') ? 0 : 1;
}

function toRow({ id, status, what, hint, project }: Check): object {
  return { id, status: status === 'broken' ? 'problem' : status, what, hint, ...present({ project }) };
}

function linesOf(shell: Shell, { status, what, hint }: Check): string[] {
  const [style, name] = LOOKS[status];
  const mark = shell.symbol(name);
  const indent = ' '.repeat(mark.length + 1);
  const room = (shell.look.isTerminal ? shell.look.columns : Number.POSITIVE_INFINITY) - indent.length;
  const [first, ...rest] = wrap(oneLine(what), room);
  return [
    `${shell.style(style, mark)} ${first}`,
    ...rest.map((line) => `${indent}${line}`),
    ...(hint === '' ? [] : wrap(`${shell.symbol('arrow')} ${oneLine(hint)}`, room).map((line) => `${indent}${shell.style('dim', line)}`)),
  ];
}

function summaryOf(checks: readonly Check[]): string {
  const count = checks.filter(({ status }) => status !== 'ok').length;
  return count === 0 ? 'No problems found.' : `${count} ${count === 1 ? 'problem' : 'problems'} found.`;
}
