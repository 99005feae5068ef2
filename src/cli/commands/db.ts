// `pawl db`: upkeep of the database file: its version, its integrity, its home.

import { existsSync } from 'node:fs';
import { EngineError } from '../../base/error.ts';
import type { StoreReport } from '../../store/store.ts';
import type { CommandRun } from '../command.ts';
import { showWork } from '../copies.ts';
import { findPlace, openStore, type Place } from '../session.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const place = await findPlace(shell, given);
  if (!existsSync(place.file))
    throw new EngineError(
      'STORE_UNAVAILABLE',
      `there is no database ${place.file} yet; the first run makes one, "pawl doctor" shows why this one`,
    );
  const action = given.word('ACTION');
  if (action === 'check') return check(shell, place);
  return action === 'migrate' ? migrate(shell, place) : adopt(shell, place);
};

async function check(shell: Shell, place: Place): Promise<number> {
  const store = await openStore(place);
  const done = showWork(shell, `checking ${oneLine(place.file)}`);
  try {
    const report = await store.check();
    done();
    const { ok, file, schemaVersion: version, problems } = report;
    shell.result({ ok, file, version, problems }, () => reportLines(shell, report));
    return ok ? 0 : 1;
  } finally {
    done();
    await store.close();
  }
}

function reportLines(shell: Shell, { file, ok, schemaVersion, problems }: StoreReport): string[] {
  if (ok) return [`${shell.symbol('done')} ${oneLine(file)} is sound (version ${schemaVersion})`];
  return [
    ...problems.map(({ what }) => `${shell.style('red', shell.symbol('failed'))} ${oneLine(what)}`),
    `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'} in ${oneLine(file)}; "pawl restore FILE" goes back to a backup`,
  ];
}

async function migrate(shell: Shell, place: Place): Promise<number> {
  const { inspectFile } = await import('../../store/sqlite/inspect.ts');
  const { version: from, newest: to } = inspectFile(place.file);
  await (await openStore(place)).close();
  const backup = from === to || from === 0 ? undefined : inspectFile(place.file).lastBackup;
  shell.result({ file: place.file, from, to, backup: backup ?? null }, () =>
    from === to
      ? [`${oneLine(place.file)} is of version ${to} already; there is nothing to do`]
      : [
          `${shell.symbol('done')} ${oneLine(place.file)} went from version ${from} to ${to}`,
          ...(backup === undefined ? [] : [`  what was there before is ${oneLine(backup)}`]),
        ],
  );
  return 0;
}

async function adopt(shell: Shell, place: Place): Promise<number> {
  const [{ openSqliteStore }, { inspectFile }] = await Promise.all([
    import('../../store/sqlite/open.ts'),
    import('../../store/sqlite/inspect.ts'),
  ]);
  const { copyOf } = inspectFile(place.file);
  if (copyOf !== undefined) await (await openSqliteStore({ file: place.file, adopt: true })).close();
  shell.result({ file: place.file, copyOf: copyOf ?? null }, () => [
    copyOf === undefined
      ? `${oneLine(place.file)} is at home here; there is nothing to do`
      : `${shell.symbol('done')} ${oneLine(place.file)} is the store now, and runs go on here; it came from ${oneLine(copyOf)}`,
  ]);
  return 0;
}
