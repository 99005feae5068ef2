// Every code sample of seed 004, in its order: compiled, run, and held to what the text around it says. The types of
// samples 1 to 3 stand here as they stand in the seed.
//
// Elsewhere: sample 4 (259-363), the editing workflow, in w1-text.test.ts (its text), test/proof/w1.test.ts and w1-crash.test.ts.
// Sample 6 (385-407), SafeDatabaseClient, is in test/safe-db/client.test.ts.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { defineWorkflow, type GraphContext } from '../../src/compat/index.ts';
import { createEngine, type Engine } from '../../src/index.ts';
import { tempFolder } from '../temp-folder.ts';

type StepContext = GraphContext;
type Unchecked = ReturnType<typeof JSON.parse>;

// Sample 1, lines 86-127.
interface WorkflowDefinition {
  type: string; // 'w1_editing', 'w2_pdf', etc.
  name: string; // Human-readable name
  steps: WorkflowStep[];
  initialStep: string;
}

interface WorkflowStep {
  name: string; // Unique step identifier
  command: string; // CLI command to run
  preconditions: Condition[]; // Must be true before running
  postconditions: Condition[]; // Must be true after running
  parallel?: boolean; // Can run with other parallel steps
  parallelKey?: string; // Checkpoint key for parallel items
  humanGate?: HumanGate; // Pause for human decision
  next?: string | ConditionalNext; // Which step follows
}

interface Condition {
  name: string;
  check: (ctx: StepContext) => Promise<boolean>;
  error: string; // Message if check fails
}

interface ConditionalNext {
  condition: string; // Expression to evaluate
  onTrue: string; // Step if condition true
  onFalse: string; // Step if condition false
  maxIterations?: number; // Safety limit for loops
}

interface HumanGate {
  prompt: string; // What to ask
  context: string[]; // Checkpoint keys to display
  options: GateOption[];
}

interface GateOption {
  label: string;
  nextStep: string | null; // null = end workflow
  requiresInput?: boolean; // Human must provide text
}

// Sample 2, lines 133-173.
interface Checkpoint {
  workflowRunId: string;
  workflowType: string;
  currentStep: string;
  completedSteps: StepResult[];
  iterationCounts: Record<string, number>;
  pendingRetry?: {
    step: string;
    error: string;
    attempt: number;
  };
  parallelResults?: Record<string, ParallelItemResult>;
  gateDecision?: {
    gate: string;
    option: string;
    input?: string;
  };
}

interface StepResult {
  step: string;
  completedAt: string;
  result: Unchecked;
}

interface ParallelItemResult {
  status: 'pending' | 'completed' | 'failed';
  result?: Unchecked;
  error?: string;
  retryCount: number;
}

interface ResumeContext {
  workflowType: string;
  runId: string;
  currentStep: string;
  completedSteps: string[];
  lastStepOutput: Unchecked;
  pendingRetry?: { step: string; error: string; attempt: number };
  parallelStatus?: { total: number; completed: number; failed: string[] };
}

// Sample 3, lines 179-192.
interface StepInput {
  runId: string;
  step: string;
  checkpoint: Checkpoint;
  retryContext?: { error: string; attempt: number };
}

interface StepOutput {
  success: boolean;
  result?: Unchecked;
  error?: string;
  postconditionsPassed: boolean;
  nextStepHint?: string; // For conditional branches
}

/** The engine's types are read-only where the seed's are not; at run time they are the same. */
type Mutable<T> = Json extends T ? T : T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;
const mutable = <T extends { readonly currentStep: string | undefined }>(given: T) =>
  ({ ...given, currentStep: given.currentStep ?? '' }) as Mutable<T> & { currentStep: string };

let directory: string;
let engine: Engine;

beforeEach(() => {
  directory = tempFolder();
});

afterEach(async () => {
  await engine.close({ abort: true });
});

const open = (commands: Readonly<Record<string, string>> = {}) =>
  createEngine({
    db: join(directory, 'pawl.db'),
    cwd: directory,
    commands: Object.fromEntries(Object.entries(commands).map(([name, line]) => [name, ['sh', '-c', line]])),
  });

/** A program that keeps its StepInput and ends with this StepOutput. */
const reporting = (output: StepOutput) => `cat >> told.jsonl; echo >> told.jsonl; echo '${JSON.stringify(output)}'`;
const done = (result: object): StepOutput => ({ success: true, result, postconditionsPassed: true });
const bare = (name: string, next?: string): WorkflowStep => ({
  name,
  command: `t:${name}`,
  preconditions: [],
  postconditions: [],
  ...(next === undefined ? {} : { next }),
});

const definition: WorkflowDefinition = {
  type: 'typed',
  name: 'Written with the types of the seed',
  initialStep: 'plan',
  steps: [
    bare('plan', 'work'),
    {
      ...bare('work', 'ask'),
      parallel: true,
      parallelKey: 'areas',
      postconditions: [{ name: 'did', check: async (ctx) => ctx.result.done === ctx.item, error: 'Not done' }],
    },
    {
      ...bare('ask', 'plan'),
      humanGate: {
        prompt: 'Well?',
        context: ['areas'],
        options: [
          { label: 'Again', nextStep: 'plan', requiresInput: true },
          { label: 'Stop', nextStep: null },
        ],
      },
    },
  ],
};

const commands = {
  't:plan': reporting(done({ areas: ['a', 'b'] })),
  't:work': `cat > /dev/null; if [ "$PAWL_ITEM" = b ] && [ -e broken ]; then d=no; else d=$PAWL_ITEM; fi; printf '{"success":true,"result":{"done":"%s"},"postconditionsPassed":true}' "$d"`,
  't:ask': reporting(done({})),
};

describe('the types of the seed', () => {
  test('sample 1 (86-127): a definition with these types compiles, is accepted as it is, and runs', async () => {
    engine = await open(commands);
    const run = await engine.start(defineWorkflow(definition));
    expect((await run.wait('idle')).currentStep).toBe('ask');
    expect(await engine.run(run.id).approvals()).toMatchObject([{ question: { prompt: 'Well?' }, shown: { areas: ['a', 'b'] } }]);
    expect((await engine.run(run.id).decide({ option: 'Stop', actor: 'ann' })).status).toBe('rejected');
  });

  test('sample 2 (133-173): checkpoint and resume context have these shapes, while items fail and after a decision', async () => {
    engine = await open({ ...commands, 't:plan': `touch broken; ${commands['t:plan']}` });
    const run = await engine.start(defineWorkflow(definition));
    expect((await run.wait()).status).toBe('escalated');
    const checkpoint: Checkpoint = mutable(await engine.run(run.id).checkpoint());
    expect(checkpoint).toMatchObject({
      workflowRunId: run.id,
      workflowType: 'typed',
      currentStep: 'work',
      completedSteps: [{ step: 'plan', result: { areas: ['a', 'b'] } }],
      iterationCounts: { plan: 1 },
      pendingRetry: { step: 'work', attempt: 1 },
      parallelResults: { a: { status: 'completed', result: { done: 'a' }, retryCount: 0 }, b: { status: 'failed', retryCount: 1 } },
    });
    expect(new Date(checkpoint.completedSteps[0]?.completedAt ?? '').getTime()).toBeGreaterThan(0);
    const context: ResumeContext = mutable(await engine.run(run.id).resumeContext());
    expect(context).toMatchObject({
      workflowType: 'typed',
      runId: run.id,
      currentStep: 'work',
      completedSteps: ['plan'],
      lastStepOutput: { areas: ['a', 'b'] },
      parallelStatus: { total: 2, completed: 1, failed: ['b'] },
    });

    rmSync(join(directory, 'broken'));
    await engine.run(run.id).resume({ actor: 'ann', choice: { how: 'retry' } });
    await engine.run(run.id).wait('idle');
    await engine.run(run.id).decide({ option: 'Again', actor: 'ann', input: 'once more' });
    // The engine says `lastDecision` for `gateDecision`, and `step` for `gate`; the view of the tables keeps the seed's names.
    const decided = await engine.run(run.id).checkpoint();
    expect(decided.lastDecision).toEqual({ step: 'ask', option: 'Again', input: 'once more' });
  });

  test('sample 3 (179-192): a command reads a StepInput and ends with a StepOutput, whose word on postconditions is a claim', async () => {
    const lying = { ...done({ n: 1 }), nextStepHint: 'elsewhere' };
    engine = await open({ 't:only': `mkdir -p out; ${reporting(lying)}` });
    const exists = async () => existsSync(join(directory, 'written'));
    const only = { ...bare('only'), next: null, postconditions: [{ name: 'written', check: exists, error: 'Nothing was written' }] };
    const run = await engine.start(defineWorkflow({ type: 'lying', initialStep: 'only', steps: [only] }));
    const view = await run.wait();
    expect([view.status, view.steps.at(-1)?.claim]).toEqual(['escalated', lying]);
    const told = readFileSync(join(directory, 'told.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line): StepInput => JSON.parse(line));
    expect(told).toMatchObject([
      {
        runId: run.id,
        step: 'only',
        checkpoint: { workflowRunId: run.id, workflowType: 'lying', currentStep: 'only', completedSteps: [] },
      },
      { retryContext: { error: 'Nothing was written (postcondition "written" of step "only")', attempt: 2 } },
    ]);
    expect(told[0]?.retryContext).toBeUndefined();
  });
});

describe('the protection of the database', () => {
  test('sample 5 (374-381): the database is backed up before the run starts', async () => {
    engine = await open(commands);
    class WorkflowRunner {
      readonly databaseClient = { backup: () => engine.store.backup(join(directory, `project-${Date.now()}.db`)) };

      async start(workflow: Parameters<Engine['start']>[0]) {
        const saved = await this.databaseClient.backup();
        return { saved, run: await engine.start(workflow) };
      }
    }
    const { saved, run } = await new WorkflowRunner().start(defineWorkflow(definition));
    await run.wait('idle');
    const restored = await createEngine({ db: saved.path, drives: 'own' });
    expect([saved.bytes > 0, await restored.list(), (await engine.list()).length]).toEqual([true, [], 1]);
    await restored.close();
  });

  test('sample 7 (419-433): the columns for checkpoints can be added to a table of runs, and hold a checkpoint', async () => {
    engine = await open(commands);
    const db = new DatabaseSync(join(directory, 'project.db'));
    db.exec('CREATE TABLE workflow_runs (id TEXT PRIMARY KEY)');
    db.exec(`
      -- Extend workflow_runs table for checkpoints
      ALTER TABLE workflow_runs ADD COLUMN checkpoint_json TEXT;
      ALTER TABLE workflow_runs ADD COLUMN current_step TEXT;
      ALTER TABLE workflow_runs ADD COLUMN iteration_counts TEXT;  -- JSON

      -- Add backup tracking
      CREATE TABLE IF NOT EXISTS database_backups (
        id TEXT PRIMARY KEY,
        created_at TEXT NOT NULL,
        path TEXT NOT NULL,
        workflow_run_id TEXT,
        size_bytes INTEGER
      );`);
    const run = await engine.start(defineWorkflow(definition));
    await run.wait('idle');
    const checkpoint = await engine.run(run.id).checkpoint();
    const values = [run.id, JSON.stringify(checkpoint), checkpoint.currentStep ?? null, JSON.stringify(checkpoint.iterationCounts)];
    db.prepare('INSERT INTO workflow_runs VALUES (?, ?, ?, ?)').run(...values);
    const row = db.prepare('SELECT checkpoint_json, current_step FROM workflow_runs').get() as Record<string, string>;
    expect([JSON.parse(row.checkpoint_json ?? ''), row.current_step]).toEqual([checkpoint, 'ask']);
    expect(db.prepare('SELECT count(*) AS n FROM database_backups').get()).toEqual({ n: 0 });
    db.close();
  });
});
