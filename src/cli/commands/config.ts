// `pawl config`: shows the effective settings and where each comes from.

import { type Json, jsonText } from '../../base/json.ts';
import { didYouMean } from '../../base/suggest.ts';
import { type CommandRun, type ParsedArgs, usageError } from '../command.ts';
import { findProject, type Project } from '../project.ts';
import { readOrigins } from '../settings/settings.ts';
import type { Shell } from '../shell.ts';
import { oneLine, table } from '../terminal.ts';

interface Row {
  readonly key: string;
  readonly value: Json;
  readonly layer: 'option' | 'environment' | 'local' | 'project' | 'user';
  /** The file, or the name of the option or variable. */
  readonly file: string;
  readonly line: number | null;
  readonly isInForce: boolean;
  readonly isUsed: boolean;
}

/** Environment variables by setting; the value of `token` is never shown. */
const VARIABLES = { db: 'PAWL_DB', 'project-dir': 'PAWL_PROJECT', 'state-dir': 'PAWL_STATE', token: 'PAWL_TOKEN' } as const;

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const rows = await readRows(shell, args, findProject(shell, args));
  const key = args.maybe('KEY');
  const chosen = key === undefined ? rows : rowsOf(rows, key);
  const shown = args.has('show-origin') ? chosen : chosen.filter(({ isInForce }) => isInForce);
  return shell.result({ settings: shown }, () => linesOf(shell, shown, { alone: key !== undefined, origin: args.has('show-origin') }));
};

async function readRows(shell: Shell, args: ParsedArgs, project: Project): Promise<Row[]> {
  const options = optionRows(args);
  const rows = [...options, ...environmentRows(shell).map((row) => ({ ...row, isInForce: !contains(options, row.key) }))];
  const files = (await readOrigins(shell, project)).map(({ key, value, layer, file, position, isInForce, isUsed }) => {
    return { key, value, layer, file, line: position.line, isInForce: isInForce && !contains(rows, key), isUsed };
  });
  // The sort is stable, so the one in force stays first for each key.
  return [...rows, ...files].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

function contains(rows: readonly Row[], key: string): boolean {
  return rows.some((row) => row.key === key);
}

function optionRows(args: ParsedArgs): Row[] {
  return Object.entries({ db: 'db', 'project-dir': 'project' }).flatMap(([key, option]) => {
    const value = args.option(option);
    return value === undefined ? [] : [givenRow(key, value, { layer: 'option', file: `--${option}` })];
  });
}

function environmentRows(shell: Shell): Row[] {
  return Object.entries(VARIABLES).flatMap(([key, variable]) => {
    const value = shell.env[variable] ?? '';
    return value === '' ? [] : [givenRow(key, key === 'token' ? '(set)' : value, { layer: 'environment', file: variable })];
  });
}

function givenRow(key: string, value: string, where: Pick<Row, 'layer' | 'file'>): Row {
  return { key, value, ...where, line: null, isInForce: true, isUsed: true };
}

function rowsOf(rows: readonly Row[], key: string): Row[] {
  const found = rows.filter((row) => row.key === key || row.key.startsWith(`${key}.`));
  if (found.length > 0) return found;
  const known = rows.map((row) => row.key);
  throw usageError(`"${key}" is not set${didYouMean(key, known)}; "pawl config" shows all settings`);
}

function linesOf(shell: Shell, rows: readonly Row[], how: { readonly alone: boolean; readonly origin: boolean }): string[] {
  const [first] = rows;
  if (first === undefined)
    return ['Nothing is set. Settings belong in .pawl/config.yaml, .pawl/config.local.yaml or ~/.config/pawl/config.yaml.'];
  if (how.alone && rows.length === 1 && !how.origin) return [textOf(first.value)];
  const value = (row: Row): string => `${textOf(row.value)}${row.isUsed ? '' : ' (not used yet)'}`;
  return table(shell.display, [
    { title: 'SETTING', cells: rows.map(({ key }) => oneLine(key)), style: (cell, row) => dimmed(shell, rows[row], cell) },
    { title: 'VALUE', cells: rows.map(value), shrinks: 'text', style: (cell, row) => dimmed(shell, rows[row], cell) },
    ...(how.origin
      ? [
          { title: 'FROM', cells: rows.map(({ layer, isInForce }) => (isInForce ? layer : `${layer}, overridden`)) },
          { title: 'WHERE', cells: rows.map(({ file, line }) => oneLine(`${file}${line === null ? '' : `:${line}`}`)) },
        ]
      : []),
  ]);
}

function textOf(value: Json): string {
  return oneLine(jsonText(value));
}

function dimmed(shell: Shell, row: Row | undefined, text: string): string {
  return row?.isInForce === false ? shell.style('dim', text) : text;
}
