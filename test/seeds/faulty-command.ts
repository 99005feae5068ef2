// Owns a program that misbehaves: it notes what it was told, and for its first attempts it claims success without the
// work. Afterwards it is the honest command of the example.
//
//   node faulty-command.ts w1:write '{"attempts": 1, "item": "hedging", "claim": {"modifiedChapters": []}}'

import { appendFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import type { StepInput } from '../../examples/w1/command-work.ts';
import { runCommand } from '../../examples/w1/commands.ts';
import { BookDatabase } from '../../examples/w1/database.ts';
import { SafeDatabaseClient } from '../../src/safe-db/index.ts';

/** How a command misbehaves. */
export interface Fault {
  /** For how many attempts; after a retry by a person the count goes on. */
  readonly attempts: number;
  /** Only for this item of a fan-out. */
  readonly item?: string;
  /** What it claims to have done; left out, it does the work, beside its damage. */
  readonly claim?: object;
  /** What it really does to its copy of the books, without any client between. */
  readonly sql?: string;
  /** The file to which it does that in place of its copy. */
  readonly file?: string;
}

if (import.meta.main) {
  const [name = '', fault = '{}'] = process.argv.slice(2);
  const given = await text(process.stdin);
  appendFileSync('told.jsonl', `${given}\n`);
  const copy = process.env.PAWL_DB_BOOK ?? '';
  const result = work(copy, { name, input: JSON.parse(given), fault: JSON.parse(fault) });
  console.log(JSON.stringify({ success: true, result, postconditionsPassed: true }));
}

interface Told {
  readonly name: string;
  readonly input: StepInput & { readonly attempt: number };
  readonly fault: Fault;
}

function work(copy: string, { name, input, fault }: Told): object {
  const isFaulty = input.attempt <= fault.attempts && (fault.item === undefined || fault.item === input.item?.id);
  const claim = isFaulty && fault.claim !== undefined ? fault.claim : honestWork(copy, name, input);
  if (isFaulty && fault.sql !== undefined) write(fault.file ?? copy, fault.sql);
  return claim;
}

function honestWork(copy: string, name: string, input: StepInput): object {
  const client = new SafeDatabaseClient(copy);
  try {
    return runCommand(name, new BookDatabase(client), input);
  } finally {
    client.close();
  }
}

/** What any program can do to a file: nothing of the client is in the way. */
function write(file: string, sql: string): void {
  const db = new DatabaseSync(file, { timeout: 10_000 });
  db.exec(sql);
  db.close();
}
