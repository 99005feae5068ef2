// Seed 004's editing workflow on a real book database, with real commands.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Chapter } from '../../examples/w1/database.ts';
import { BookDatabase } from '../../examples/w1/database.ts';
import { booksIn, type Editing, openEditing } from '../../examples/w1/editing.ts';
import { addPondBook } from '../../examples/w1/manuscript.ts';
import type { RunView } from '../../src/index.ts';
import { listBackups, SafeDatabaseClient } from '../../src/safe-db/index.ts';
import type { Fault } from '../seeds/faulty-command.ts';
import { tempFolder } from '../temp-folder.ts';

const FAULTY = join(import.meta.dirname, '../seeds', 'faulty-command.ts');

let directory: string;
let editing: Editing;

beforeEach(() => {
  directory = tempFolder();
});

afterEach(async () => {
  await editing.close();
});

async function openWith(faults: Readonly<Record<string, Fault>> = {}): Promise<void> {
  const commands = Object.fromEntries(
    Object.entries(faults).map(([name, fault]) => [name, [process.execPath, FAULTY, name, JSON.stringify(fault)]]),
  );
  editing = await openEditing({ directory, commands });
}

async function startPonds(chapters?: readonly Chapter[]): Promise<{ id: string; view: RunView }> {
  const run = await editing.start(addPondBook(editing, chapters));
  return { id: run.id, view: await run.wait('idle') };
}

/** What the two writers change is in different chapters. */
const APART: readonly Chapter[] = [
  { number: 1, title: 'One', text: 'A pond is very still, and nobody minds at all.' },
  { number: 2, title: 'Two', text: 'Newts are perhaps shy, and nobody minds at all.' },
];
const oneChapter = (prose: string): Chapter[] => [{ number: 1, title: 'One', text: prose }];
const told = () =>
  readFileSync(join(directory, 'told.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const attempts = ({ steps }: RunView, prefix: string) =>
  steps.filter(({ path }) => path.startsWith(prefix)).map(({ path, attempt, outcome }) => `${path} ${attempt} ${outcome ?? 'retried'}`);
const count = (table: string) => editing.books.row<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n;

function expectBackup(id: string): void {
  const saved = listBackups(booksIn(directory)).find(({ runId }) => runId === id);
  expect([saved?.verified, saved?.path]).toEqual([true, expect.stringMatching(/backups.books-.*\.db$/)]);
  const client = new SafeDatabaseClient(saved?.path ?? '');
  const copy = new BookDatabase(client);
  expect([copy.latestVersion('ponds')?.number, copy.strategicPlanExists(id)]).toEqual([1, false]);
  client.close();
}

describe('the editing workflow', () => {
  test('the editing workflow is backed up first, runs to the gate, shows the metrics, and publishes what a person approved', async () => {
    await openWith();
    const { id, view } = await startPonds();
    expect([view.status, view.currentStep]).toEqual(['waiting', 'human-gate']);
    const [approval] = await editing.engine.run(id).approvals();
    expect(approval?.shown).toEqual({
      'metrics.baseline': 90.3,
      'metrics.current': 100,
      'metrics.delta': 9.7,
      modifiedChapters: [1, 2, 3],
    });
    expect(editing.books.artifactsExist(id)).toBe(false);
    expectBackup(id);

    const done = await editing.decide(id, { option: 'Approve and finalize', actor: 'ann', digest: approval?.digest ?? '' });
    expect([done.status, done.output, done.decision?.actor]).toEqual(['completed', { published: 'ponds-v2' }, 'ann']);
    expect(editing.books.workflowStatus(id)).toBe('completed');
    const artifact = editing.books.row<{ path: string }>('SELECT path FROM artifacts WHERE run_id = ?', id);
    const published = readFileSync(artifact?.path ?? '', 'utf8');
    expect(published).toContain('Newts are amphibians that walk. They are shy, and slow');
    expect(published).not.toMatch(/very|really|perhaps|somewhat/i);
    expect(editing.books.chapters('ponds-v1')[0]?.text).toContain('very still');
  });

  test('an editor that rejects twice sends the writers back twice, and each time is counted', async () => {
    await openWith();
    const { view } = await startPonds(oneChapter('It is very very very wet there, and nobody minds.'));
    expect(view.currentStep).toBe('human-gate');
    expect(view.iterationCounts).toMatchObject({ writer: 3, 'editor-review': 3, 'editor-review:ok:false': 2 });
    const decisions = editing.books.rows<{ decision: string }>("SELECT decision FROM reviews WHERE reviewer = 'editor' ORDER BY id");
    expect(decisions.map(({ decision }) => decision)).toEqual(['rejected', 'rejected', 'approved']);
  });

  test('a loop at its limit escalates, and the run continues when a person raises the limit', async () => {
    await openWith();
    const { id, view } = await startPonds(oneChapter(`It is ${'very '.repeat(6)}wet there, and nobody minds.`));
    expect([view.status, view.iterationCounts.writer, view.iterationCounts['editor-review:ok:false']]).toEqual(['escalated', 4, 3]);
    expect(view.error).toContain('the transition from "editor-review" to "writer" reached its limit of 3');
    await expect(editing.engine.run(id).resume({ actor: 'ann', choice: { how: 'retry' } })).rejects.toMatchObject({
      code: 'RESUME_REFUSED',
    });

    await editing.engine.run(id).resume({ actor: 'ann', choice: { how: 'retry', extend: 2 } });
    const later = await editing.engine.run(id).wait('idle');
    expect([later.status, later.currentStep, later.iterationCounts.writer]).toEqual(['waiting', 'human-gate', 6]);
  });

  test('a request for more improvements needs a text, and planning gets it', async () => {
    await openWith();
    const { id } = await startPonds();
    const more = { option: 'Request more improvements', actor: 'ann' };
    await expect(editing.decide(id, more)).rejects.toMatchObject({ code: 'INPUT_REQUIRED' });
    const input = 'Good, but "murky" is there twice.';
    const view = await editing.decide(id, { ...more, input });
    expect([view.status, view.currentStep, view.iterationCounts['strategic-planning']]).toEqual(['waiting', 'human-gate', 2]);
    expect((await editing.engine.run(id).checkpoint()).lastDecision).toEqual({ step: 'human-gate', option: more.option, input });
    expect(editing.books.row('SELECT request FROM strategic_plans ORDER BY id DESC')).toMatchObject({ request: input });
    expect(editing.books.chapters('ponds-v3').some(({ text: prose }) => prose.includes('murky'))).toBe(false);
    expect(editing.books.chapters('ponds-v2').some(({ text: prose }) => prose.includes('murky'))).toBe(true);
  });

  test('writers of the same chapter take turns: a writer with an outdated copy starts again, and the work of both is in the book', async () => {
    await openWith();
    const { view } = await startPonds(oneChapter('It is very wet there, and perhaps nobody minds it at all.'));
    expect(view.currentStep).toBe('human-gate');
    const writers = view.steps.filter(({ path }) => path.startsWith('writer#1/'));
    expect(
      writers
        .filter(({ outcome }) => outcome === 'ok')
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['writer#1/emphasis', 'writer#1/hedging']);
    const early = writers.filter(({ outcome }) => outcome !== 'ok');
    expect(early.filter(({ error }) => error?.includes('database "book"') !== true)).toEqual([]);
    expect(editing.books.chapters('ponds-v2')[0]?.text).toBe('It is wet there, and nobody minds it at all.');
  });

  test('a person who rejects ends the run, and nothing is published', async () => {
    await openWith();
    const { id } = await startPonds();
    const view = await editing.decide(id, { option: 'Reject and stop', actor: 'ann' });
    expect([view.status, editing.books.workflowStatus(id), editing.books.artifactsExist(id)]).toEqual(['rejected', 'rejected', false]);
    await expect(editing.decide(id, { option: 'Approve and finalize', actor: 'bob' })).rejects.toMatchObject({ code: 'RUN_FINAL' });
  });
});

describe('a command that does not do what it claims', () => {
  test('a command that does not do what it claims is retried once with what was missing, then a person is asked', async () => {
    await openWith({ 'w1:strategic': { attempts: 2, claim: { improvementAreas: [{ id: 'emphasis', words: ['very'] }], threshold: 1 } } });
    const { id, view } = await startPonds();
    expect([view.status, attempts(view, 'strategic')]).toEqual([
      'escalated',
      ['strategic-planning#1 1 retried', 'strategic-planning#1 2 error'],
    ]);
    expect(view.error).toContain('Strategic plan not saved to DB');
    expect(told().map(({ retryContext }) => retryContext?.message)).toEqual([
      undefined,
      'Previous attempt failed: Strategic plan not saved to DB (postcondition "plan_created" of step "strategic-planning")',
    ]);
    expect(view.steps[1]).toMatchObject({
      claim: { success: true, postconditionsPassed: true },
      evidence: { postconditions: [{ name: 'plan_created', passed: false }] },
    });
    expect(await editing.engine.run(id).resumeContext()).toMatchObject({ pendingRetry: { step: 'strategic-planning', attempt: 2 } });

    await editing.engine.run(id).resume({ actor: 'ann', choice: { how: 'retry', note: 'Write the plan to the database.' } });
    expect((await editing.engine.run(id).wait('idle')).currentStep).toBe('human-gate');
    expect(told()[2].retryContext).toMatchObject({
      message: 'Previous attempt failed: Strategic plan not saved to DB (postcondition "plan_created" of step "strategic-planning")',
      note: 'Write the plan to the database.',
    });
  });

  test('a command that does not do what it claims is caught when it claims the existing version as its new one', async () => {
    await openWith({ 'w1:create-version': { attempts: 2, claim: { versionId: 'ponds-v1' } } });
    const { view } = await startPonds();
    expect([view.status, view.currentStep]).toEqual(['escalated', 'create-version']);
    expect(view.error).toContain('New version not created (modified in place)');
    expect([count('versions'), attempts(view, 'writer')]).toEqual([1, []]);
  });

  test('a command that does not do what it claims is caught when it claims a version that is not in the database', async () => {
    await openWith({ 'w1:create-version': { attempts: 1, claim: { versionId: 'ponds-v9' } } });
    const { view } = await startPonds();
    expect(attempts(view, 'create-version')).toEqual(['create-version#1 1 retried', 'create-version#1 2 ok']);
    expect(told()[1].retryContext.error).toContain('Version not saved to DB');
  });

  test('one failed item of a fan-out is retried alone', async () => {
    await openWith({ 'w1:write': { attempts: 1, item: 'hedging', claim: { modifiedChapters: [] } } });
    const { view } = await startPonds(APART);
    expect(view.currentStep).toBe('human-gate');
    expect(attempts(view, 'writer#1/emphasis')).toEqual(['writer#1/emphasis 1 ok']);
    expect(attempts(view, 'writer#1/hedging')).toEqual(['writer#1/hedging 1 retried', 'writer#1/hedging 2 ok']);
  });

  test('an item that keeps failing stops the run, and only that item is repeated', async () => {
    await openWith({ 'w1:write': { attempts: 2, item: 'hedging', claim: { modifiedChapters: [] } } });
    const { id, view } = await startPonds(APART);
    expect([view.status, view.currentStep]).toEqual(['escalated', 'writer']);
    expect(await editing.engine.run(id).resumeContext()).toMatchObject({ parallelStatus: { total: 2, completed: 1, failed: ['hedging'] } });
    await editing.engine.run(id).resume({ actor: 'ann', choice: { how: 'retry' } });
    const later = await editing.engine.run(id).wait('idle');
    expect([later.currentStep, attempts(later, 'writer#1/emphasis')]).toEqual(['human-gate', ['writer#1/emphasis 1 ok']]);
    expect(attempts(later, 'writer#1/hedging').at(-1)).toBe('writer#1/hedging 3 ok');
  });

  test('a run without its book never reaches the command', async () => {
    await openWith({ 'w1:strategic': { attempts: 0, claim: {} } });
    const run = await editing.start('no-such-book');
    const view = await run.wait('idle');
    expect(view.status).toBe('escalated');
    expect(view.error).toBe(
      'Book not found (precondition "book_exists" of step "strategic-planning"); No analysis file (precondition "analysis_exists" of step "strategic-planning")',
    );
    expect(existsSync(join(directory, 'told.jsonl'))).toBe(false);
  });
});
