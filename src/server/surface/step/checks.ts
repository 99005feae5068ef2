// Owns the checks that a run reports at the head of its pull request: one per gate and per question to people. A verdict counts
// only for the head it was reached at. At another head the check starts again, and says at which head the verdict was reached.

import { digestText } from '../../../base/digest.ts';
import { omitUndefined } from '../../../base/fields.ts';
import { isJsonObject, type Json } from '../../../base/json.ts';
import type { PlanReport, RunReport, StepReport } from '../../../control/schema/run.ts';
import { type CheckReport, OWN_CHECK_PREFIX } from '../../../forge/forge.ts';
import { inertLine, inertMarkdown } from '../inert-text.ts';
import type { RunView } from '../run/view.ts';
import { evidenceOf } from './evidence.ts';

/** The head of the pull request, what was reported before, and the link of the checks. */
interface CheckContext {
  readonly head: string;
  readonly before: Readonly<Record<string, string>>;
  readonly url: string | undefined;
}

/** A check to report, and what is stored about it: `attempt@head digest`. */
interface StepCheck {
  readonly check: CheckReport;
  readonly memo: string;
}

const CHECKS_MAX = 20;
const TITLE_MAX = 120;
const SUMMARY_MAX = 1000;
const SHA_SHOWN = 12;

/** The checks of a run. */
export function stepChecks({ report, definition }: Pick<RunView, 'report' | 'definition'>, context: CheckContext): StepCheck[] {
  const asking = new Set(definition.steps.filter(({ question }) => question !== undefined).map(({ id }) => id));
  const judged = report.plan.filter(({ kind, step }) => kind === 'gate' || kind === 'human' || asking.has(step));
  return judged.slice(0, CHECKS_MAX).map((plan) => checkOf(report, plan, context));
}

function checkOf(report: RunReport, plan: PlanReport, { head, before, url }: CheckContext): StepCheck {
  const name = `${OWN_CHECK_PREFIX}${report.run.workflow} / ${plan.step}`.replaceAll(/[^\w .:/#-]/g, '_').slice(0, TITLE_MAX);
  const last = report.steps.findLast(({ step, group }) => step === plan.step && group === undefined);
  const attempt = last === undefined ? 'none' : `${last.path}.${last.attempt}`;
  const at = last === undefined ? head : (headOf(last) ?? reachedAt(before[name], attempt) ?? head);
  const state = stateOf(report, last);
  const isOld = state.conclusion !== null && at !== head;
  const result = isOld ? ({ status: 'queued', conclusion: null } as const) : state;
  const evidence =
    last === undefined
      ? ''
      : evidenceOf(
          last,
          report.steps,
          report.decisions.findLast(({ step }) => step === plan.step),
        );
  const text = isOld ? `${state.conclusion} at ${at.slice(0, SHA_SHOWN)}, not at this commit` : evidence || TITLES[result.status];
  const check = {
    ...{ sha: head, name, ...result, title: inertLine(text, TITLE_MAX) },
    summary: inertMarkdown(evidence === '' ? text : evidence, SUMMARY_MAX),
    ...omitUndefined({ url }),
  };
  const digest = digestText(JSON.stringify(check)).slice(0, 16);
  return { check, memo: `${attempt}@${at} ${digest}` };
}

const TITLES = { queued: 'not reached yet', in_progress: 'in progress', completed: 'passed' } as const;

type State = Pick<CheckReport, 'status' | 'conclusion'>;

const CONCLUSIONS: Readonly<Record<string, CheckReport['conclusion']>> = {
  ...{ completed: 'success', failed: 'failure', skipped: 'skipped', cancelled: 'cancelled' },
};
const RUN_ENDED = new Set(['completed', 'overridden', 'rejected', 'cancelled']);

function stateOf({ run }: RunReport, step: StepReport | undefined): State {
  const conclusion = step === undefined ? undefined : CONCLUSIONS[step.status];
  if (conclusion !== undefined) {
    // A step that a person rejected is completed, too; its outcome shows whether the work passed.
    const isPassed = conclusion !== 'success' || step?.outcome === 'ok' || step?.outcome === null;
    return { status: 'completed', conclusion: isPassed ? conclusion : 'failure' };
  }
  if (RUN_ENDED.has(run.status)) return { status: 'completed', conclusion: run.status === 'cancelled' ? 'cancelled' : 'skipped' };
  return { status: step === undefined ? 'queued' : 'in_progress', conclusion: null };
}

/** The head in the result of a verdict. */
function headOf({ output }: StepReport): string | undefined {
  if (!isJsonObject(output)) return undefined;
  if (typeof output.approved_head === 'string') return output.approved_head;
  const heads = Array.isArray(output.checks) ? output.checks.flatMap(namedHead) : [];
  return heads[0];
}

function namedHead(check: Json): string[] {
  const result = isJsonObject(check) ? check.result : undefined;
  return isJsonObject(result) && typeof result.headSha === 'string' ? [result.headSha] : [];
}

/** The head at which an attempt was reported first. */
function reachedAt(memo: string | undefined, attempt: string): string | undefined {
  const [known, at] = memo?.split(' ')[0]?.split('@') ?? [];
  return known === attempt ? at : undefined;
}
