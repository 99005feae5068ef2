// The feature-development workflow of seed 002 under attack, as it stands there, on a local forge with real git.

import { expect, test } from 'vitest';
import type { AgentRequest } from '../../src/agents/driver.ts';
import type { RunView } from '../../src/index.ts';
import { type Attack, type HostileFixture, runHostile } from '../../src/proof/index.ts';
import { publicly } from '../engine/feature-agents.ts';
import {
  type Agent,
  approve,
  BRANCH,
  done,
  type FeatureProject,
  featureDevelopment,
  openFeatureProject,
} from '../engine/feature-project.ts';

const STEPS = ['research', 'implement', 'documentation', 'pull_request', 'test_review', 'security_review', 'code_review'];

const HONEST: Readonly<Record<string, Agent>> = {
  research: () => done({ comment: 'First the index, then the search.' }),
  implement: publicly,
  documentation: async (_, project) => {
    await project.push({ 'docs/search.md': '# Search\n' });
    return done();
  },
  pull_request: () => done({ pr: { title: 'Add search', body: 'As planned.', head: BRANCH } }),
};

let project: FeatureProject;

/** A project in which every agent is one of the attack. */
async function open({ drivers }: Attack): Promise<HostileFixture> {
  const { scripted } = drivers;
  if (scripted === undefined) throw new Error('the attack has no driver');
  const ask = (request: AgentRequest) => scripted.ask(request);
  project = await openFeatureProject({ agents: Object.fromEntries(STEPS.map((step) => [step, ask])) });
  const opened = project;
  return {
    engine: opened.engine,
    cwd: opened.path('.'),
    clock: opened.clock,
    start: () => opened.start(),
    idle: (_: RunView) => opened.stage.review(opened.issue + 1, 'ann', 'approved'),
    close: () => opened.close(),
  };
}

test('a step without its required files, tests or forge state does not complete', async () => {
  const honest = (request: AgentRequest) => (HONEST[request.step] ?? approve)(request, project);
  const result = await runHostile(featureDevelopment(), { open, honest });
  console.log(result.report());
  expect([result.falseCompletions, result.breaches]).toEqual([[], []]);
  const enforced = result.steps.filter((step) => step.enforced).map(({ step }) => step);
  const advised = result.steps.filter((step) => !step.enforced).map(({ step }) => step);
  expect({ enforced, advised }).toEqual({
    enforced: ['research', 'implement', 'pull_request'],
    advised: ['documentation', 'review_pipeline/test_review', 'review_pipeline/code_review'],
  });
});
