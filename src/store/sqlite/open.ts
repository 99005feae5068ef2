// Opens the SQLite store and wires its parts, each of which has its own file: `commit` writes, `ownership` claims and
// releases runs, `run-row`, `log`, `attempts` and `contents` read, `bell` wakes.

import { EngineError, isEngineError, messageOf } from '../../base/error.ts';
import { createPrivateFile } from '../../base/sqlite.ts';
import type { Mail, Store } from '../store.ts';
import { assertNotRemoved, findLoss, keepLog, openAnchor, readAnchor } from './anchor.ts';
import { readAttempts, readLatest } from './attempts.ts';
import { copyDatabase, recordBackup } from './backup.ts';
import { openBell } from './bell.ts';
import { checkStore } from './check.ts';
import { type CommitContext, commitDelta } from './commit.ts';
import { type Connection, changeMark, openConnection, readSnapshot } from './connection.ts';
import { readData, readValues } from './contents.ts';
import { openDefinitions } from './definitions.ts';
import { toStoreError } from './failure.ts';
import { bindOrigin, type Home, openHome, readOrigin, readStoreId } from './home.ts';
import { beginUse, closeAccount, endUse, openAccounts, readClosed, readTree, readUsageOver, readUses, sumUsage } from './ledger.ts';
import { countStatuses, listRuns, readHeads, readNextDue, readReady, resolvePrefix } from './listing.ts';
import { readLog } from './log.ts';
import { insertMail, readInbox } from './mail.ts';
import { migrate, versionOf } from './migrate.ts';
import { type ClaimContext, claimRun, releaseRun, withdrawMail } from './ownership.ts';
import { pruneStore } from './prune.ts';
import { type RunRow, readKey, readRunRow, verifyRun } from './run-row.ts';
import { countTransaction, reseal } from './seals.ts';
import { readSlots } from './slots.ts';
import { type AfterCommit, openTransactions, type Transactions } from './transactions.ts';

const WAL_AUTOCHECKPOINT = 1000;
const BUSY_MS = 10_000;
const EVENTS_MAX = 1_000_000;

/** How to open a store. */
export interface SqliteStoreOptions {
  /** A path, or `:memory:`. */
  readonly file: string;
  /** FULL (the default) survives a power cut; NORMAL only a crash of the process. */
  readonly synchronous?: 'FULL' | 'NORMAL';
  /** Whether an owner is provably dead; by default none is. */
  readonly isDead?: (owner: string) => boolean;
  readonly now?: () => number;
  /** Pages in the write-ahead log before they are moved to the file. */
  readonly walAutocheckpoint?: number;
  /** How long to wait for a lock of another process. */
  readonly busyMs?: number;
  /** Makes this file the store although it was created elsewhere: after a restore or a move. */
  readonly adopt?: boolean;
  /** An id of this machine and user, recorded in a new file and when a file is adopted. */
  readonly origin?: string;
}

/** A store in an SQLite file. */
export interface SqliteStore extends Store {
  /** Makes this file the store although it was created elsewhere, or has lost its end or rows. */
  adopt(): Promise<void>;
  /** Set if the store lacks acknowledged changes: it can be read, but every write fails with this error. */
  readonly loss: EngineError | undefined;
}

/** Opens a store, creating or migrating the file as needed. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const connection = await openFile(options);
  try {
    assertNotEmptied(connection);
    await migrate(connection, options.now ?? Date.now);
    const store = createStore(connection, options);
    if (options.adopt === true) await store.adopt();
    return store;
  } catch (error) {
    connection.close();
    throw toStoreError(error, connection.name);
  }
}

/** Throws if a file that was written to is empty now: SQLite would treat it as a new one. */
function assertNotEmptied({ db, path, name }: Connection): void {
  if (path === undefined || readAnchor(path) === undefined || versionOf(db) !== 0) return;
  keepLog(path);
  throw new EngineError(
    'STORE_DAMAGED',
    `the database ${name} is empty, but runs were written to it; restore a backup with "pawl restore FILE"; to begin with an empty database, remove ${name}.anchor`,
    { details: { file: name } },
  );
}

async function openFile(options: SqliteStoreOptions): Promise<Connection> {
  const { file } = options;
  try {
    if (file !== ':memory:') {
      assertNotRemoved(file);
      createPrivateFile(file);
    }
    return await openConnection({
      file,
      synchronous: options.synchronous ?? 'FULL',
      walAutocheckpoint: options.walAutocheckpoint ?? WAL_AUTOCHECKPOINT,
      busyMs: options.busyMs ?? BUSY_MS,
      origin: options.origin,
    });
  } catch (error) {
    const storeError = toStoreError(error, file);
    if (isEngineError(storeError)) throw storeError;
    throw new EngineError('STORE_UNAVAILABLE', `cannot open the store ${file}: ${messageOf(error)}; check the path and its permissions`, {
      cause: error,
      details: { file },
    });
  }
}

/**
 * Wires the parts of a store on a connection to a migrated file.
 * @internal
 */
export function createStore(connection: Connection, options: Omit<SqliteStoreOptions, 'file'>): SqliteStore {
  const now = options.now ?? Date.now;
  const storeId = readStoreId(connection);
  const isAnchored = options.synchronous !== 'NORMAL';
  // Adopting a file accepts its losses.
  const anchored = isAnchored && options.adopt !== true ? readAnchor(connection.path) : undefined;
  const loss = findLoss(connection, anchored, storeId);
  const home = openHome(connection, loss);
  const bell = openBell(connection.path);
  const anchor = openAnchor(connection, storeId);
  const isDead = options.isDead ?? (() => false);
  const context: ClaimContext = { connection, bell, anchor, owned: new Map(), isDead, definitionOf: openDefinitions(connection) };
  const transactions = openTransactions(connection, () => {
    // A store that has lost its end keeps the anchor that proves it until it is adopted.
    if (isAnchored && home.isWhole()) anchor.save();
    home.noteWrite();
    bell.committed();
  });
  const write = countedWrites(context, transactions.write);
  const counted = writesAtHome(home, write);
  const read = <T>(work: () => T): Promise<T> => readSnapshot(connection, work);
  return {
    ...createWriter(context, { plain: writesAtHome(home, transactions.write), counted }),
    ...createReader(context),
    ...createLedger(connection, counted),
    loss,
    ready: (at, limit) => read(() => readReady(connection, { now: at, limit }, isDead)),
    nextDue: (after) => read(() => readNextDue(connection, after)),
    watch: bell.watch,
    follow: bell.follow,
    backup: async (file, run) => {
      const copy = await copyDatabase(connection, file);
      await write(() => recordBackup(connection, { ...copy, at: now(), run }));
      return copy;
    },
    check: () => checkStore(connection, loss),
    prune: (request) => pruneStore({ connection, write: counted, isDead }, request),
    origin: () => read(() => readOrigin(connection)),
    bind: (origin) => write(() => bindOrigin(connection, origin)),
    adopt: () =>
      write(() => {
        home.adopt();
        reseal(connection);
      }),
    close: async () => {
      await transactions.idle();
      bell.close();
      // Before the store's own connection: the last one to close writes the log back, and the read-only one cannot.
      home.close();
      connection.close();
      anchor.close();
    },
  };
}

type Write = Transactions['write'];

/** Counts each transaction that changes something and is not a commit of a run, so that the anchor can name it. */
function countedWrites({ connection, anchor }: CommitContext, write: Write): Write {
  return (work) =>
    write((afterCommit) => {
      const before = changeMark(connection);
      const result = work(afterCommit);
      if (changeMark(connection) !== before) {
        const count = countTransaction(connection);
        afterCommit(() => anchor.noteTransaction(count));
      }
      return result;
    });
}

/** Rejects every write to a copy of the store, or to one that was removed or has lost its end. */
function writesAtHome(home: Home, write: Write): Write {
  return (work) =>
    write((afterCommit) => {
      home.assertHome();
      return work(afterCommit);
    });
}

/** Commits of runs are not counted: the anchor names them by run and record. */
function createWriter(
  context: ClaimContext,
  { plain, counted }: { readonly plain: Write; readonly counted: Write },
): Pick<Store, 'claim' | 'commit' | 'release' | 'post' | 'withdraw'> {
  return {
    claim: (run, me) => counted((afterCommit) => claimRun(context, { run, me }, afterCommit)),
    commit: (delta) => plain((afterCommit) => commitDelta(context, delta, afterCommit)),
    release: (run, held, seenMail) => counted((afterCommit) => releaseRun(context, { run, ...held, seenMail }, afterCommit)),
    post: (mail) => counted((afterCommit) => postMail(context, mail, afterCommit)),
    withdraw: (mail, me) => counted(() => withdrawMail(context, mail, me)),
  };
}

function postMail({ connection, bell }: ClaimContext, mail: Mail, afterCommit: AfterCommit): 'posted' | 'duplicate' {
  const result = insertMail(connection, readKey(connection, mail.run), mail);
  if (result === 'posted') afterCommit(() => bell.ring(mail.run));
  return result;
}

type Ledger = Pick<
  Store,
  'beginUse' | 'endUse' | 'usage' | 'uses' | 'usageOver' | 'tree' | 'slots' | 'closeAccount' | 'closedAccounts' | 'openAccounts'
>;

function createLedger(connection: Connection, write: Write): Ledger {
  const read = <T>(work: () => T): Promise<T> => readSnapshot(connection, work);
  return {
    beginUse: (use) => write(() => beginUse(connection, use)),
    endUse: (id, used) => write(() => endUse(connection, id, used)),
    usage: (query) => read(() => sumUsage(connection, query)),
    uses: (run) => read(() => readUses(connection, run)),
    usageOver: (span) => read(() => readUsageOver(connection, span)),
    tree: (run) => read(() => readTree(connection, run)),
    slots: (limit) => read(() => readSlots(connection, limit)),
    closeAccount: (closed) => write(() => closeAccount(connection, closed)),
    closedAccounts: (now) => read(() => readClosed(connection, now)),
    openAccounts: () => write(() => openAccounts(connection)),
  };
}

const READS_MAX = 8;

/** Caches reads until something is written: callers load the same run in several places. */
function cacheReads<T>(connection: Connection, read: (run: string) => T): (run: string) => T {
  const cache = new Map<string, T>();
  let cachedAt = '';
  return (run) => {
    const now = changeMark(connection);
    if (now !== cachedAt || cache.size >= READS_MAX) cache.clear();
    cachedAt = now;
    const result = cache.get(run) ?? read(run);
    cache.set(run, result);
    return result;
  };
}

function loadRun(
  { connection, definitionOf }: Pick<ClaimContext, 'connection' | 'definitionOf'>,
  run: string,
): Awaited<ReturnType<Store['load']>> {
  const row = readRunRow(connection, run);
  const { state, status, origin } = verifyRun(connection, row);
  return { state, status, owner: row.owner, epoch: row.epoch, definition: definitionOf(row), codeHash: row.code, origin };
}

type Reader = Pick<
  Store,
  'inbox' | 'load' | 'values' | 'data' | 'latest' | 'attempts' | 'events' | 'list' | 'heads' | 'statusCounts' | 'resolve'
>;

function createReader(context: CommitContext & Pick<ClaimContext, 'definitionOf'>): Reader {
  const { connection } = context;
  const read = <T>(work: () => T): Promise<T> => readSnapshot(connection, work);
  const readRun = <T>(run: string, work: (row: RunRow) => T): Promise<T> => read(() => work(readRunRow(connection, run)));
  const load = cacheReads(connection, (run) => loadRun(context, run));
  return {
    inbox: (run, after) => readRun(run, (row) => readInbox(connection, row, after)),
    load: (run) => read(() => load(run)),
    values: (digests) => read(() => readValues(connection, digests)),
    data: (run, keys) => readRun(run, (row) => readData(connection, row, keys)),
    latest: (run, steps) => readRun(run, (row) => readLatest(connection, row, steps)),
    attempts: (run, group) => readRun(run, (row) => readAttempts(connection, row, { group })),
    events: (run, after, limit) => readRun(run, (row) => readLog(connection, row, { after, limit: limit ?? EVENTS_MAX })),
    list: (query) => read(() => listRuns(connection, query)),
    statusCounts: () => read(() => countStatuses(connection)),
    heads: (query) => read(() => readHeads(connection, query)),
    resolve: (prefix, limit) => read(() => resolvePrefix(connection, prefix, limit)),
  };
}
