// Owns the program behind every command of the workflow: it reads a StepInput from its standard input and ends with a
// StepOutput as the last line of its standard output.
//
//   BOOKS_DB=books.db node command.ts w1:strategic < input.json

import { text } from 'node:stream/consumers';
import { runCommand, type StepInput } from './commands.ts';
import { BookDatabase } from './database.ts';

const [name = ''] = process.argv.slice(2);
const input = JSON.parse(await text(process.stdin)) as StepInput & { readonly retryContext?: { readonly message: string } };
const db = new BookDatabase(process.env.BOOKS_DB ?? 'books.db');
if (input.retryContext !== undefined) console.log(input.retryContext.message);
console.log(`${name} works for run ${input.runId}${input.item === undefined ? '' : ` on ${input.item.id}`}`);
try {
  console.log(JSON.stringify({ success: true, result: runCommand(name, db, input), postconditionsPassed: true }));
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  console.log(JSON.stringify({ success: false, error: message, postconditionsPassed: false }));
} finally {
  db.close();
}
