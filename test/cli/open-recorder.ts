// Loaded before a pawl process: writes down every path that the process opens itself and that is a file of the
// database which PAWL_RECORD_DB names, by whatever name. SQLite opens its files without Node and is not seen. The store
// itself opens its log, on which SQLite has no lock (src/store/sqlite/home.ts).

import fs, { appendFileSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

type Call = (this: unknown, path: unknown, ...rest: unknown[]) => unknown;

const { PAWL_RECORD: log = '', PAWL_RECORD_DB: db = '' } = process.env;
const write = appendFileSync;
const SIDES = ['', '-wal', '-shm', '-journal'];
const OPENING = ['open', 'readFile', 'copyFile', 'cp', 'writeFile', 'appendFile', 'truncate'];
const CALLS = [...OPENING, ...OPENING.map((call) => `${call}Sync`), 'createReadStream', 'createWriteStream', 'openAsBlob'];

function numberOf(path: fs.PathLike): string | undefined {
  const facts = statSync(path, { throwIfNoEntry: false, bigint: true });
  return facts === undefined ? undefined : `${facts.dev}:${facts.ino}`;
}

function record(call: string, path: unknown): void {
  if (typeof path !== 'string' && !(path instanceof URL)) return;
  if (call === 'openSync' && path === `${db}-wal`) return;
  const number = numberOf(path);
  if (number !== undefined && SIDES.some((side) => numberOf(`${db}${side}`) === number)) write(log, `${call} ${path}\n`);
}

for (const module of [fs, fs.promises] as unknown as Record<string, Call>[]) {
  for (const call of CALLS) {
    const real = module[call];
    if (real === undefined) continue;
    module[call] = function (path, ...rest) {
      record(call, path);
      return real.call(this, path, ...rest);
    };
  }
}
syncBuiltinESMExports();
