// The benchmark. `npm run bench` prints the table of docs/performance.md. `--json` prints one JSON object instead,
// `--quick` measures with fewer repeats, `--only P1,P3` measures some of the rows, `--peers` also measures other engines.

import { parseArgs } from 'node:util';
import { measureColdStart } from './cold-start.ts';
import { measureHistory } from './history.ts';
import { jsonOf, type Row, tableOf } from './measure.ts';
import { bestPeers, measurePeers, missingPeers } from './peers.ts';
import { measureProtectedWrites } from './protected-writes.ts';
import { measureParked, measureResume } from './recovery.ts';
import { measureSnapshots } from './snapshots.ts';
import { measureBranches, measureConcurrent, measureDefinition, measureDisk, measureFresh, measureSequential } from './throughput.ts';
import { measureWidth } from './width.ts';
import { measureYamlFiles } from './yaml-files.ts';

/** Prints what is wrong with the arguments, and exits. */
function refuse(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

function parseOptions() {
  try {
    return parseArgs({
      options: { json: { type: 'boolean' }, quick: { type: 'boolean' }, only: { type: 'string' }, peers: { type: 'boolean' } },
    }).values;
  } catch (error) {
    return refuse(`${(error as Error).message}\nThe options are --quick, --only P1,P3, --peers and --json.`);
  }
}

const values = parseOptions();
const repeats = values.quick ? 3 : 7;
const wanted = values.only?.split(',');

const MEASURES: Readonly<Record<string, () => Promise<Row | readonly Row[]>>> = {
  P1: () => measureSequential('FULL', repeats),
  P1f: () => measureFresh(repeats),
  P1n: () => measureSequential('NORMAL', repeats),
  P1d: () => measureDisk(),
  P2: () => measureConcurrent(repeats, bestPeers(peers)),
  P3: () => measureBranches(repeats, bestPeers(peers)),
  P3a: () => measureWidth(values.quick ? 5 : 20),
  P4: () => measureResume(values.quick ? 3 : 5),
  P5: () => measureParked(10_000),
  ...(values.quick ? {} : { P5x: () => measureParked(100_000) }),
  P6: () => measureColdStart(values.quick ? 7 : 21),
  P8: () => measureYamlFiles(values.quick ? 3 : 7),
  P9: () => measureHistory(values.quick ? 10_000 : 100_000),
  PD: () => measureDefinition(repeats),
  PW: () => measureProtectedWrites(repeats),
  PS: () => measureSnapshots(repeats),
};

const unknown = wanted?.find((id) => !(id in MEASURES));
if (unknown !== undefined) refuse(`There is no row "${unknown}"; the rows are ${Object.keys(MEASURES).join(', ')}.`);
const missing = values.peers ? missingPeers() : undefined;
if (missing !== undefined) refuse(missing);

const peers = values.peers ? await measurePeers(repeats, wanted) : [];
const rows: Row[] = [];
for (const [id, measure] of Object.entries(MEASURES)) {
  if (wanted !== undefined && !wanted.includes(id)) continue;
  const measured = await measure();
  rows.push(...(Array.isArray(measured) ? (measured as readonly Row[]) : [measured as Row]));
  if (!values.json) process.stderr.write(`${id} done\n`);
}
rows.push(...peers);
process.stdout.write(`${values.json ? jsonOf(rows) : tableOf(rows)}\n`);
process.exitCode = rows.every((row) => row.met) ? 0 : 1;
