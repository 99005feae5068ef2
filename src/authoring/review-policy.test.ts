import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { mismatchOf } from '../definition/trigger/trigger.ts';
import { REGISTRY } from '../kinds/registry.ts';
import { compileReviewPolicy, type ReviewPolicy, reviewTrigger } from './review-policy.ts';
import { checkYaml } from './yaml/check/check.ts';

/** As seed 002 has it. */
const SEED = parse(`
enabled: true
default_requirements:
  - role: pr-review
    count: 1
rules:
  - name: squadron-dev-pipeline
    match:
      base_branch: squadron-dev
    requirements:
      - role: test-coverage
      - role: security-review
      - role: pr-review
    sequence: [test-coverage, security-review, pr-review]
`) as ReviewPolicy;

/** The workflow in the comment below it. */
const EXPECTED = parse(`
name: squadron-dev-pipeline
trigger: { event: pull_request.opened, conditions: { base_branch: squadron-dev } }
stages:
  - { id: test-coverage, type: agent, agent: test-coverage, action: review }
  - { id: security-review, type: agent, agent: security-review, action: review }
  - { id: pr-review, type: agent, agent: pr-review, action: review }
`);

describe('a review policy', () => {
  test('the review policy of the seed compiles to the workflow in the seed', () => {
    const [first] = compileReviewPolicy(SEED);
    expect({ name: first?.metadata.name, trigger: first?.trigger, stages: first?.stages }).toEqual(EXPECTED);
  });

  test('gives workflow files in which nothing is wrong', () => {
    for (const workflow of compileReviewPolicy(SEED)) {
      const { errors, warnings } = checkYaml('config.yaml', stringify(workflow), REGISTRY);
      expect([errors, warnings]).toEqual([[], []]);
    }
  });

  test('without a sequence needs all reviews, at once', () => {
    const [only] = compileReviewPolicy({ rules: [{ name: 'r', requirements: [{ role: 'a' }, { role: 'b', count: 2 }] }] });
    expect(only?.trigger).toEqual({ event: 'pull_request.opened' });
    expect(only?.stages).toEqual([
      {
        id: 'reviews',
        type: 'parallel',
        join: 'all',
        branches: [
          { id: 'a', agent: 'a', action: 'review' },
          { id: 'b-1', agent: 'b', action: 'review' },
          { id: 'b-2', agent: 'b', action: 'review' },
        ],
      },
    ]);
  });

  test('a sequence with a count asks several agents of a role at the same time, in its order', () => {
    const requirements = [{ role: 'a' }, { role: 'b', count: 2 }];
    const [only] = compileReviewPolicy({ rules: [{ name: 'r', requirements, sequence: ['b', 'a'] }] });
    expect(only?.stages.map(({ id, type }) => [id, type])).toEqual([
      ['b', 'parallel'],
      ['a', 'agent'],
    ]);
  });

  test('a rule without requirements has the default ones', () => {
    const [only] = compileReviewPolicy({ default_requirements: [{ role: 'a' }], rules: [{ name: 'r', sequence: ['a'] }] });
    expect(only?.stages).toEqual([{ id: 'a', type: 'agent', agent: 'a', action: 'review' }]);
  });

  test('the default requirements are for branches that no rule names', () => {
    const [, standard] = compileReviewPolicy(SEED);
    expect(standard?.metadata.name).toBe('default-review');
    expect(standard?.stages[0]?.condition).toBe(`(context.base_branch ?? '') != "squadron-dev"`);
    expect(compileReviewPolicy({ ...SEED, rules: [] }).map(({ stages }) => stages[0]?.condition)).toEqual([undefined]);
    const all = { ...SEED, rules: [{ name: 'all', requirements: [{ role: 'a' }] }] };
    expect(compileReviewPolicy(all).map(({ metadata }) => metadata.name)).toEqual(['all']);
  });

  test('starts when a pull request is opened, reopened, ready or has a new head; drafts and other events start nothing', () => {
    const started = (action: string, base: string, draft = false): string[] =>
      compileReviewPolicy(SEED).flatMap((workflow) => {
        const payload = { pull_request: { number: 1, draft, base: { ref: base } } };
        const triggerEvent = { event: `pull_request.${action}`, payload };
        return mismatchOf(reviewTrigger(SEED, workflow), triggerEvent) === undefined ? [workflow.metadata.name] : [];
      });
    for (const action of ['opened', 'reopened', 'ready_for_review', 'synchronize']) {
      expect([action, started(action, 'squadron-dev')]).toEqual([action, ['squadron-dev-pipeline']]);
      expect([action, started(action, 'main')]).toEqual([action, ['default-review']]);
      expect([action, started(action, 'main', true)]).toEqual([action, []]);
    }
    for (const action of ['edited', 'closed', 'labeled']) expect([action, started(action, 'main')]).toEqual([action, []]);
  });

  test('a review policy that is not enabled compiles to no workflow', () => {
    expect(compileReviewPolicy({ ...SEED, enabled: false })).toEqual([]);
  });
});
