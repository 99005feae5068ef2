// Owns the workflows that the review policy of a project stands for. They lie in no file of their own: they are listed
// with the file of settings as theirs, and they are trusted, started and resumed with it.

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

/** A workflow that a rule stands for, ready to run, and how it is listed. */
export interface ReviewWorkflow {
  readonly listed: DiscoveredWorkflow;
  readonly compiled: CompiledWorkflow;
}

/** The workflows of the review policy that is in force. */
export async function reviewWorkflows({ home }: Project): Promise<ReviewWorkflow[]> {
  for (const file of home === undefined ? [] : PROJECT_FILES.map((name) => join(home, name)).filter((path) => existsSync(path))) {
    const { readSettingsFile } = await import('./file.ts');
    const policy = (await readSettingsFile(file)).find(({ key }) => key === 'review_policy');
    // The settings were checked as they were read.
    if (policy !== undefined) return workflowsOf(policy.value as JsonObject & ReviewPolicy, { file, ...policy.position });
  }
  return [];
}

type Place = Pick<DiscoveredWorkflow, 'file' | 'line' | 'column'>;

/** What compiles is loaded here, since most projects have no policy. */
async function workflowsOf(policy: ReviewPolicy, place: Place): Promise<ReviewWorkflow[]> {
  const [{ stringify }, { compileReviewPolicy }, { checkYaml }] = await Promise.all([
    import('yaml'),
    import('../../authoring/review-policy.ts'),
    import('../../authoring/yaml/check/check.ts'),
  ]);
  return compileReviewPolicy(policy).map((generated) => {
    const { compiled, workflow, errors } = checkYaml(place.file, stringify(generated), REGISTRY);
    invariant(compiled !== undefined && workflow !== undefined, `a review policy that was found right gave: ${JSON.stringify(errors)}`);
    return { listed: { ...workflow, ...place }, compiled };
  });
}

/** The same for lists, in which what is wrong with the settings is one problem among others. */
export async function listReviews(
  project: Project,
): Promise<{ readonly workflows: readonly DiscoveredWorkflow[]; readonly problems: readonly FileProblem[] }> {
  try {
    return { workflows: (await reviewWorkflows(project)).map(({ listed }) => listed), problems: [] };
  } catch (error) {
    if (!isEngineError(error) || error.position?.file === undefined) throw error;
    const { file, line, column } = error.position;
    const hint = 'mend the settings; the workflows of a review policy are missing here';
    return { workflows: [], problems: [{ file, line, column, code: error.code, message: error.message, hint }] };
  }
}
