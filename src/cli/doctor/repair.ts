// Owns `pawl doctor --repair`: writes all data of a database that can be read and verified to a new file. The database is not
// changed, and no run continues from that file: it is for a person to inspect.

import { appendFileSync, existsSync } from 'node:fs';
import { messageOf } from '../../base/error.ts';
import { createPrivateFile } from '../../base/sqlite.ts';
import { salvage } from '../../store/sqlite/salvage.ts';
import { nameBeside } from '../copies.ts';
import { type Check, okCheck, problem } from './doctor.ts';

/** Saves the runs of a database, one JSON object per line, and reports how many are complete. */
export function saveRuns(file: string): Check {
  if (!existsSync(file)) return problem('repair', `${file} does not exist, so nothing can be saved`);
  const target = `${nameBeside(file, 'recovered')}.jsonl`;
  const saved = { whole: 0, partial: 0 };
  try {
    for (const run of salvage(file)) {
      createPrivateFile(target);
      appendFileSync(target, `${JSON.stringify(run)}\n`);
      saved[run.isWhole ? 'whole' : 'partial'] += 1;
    }
  } catch (error) {
    const hint = '"pawl restore FILE" restores a backup, and saves the current file';
    return { id: 'repair', status: 'broken', what: `nothing more can be read of ${file}: ${messageOf(error)}`, hint };
  }
  if (saved.whole + saved.partial === 0) return okCheck('repair', 'there is no run to save');
  return okCheck('repair', `${saved.whole} whole and ${saved.partial} partial runs of ${file} are saved as ${target}`);
}
