// Owns a program that misbehaves: it notes what it was told, and for its first attempts it claims success without the
// work. Afterwards it is the honest command of the example.
//
//   node faulty-command.ts w1:write '{"attempts": 1, "item": "hedging", "claim": {"modifiedChapters": []}}'

import { appendFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { runCommand } from '../../examples/w1/commands.ts';
import { BookDatabase } from '../../examples/w1/database.ts';
import type { StepInput } from '../../examples/w1/desk.ts';

/** How a command misbehaves. */
export interface Fault {
  /** For how many attempts; after a retry by a person the count goes on. */
  readonly attempts: number;
  /** Only for this item of a fan-out. */
  readonly item?: string;
  /** What it claims to have done. */
  readonly claim: object;
  /** What it really does to the books. */
  readonly sql?: string;
}

if (import.meta.main) {
  const [name = '', fault = '{}'] = process.argv.slice(2);
  const given = await text(process.stdin);
  appendFileSync('told.jsonl', `${given}\n`);
  const db = new BookDatabase(process.env.BOOKS_DB ?? '');
  const result = work(db, { name, input: JSON.parse(given), fault: JSON.parse(fault) });
  db.close();
  console.log(JSON.stringify({ success: true, result, postconditionsPassed: true }));
}

interface Told {
  readonly name: string;
  readonly input: StepInput & { readonly attempt: number };
  readonly fault: Fault;
}

function work(db: BookDatabase, { name, input, fault }: Told): object {
  const isFaulty = input.attempt <= fault.attempts && (fault.item === undefined || fault.item === input.item?.id);
  if (!isFaulty) return runCommand(name, db, input);
  if (fault.sql !== undefined) db.write(fault.sql);
  return fault.claim;
}
