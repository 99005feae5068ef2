// Owns the instructions for an agent that does the work of a command itself, in an attended run. Each text is complete: the
// book, the tables it is in, what to change there, and the result to report. Commands without a text here measure and
// summarise; they are programs in every run.

import { type CommandWork, loadWork, type StepInput } from './command-work.ts';
import type { BookDatabase } from './database.ts';

const PROMPTS: Readonly<Record<string, (work: CommandWork) => string>> = {
  'w1:strategic': planPrompt,
  'w1:create-version': versionPrompt,
  'w1:write': writePrompt,
  'w1:editor-review': (work) => reviewPrompt(work, 'editor', 'Is anything left of what the latest row of strategic_plans asks for?'),
  'w1:domain-review': (work) =>
    reviewPrompt(work, 'domain-expert', `Is every claim true? Known to be wrong: ${JSON.stringify(work.analysis.facts)}`),
  'w1:finalize': publishPrompt,
};

/** The instructions for an agent instead of a command, if there are any. */
export function promptOf(name: string, db: BookDatabase, input: StepInput): string | undefined {
  return Object.hasOwn(PROMPTS, name) ? PROMPTS[name]?.(loadWork(db, input)) : undefined;
}

function about({ input, book, version }: CommandWork): string {
  return `The book "${book.title}" (id ${book.id}) is in the SQLite database "book"; its latest version is ${version.id}. This is run ${input.runId}.`;
}

function chaptersOf({ chapters }: CommandWork): string {
  return chapters.map(({ number, title, text }) => `${number}. ${title}: ${text}`).join('\n');
}

function planPrompt(work: CommandWork): string {
  const { analysis, input } = work;
  const request = input.checkpoint.lastDecision?.input;
  return `Plan how the book is improved.
${about(work)}
An analyst found these areas: ${JSON.stringify(analysis.areas)}${request === undefined ? '' : `\nA person asks for this as well: ${request}`}
Insert one row into strategic_plans (run_id, areas, threshold, request): areas as JSON, threshold ${analysis.threshold}.
Report {"improvementAreas": [the areas], "threshold": ${analysis.threshold}}.

${chaptersOf(work)}`;
}

function versionPrompt(work: CommandWork): string {
  return `Make a new version of the book; the one that is there stays as it is.
${about(work)}
Insert a row into versions (id, book_id, number) and a copy of every row of chapters (version_id, number, title, text).
Report {"versionId": "the id of the new version"}.`;
}

function writePrompt(work: CommandWork): string {
  const { item } = work.input;
  return `Improve the chapters in one area: ${JSON.stringify(item)}
${about(work)}
Take its words out, put its corrections in, and leave everything else: UPDATE chapters SET text = ... WHERE version_id = '${work.version.id}' AND number = ...
Report {"area": "${item?.id ?? ''}", "modifiedChapters": [their numbers]}.

${chaptersOf(work)}`;
}

function reviewPrompt(work: CommandWork, reviewer: string, question: string): string {
  return `Review the book as its ${reviewer}. ${question}
${about(work)}
Insert one row into reviews (run_id, version_id, reviewer, decision, notes), with the reviewer '${reviewer}' and the decision 'approved' or 'rejected'.
Report {"decision": "approved"}, or {"decision": "rejected", "improvementAreas": [what is left, as {"id", "words"} or {"id", "corrections"}]}.

${chaptersOf(work)}`;
}

function publishPrompt(work: CommandWork): string {
  return `Publish the book as a person approved it.
${about(work)}
Write its chapters to a Markdown file, insert a row into artifacts (run_id, kind, path, sha256) with the kind 'manuscript', and set the status of the run in workflow_runs to 'completed'.
Report {"published": "${work.version.id}"}.

${chaptersOf(work)}`;
}
