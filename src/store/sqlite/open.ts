// Owns opening the SQLite store and wiring its parts. What each part does is in its own file: `commit` writes,
// `ownership` claims and releases runs, `run-row`, `log`, `attempts` and `contents` read, `bell` wakes.

import { EngineError, isEngineError, messageOf } from '../../base/error.ts';
import type { Mail, Store } from '../store.ts';
import { assertNotRemoved, findLoss, keepLog, openAnchor, readAnchor } from './anchor.ts';
import { readAttempts, readLatest } from './attempts.ts';
import { copyDatabase, recordBackup } from './backup.ts';
import { openBell } from './bell.ts';
import { checkStore } from './check.ts';
import { type CommitContext, commitDelta } from './commit.ts';
import { type Connection, createPrivateFile, openConnection, readSnapshot } from './connection.ts';
import { readData, readValues } from './contents.ts';
import { openDefinitions } from './definitions.ts';
import { toStoreError, unknownRun } from './failure.ts';
import { bindOrigin, type Home, openHome, readOrigin, readStoreId } from './home.ts';
import { beginUse, closeAccount, endUse, openAccounts, readClosed, readFamily, readUsageOver, readUses, sumUsage } from './ledger.ts';
import { countStatuses, listRuns, readHeads, readNextDue, readReady, resolvePrefix } from './listing.ts';
import { readLog } from './log.ts';
import { insertMail, readInbox } from './mail.ts';
import { migrate, versionOf } from './migrate.ts';
import { type ClaimContext, claimRun, releaseRun, withdrawMail } from './ownership.ts';
import { pruneStore } from './prune.ts';
import { keyOf, type RunRow, readRunRow, verifyRun } from './run-row.ts';
import { countTransaction, reseal } from './seals.ts';
import { readSlots } from './slots.ts';
import { type After, openTransactions, type Transactions } from './transactions.ts';

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
  /** Makes this file the store although it was created elsewhere, or has lost its end or rows. */
  adopt(): Promise<void>;
  /** The error of a store that lacks what was acknowledged: it can be read, but nothing is written to it. */
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

/** Throws when a file that was written to is empty now: SQLite takes it for a new one. */
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
    const known = toStoreError(error, file);
    if (isEngineError(known)) throw known;
    throw new EngineError('STORE_UNAVAILABLE', `cannot open the store ${file}: ${messageOf(error)}; check the path and its permissions`, {
      cause: error,
      details: { file },
    });
  }
}

/**
 * Wires the parts of a store on a connection whose file is of the newest version.
 * @internal
 */
export function createStore(connection: Connection, options: Omit<SqliteStoreOptions, 'file'>): SqliteStore {
  const now = options.now ?? Date.now;
  const storeId = readStoreId(connection);
  const isAnchored = options.synchronous !== 'NORMAL';
  // Adopting a file accepts what it lacks.
  const anchored = isAnchored && options.adopt !== true ? readAnchor(connection.path) : undefined;
  const loss = findLoss(connection, anchored, storeId);
  const home = openHome(connection, loss);
  const bell = openBell(connection.path);
  const anchor = openAnchor(connection, storeId);
  const isDead = options.isDead ?? (() => false);
  const context: ClaimContext = { connection, bell, anchor, owned: new Map(), isDead, definitionOf: openDefinitions(connection) };
  const transactions = openTransactions(connection, () => {
    // A store that has lost its end keeps the anchor that says so until it is adopted.
    if (isAnchored && home.isWhole()) anchor.save();
    home.written();
    bell.committed();
  });
  const write = countedWrites(context, transactions);
  const atHome: Transactions['write'] = (work) =>
    write((after) => {
      home.assertHome();
      return work(after);
    });
  return {
    ...createWriter(context, home, { write: transactions.write, atHome }),
    ...createReader(context),
    ...createLedger(connection, atHome),
    loss,
    ready: (at, limit) => readSnapshot(connection, () => readReady(connection, { now: at, limit }, isDead)),
    nextDue: (after) => readSnapshot(connection, () => readNextDue(connection, after)),
    watch: bell.watch,
    follow: bell.follow,
    backup: async (file, run) => {
      const made = await copyDatabase(connection, file);
      await write(() => recordBackup(connection, { ...made, at: now(), ...(run === undefined ? {} : { run }) }));
      return made;
    },
    check: () => checkStore(connection, loss),
    prune: (request) => pruneStore({ connection, write: atHome, isDead }, request),
    origin: () => readSnapshot(connection, () => readOrigin(connection)),
    bind: (origin) => write(() => bindOrigin(connection, origin)),
    adopt: () =>
      write(() => {
        home.adopt();
        reseal(connection);
      }),
    close: async () => {
      await transactions.idle();
      bell.close();
      // Its connection before that of the store: the last one that is closed writes the log back, and it cannot.
      home.close();
      connection.close();
      anchor.close();
    },
  };
}

/** Counts each transaction that changes something and is not a commit of a run, so that the anchor can name it. */
function countedWrites({ connection, anchor }: CommitContext, { write }: Transactions): Transactions['write'] {
  const changes = (): unknown => connection.sql('SELECT total_changes() AS n').get()?.n;
  return (work) =>
    write((after) => {
      const before = changes();
      const result = work(after);
      if (changes() !== before) {
        const count = countTransaction(connection);
        after(() => anchor.noteTransaction(count));
      }
      return result;
    });
}

/** How a store is written to: a commit of a run on its own, everything else counted, and only where the store is at home. */
interface Writes {
  readonly write: Transactions['write'];
  readonly atHome: Transactions['write'];
}

function createWriter(
  context: ClaimContext,
  home: Home,
  { write, atHome }: Writes,
): Pick<Store, 'claim' | 'commit' | 'release' | 'post' | 'withdraw'> {
  return {
    claim: (run, me) => atHome((after) => claimRun(context, { run, me }, after)),
    commit: (delta) =>
      write((after) => {
        home.assertHome();
        return commitDelta(context, delta, after);
      }),
    release: (run, held, seenMail) => atHome((after) => releaseRun(context, { run, ...held, seenMail }, after)),
    post: (mail) => atHome((after) => postMail(context, mail, after)),
    withdraw: (mail, me) => atHome(() => withdrawMail(context, mail, me)),
  };
}

function postMail({ connection, bell }: ClaimContext, mail: Mail, after: After): 'posted' | 'duplicate' {
  const key = keyOf(connection, mail.run);
  if (key === undefined) throw unknownRun(mail.run, connection.name);
  const result = insertMail(connection, key, mail);
  if (result === 'posted') after(() => bell.ring(mail.run));
  return result;
}

type Ledger = Pick<
  Store,
  'beginUse' | 'endUse' | 'usage' | 'uses' | 'usageOver' | 'family' | 'slots' | 'closeAccount' | 'closedAccounts' | 'openAccounts'
>;

function createLedger(connection: Connection, write: Transactions['write']): Ledger {
  const reading = <T>(work: () => T): Promise<T> => readSnapshot(connection, work);
  return {
    beginUse: (use) => write(() => beginUse(connection, use)),
    endUse: (id, used) => write(() => endUse(connection, id, used)),
    usage: (query) => reading(() => sumUsage(connection, query)),
    uses: (run) => reading(() => readUses(connection, run)),
    usageOver: (span) => reading(() => readUsageOver(connection, span)),
    family: (run) => reading(() => readFamily(connection, run)),
    slots: (limit) => reading(() => readSlots(connection, limit)),
    closeAccount: (closed) => write(() => closeAccount(connection, closed)),
    closedAccounts: (now) => reading(() => readClosed(connection, now)),
    openAccounts: () => write(() => openAccounts(connection)),
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

type Reader = Pick<
  Store,
  'inbox' | 'load' | 'values' | 'data' | 'latest' | 'attempts' | 'events' | 'list' | 'heads' | 'statusCounts' | 'resolve'
>;

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
    statusCounts: () => readSnapshot(connection, () => countStatuses(connection)),
    heads: (query) => readSnapshot(connection, () => readHeads(connection, query)),
    resolve: (prefix, limit) => readSnapshot(connection, () => resolvePrefix(connection, prefix, limit)),
  };
}
