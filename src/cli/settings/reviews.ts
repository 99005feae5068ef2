// Owns the workflows generated from a project's review policy. They have no file of their own: they are listed, trusted,
// started and resumed with the settings file.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FileProblem } from '../../authoring/discover/discover.ts';
import type { DiscoveredWorkflow } from '../../authoring/discover/outline.ts';
import type { ReviewPolicy } from '../../authoring/review-policy.ts';
import { isEngineError } from '../../base/error.ts';
import { invariant } from '../../base/invariant.ts';
import type { JsonObject } from '../../base/json.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import type { Project } from '../project.ts';
import { PROJECT_FILES } from './settings.ts';

/** A workflow generated from a rule, compiled and as listed. */
export interface ReviewWorkflow {
  readonly listed: DiscoveredWorkflow;
  readonly compiled: CompiledWorkflow;
}

/** The workflows of the review policy in force. */
export async function reviewWorkflows({ home }: Project): Promise<ReviewWorkflow[]> {
  for (const file of home === undefined ? [] : PROJECT_FILES.map((name) => join(home, name)).filter((path) => existsSync(path))) {
    const { readSettingsFile } = await import('./file.ts');
    const policy = (await readSettingsFile(file)).find(({ key }) => key === 'review_policy');
    // The settings were validated when they were read.
    if (policy !== undefined) return workflowsOf(policy.value as JsonObject & ReviewPolicy, { file, ...policy.position });
  }
  return [];
}

type Place = Pick<DiscoveredWorkflow, 'file' | 'line' | 'column'>;

/** Loads the compiler here, because most projects have no policy. */
async function workflowsOf(policy: ReviewPolicy, place: Place): Promise<ReviewWorkflow[]> {
  const [{ stringify }, { compileReviewPolicy }, { checkYaml }] = await Promise.all([
    import('yaml'),
    import('../../authoring/review-policy.ts'),
    import('../../authoring/yaml/check/check.ts'),
  ]);
  return compileReviewPolicy(policy).map((generated) => {
    const { compiled, workflow, errors } = checkYaml(place.file, stringify(generated), REGISTRY);
    invariant(
      compiled !== undefined && workflow !== undefined,
      `a valid review policy generated an invalid workflow: ${JSON.stringify(errors)}`,
    );
    return { listed: { ...workflow, ...place }, compiled };
  });
}

/** The same for lists; an error in the settings becomes a problem of the list. */
export async function listReviews(
  project: Project,
): Promise<{ readonly workflows: readonly DiscoveredWorkflow[]; readonly problems: readonly FileProblem[] }> {
  try {
    return { workflows: (await reviewWorkflows(project)).map(({ listed }) => listed), problems: [] };
  } catch (error) {
    if (!isEngineError(error) || error.position?.file === undefined) throw error;
    const { file, line, column } = error.position;
    const hint = 'fix the settings; the workflows of the review policy are missing from this list';
    return { workflows: [], problems: [{ file, line, column, code: error.code, message: error.message, hint }] };
  }
}
