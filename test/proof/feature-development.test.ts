// The feature-development workflow of seed 002, as it stands there, from the issue to the merge: on a local forge, with
// real git, real programs and a scripted agent. Every edge that it has is taken by one of these scenarios.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { membersOf } from '../../src/definition/model.ts';
import type { Review } from '../../src/forge/local/control.ts';
import type { RunHandle, RunView } from '../../src/index.ts';
import { valueIn } from '../../src/proof/forge-suite/stage.ts';
import {
  away,
  breaks,
  conflicting,
  fails,
  givesUp,
  hanging,
  hangs,
  inTurn,
  merges,
  privately,
  publicly,
  red,
  rejects,
  rival,
  stubborn,
  TESTS,
  timesOut,
  untested,
  untidy,
} from '../engine/feature-agents.ts';
import { impossibleEntries, possibleEdges, settledSteps, takenEdges } from '../engine/feature-edges.ts';
import {
  type Agents,
  approve,
  BRANCH,
  done,
  FEATURE_TEXT,
  type FeatureOptions,
  type FeatureProject,
  featureDevelopment,
  openFeatureProject,
  PRIVATE_CODE,
} from '../engine/feature-project.ts';

const DAY_MS = 86_400_000;
const taken = new Set<string>();
const settled = new Set<string>();

/** One run of the workflow, and what happens around it. */
interface Scenario extends FeatureOptions {
  readonly status: RunView['status'];
  /** What people do at the forge while the run waits for them; ann approves unless it says otherwise. */
  readonly people?: (project: FeatureProject, pr: number) => Promise<void>;
  /** How often a person sends the run on after it escalated, and what they mend before. */
  readonly retries?: number;
  readonly mend?: (project: FeatureProject) => Promise<void>;
  /** Where the person sends it; the step that it halted at, otherwise. */
  readonly goto?: string;
  /** Looks at the world afterwards. */
  readonly then?: (project: FeatureProject, view: RunView) => Promise<void> | void;
}

/** Plays a scenario to its end, and keeps the edges that it took. */
async function play(scenario: Scenario): Promise<void> {
  const project = await openFeatureProject(scenario);
  try {
    const run = await project.start();
    const view = await drive(project, run, scenario);
    const events = await project.events(run.id);
    for (const edge of takenEdges(events)) taken.add(edge);
    for (const step of settledSteps(events)) settled.add(step);
    expect([view.status, view.error ?? ''].join(' ')).toMatch(new RegExp(`^${scenario.status}`));
    await scenario.then?.(project, view);
    expect(project.rig.warnings).toEqual([]);
  } finally {
    await project.close();
  }
}

async function drive(project: FeatureProject, run: RunHandle, scenario: Scenario): Promise<RunView> {
  let retries = scenario.retries ?? 0;
  for (;;) {
    const view = await run.wait('idle');
    const [wait] = view.waits;
    if (wait === undefined || (wait.kind === 'escalation' && retries === 0)) return view;
    const { seq } = (await project.engine.store.load(run.id)).state;
    if (wait.kind === 'escalation') {
      retries -= 1;
      await scenario.mend?.(project);
      const choice = scenario.goto === undefined ? ({ how: 'retry' } as const) : ({ how: 'goto', step: scenario.goto } as const);
      await project.engine.run(run.id).resume({ actor: 'ann', choice });
    } else if (wait.kind === 'delay') project.clock.advance((wait.due as number) - project.clock.now());
    else await (scenario.people ?? approval)(project, pullRequestOf(project));
    await changed(project, run, seq);
  }
}

/** Resolves when the log of the run has grown. */
async function changed({ engine }: FeatureProject, run: RunHandle, seq: number): Promise<void> {
  for await (const _ of engine.run(run.id).log(seq)) return;
}

/** The number of the one pull request: issues and pull requests share a row of numbers. */
const pullRequestOf = ({ issue }: FeatureProject): number => issue + 1;

const approval = ({ stage }: FeatureProject, pr: number): Promise<void> => stage.review(pr, 'ann', 'approved');

type People = NonNullable<Scenario['people']>;

/** People who do one thing after the other, and the last one from then on. */
function inOrder(...all: readonly People[]): People {
  let index = 0;
  return async (project, pr) => {
    const one = all[Math.min(index, all.length - 1)] as People;
    index += 1;
    await one(project, pr);
  };
}

/** What the edges of a run added to its data under one name, oldest first. */
async function added(engine: FeatureProject['engine'], run: string, name: string): Promise<unknown[]> {
  const events = (await engine.store.events(run, 0)).flatMap((row) => row.events);
  const digests = events.flatMap((event) => (event.type === 'edge.taken' && event.merge !== undefined ? [event.merge.digest] : []));
  const texts = await engine.store.values(digests);
  const merged = digests.map((digest) => JSON.parse(texts.get(digest) as string) as Record<string, unknown>);
  return merged.flatMap((data) => (Object.hasOwn(data, name) ? [data[name]] : []));
}

const failureReasons = (engine: FeatureProject['engine'], run: string) => added(engine, run, 'failure_reason');

async function lastData(engine: FeatureProject['engine'], run: string, name: string): Promise<unknown> {
  return (await added(engine, run, name)).at(-1);
}

test('the file is unchanged', () => {
  expect(createHash('sha256').update(FEATURE_TEXT).digest('hex')).toBe('0f8054ddef425b06b8917bd3dfc3a12775141744483104d13c4c166d9de9d6ae');
});

describe('feature-development', () => {
  test('feature-development goes from the issue to the merge, and reports what it did', () =>
    play({
      agents: { implement: publicly },
      status: 'completed',
      then: async ({ stage, issue, asked }, view) => {
        const told = view.steps.map(({ path, outcome }) => `${path} ${outcome}`);
        const isBranch = (line: string): boolean => line.startsWith('review_pipeline#1/');
        // Branches end in any order.
        expect(told.filter(isBranch).sort()).toEqual([
          'review_pipeline#1/code_review ok',
          'review_pipeline#1/security_review skip',
          'review_pipeline#1/test_review ok',
        ]);
        expect(told.filter((line) => !isBranch(line))).toEqual([
          'research#1 ok',
          'implement#1 ok',
          'test#1 ok',
          'documentation#1 ok',
          'pull_request#1 ok',
          'pull_request.on_complete.delay#1 ok',
          'review_pipeline#1 ok',
          'human_approval.enter#1 ok',
          'human_approval#1 ok',
          'merge#1 ok',
          'on_complete.1#1 ok',
          'on_complete.2#1 ok',
        ]);
        const pr = issue + 1;
        expect(asked.filter(({ role }) => role === 'feat-dev').map(({ action }) => action)).toEqual(['research', 'implement', 'open_pr']);
        expect(await stage.read('main', 'src/search.py')).toContain('def find(text)');
        expect(await stage.read('main', 'docs/search.md')).toBe('# Search\n');
        expect(await stage.read(BRANCH, 'README.md')).toBeUndefined();
        expect(valueIn(await stage.forge.pullRequest(pr)).state).toBe('merged');
        expect(valueIn(await stage.forge.issue(issue))).toMatchObject({ state: 'closed', labels: ['feature'] });
        expect(valueIn(await stage.forge.comments(issue)).map(({ body }) => body)).toEqual([
          'First the index, then the search.',
          `Workflow completed successfully.\n- PR: #${pr}\n- Merged to: main\n`,
        ]);
        expect(stage.forge.control.notifications().map(({ people, message }) => [people, message])).toEqual([
          [['ann', 'bob'], `PR #${pr} ready for final approval`],
        ]);
      },
    }));

  test('feature-development skips the documentation when nothing is public, and has a security review when it is labelled so', () =>
    play({
      labels: ['security'],
      status: 'completed',
      then: (_, { steps }) => {
        const outcomes = Object.fromEntries(steps.map(({ path, outcome }) => [path, outcome]));
        expect(outcomes).toMatchObject({ 'documentation#1': 'skip', 'review_pipeline#1/security_review': 'ok' });
      },
    }));

  test('feature-development goes back to the agent with what failed, and continues when it is fixed', () =>
    play({
      agents: { implement: inTurn(untested, untidy, privately) },
      status: 'completed',
      then: async ({ engine }, { id, steps }) => {
        expect(steps.filter(({ step }) => step === 'test').map(({ outcome }) => outcome)).toEqual(['fail', 'fail', 'ok']);
        const [first, second] = await failureReasons(engine, id);
        expect(first).toEqual([expect.stringContaining('NameError: search'), expect.stringContaining('line coverage is 0%')]);
        expect(second).toEqual([expect.stringContaining('W291')]);
      },
    }));

  // An agent is handed the context that its stage declares, and not what the way to it added (src/steps/worker/worker-call.ts).
  test('feature-development tells the agent to which it returns what failed', () =>
    play({
      agents: { implement: inTurn(untested, privately) },
      status: 'completed',
      then: ({ asked }) => {
        const again = asked.filter(({ step }) => step === 'implement')[1];
        expect(again?.prompt).toContain('NameError: search');
      },
    }));

  test('feature-development escalates when the tests fail a fourth time', () =>
    play({
      agents: { implement: inTurn(untested, stubborn) },
      status: 'escalated',
      then: async ({ stage, issue, asked }, { error }) => {
        expect(error).toContain('the transition from "test" to "implement" reached its limit of 3');
        expect(asked.filter(({ step }) => step === 'implement')).toHaveLength(4);
        expect(valueIn(await stage.forge.issue(issue)).labels).toEqual(['feature', 'needs-human']);
        expect(stage.forge.control.notifications()).toMatchObject([{ target: 'maintainers', people: ['ann', 'bob'] }]);
      },
    }));

  test('feature-development retries the implementation twice after an error, then escalates', () =>
    play({
      agents: { implement: breaks },
      status: 'escalated',
      then: ({ asked }) => expect(asked.filter(({ step }) => step === 'implement').map(({ attempt }) => attempt)).toEqual([1, 2, 3]),
    }));

  test('feature-development escalates when its tests hang or do not run, and continues once they do', () =>
    play({
      agents: { implement: inTurn(hanging, privately) },
      retries: 2,
      mend: async (project) => {
        const isFirst = readFileSync(project.path('src/search.py'), 'utf8').includes('while True');
        await project.push({ 'src/search.py': PRIVATE_CODE, 'tests/test_search.py': isFirst ? '' : TESTS });
      },
      status: 'completed',
      then: (_, { steps }) =>
        expect(steps.filter(({ step }) => step === 'test').map(({ outcome }) => outcome)).toEqual(['timeout', 'error', 'ok']),
    }));
});

test('an agent that gives up, crashes or is silent escalates the run, and a person resumes it', () =>
  play({
    agents: {
      research: inTurn(fails, breaks, hangs, () => done({ comment: 'plan' })),
      implement: inTurn(fails, hangs, hangs, hangs, publicly),
      documentation: inTurn(fails, breaks, hangs, () => done()),
      pull_request: inTurn(fails, breaks, hangs, () => done({ pr: { title: 'Add search', head: BRANCH } })),
      code_review: inTurn(conflicting, approve),
      'merge.on_conflict.spawn': inTurn(fails, breaks, timesOut, () => done()),
    },
    retries: Number.POSITIVE_INFINITY,
    status: 'completed',
    then: ({ asked }) => expect(asked.filter(({ role }) => role === 'docs-dev')).toHaveLength(4),
  }));

describe('an agent that rejects', () => {
  test.each<[string, Agents]>([
    ['research', { research: rejects }],
    ['implement', { implement: rejects }],
    ['documentation', { implement: publicly, documentation: rejects }],
    ['pull_request', { pull_request: rejects }],
  ])('an agent that rejects ends the run: %s', (_step, agents) => play({ agents, status: 'rejected' }));

  test('an agent that rejects although it was asked to fix a conflict escalates the run', () =>
    play({ agents: { code_review: conflicting, 'merge.on_conflict.spawn': rejects }, status: 'escalated' }));
});

describe('a review', () => {
  test('a review that rejects sends the work back with what was said, at most ten times', () =>
    play({
      labels: ['security'],
      // After the first time round the agent gives up, and a person sends the same work to the review again.
      agents: { implement: inTurn(privately, privately, fails), code_review: rejects },
      retries: 9,
      goto: 'review_pipeline',
      status: 'escalated',
      then: async ({ engine, asked }, { id, error }) => {
        expect(error).toContain('the transition from "review_pipeline" to "implement" reached its limit of 10');
        expect(asked.filter(({ step }) => step === 'implement')).toHaveLength(11);
        expect(await lastData(engine, id, 'review_feedback')).toEqual(['fine', 'fine', 'no index']);
      },
    }));

  test('a review that crashes or hangs escalates', () =>
    play({ agents: { test_review: inTurn(breaks, hangs, approve) }, retries: 2, status: 'completed' }));
});

describe('the approval', () => {
  test('the approval is a wait; each day the maintainers are notified, and after the third extension it escalates', () =>
    play({
      status: 'escalated',
      people: async ({ clock }) => clock.advance(DAY_MS),
      then: ({ stage, issue, clock }, { error }) => {
        const pr = issue + 1;
        expect(error).toContain('human_approval');
        expect(clock.now() - Date.UTC(2020, 0, 1)).toBe(4 * DAY_MS + 30_000);
        expect(stage.forge.control.notifications().map(({ message }) => message)).toEqual([
          `PR #${pr} ready for final approval`,
          ...Array(3).fill(`PR #${pr} awaiting approval for 24h`),
          `maintainers: pull request #${pr} needs your attention.`,
        ]);
      },
    }));

  test('the approval of a bot or of a stranger does not count', () => {
    const spoke: string[] = [];
    const says =
      (review: Review): People =>
      async ({ stage }, pr) => {
        spoke.push(review.actor);
        valueIn(await stage.forge.control.review(pr, review));
      };
    return play({
      status: 'completed',
      people: inOrder(says({ actor: 'bob', bot: true }), says({ actor: 'eve' }), says({ actor: 'ann' })),
      then: () => expect(spoke).toEqual(['bob', 'eve', 'ann']),
    });
  });

  test('the approval that is refused escalates; when it is given later, the run continues', () =>
    play({
      status: 'completed',
      people: ({ stage }, pr) => stage.review(pr, 'bob', 'changes_requested'),
      retries: 1,
      mend: ({ stage, issue }) => stage.review(issue + 1, 'bob', 'approved'),
    }));

  test('the approval escalates while the forge is unreachable, and is requested when it is back', () =>
    play({
      agents: { code_review: away },
      status: 'completed',
      retries: 1,
      mend: async ({ stage }) => stage.forge.control.unavailable(false),
      then: ({ stage }) => expect(stage.forge.control.notifications()).toEqual([]),
    }));
});

describe('a merge', () => {
  test('a merge that conflicts is fixed by an agent and reviewed again', () =>
    play({
      agents: { code_review: inTurn(rival, approve), 'merge.on_conflict.spawn': merges },
      status: 'completed',
      then: async ({ stage, asked }) => {
        expect(asked.map(({ role }) => role)).toContain('merge-conflict');
        expect(asked.filter(({ step }) => step === 'code_review')).toHaveLength(2);
        expect(await stage.read('main', 'src/search.py')).toContain('def _find');
      },
    }));

  test('a merge that conflicts again and again escalates after ten times', () =>
    play({
      agents: { code_review: conflicting, 'merge.on_conflict.spawn': inTurn(() => done(), givesUp) },
      retries: 9,
      goto: 'merge',
      status: 'escalated',
      then: (_, { error }) => expect(error).toContain('reached its limit of 10'),
    }));

  test('a merge whose CI fails goes back to the agent with the reason, at most ten times', () =>
    play({
      agents: { implement: inTurn(red, red, fails) },
      retries: 9,
      goto: 'merge',
      status: 'escalated',
      then: async ({ engine }, { id, error }) => {
        expect(error).toContain('the transition from "merge" to "implement" reached its limit of 10');
        expect(await lastData(engine, id, 'ci_failure')).toContain('ci');
      },
    }));

  test('W13: a merge takes the approved head or nothing; another head is approved, tested and reviewed before it is merged', () =>
    play({
      status: 'completed',
      people: inOrder(async (project, pr) => {
        project.moveHeadAfterApproval();
        await approval(project, pr);
      }, approval),
      then: async ({ stage }, { steps }) => {
        const merged = steps.filter(({ step }) => step === 'merge').map(({ outcome, output }) => [outcome, output]);
        expect(merged).toMatchObject([
          ['stale_head', { error: expect.stringContaining('it changed since it was reviewed') }],
          ['stale_tree', { error: expect.stringContaining('these files differ: late.txt (added)') }],
          ['ok', {}],
        ]);
        expect(steps.filter(({ step }) => step === 'human_approval')).toHaveLength(3);
        expect(steps.filter(({ step }) => step === 'test')).toHaveLength(2);
        expect(await stage.read('main', 'late.txt')).toBe('late\n');
      },
    }));
});

test('a head that moves after every approval escalates after ten times', () =>
  play({
    status: 'escalated',
    people: async (project, pr) => {
      project.moveHeadAfterApproval({ 'README.md': '# Project\n' });
      await approval(project, pr);
    },
    then: (_, { error }) => expect(error).toContain('the transition from "merge" to "human_approval.enter" reached its limit of 10'),
  }));

test('a pull request that others pushed to is never merged untested, and escalates', () =>
  play({
    status: 'escalated',
    people: inOrder(async (project, pr) => {
      await project.pushFromElsewhere({ 'src/untested.py': 'def _untested(): pass\n' });
      await approval(project, pr);
    }, approval),
    then: async ({ stage }, { error }) => {
      expect(error).toContain('pushing it would lose work');
      expect(await stage.read('main', 'src/untested.py')).toBeUndefined();
    },
  }));

test('a merge that the forge does not accept escalates, and continues when the forge is back', () =>
  play({
    outages: ['merge'],
    retries: 1,
    mend: async (project) => project.endOutage(),
    status: 'completed',
    then: async ({ stage }) => expect(await stage.read('main', 'src/search.py')).toContain('def'),
  }));

test('a person retries the last actions after the forge was unreachable', () =>
  play({
    outages: ['close_issue', 'last_comment'],
    retries: 2,
    mend: async (project) => project.endOutage(),
    status: 'completed',
    then: async ({ stage, issue }) => {
      expect(valueIn(await stage.forge.issue(issue)).state).toBe('closed');
      expect(valueIn(await stage.forge.comments(issue))).toHaveLength(2);
    },
  }));

describe('over all of these', () => {
  const { definition } = featureDevelopment();

  test('every edge of the workflow was taken, and no other', () => {
    // The head would have to bring other files, as a push of the engine, four times; bounds are the kernel's to test.
    const bound = 'merge stale_tree → escalate (used up)';
    expect([...taken].sort()).toEqual(possibleEdges(definition).filter((edge) => edge !== bound));
  });

  test('every step was done, and every branch was done or skipped as its condition says', () => {
    const steps = definition.steps.flatMap((step) => [step.id, ...membersOf(step).map(({ id }) => `${step.id}/${id}`)]);
    expect(steps.filter((step) => !settled.has(`${step} ok`))).toEqual([]);
    const conditional = definition.steps.flatMap((step) => [
      step,
      ...membersOf(step).map((member) => ({ ...member, id: `${step.id}/${member.id}` })),
    ]);
    const skipped = conditional.filter(({ condition }) => condition !== undefined).map(({ id }) => `${id} skip`);
    expect([...settled].filter((one) => one.endsWith(' skip')).sort()).toEqual(skipped.sort());
  });

  test('the other transitions of feature-development are for outcomes that its steps never have', () => {
    // A step without a condition is not skipped, one without a limit has no timeout, and whoever tells somebody has told or
    // has not. A merge is done, or it is one of conflict, ci_failure, stale_head, stale_tree and error; an error of a branch is a fail of its group.
    const others = impossibleEntries(definition).filter((entry) => !/ (skip|timeout|_default)$/.test(entry));
    expect(others).toEqual(['merge fail', 'review_pipeline error']);
  });
});
