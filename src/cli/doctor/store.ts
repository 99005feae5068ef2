// Owns the checks of `pawl doctor` on the database: the file, its integrity, which processes drive runs, which runs are due,
// and which processes a crashed engine left. Changes nothing: a file of an older version is not migrated.

import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isEngineError, messageOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { agoText } from '../../control/time-text.ts';
import { isFinal, type RunStatus } from '../../definition/run-status.ts';
import { livenessOf } from '../../process/identity.ts';
import { isDead, ownerText } from '../../process/owner.ts';
import { readPidFiles } from '../../process/pid-file.ts';
import { createProcessTree } from '../../process/process-tree.ts';
import { type FileFacts, inspectFile, type OwnedRun } from '../../store/sqlite/inspect.ts';
import { showingProgress, sizeText } from '../copies.ts';
import { lostLogNote } from '../lost-log.ts';
import { openStore, type Setup } from '../session.ts';
import type { Shell } from '../shell.ts';
import { isForeign } from '../store-origin.ts';
import { counted } from '../terminal.ts';
import { checkStore } from '../trust/check-signatures.ts';
import { type Check, checkDisk, checkModes, okCheck, problem, warning } from './doctor.ts';

const SHOWN_MAX = 20;

const ORIGIN_TEXTS: Readonly<Record<Setup['because'], string>> = {
  option: 'from --db',
  environment: 'from PAWL_DB',
  config: 'from the settings',
  default: 'in the state directory of this project',
};

/** Checks the database. */
export async function checkDatabase(shell: Shell, setup: Setup): Promise<Check[]> {
  const { file } = setup;
  const because = ORIGIN_TEXTS[setup.because];
  if (!existsSync(file)) return [okCheck('database', `${file} (${because}); no runs yet`), ...checkDisk(file)];
  const size = sizeText(statSync(file).size);
  const others = [
    ...checkModes([dirname(file), ...sideFiles(file)]),
    ...checkDisk(file),
    ...checkProcesses(`${file}.pids`),
    ...checkLostLog(file),
  ];
  try {
    const facts = inspectFile(file);
    const runs = counted(facts.runs, 'run');
    return [
      okCheck('database', `${file} (${because}); ${runs}, ${size}`),
      ...checkVersion(facts),
      ...checkOrigin(setup, facts),
      ...others,
      ...(await checkContents(shell, setup, facts)),
    ];
  } catch (error) {
    return [unreadable(error, `${file} (${because}; ${size}) cannot be read: `), ...others];
  }
}

function sideFiles(file: string): string[] {
  return ['', '-wal', '-shm', '.anchor', '.lost-wal', '.bells', '.pids'].map((side) => `${file}${side}`);
}

function checkLostLog(file: string): Check[] {
  const note = lostLogNote(file);
  return note === undefined ? [] : [warning('lost-log', note.what, note.hint)];
}

function unreadable(error: unknown, before = ''): Check {
  const isDamaged = typeof error === 'string' || (isEngineError(error) && error.code === 'STORE_DAMAGED');
  const hint = isDamaged ? '"pawl doctor --repair" saves what can be read; "pawl restore FILE" restores a backup' : undefined;
  return {
    id: 'database',
    status: 'broken',
    what: `${before}${typeof error === 'string' ? error : messageOf(error)}`,
    ...omitUndefined({ hint }),
  };
}

function checkVersion({ version, newest, journalMode, copyOf }: FileFacts): Check[] {
  const what = `database version ${version}, journal: ${journalMode}`;
  const hint = `this Pawl uses version ${newest}: "pawl db migrate" makes a backup and migrates`;
  const checks = [version === newest ? okCheck('version', what) : warning('version', what, hint)];
  if (copyOf === undefined) return checks;
  const copied = `this file was copied or moved from ${copyOf}, so its runs do not continue`;
  return [...checks, problem('copy', copied, 'if the original is no longer used: "pawl db adopt"')];
}

function checkOrigin(setup: Setup, { origin }: FileFacts): Check[] {
  if (!isForeign(setup, origin)) return [];
  const what = `${setup.file} was not created under the state folder ${setup.state ?? '(there is none)'}, so its runs do not continue`;
  return [problem('origin', what, 'inspect it with "pawl runs"; if it is yours: "pawl db adopt" at a terminal')];
}

/** Checks the contents, which needs a database of the newest version. */
async function checkContents(shell: Shell, setup: Setup, facts: FileFacts): Promise<Check[]> {
  const owners = facts.owned.map(checkOwner);
  if (facts.version !== facts.newest) return owners;
  try {
    const lost: string[] = [];
    await using store = await openStore({ ...setup, warn: (text) => lost.push(text) }, 'read');
    const report = await showingProgress(shell, `checking ${counted(facts.runs, 'run')}`, () => checkStore(shell, setup, store));
    const ready = await store.ready(Date.now(), SHOWN_MAX);
    const statuses = await Promise.all(ready.map(async ({ run }) => (await store.load(run)).status));
    // An ended run reads no mail.
    const waiting = ready.filter(({ because }, n) => because !== 'orphaned' && !isFinal(statuses[n] as RunStatus));
    const known = sideFiles(setup.file).map((side) => `chmod go= ${side}`);
    const problems = report.problems.filter(({ what }) => !known.some((mode) => what.endsWith(mode)) && !lost.includes(what));
    return [...lost.map((what) => unreadable(what)), ...checkIntegrity(problems), ...owners, ...waiting.map(checkReady)];
  } catch (error) {
    if (!isEngineError(error)) throw error;
    return [...owners, unreadable(error)];
  }
}

function checkIntegrity(problems: readonly { readonly what: string }[]): Check[] {
  if (problems.length === 0) return [okCheck('integrity', 'every page, log, value and checkpoint is intact')];
  const hint = 'other runs are not affected; "pawl restore FILE" restores a backup';
  const shown = problems.slice(0, SHOWN_MAX).map(({ what }) => problem('integrity', what, hint));
  const more = problems.length - shown.length;
  return more === 0 ? shown : [...shown, problem('integrity', `and ${more} more`, '"pawl db check" shows all')];
}

function checkOwner({ run, owner, at, status }: OwnedRun): Check {
  const who = ownerText(owner);
  const seen = `last event ${agoText(at)}`;
  if (!isDead(owner)) return okCheck('owner', `run ${run} is driven by ${who}; ${seen}`);
  const what = `run ${run} was driven by ${who}, which no longer runs; ${seen}`;
  // A run that has ended keeps its last owner.
  if (isFinal(status)) return okCheck('owner', `run ${run} is ${status}; it was driven by ${who}, which no longer runs`);
  return warning('orphan', what, `pawl resume ${run}`);
}

function checkReady({ run, because }: { readonly run: string; readonly because: string }): Check {
  return warning('due', `run ${run} ${because === 'mail' ? 'has mail' : 'is due'}, but no process drives it`, `pawl resume ${run}`);
}

function checkProcesses(folder: string): Check[] {
  try {
    return readPidFiles(folder).flatMap(({ mark, first, owner }): Check[] => {
      if (livenessOf(owner) !== 'dead') return [];
      const pids = createProcessTree({ ...first, mark }).scan();
      if (pids.length === 0) return [];
      const what = `step ${mark} left processes running when its engine died: ${pids.map((row) => row.pid).join(', ')}`;
      return [warning('processes', what, 'resume the run: the next engine on this database ends them')];
    });
  } catch (error) {
    return [warning('processes', `${folder} cannot be read: ${messageOf(error)}`)];
  }
}
