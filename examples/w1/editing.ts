// Owns the application around the workflow: the protected book database, the engine, and which program does which command.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createEngine, type DecisionRequest, type Engine, type RunHandle, type RunView } from '../../src/index.ts';
import { migrate, SafeDatabaseClient } from '../../src/safe-db/index.ts';
import { COMMANDS } from './commands.ts';
import { bookContext } from './context.ts';
import { BookDatabase } from './database.ts';
import { W1EditingWorkflow } from './workflow.ts';

export interface Editing {
  readonly engine: Engine;
  readonly books: BookDatabase;
  /** The folder with the file of the books, their backups, and what is published. */
  readonly directory: string;
  /** Records the run with its book, and starts it; the engine backs the books up before the first step that may write. */
  start(bookId: string): Promise<RunHandle>;
  /** Decides at the approval and waits until the run ends or asks again. */
  decide(run: string, decision: DecisionRequest): Promise<RunView>;
  close(): Promise<void>;
}

export interface EditingOptions {
  readonly directory: string;
  /** Programs in place of the real ones, by command. */
  readonly commands?: Readonly<Record<string, readonly string[]>>;
  /** True when an agent does the work: the commands tell it what to do, and it reports. */
  readonly attended?: boolean;
}

const PROGRAM = join(import.meta.dirname, 'command.ts');
const MIGRATIONS = join(import.meta.dirname, 'migrations');

/** The file of the books. */
export function booksIn(directory: string): string {
  return join(directory, 'books.db');
}

/** The program of a command, as the engine starts it. */
export function programOf(command: string, attended = false): readonly string[] {
  const program = [process.execPath, '--disable-warning=ExperimentalWarning', PROGRAM, command];
  return attended ? [...program, '--attended'] : program;
}

/** Opens the books and an engine that edits them. */
export async function openEditing({ directory, commands = {}, attended = false }: EditingOptions): Promise<Editing> {
  const file = booksIn(directory);
  await migrate(file, MIGRATIONS);
  const client = new SafeDatabaseClient(file);
  const books = new BookDatabase(client);
  const real = Object.fromEntries(Object.keys(COMMANDS).map((name) => [name, programOf(name, attended)]));
  const engine = await createEngine({
    db: join(directory, 'pawl.db'),
    workflows: [W1EditingWorkflow],
    databases: { book: { path: file } },
    contexts: { w1_editing: ({ runId, databases }) => bookContext(databases.book ?? client, runId) },
    commands: { ...real, ...commands },
    cwd: directory,
  });
  return {
    engine,
    books,
    directory,
    async start(bookId) {
      const id = randomBytes(8).toString('hex');
      books.addWorkflow(id, bookId);
      return engine.start(W1EditingWorkflow, {}, { id, ...(attended ? { facts: { $attended: true } } : {}) });
    },
    async decide(run, decision) {
      await engine.run(run).decide(decision);
      const view = await engine.run(run).wait('idle');
      if (view.status === 'rejected') books.closeWorkflow(run, 'rejected');
      return view;
    },
    async close() {
      await engine.close();
      client.close();
    },
  };
}
