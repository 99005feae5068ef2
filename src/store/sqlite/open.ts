// Owns opening the SQLite store and wiring its parts. What each part does is in its own file: `commit` writes,
// `ownership` claims and releases runs, `run-row`, `log`, `attempts` and `contents` read, `bell` wakes.

import { EngineError, isEngineError, messageOf } from '../../base/error.ts';
import type { Store } from '../store.ts';
import { readAttempts, readLatest } from './attempts.ts';
import { copyDatabase, recordBackup } from './backup.ts';
import { openBell } from './bell.ts';
import { checkStore } from './check.ts';
import { type CommitContext, commitDelta } from './commit.ts';
import { type Connection, createPrivateFile, openConnection, readSnapshot } from './connection.ts';
import { readData, readValues } from './contents.ts';
import { openDefinitions } from './definitions.ts';
import { toStoreError, unknownRun } from './failure.ts';
import { bindOrigin, type Home, openHome, readOrigin } from './home.ts';
import { beginUse, closeAccount, endUse, openAccounts, readClosed, readFamily, readUses, sumUsage } from './ledger.ts';
import { listRuns, readNextDue, readReady, resolvePrefix } from './listing.ts';
import { readLog } from './log.ts';
import { insertMail, readInbox } from './mail.ts';
import { migrate } from './migrate.ts';
import { type ClaimContext, claimRun, releaseRun, withdrawMail } from './ownership.ts';
import { pruneStore } from './prune.ts';
import { keyOf, type RunRow, readRunRow, verifyRun } from './run-row.ts';
import { openTransactions, type Transactions } from './transactions.ts';

const WAL_AUTOCHECKPOINT = 1000;
const BUSY_MS = 10_000;
const EVENTS_MAX = 1_000_000;

/** How to open a store. */
export interface SqliteStoreOptions {
  /** A path, or `:memory:`. */
  readonly file: string;
  /** FULL (the default) survives a power cut; NORMAL only a crash of the process. */
  readonly synchronous?: 'FULL' | 'NORMAL';
  /** Whether an owner is provably dead; by default nobody ever is. */
  readonly isDead?: (owner: string) => boolean;
  readonly now?: () => number;
  /** Pages in the write-ahead log before they are moved to the file. */
  readonly walAutocheckpoint?: number;
  /** How long a lock of another process is waited for. */
  readonly busyMs?: number;
  /** Makes this file the store although it was created elsewhere: after a restore or a move. */
  readonly adopt?: boolean;
  /** Whose store this is, recorded in a new file and when a file is adopted: an id that no other machine or user has. */
  readonly origin?: string;
}

/** A store in an SQLite file. */
export interface SqliteStore extends Store {
  /** Makes this file the store although it was created elsewhere. */
  adopt(): Promise<void>;
}

/** Opens a store, creating or migrating the file as needed. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const connection = await openFile(options);
  try {
    await migrate(connection, options.now ?? Date.now);
    const store = createStore(connection, options);
    if (options.adopt === true) await store.adopt();
    return store;
  } catch (error) {
    connection.close();
    throw toStoreError(error, connection.name);
  }
}

async function openFile(options: SqliteStoreOptions): Promise<Connection> {
  const { file } = options;
  try {
    if (file !== ':memory:') createPrivateFile(file);
    return await openConnection({
      file,
      synchronous: options.synchronous ?? 'FULL',
      walAutocheckpoint: options.walAutocheckpoint ?? WAL_AUTOCHECKPOINT,
      busyMs: options.busyMs ?? BUSY_MS,
      origin: options.origin,
    });
  } catch (error) {
    const known = toStoreError(error, file);
    if (isEngineError(known)) throw known;
    throw new EngineError('STORE_UNAVAILABLE', `cannot open the store ${file}: ${messageOf(error)}; check the path and its permissions`, {
      cause: error,
      details: { file },
    });
  }
}

/** Wires the parts of a store on a connection whose file is of the newest version. */
export function createStore(connection: Connection, options: Omit<SqliteStoreOptions, 'file'>): SqliteStore {
  const home = openHome(connection);
  const bell = openBell(connection.path);
  const isDead = options.isDead ?? (() => false);
  const context: ClaimContext = { connection, bell, owned: new Map(), isDead, definitionOf: openDefinitions(connection) };
  const transactions = openTransactions(connection, () => {
    home.written();
    bell.committed();
  });
  return {
    ...createWriter(context, home, transactions),
    ...createReader(context),
    ...createLedger(connection, home, transactions),
    ready: (now, limit) => readSnapshot(connection, () => readReady(connection, { now, limit }, isDead)),
    nextDue: (after) => readSnapshot(connection, () => readNextDue(connection, after)),
    watch: bell.watch,
    follow: bell.follow,
    backup: async (file, run) => {
      const made = await copyDatabase(connection, file);
      await transactions.write(() =>
        recordBackup(connection, { ...made, at: (options.now ?? Date.now)(), ...(run === undefined ? {} : { run }) }),
      );
      return made;
    },
    check: () => checkStore(connection),
    prune: (request) => pruneStore({ connection, write: transactions.write, assertHome: home.assertHome }, request),
    origin: () => readSnapshot(connection, () => readOrigin(connection)),
    bind: (origin) => transactions.write(() => bindOrigin(connection, origin)),
    adopt: () => transactions.write(() => home.adopt()),
    close: async () => {
      await transactions.idle();
      bell.close();
      connection.close();
    },
  };
}

function createWriter(
  context: ClaimContext,
  home: Home,
  { write }: Transactions,
): Pick<Store, 'claim' | 'commit' | 'release' | 'post' | 'withdraw'> {
  return {
    claim: (run, me) =>
      write((after) => {
        home.assertHome();
        return claimRun(context, { run, me }, after);
      }),
    commit: (delta) =>
      write((after) => {
        home.assertHome();
        return commitDelta(context, delta, after);
      }),
    release: (run, held, seenMail) =>
      write((after) => {
        home.assertHome();
        return releaseRun(context, { run, ...held, seenMail }, after);
      }),
    post: (mail) =>
      write((after) => {
        home.assertHome();
        const key = keyOf(context.connection, mail.run);
        if (key === undefined) throw unknownRun(mail.run, context.connection.name);
        const result = insertMail(context.connection, key, mail);
        if (result === 'posted') after(() => context.bell.ring(mail.run));
        return result;
      }),
    withdraw: (mail, me) =>
      write(() => {
        home.assertHome();
        return withdrawMail(context, mail, me);
      }),
  };
}

type Ledger = Pick<Store, 'beginUse' | 'endUse' | 'usage' | 'uses' | 'family' | 'closeAccount' | 'closedAccounts' | 'openAccounts'>;

function createLedger(connection: Connection, home: Home, { write }: Transactions): Ledger {
  const writing = <T>(work: () => T): Promise<T> =>
    write(() => {
      home.assertHome();
      return work();
    });
  const reading = <T>(work: () => T): Promise<T> => readSnapshot(connection, work);
  return {
    beginUse: (use) => writing(() => beginUse(connection, use)),
    endUse: (id, used) => writing(() => endUse(connection, id, used)),
    usage: (query) => reading(() => sumUsage(connection, query)),
    uses: (run) => reading(() => readUses(connection, run)),
    family: (run) => reading(() => readFamily(connection, run)),
    closeAccount: (closed) => writing(() => closeAccount(connection, closed)),
    closedAccounts: (now) => reading(() => readClosed(connection, now)),
    openAccounts: () => writing(() => openAccounts(connection)),
  };
}

const READS_MAX = 8;

/** Reads each run once for as long as nothing is written: a caller that loads a run in several places reads it once. */
function rememberReads<T>(connection: Connection, read: (run: string) => T): (run: string) => T {
  const known = new Map<string, T>();
  let readAt = '';
  return (run) => {
    const { data_version: others } = connection.sql('PRAGMA data_version').get() as { data_version: number };
    const { own } = connection.sql('SELECT total_changes() AS own').get() as { own: number };
    const now = `${others} ${own}`;
    if (now !== readAt || known.size >= READS_MAX) known.clear();
    readAt = now;
    const before = known.get(run);
    if (before !== undefined) return before;
    const result = read(run);
    known.set(run, result);
    return result;
  };
}

function loadRun(
  { connection, definitionOf }: Pick<ClaimContext, 'connection' | 'definitionOf'>,
  run: string,
): Awaited<ReturnType<Store['load']>> {
  const row = readRunRow(connection, run);
  if (row === undefined) throw unknownRun(run, connection.name);
  const { state, status, origin } = verifyRun(connection, row);
  return { state, status, owner: row.owner, epoch: row.epoch, definition: definitionOf(row), codeHash: row.code, origin };
}

type Reader = Pick<Store, 'inbox' | 'load' | 'values' | 'data' | 'latest' | 'attempts' | 'events' | 'list' | 'resolve'>;

function createReader(context: CommitContext & Pick<ClaimContext, 'definitionOf'>): Reader {
  const { connection } = context;
  const of = <T>(run: string, read: (row: RunRow) => T): Promise<T> =>
    readSnapshot(connection, () => {
      const row = readRunRow(connection, run);
      if (row === undefined) throw unknownRun(run, connection.name);
      return read(row);
    });
  const loaded = rememberReads(connection, (run) => loadRun(context, run));
  return {
    inbox: (run, after) => of(run, (row) => readInbox(connection, row, after)),
    load: (run) => readSnapshot(connection, () => loaded(run)),
    values: (digests) => readSnapshot(connection, () => readValues(connection, digests)),
    data: (run, keys) => of(run, (row) => readData(connection, row, keys)),
    latest: (run, steps) => of(run, (row) => readLatest(connection, row, steps)),
    attempts: (run, group) => of(run, (row) => readAttempts(connection, row, { group })),
    events: (run, after, limit) => of(run, (row) => readLog(connection, row, { after, limit: limit ?? EVENTS_MAX })),
    list: (query) => readSnapshot(connection, () => listRuns(connection, query)),
    resolve: (prefix, limit) => readSnapshot(connection, () => resolvePrefix(connection, prefix, limit)),
  };
}
