// Owns `pawl doctor --repair`: writes everything that can be read and proved of a database to a new file. The database is
// not changed, and no run continues on what was saved: a person looks at it, or restores a backup.

import { appendFileSync, existsSync } from 'node:fs';
import { messageOf } from '../../base/error.ts';
import { createPrivateFile } from '../../store/sqlite/connection.ts';
import { salvage } from '../../store/sqlite/salvage.ts';
import { nameBeside } from '../copies.ts';
import { type Check, okCheck } from './doctor.ts';

/** Saves the runs of a database, one JSON object per line, and reports how many are whole. */
export function saveRuns(file: string): Check {
  if (!existsSync(file)) return { id: 'repair', status: 'problem', what: `${file} does not exist, so nothing can be saved`, hint: '' };
  const target = `${nameBeside(file, 'recovered')}.jsonl`;
  let whole = 0;
  let partial = 0;
  try {
    for (const run of salvage(file)) {
      createPrivateFile(target);
      appendFileSync(target, `${JSON.stringify(run)}\n`);
      if (run.isWhole) whole += 1;
      else partial += 1;
    }
  } catch (error) {
    const hint = '"pawl restore FILE" restores a backup, and saves the current file';
    return { id: 'repair', status: 'broken', what: `nothing more can be read of ${file}: ${messageOf(error)}`, hint };
  }
  if (whole + partial === 0) return okCheck('repair', 'there is no run to save');
  return okCheck('repair', `${whole} whole and ${partial} partial runs of ${file} are saved as ${target}`);
}
