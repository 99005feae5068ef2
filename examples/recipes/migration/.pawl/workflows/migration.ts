// Migrates records in batches, one after the other. A batch is done when every record in it has the new version.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { arg, step, workflow } from 'pawl';

const records = join(import.meta.dirname, '../../records');

const isMigrated = (file: string): boolean => JSON.parse(readFileSync(join(records, file), 'utf8')).version === 2;

export default workflow(
  'migration',
  { title: 'Migrate the records', params: { size: arg({ type: 'number', default: 2 }) } },
  function* ({ size }) {
    // A flow runs again from its start after a crash, so what it reads from outside must be a step: steps are recorded.
    const files = yield* step('list').task(() => readdirSync(records).sort());
    const batches = Array.from({ length: Math.ceil(files.length / size) }, (_, n) => files.slice(n * size, (n + 1) * size));

    yield* step('migrate').each(
      batches,
      (batch) =>
        step('batch')
          .command({ argv: ['node', 'migrate.mjs', ...batch] })
          // Migrating a record twice does no harm, so a batch that a crash interrupted runs again without asking.
          .recovery('rerun')
          .postconditions({ name: 'migrated', check: () => batch.every(isMigrated), error: 'not every record has version 2' }),
      { concurrency: 1, key: ([first = '']) => first.replace('.json', '') },
    );
    return { migrated: files.length };
  },
);
