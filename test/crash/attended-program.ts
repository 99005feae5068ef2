// The agent that is killed: it does what it is handed, reports it, and begins again with whatever is open. What it did
// is written down outside of the engine.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineWorkflow } from '../../src/compat/index.ts';
import { createEngine } from '../../src/index.ts';
import { isDead } from '../../src/process/owner.ts';
import { type CrashPoint, countStore } from '../../src/proof/crash-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';

const RUN = 'attended00000000a';

/** What the process is told. */
export interface AttendedJob {
  readonly directory: string;
  readonly point?: CrashPoint;
}

const { directory, point } = JSON.parse(process.argv[2] ?? '{}') as AttendedJob;
const deeds = join(directory, 'deeds');
const did = (): string => (existsSync(deeds) ? readFileSync(deeds, 'utf8') : '');

const workflow = defineWorkflow({
  name: 'attended',
  steps: [
    {
      id: 'plan',
      agent: 'planner',
      prompt: 'Plan it.',
      postconditions: [{ name: 'planned', check: () => did().includes('plan 2'), error: 'there is no plan' }],
      next: 'all',
    },
    { id: 'all', parallel: { branches: ['left', 'right'].map((id) => ({ id, agent: 'builder', prompt: `Build ${id}.` })) }, next: 'end' },
    { id: 'end', agent: 'checker', prompt: 'Check it.', next: null },
  ],
});

const inner = await openSqliteStore({ file: join(directory, 'pawl.db'), isDead });
const { store, counts } = countStore(inner, point);
const engine = await createEngine({ store, workflows: [workflow] });
if ((await store.list({})).length === 0) await engine.start(workflow, {}, { id: RUN, facts: { $attended: true } });
else await engine.recover();
for (;;) {
  const { status, waits } = await engine.run(RUN).wait('idle');
  if (status !== 'waiting') break;
  const handouts = await engine.run(RUN).handouts();
  if (handouts.length === 0) throw new Error(`nothing is handed out, and the run waits for ${waits.map(({ kind }) => kind).join(', ')}`);
  const [{ step, token, attempt, prompt } = { step: '', token: '', attempt: 0, prompt: '' }] = handouts;
  if (attempt === 2 && !prompt.includes('Previous attempt failed')) throw new Error('the second attempt is not told of the first');
  if (!did().includes(`${step} ${attempt}\n`)) appendFileSync(deeds, `${step} ${attempt}\n`);
  await engine.run(RUN).report({ token, result: { done: `${step} ${attempt}` } });
}
const { status, steps } = await engine.run(RUN).get();
await engine.close();
await store.close();
process.stdout.write(
  `${JSON.stringify({ counts, end: [status, ...steps.map(({ path, attempt, outcome }) => `${path} ${attempt} ${outcome ?? 'failed'}`)] })}\n`,
);
