// Reads the data that the comment of a run shows: its report, its graph, and the open questions of it and its child runs.

import { readQuestions } from '../../../attended/questions.ts';
import { omitUndefined } from '../../../base/fields.ts';
import { pendingApprovals } from '../../../control/approvals.ts';
import { graphOfRun } from '../../../control/run/graph.ts';
import { readRunReport, shownValues } from '../../../control/run/report.ts';
import { drawMermaid } from '../../../definition/describe.ts';
import type { Definition } from '../../../definition/model.ts';
import type { Store } from '../../../store/store.ts';
import { answerLines, approvalLines } from '../decision-lines.ts';
import type { RunCommentView } from './comment.ts';

interface RunViewOptions {
  readonly head: string | undefined;
  readonly link: string | undefined;
  readonly acceptsCommands: boolean;
}

/** A run as its comment shows it, and its definition. */
export interface RunView extends RunCommentView {
  readonly definition: Definition;
}

/** Reads what the comment of a run shows. */
export async function readRunView(store: Store, run: string, { head, link, acceptsCommands }: RunViewOptions): Promise<RunView> {
  const report = await readRunReport(store, run, shownValues);
  const { definition } = await store.load(run);
  const events = (await store.events(run, 0)).flatMap((row) => row.events);
  const approvals = await Promise.all(
    (await pendingApprovals(store, run)).map(async (asked) => {
      const of = asked.run === run ? definition : (await store.load(asked.run)).definition;
      return { ...asked, lines: approvalLines(asked, of) };
    }),
  );
  const questions = (await readQuestions(store, run)).map((asked) => ({ ...asked, lines: answerLines(asked) }));
  const graph = drawMermaid(graphOfRun(definition, report, events));
  return { report, definition, graph, approvals, questions, acceptsCommands, ...omitUndefined({ head, link }) };
}

/** The issue and the pull request of a run; a pull request that the run opened itself counts. */
export async function subjectOfRun(
  store: Store,
  run: string,
  origin: { readonly issue?: number; readonly pr?: number },
): Promise<{ readonly issue: number | undefined; readonly pr: number | undefined }> {
  const data = await store.data(run, ['issue_number', 'pr_number']);
  const number = (name: string): number | undefined => {
    const value = data.get(name);
    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
  };
  return { issue: number('issue_number') ?? origin.issue, pr: number('pr_number') ?? origin.pr };
}
