// Owns the instructions for an agent that does the work of a command itself, in an attended run. Each text is complete: the
// book, the tables it is in, what to change there, and the result to report. Commands without a text here measure and
// summarise; they are programs in every run.

import type { BookDatabase } from './database.ts';
import { type Desk, deskOf, type StepInput } from './desk.ts';

const PROMPTS: Readonly<Record<string, (desk: Desk) => string>> = {
  'w1:strategic': planPrompt,
  'w1:create-version': versionPrompt,
  'w1:write': writePrompt,
  'w1:editor-review': (desk) => reviewPrompt(desk, 'editor', 'Is anything left of what the latest row of strategic_plans asks for?'),
  'w1:domain-review': (desk) =>
    reviewPrompt(desk, 'domain-expert', `Is every claim true? Known to be wrong: ${JSON.stringify(desk.analysis.facts)}`),
  'w1:finalize': publishPrompt,
};

/** The instructions for an agent instead of a command, if there are any. */
export function promptOf(name: string, db: BookDatabase, input: StepInput): string | undefined {
  return Object.hasOwn(PROMPTS, name) ? PROMPTS[name]?.(deskOf(db, input)) : undefined;
}

function about({ input, book, version }: Desk): string {
  return `The book "${book.title}" (id ${book.id}) is in the SQLite database "book"; its latest version is ${version.id}. This is run ${input.runId}.`;
}

function chaptersOf({ chapters }: Desk): string {
  return chapters.map(({ number, title, text }) => `${number}. ${title}: ${text}`).join('\n');
}

function planPrompt(desk: Desk): string {
  const { analysis, input } = desk;
  const request = input.checkpoint.lastDecision?.input;
  return `Plan how the book is improved.
${about(desk)}
An analyst found these areas: ${JSON.stringify(analysis.areas)}${request === undefined ? '' : `\nA person asks for this as well: ${request}`}
Insert one row into strategic_plans (run_id, areas, threshold, request): areas as JSON, threshold ${analysis.threshold}.
Report {"improvementAreas": [the areas], "threshold": ${analysis.threshold}}.

${chaptersOf(desk)}`;
}

function versionPrompt(desk: Desk): string {
  return `Make a new version of the book; the one that is there stays as it is.
${about(desk)}
Insert a row into versions (id, book_id, number) and a copy of every row of chapters (version_id, number, title, text).
Report {"versionId": "the id of the new version"}.`;
}

function writePrompt(desk: Desk): string {
  const { item } = desk.input;
  return `Improve the chapters in one area: ${JSON.stringify(item)}
${about(desk)}
Take its words out, put its corrections in, and leave everything else: UPDATE chapters SET text = ... WHERE version_id = '${desk.version.id}' AND number = ...
Report {"area": "${item?.id ?? ''}", "modifiedChapters": [their numbers]}.

${chaptersOf(desk)}`;
}

function reviewPrompt(desk: Desk, reviewer: string, question: string): string {
  return `Review the book as its ${reviewer}. ${question}
${about(desk)}
Insert one row into reviews (run_id, version_id, reviewer, decision, notes), with the reviewer '${reviewer}' and the decision 'approved' or 'rejected'.
Report {"decision": "approved"}, or {"decision": "rejected", "improvementAreas": [what is left, as {"id", "words"} or {"id", "corrections"}]}.

${chaptersOf(desk)}`;
}

function publishPrompt(desk: Desk): string {
  return `Publish the book as a person approved it.
${about(desk)}
Write its chapters to a Markdown file, insert a row into artifacts (run_id, kind, path, sha256) with the kind 'manuscript', and set the status of the run in workflow_runs to 'completed'.
Report {"published": "${desk.version.id}"}.

${chaptersOf(desk)}`;
}
