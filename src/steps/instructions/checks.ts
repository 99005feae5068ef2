// Owns the part of the instructions about checks: the checks of the step, those of the next gate, and the files that must
// not change.

import { shortLine, shortList } from '../../base/short-text.ts';
import { checksIn } from '../../definition/check.ts';
import type { Edge, StepModel } from '../../definition/model.ts';
import { outputLines, outputsOf } from '../outputs/declaration.ts';
import { protectedNames } from '../protection/protected-guards.ts';
import { ownEntry } from '../services.ts';
import type { Job } from '../work.ts';
import { matches } from '../workspace/glob.ts';

const PATTERNS_MAX = 12;
const CHECKS_MAX = 8;
const CHECK_CHARACTERS_MAX = 120;

/** Lists the checks of the reported step and of the next gate; undefined if there are none. */
export function checksText(job: Job): string | undefined {
  const { model } = job.request.bound;
  const conditions = model.postconditions.map(
    ({ name, error }) => `- ${shortLine(error === '' ? name : `${name} (otherwise: ${error})`, CHECK_CHARACTERS_MAX)}`,
  );
  const own = [...conditions, ...outputLines(outputsOf(model))];
  const gate = gateAfter(job);
  const parts = [...(own.length === 0 ? [] : ['Pawl checks this itself, whatever you report:', ...own]), ...(gate ?? [])];
  return parts.length === 0 ? undefined : parts.join('\n');
}

/** Lists the checks of the gate or validation that follows when the step succeeds. */
function gateAfter({ runner, request }: Job): readonly string[] | undefined {
  const { workflow, bound, group } = request;
  const after = stepAfter(workflow.definition.steps, group ?? bound.model);
  if (after?.kind === 'validate') return [`Then "${after.id}" runs the validation of the project.`];
  const checks = after === undefined ? [] : checksIn(after);
  if (after === undefined || checks.length === 0) return undefined;
  const titles = checks.map((check) => check.name ?? ownEntry(runner.checks, check.check)?.title?.(check) ?? check.check);
  const shown = titles.slice(0, CHECKS_MAX).map((title) => `- ${shortLine(title, CHECK_CHARACTERS_MAX)}`);
  const more = titles.length > CHECKS_MAX ? [`- and ${titles.length - CHECKS_MAX} more`] : [];
  return [`Then the gate "${after.id}" checks:`, ...shown, ...more];
}

function stepAfter(steps: readonly StepModel[], { next }: StepModel): StepModel | undefined {
  const entry = next.ok ?? next._default;
  const edge: Edge | undefined = entry !== undefined && !('condition' in entry) ? entry : undefined;
  const target = edge?.to;
  return target === undefined || !('step' in target) ? undefined : steps.find(({ id }) => id === target.step);
}

/** Lists the files that the agent must not change. */
export async function protectedText(job: Job): Promise<string> {
  const { model } = job.request.bound;
  const { permissions } = job.request.workflow.definition;
  if (model.mutatesCheckout === false || permissions?.contents === 'read' || permissions?.contents === 'none')
    return 'Do not change any file in this step: a change makes the attempt fail.';
  const { mayChange = [] } = model;
  const patterns = (await protectedNames(job)).filter((name) => !mayChange.some((allowed) => allowed === name || matches(name, allowed)));
  const named = patterns.length === 0 ? '' : `${shortList(patterns, PATTERNS_MAX)}, `;
  return `Do not change ${named}any file that decides which commands the gates run, or the settings of Pawl, git, CI and agents (.pawl/, .git/, .github/, .claude/ and the like). A change there makes the attempt fail.${allowance(mayChange)}`;
}

/** Lists the protected files that this step may change, so that the agent does not avoid its own work. */
function allowance(mayChange: readonly string[]): string {
  return mayChange.length === 0 ? '' : `\nIn this step you may change ${mayChange.join(', ')}, even if a gate runs it.`;
}
