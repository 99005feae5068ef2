// `pawl lock`: locks workflows with everything they refer to, and checks whether any of it has changed.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandRun, ParsedArgs } from '../command.ts';
import { discoverProject } from '../definitions.ts';
import { workflowUnknown } from '../load.ts';
import { driftOf, type LockSubject, lockFileOf, lockOf, lockText, readLock } from '../lock/lock.ts';
import { findProject, type Project } from '../project.ts';
import { isSettingsFile } from '../settings/settings.ts';
import type { Shell } from '../shell.ts';
import { checkedFiles } from './validate.ts';

interface LockRow {
  readonly workflow: string;
  readonly file: string;
  readonly lock: string;
  readonly state: 'written' | 'unchanged' | 'ok' | 'drifted' | 'missing' | 'invalid';
  readonly problems: readonly string[];
}

const EXIT_DRIFTED = 1;

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const project = findProject(shell, args);
  const checks = args.has('check');
  const subjects = await subjectsOf(shell, args, project);
  const findings = await findingsByFile(shell, args);
  const rows: LockRow[] = [];
  for (const subject of subjects) {
    const problems = findings.get(subject.file) ?? [];
    rows.push(problems.length > 0 ? rowOf(subject, 'invalid', problems) : await (checks ? check : write)(shell, project, subject));
  }
  shell.list({ locks: rows }, rows, { none: 'No workflow is locked.', lines: (row) => linesOf(shell, row) });
  return rows.every(({ state }) => state === 'written' || state === 'unchanged' || state === 'ok') ? 0 : EXIT_DRIFTED;
};

/** The named workflows, else all of the project; with --check, all that have a lock file. */
async function subjectsOf(shell: Shell, args: ParsedArgs, project: Project): Promise<readonly LockSubject[]> {
  const { workflows } = await discoverProject(project);
  const known = workflows.filter(({ file }) => !isSettingsFile(project, file)).map(({ name, file }) => ({ name, file }));
  const words = args.allWords('WORKFLOW');
  if (words.length === 0) return args.has('check') ? known.filter(({ file }) => existsSync(lockFileOf(file))) : known;
  return words.map((word) => {
    const found = known.find(({ name, file }) => name === word || file === resolve(shell.cwd, word));
    if (found !== undefined) return found;
    throw workflowUnknown(word, { where: ` in ${project.root}`, names: known.map(({ name }) => name), unread: [] });
  });
}

/** The errors and warnings of each file. An untrusted module is accepted, because only its content is compared. */
async function findingsByFile(shell: Shell, args: ParsedArgs): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = await checkedFiles(shell, args);
  return new Map(
    files.map(({ file, errors, warnings }) => [
      file,
      [...errors, ...warnings]
        .filter(({ code }) => code !== 'NOT_TRUSTED')
        .map(({ code, message, line, column }) => `${shell.shownFile(file)}:${line}:${column} ${code} ${message}`),
    ]),
  );
}

async function write(shell: Shell, project: Project, subject: LockSubject): Promise<LockRow> {
  const target = lockFileOf(subject.file);
  const text = lockText(await lockOf(shell, project, subject));
  if (existsSync(target) && readFileSync(target, 'utf8') === text) return rowOf(subject, 'unchanged');
  writeFileSync(target, text);
  return rowOf(subject, 'written');
}

async function check(shell: Shell, project: Project, subject: LockSubject): Promise<LockRow> {
  const lock = readLock(lockFileOf(subject.file));
  if (lock === undefined) return rowOf(subject, 'missing', ['it is not locked']);
  const drift = driftOf(lock, await lockOf(shell, project, { ...subject, known: lock }));
  return drift.length === 0 ? rowOf(subject, 'ok') : rowOf(subject, 'drifted', drift);
}

function rowOf({ name, file }: LockSubject, state: LockRow['state'], problems: readonly string[] = []): LockRow {
  return { workflow: name, file, lock: lockFileOf(file), state, problems };
}

function linesOf(shell: Shell, { workflow, lock, state, problems }: LockRow): string[] {
  const isGood = problems.length === 0;
  const mark = isGood ? shell.style('green', shell.symbol('done')) : shell.style('red', shell.symbol('failed'));
  return [`${mark} ${workflow}  ${shell.shownFile(lock)}  ${state}`, ...problems.map((problem) => `    ${problem}`)];
}
