// The agent that is killed: it does what it is handed, reports it, and begins again with whatever is open. What it did
// is written down outside of the engine.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineWorkflow } from '../../src/compat/index.ts';
import { createEngine } from '../../src/index.ts';
import { isDead } from '../../src/process/owner.ts';
import { copyTo } from '../../src/proof/crash/copies.ts';
import { type CrashPoint, countStore, dieAt } from '../../src/proof/crash/store.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';

const RUN = 'attended00000000a';

/** A run to bring to its end, in a folder of its own. */
export interface AttendedJob {
  readonly directory: string;
  /** Where the process ends itself. */
  readonly point?: CrashPoint;
  /** A folder that gets a copy of the run's folder at every write. */
  readonly copies?: string;
  readonly isCopy?: boolean;
}

for (const job of JSON.parse(process.argv[2] ?? '[]') as readonly AttendedJob[])
  process.stdout.write(`${JSON.stringify(await endOf(job))}\n`);

async function endOf({ directory, point, copies, isCopy = false }: AttendedJob): Promise<readonly string[]> {
  const workLog = join(directory, 'work.log');
  const did = (): string => (existsSync(workLog) ? readFileSync(workLog, 'utf8') : '');
  const workflow = workflowOf(did);
  const inner = await openSqliteStore({ file: join(directory, 'pawl.db'), isDead, adopt: isCopy });
  const { store } = countStore(inner, copies === undefined ? dieAt(point) : copyTo(copies, directory));
  const engine = await createEngine({ store, workflows: [workflow] });
  if ((await store.list({})).length === 0) await engine.start(workflow, {}, { id: RUN, facts: { $attended: true } });
  else await engine.recover();
  for (;;) {
    const { status, waits } = await engine.run(RUN).wait('idle');
    if (status !== 'waiting') break;
    const [openStep] = await engine.run(RUN).openSteps();
    if (openStep === undefined) throw new Error(`nothing is handed out, and the run waits for ${waits.map(({ kind }) => kind).join(', ')}`);
    const { step, token, attempt, prompt } = openStep;
    if (attempt === 2 && !prompt.includes('Previous attempt failed')) throw new Error('the second attempt is not told of the first');
    if (!did().includes(`${step} ${attempt}\n`)) appendFileSync(workLog, `${step} ${attempt}\n`);
    await engine.run(RUN).report({ token, result: { done: `${step} ${attempt}` } });
  }
  const { status, steps } = await engine.run(RUN).get();
  await engine.close();
  await store.close();
  return [status, ...steps.map(({ path, attempt, outcome }) => `${path} ${attempt} ${outcome ?? 'failed'}`)];
}

function workflowOf(did: () => string) {
  return defineWorkflow({
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
}
