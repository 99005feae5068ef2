// `pawl db`: checks the database file, migrates it to the format of this version, and adopts one from elsewhere.

import { existsSync } from 'node:fs';
import { EngineError } from '../../base/error.ts';
import type { StoreReport } from '../../store/store.ts';
import type { CommandRun } from '../command.ts';
import { showingProgress } from '../copies.ts';
import { confirm } from '../decision/prompt.ts';
import { lostLogNote } from '../lost-log.ts';
import { findSetup, openStore, type Setup } from '../session.ts';
import type { Shell } from '../shell.ts';
import { ensureStateId, isForeign } from '../store-origin.ts';
import { counted, oneLine } from '../terminal.ts';
import { checkStore } from '../trust/check-signatures.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const setup = await findSetup(shell, args);
  if (!existsSync(setup.file))
    throw new EngineError(
      'STORE_UNAVAILABLE',
      `database ${setup.file} does not exist yet; the first run creates it ("pawl doctor" shows where the path comes from)`,
    );
  const action = args.word('ACTION');
  if (action === 'check') return check(shell, setup);
  return action === 'migrate' ? migrate(shell, setup) : adopt(shell, setup);
};

async function check(shell: Shell, setup: Setup): Promise<number> {
  await using store = await openStore(setup, 'read');
  const report = await showingProgress(shell, `checking ${oneLine(setup.file)}`, () => checkStore(shell, setup, store));
  const { ok, file, schemaVersion: version, problems } = report;
  const lost = lostLogNote(setup.file);
  if (lost !== undefined) shell.warn(`${lost.what}; ${lost.hint}`);
  shell.result({ ok, file, version, problems }, () => reportLines(shell, report));
  return ok ? 0 : 1;
}

function reportLines(shell: Shell, { file, ok, schemaVersion, problems }: StoreReport): string[] {
  if (ok) return [`${shell.symbol('done')} ${oneLine(file)} is intact (version ${schemaVersion})`];
  return [
    ...problems.map(({ what }) => `${shell.style('red', shell.symbol('failed'))} ${oneLine(what)}`),
    `${counted(problems.length, 'problem')} in ${oneLine(file)}; "pawl restore FILE" restores a backup`,
  ];
}

async function migrate(shell: Shell, setup: Setup): Promise<number> {
  const { inspectFile } = await import('../../store/sqlite/inspect.ts');
  const { version: from, newest: to } = inspectFile(setup.file);
  await (await openStore(setup, 'read')).close();
  const backup = from === to || from === 0 ? undefined : inspectFile(setup.file).lastBackup;
  shell.result({ file: setup.file, from, to, backup: backup ?? null }, () =>
    from === to
      ? [`${oneLine(setup.file)} is already version ${to}`]
      : [
          `${shell.symbol('done')} ${oneLine(setup.file)} was migrated from version ${from} to ${to}`,
          ...(backup === undefined ? [] : [`  the previous database is saved as ${oneLine(backup)}`]),
        ],
  );
  return 0;
}

async function adopt(shell: Shell, setup: Setup): Promise<number> {
  const [{ openSqliteStore }, { inspectFile }] = await Promise.all([
    import('../../store/sqlite/open.ts'),
    import('../../store/sqlite/inspect.ts'),
  ]);
  const { copyOf, origin, runs } = inspectFile(setup.file);
  const foreign = isForeign(setup, origin);
  if (foreign) await confirmAdoption(shell, setup, runs);
  const problems = await problemsOf(setup);
  if (problems.length > 0) await confirmLoss(shell, setup, problems);
  const isChanged = foreign || copyOf !== undefined || problems.length > 0;
  if (isChanged) await (await openSqliteStore({ file: setup.file, adopt: true, origin: stateIdOf(setup) })).close();
  shell.result({ file: setup.file, copyOf: copyOf ?? null, foreign }, () => [
    isChanged
      ? `${shell.symbol('done')} ${oneLine(setup.file)} is adopted, and its runs can continue here${copyOf === undefined ? '' : `; it came from ${oneLine(copyOf)}`}`
      : `${oneLine(setup.file)} is already yours`,
  ]);
  return 0;
}

/** What is missing or damaged in the database; adopting accepts it. */
async function problemsOf(setup: Setup): Promise<readonly string[]> {
  await using store = await openStore({ ...setup, warn: () => undefined }, 'read');
  return (await store.check()).problems.map(({ what }) => what).filter((what) => !what.includes('chmod go='));
}

/** Runs of a damaged database may repeat work whose record is lost, so a person must confirm. */
async function confirmLoss(shell: Shell, setup: Setup, problems: readonly string[]): Promise<void> {
  if (!shell.isInteractive)
    throw new EngineError(
      'NOT_ALLOWED',
      `${setup.file} is damaged, and its runs would continue with what is left of it; only a person can decide that: run "pawl db adopt --db ${setup.file}" at a terminal (${problems[0]})`,
    );
  for (const problem of problems) shell.print(`${shell.style('red', shell.symbol('failed'))} ${oneLine(problem)}`);
  shell.print('Work that is not recorded may be done again, and damaged runs stay damaged.');
  if (!(await confirm(shell, 'Continue with what is left?'))) throw new EngineError('NOT_ALLOWED', 'nothing was adopted');
}

/** Adopting allows the commands in the database's runs to execute, so a person must confirm. */
async function confirmAdoption(shell: Shell, setup: Setup, runs: number): Promise<void> {
  if (!shell.isInteractive)
    throw new EngineError(
      'NOT_ALLOWED',
      `${setup.file} was not created under your state folder, and adopting it allows its runs to execute commands; only a person can decide that: run "pawl db adopt --db ${setup.file}" at a terminal`,
    );
  shell.print(`${oneLine(setup.file)} was not created under your state folder ${oneLine(setup.state ?? '')}.`);
  shell.print(`It holds ${counted(runs, 'run')}; "pawl runs" and "pawl show RUN" show what they would execute.`);
  if (!(await confirm(shell, 'Allow its runs to continue here?'))) throw new EngineError('NOT_ALLOWED', 'nothing was adopted');
}

function stateIdOf({ state }: Setup): string {
  if (state !== undefined) return ensureStateId(state);
  throw new EngineError('STORE_UNAVAILABLE', 'there is no state folder to adopt the database into; set HOME or PAWL_STATE');
}
