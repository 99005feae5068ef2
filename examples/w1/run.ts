// Runs the editing workflow on a new book database, with a simulated person for the one approval, prints what the engine
// observed, and restores the backup.
//
//   node examples/w1/run.ts [DIRECTORY]    (without a directory, a temporary one that is removed afterwards)

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listBackups, restoreBackup } from '../../src/safe-db/index.ts';
import { booksIn, openEditing } from './editing.ts';
import { addPondBook } from './manuscript.ts';

const directory = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'pawl-w1-'));
const editing = await openEditing({ directory });
const run = await editing.start(addPondBook(editing));

const waiting = await run.wait('idle');
// Members of a fan-out end in any order; the line of their group has them all.
for (const { path, outcome, output } of waiting.steps.filter((step) => !step.path.includes('/')))
  console.log(path.padEnd(26), (outcome ?? 'waits').padEnd(6), JSON.stringify(output ?? null));

const [approval] = await editing.engine.run(run.id).approvals();
console.log(`\n${approval?.question.prompt}\n  shown: ${JSON.stringify(approval?.shown)}`);
console.log(`  options: ${approval?.question.options.map(({ label }) => label).join(' | ')}`);
console.log('  A scripted person stands in here and approves.\n');

const done = await editing.decide(run.id, {
  option: 'Approve and finalize',
  actor: 'ann',
  ...(approval === undefined ? {} : { digest: approval.digest }),
});
const artifact = editing.books.row<{ path: string }>('SELECT path FROM artifacts WHERE run_id = ?', run.id);
console.log(`The run is ${done.status}; ${JSON.stringify(done.iterationCounts)}`);
console.log(`${readFileSync(artifact?.path ?? '', 'utf8')}`);
// Restores the backup that the engine made before the run wrote to the books ("pawl data restore RUN" in a project).
const file = booksIn(directory);
const backup = listBackups(file).find(({ runId }) => runId === run.id);
const latest = () => editing.books.latestVersion('ponds')?.id;
console.log(`The latest version is ${latest()}.`);
await restoreBackup(file, backup?.path ?? '');
console.log(`With the backup from before the run it is ${latest()}.`);
await editing.close();
if (process.argv[2] === undefined) rmSync(directory, { recursive: true });
