// Owns the workflows that are generated from a project's settings: those of its review policy, and those of roles that events
// start. They do not have files: they are listed, trusted, started and resumed with the settings file.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FileProblem } from '../../authoring/discover/discover.ts';
import type { DiscoveredWorkflow } from '../../authoring/discover/outline.ts';
import type { GeneratedWorkflow, ReviewPolicy } from '../../authoring/review-policy.ts';
import { isEngineError } from '../../base/error.ts';
import { invariant } from '../../base/invariant.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import type { TriggerModel } from '../../definition/trigger/trigger.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import type { Project } from '../project.ts';
import type { Setting } from './file.ts';
import { PROJECT_FILES } from './settings.ts';

interface SettingsWorkflow {
  readonly listed: DiscoveredWorkflow;
  readonly compiled: CompiledWorkflow;
}

/** The workflows of the review policy and of the roles in force. */
export async function generatedWorkflows({ home }: Project): Promise<SettingsWorkflow[]> {
  const files = home === undefined ? [] : PROJECT_FILES.map((name) => join(home, name)).filter((path) => existsSync(path));
  if (files.length === 0) return [];
  const { readSettingsFile } = await import('./file.ts');
  const read = await Promise.all(files.map(async (file) => ({ file, settings: await readSettingsFile(file) })));
  const all = read.flatMap(({ file, settings }) => settings.map((setting) => ({ ...setting, file })));
  const policy = all.find(({ key }) => key === 'review_policy');
  const roles = all.find(({ key }) => key === 'roles' || key === 'agent_roles');
  return [...(policy === undefined ? [] : await reviewsOf(policy)), ...(roles === undefined ? [] : await rolesOf(roles))];
}

type FileSetting = Setting & { readonly file: string };

async function reviewsOf(setting: FileSetting): Promise<SettingsWorkflow[]> {
  const { compileReviewPolicy, reviewTrigger } = await import('../../authoring/review-policy.ts');
  // The settings were validated when they were read.
  const policy = setting.value as unknown as ReviewPolicy;
  return generate(
    setting,
    compileReviewPolicy(policy).map((workflow) => ({ workflow, trigger: reviewTrigger(policy, workflow) })),
  );
}

async function rolesOf(setting: FileSetting): Promise<SettingsWorkflow[]> {
  if (!JSON.stringify(setting.value).includes('"triggers"')) return [];
  const { compileRoleTriggers } = await import('../../authoring/role-triggers.ts');
  return generate(setting, compileRoleTriggers(setting.value));
}

/** Loads the compiler lazily, because most projects generate nothing. */
async function generate(
  { file, position }: FileSetting,
  all: readonly { readonly workflow: GeneratedWorkflow; readonly trigger: TriggerModel }[],
): Promise<SettingsWorkflow[]> {
  if (all.length === 0) return [];
  const [{ stringify }, { checkYaml }] = await Promise.all([import('yaml'), import('../../authoring/yaml/check/check.ts')]);
  return all.map(({ workflow: generated, trigger }) => {
    const { compiled, workflow, errors } = checkYaml(file, stringify(generated), REGISTRY);
    invariant(compiled !== undefined && workflow !== undefined, `valid settings generated an invalid workflow: ${JSON.stringify(errors)}`);
    return { listed: { ...workflow, file, ...position }, compiled: { ...compiled, trigger } };
  });
}

/** The generated workflows for a list; an error in the settings becomes a problem of the list. */
export async function listGenerated(
  project: Project,
): Promise<{ readonly workflows: readonly DiscoveredWorkflow[]; readonly problems: readonly FileProblem[] }> {
  try {
    return { workflows: (await generatedWorkflows(project)).map(({ listed }) => listed), problems: [] };
  } catch (error) {
    if (!isEngineError(error) || error.position?.file === undefined) throw error;
    const { file, line, column } = error.position;
    const hint = 'fix the settings; the workflows of the review policy and of roles are missing from this list';
    return { workflows: [], problems: [{ file, line, column, code: error.code, message: error.message, hint }] };
  }
}
