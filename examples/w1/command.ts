// Owns the program behind every command of the workflow: it reads a StepInput from its standard input and ends with a
// StepOutput as the last line of its standard output. With --attended it prints the instructions for the agent
// instead, for commands whose work an agent does.
//
//   PAWL_DB_BOOK=copy.db node command.ts w1:strategic [--attended] < input.json

import { text } from 'node:stream/consumers';
import { SafeDatabaseClient } from '../../src/safe-db/index.ts';
import type { StepInput } from './command-work.ts';
import { runCommand } from './commands.ts';
import { BookDatabase } from './database.ts';
import { promptOf } from './prompts.ts';

const [name = '', mode] = process.argv.slice(2);
const input = JSON.parse(await text(process.stdin)) as StepInput & { readonly retryContext?: { readonly message: string } };
// The engine names the copy of the books that this attempt works on.
const copy = new SafeDatabaseClient(process.env.PAWL_DB_BOOK ?? '');
const db = new BookDatabase(copy);
if (input.retryContext !== undefined) console.log(input.retryContext.message);
const prompt = mode === '--attended' ? promptOf(name, db, input) : undefined;
if (prompt === undefined) doWork();
else console.log(prompt);
copy.close();

function doWork(): void {
  console.log(`${name} works for run ${input.runId}${input.item === undefined ? '' : ` on ${input.item.id}`}`);
  try {
    console.log(JSON.stringify({ success: true, result: runCommand(name, db, input), postconditionsPassed: true }));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    console.log(JSON.stringify({ success: false, error: message, postconditionsPassed: false }));
  }
}
