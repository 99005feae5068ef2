// Completes the report of a run with facts of its project: whether the signatures in the log are valid, and how the workflow
// file has changed since the run started. The run continues with the definition that it stored, so the difference is only
// reported. The file is not run, so a module is not compared.

import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { digestJson } from '../../base/digest.ts';
import type { Json } from '../../base/json.ts';
import type { DefinitionChange, RunOverview, RunReport } from '../../control/schema/run.ts';
import type { Definition } from '../../definition/model.ts';
import { isFinal } from '../../definition/run-status.ts';
import type { Store } from '../../store/store.ts';
import type { Project } from '../project.ts';
import type { Setup } from '../session.ts';
import { isSettingsFile } from '../settings/settings.ts';
import type { Shell } from '../shell.ts';

/** The report of a run with the facts of its project. */
export async function completeReport(
  shell: Shell,
  setup: Setup,
  { store, report }: { readonly store: Store; readonly report: RunReport },
): Promise<RunReport> {
  const changed = await withChange(setup, store, report);
  if (report.decisions.every(({ signed }) => signed === null)) return changed;
  const { verifySignatures } = await import('../trust/check-signatures.ts');
  return verifySignatures(shell, setup, { store, report: changed });
}

async function withChange({ project }: Setup, store: Store, report: RunReport): Promise<RunReport> {
  if (isFinal(report.run.status)) return report;
  const change = await readDefinitionChange(project, report.run, async () => (await store.load(report.run.id)).definition);
  return change === null ? report : { ...report, definitionChange: change };
}

/** Compares the file of a run with its stored definition; null if they are equal or cannot be compared. */
async function readDefinitionChange(
  project: Project,
  { origin: { file }, startedAt }: RunOverview,
  frozen: () => Promise<Definition>,
): Promise<DefinitionChange | null> {
  if (file === undefined || !/\.ya?ml$/.test(file) || isSettingsFile(project, file)) return null;
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return { kind: 'gone' };
  // The change time of an inode cannot be set back, so an older file cannot have changed.
  if (stat.ctimeMs < Date.parse(startedAt)) return null;
  const { compileDeclared } = await import('../load.ts');
  const compiled = await compileDeclared(project, file, await readFile(file, 'utf8'));
  if (compiled === 'invalid') return { kind: 'invalid' };
  if (compiled === 'uses-code') return null;
  const [before, now] = [await frozen(), compiled.definition];
  const steps = differingSteps(before, now);
  return steps.length === 0 && digestOf(before) === digestOf(now) ? null : { kind: 'changed', steps };
}

/** The change as text. */
export function changeText(change: DefinitionChange): string {
  switch (change.kind) {
    case 'gone':
      return 'the workflow file no longer exists; the run continues with its own copy';
    case 'invalid':
      return 'the workflow file is no longer valid; the run continues with its own copy';
    case 'changed': {
      const count = change.steps.length;
      return `definition changed since start (${count} ${count === 1 ? 'step differs' : 'steps differ'}); the run continues with its own copy`;
    }
  }
}

function differingSteps(before: Definition, now: Definition): string[] {
  const [old, fresh] = [before, now].map(({ steps }) => new Map(steps.map((step) => [step.id, digestOf(step)])));
  return [...new Set([...(old?.keys() ?? []), ...(fresh?.keys() ?? [])])].filter((id) => old?.get(id) !== fresh?.get(id));
}

function digestOf(value: object): string {
  return digestJson(JSON.parse(JSON.stringify(value)) as Json);
}
