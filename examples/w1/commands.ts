// Owns the work of the workflow's commands. Each reads its copy of the books and writes to it; what it returns is its
// claim, which the workflow's conditions compare with the copy.

import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type CommandWork, loadWork, type StepInput } from './command-work.ts';
import type { BookDatabase, Chapter } from './database.ts';
import { type Area, improve, remaining, score } from './prose.ts';

/** The commands by the names that the workflow calls them. */
export const COMMANDS: Readonly<Record<string, (work: CommandWork) => object>> = {
  'w1:strategic': planImprovements,
  'w1:create-version': createVersion,
  'w1:write': writeArea,
  'w1:editor-review': reviewAsEditor,
  'w1:domain-review': reviewAsExpert,
  'review:chapters': measureChapters,
  'w1:human-gate': summarise,
  'w1:finalize': publish,
};

/** Does the work of a command. It does not need to know whether it ran before: its changes are accepted once, or not at all. */
export function runCommand(name: string, db: BookDatabase, input: StepInput): object {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw new Error(`there is no command "${name}"; there are ${Object.keys(COMMANDS).join(', ')}`);
  return command(loadWork(db, input));
}

function planImprovements({ db, input, analysis, chapters }: CommandWork): object {
  const request = input.checkpoint.lastDecision?.input;
  const areas = [...analysis.areas, ...requestedAreas(request)].filter((area) => remaining(chapters, area) > 0);
  if (areas.length === 0) throw new Error('nothing is left to improve; the request may quote the words to take out');
  db.write(
    'INSERT INTO strategic_plans (run_id, areas, threshold, request) VALUES (?, ?, ?, ?)',
    input.runId,
    JSON.stringify(areas),
    analysis.threshold,
    request ?? null,
  );
  return { improvementAreas: areas, threshold: analysis.threshold };
}

// A person who wants more changes names the words to remove, in quotes.
function requestedAreas(request: string | undefined): Area[] {
  const words = [...(request ?? '').matchAll(/"([^"]+)"/g)].map(([, word]) => word as string);
  return words.length === 0 ? [] : [{ id: 'requested', words }];
}

function createVersion({ db, book, chapters }: CommandWork): object {
  const { id, number } = db.addVersion(book.id, chapters);
  return { versionId: id, versionNumber: number };
}

function writeArea({ db, input, version, chapters }: CommandWork): object {
  const area = input.item;
  if (area === undefined) throw new Error('w1:write works on one area; run it as a parallel step');
  const changed = chapters.map((chapter) => ({ ...chapter, text: improve(chapter.text, area) })).filter(differsFrom(chapters));
  for (const { number, text } of changed)
    db.write('UPDATE chapters SET text = ? WHERE version_id = ? AND number = ?', text, version.id, number);
  return { area: area.id, modifiedChapters: changed.map(({ number }) => number) };
}

function differsFrom(chapters: readonly Chapter[]): (chapter: Chapter) => boolean {
  return ({ number, text }) => chapters.some((other) => other.number === number && other.text !== text);
}

function reviewAsEditor(work: CommandWork): object {
  const { db, input, chapters } = work;
  const plan = db.row<{ areas: string }>('SELECT areas FROM strategic_plans WHERE run_id = ? ORDER BY id DESC', input.runId);
  const open = (JSON.parse(plan?.areas ?? '[]') as Area[]).filter((area) => remaining(chapters, area) > 0);
  const notes = open.map((area) => `${area.id}: ${remaining(chapters, area)} left`);
  return decide(work, { reviewer: 'editor', open, notes });
}

function reviewAsExpert(work: CommandWork): object {
  const wrong = work.analysis.facts.filter(({ wrong }) => work.chapters.some(({ text }) => text.includes(wrong)));
  const open: Area[] = wrong.length === 0 ? [] : [{ id: 'facts', corrections: wrong }];
  return decide(work, { reviewer: 'domain-expert', open, notes: wrong.map((fact) => `not so: ${fact.wrong}`) });
}

interface Opinion {
  readonly reviewer: string;
  readonly open: readonly Area[];
  readonly notes: readonly string[];
}

// A rejection returns what is left to do, so that the next pass of the writers works only on that.
function decide({ db, input, version }: CommandWork, { reviewer, open, notes }: Opinion): object {
  const decision = open.length === 0 ? 'approved' : 'rejected';
  const sql = 'INSERT INTO reviews (run_id, version_id, reviewer, decision, notes) VALUES (?, ?, ?, ?, ?)';
  db.write(sql, input.runId, version.id, reviewer, decision, notes.join('; '));
  return { decision, notes, ...(open.length === 0 ? {} : { improvementAreas: open }) };
}

function measureChapters({ db, input, analysis, version, chapters }: CommandWork): object {
  const run = db.row<{ base: string }>('SELECT base_version_id AS base FROM workflow_runs WHERE id = ?', input.runId);
  const before = db.chapters(run?.base ?? version.id);
  const words = analysis.areas.flatMap((area) => area.words ?? []);
  const baseline = score(before, words);
  const current = score(chapters, words);
  const metrics = { baseline, current, delta: Math.round((current - baseline) * 10) / 10 };
  return { metrics, modifiedChapters: chapters.filter(differsFrom(before)).map(({ number }) => number) };
}

function summarise({ input, book, version }: CommandWork): object {
  const { metrics } = input.checkpoint;
  return { summary: `${book.title}, version ${version.number}: ${metrics?.baseline} before, ${metrics?.current} now` };
}

function publish({ db, input, book, version, chapters }: CommandWork): object {
  const text = [`# ${book.title}`, ...chapters.map((chapter) => `## ${chapter.title}\n\n${chapter.text}`)].join('\n\n');
  const path = resolve('published', `${version.id}.md`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${text}\n`);
  const sha256 = createHash('sha256').update(text).digest('hex');
  db.write("INSERT INTO artifacts (run_id, kind, path, sha256) VALUES (?, 'manuscript', ?, ?)", input.runId, path, sha256);
  db.write("UPDATE versions SET status = 'final' WHERE id = ?", version.id);
  db.closeWorkflow(input.runId, 'completed');
  return { published: version.id };
}
