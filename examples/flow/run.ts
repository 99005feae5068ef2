// Runs the flow of `example.ts` in a temporary folder and shows what happened.
//
//   node examples/flow/run.ts

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../../src/index.ts';
import { createExample, stagesOf } from './example.ts';

const directory = mkdtempSync(join(tmpdir(), 'pawl-flow-'));
const example = createExample({ directory, badFixes: 1 });
const engine = await createEngine({ db: join(directory, 'pawl.db'), workflows: [example], cwd: directory, stages: stagesOf('slug') });

const run = await engine.start(example, { inputData: 'slug' });
for await (const event of run.events()) console.log('stepName' in event ? `${event.type.padEnd(13)} ${event.stepName}` : event.type);

const { status, output, steps } = await run.wait();
for (const { path, attempt, outcome } of steps) console.log(`  ${path}, try ${attempt}: ${outcome ?? 'tried again'}`);
console.log(`${status}, returned ${JSON.stringify(output)}`);
console.log(`subject.mjs: ${readFileSync(join(directory, 'subject.mjs'), 'utf8').trim()}`);
await engine.close();

const refused = await createExample({ directory }).run({ inputData: 'not a name' });
console.log(`\nWith a bad input: success ${refused.success}, ${refused.error}`);
rmSync(directory, { recursive: true });
