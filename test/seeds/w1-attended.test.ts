// Seed 004's editing workflow in an attended run: its commands tell the agent what to do, the agent changes the book
// database and reports, and the workflow's conditions look at the database.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BookDatabase, type Chapter } from '../../examples/w1/database.ts';
import { type Editing, openEditing } from '../../examples/w1/editing.ts';
import { ANALYSIS, addPondBook } from '../../examples/w1/manuscript.ts';
import { type Area, remaining } from '../../examples/w1/prose.ts';
import type { OpenStep } from '../../src/engine/request/open-steps.ts';
import { SafeDatabaseClient } from '../../src/safe-db/index.ts';
import { tempFolder } from '../temp-folder.ts';

let directory: string;
let editing: Editing;

beforeEach(async () => {
  directory = tempFolder();
  editing = await openEditing({ directory, attended: true });
});

afterEach(async () => {
  await editing.close();
});

const latest = (db: BookDatabase): string => db.latestVersion('ponds')?.id ?? '';
const chaptersOf = (db: BookDatabase): Chapter[] => db.chapters(latest(db));
const told = (prompt: string, pattern: RegExp): string => pattern.exec(prompt)?.[1] ?? '';

function without(text: string, { words = [], corrections = [] }: Area): string {
  const shorter = words.reduce((left, word) => left.replaceAll(new RegExp(`\\s*\\b${word}\\b`, 'gi'), ''), text);
  return corrections.reduce((left, { wrong, right }) => left.replaceAll(wrong, right), shorter);
}

/** What an honest agent does for each command, with nothing but the instructions and the database. */
const AGENT: Readonly<Record<string, (db: BookDatabase, openStep: OpenStep) => object>> = {
  'w1:strategic': (db, { prompt, run }) => {
    const areas = JSON.parse(told(prompt, /found these areas: (.*)/)) as Area[];
    db.write('INSERT INTO strategic_plans (run_id, areas, threshold) VALUES (?, ?, ?)', run, JSON.stringify(areas), 5);
    return { improvementAreas: areas, threshold: Number(told(prompt, /"threshold": (\d+)/)) };
  },
  'w1:create-version': (db) => ({ versionId: db.addVersion('ponds', chaptersOf(db)).id }),
  'w1:write': (db, { prompt }) => {
    const area = JSON.parse(told(prompt, /in one area: (.*)/)) as Area;
    const changed = chaptersOf(db).filter(({ text }) => without(text, area) !== text);
    for (const { number, text } of changed)
      db.write('UPDATE chapters SET text = ? WHERE version_id = ? AND number = ?', without(text, area), latest(db), number);
    return { area: area.id, modifiedChapters: changed.map(({ number }) => number) };
  },
  'w1:editor-review': (db, { run }) => review(db, { run, reviewer: 'editor', left: [] }),
  'w1:domain-review': (db, { run }) => {
    const wrong = ANALYSIS.facts.filter((fact) => chaptersOf(db).some(({ text }) => text.includes(fact.wrong)));
    return review(db, { run, reviewer: 'domain-expert', left: wrong.length === 0 ? [] : [{ id: 'facts', corrections: wrong }] });
  },
  'w1:finalize': (db, { run }) => {
    const path = join(directory, 'published.md');
    const text = chaptersOf(db)
      .map((chapter) => `## ${chapter.title}\n\n${chapter.text}\n`)
      .join('\n');
    writeFileSync(path, text);
    const sha256 = createHash('sha256').update(text).digest('hex');
    db.write("INSERT INTO artifacts (run_id, kind, path, sha256) VALUES (?, 'manuscript', ?, ?)", run, path, sha256);
    db.closeWorkflow(run, 'completed');
    return { published: latest(db) };
  },
};

function review(
  db: BookDatabase,
  { run, reviewer, left }: { readonly run: string; readonly reviewer: string; readonly left: readonly Area[] },
): object {
  const decision = left.length === 0 ? 'approved' : 'rejected';
  const sql = "INSERT INTO reviews (run_id, version_id, reviewer, decision, notes) VALUES (?, ?, ?, ?, '')";
  db.write(sql, run, latest(db), reviewer, decision);
  return { decision, ...(left.length === 0 ? {} : { improvementAreas: left }) };
}

/** The agent works on the copy of the books that it is told about. */
function onCopy(openStep: OpenStep, work: (db: BookDatabase) => object | undefined): object | undefined {
  const client = new SafeDatabaseClient(told(openStep.prompt, /the SQLite file (\S+)/));
  try {
    return work(new BookDatabase(client));
  } finally {
    client.close();
  }
}

/** Plays the agent until nothing is open for it; gives the commands it was told, in their order. */
async function play(run: string): Promise<string[]> {
  const done: string[] = [];
  for (;;) {
    await editing.engine.run(run).wait('idle');
    const [openStep] = await editing.engine.run(run).openSteps();
    if (openStep === undefined) return done;
    const result = onCopy(openStep, (db) => AGENT[openStep.role]?.(db, openStep));
    const verdict = await editing.engine.run(run).report({ token: openStep.token, result });
    // Two writers got their copies at the same time: the second report is about chapters that the first one changed.
    const isConflict = !verdict.accepted && verdict.message?.includes('database "book"') === true;
    expect(verdict).toMatchObject({ accepted: !isConflict, step: openStep.step });
    done.push(isConflict ? `${openStep.role}, in conflict` : openStep.role);
  }
}

test('an agent that does what the commands tell it brings the book to the gate, and publishes what a person approved', async () => {
  const { id } = await editing.start(addPondBook(editing));
  expect(await play(id)).toEqual([
    'w1:strategic',
    'w1:create-version',
    'w1:write',
    'w1:write, in conflict',
    'w1:write',
    'w1:editor-review',
    'w1:domain-review',
    'w1:write',
    'w1:editor-review',
    'w1:domain-review',
  ]);
  const [approval] = await editing.engine.run(id).approvals();
  expect(approval?.shown).toEqual({ 'metrics.baseline': 90.3, 'metrics.current': 100, 'metrics.delta': 9.7, modifiedChapters: [1, 2, 3] });
  await editing.decide(id, { option: 'Approve and finalize', actor: 'ann', digest: approval?.digest ?? '' });
  expect(await play(id)).toEqual(['w1:finalize']);
  expect((await editing.engine.run(id).get()).status).toBe('completed');
  expect(readFileSync(join(directory, 'published.md'), 'utf8')).toContain('Newts are amphibians that walk.');
  expect(remaining(editing.books.chapters('ponds-v2'), { id: 'all', words: ['very', 'really', 'perhaps', 'somewhat'] })).toBe(0);
  expect(editing.books.chapters('ponds-v1')[0]?.text).toContain('very still');
});

test('an agent that only says that it planned is told what is missing in the database', async () => {
  const { id } = await editing.start(addPondBook(editing));
  await editing.engine.run(id).wait('idle');
  const [openStep] = await editing.engine.run(id).openSteps();
  const verdict = await editing.engine.run(id).report({ token: openStep?.token ?? '', result: { improvementAreas: [], threshold: 0 } });
  expect(verdict).toMatchObject({ accepted: false, message: expect.stringContaining('Strategic plan not saved to DB') });
  await editing.engine.run(id).wait('idle');
  const [again] = await editing.engine.run(id).openSteps();
  expect([again?.attempt, again?.prompt]).toEqual([2, expect.stringContaining('Previous attempt failed: Strategic plan not saved to DB')]);
});
