// The skill planner, and planner-executor on the plan that comes of it, carried through by an agent that reads what Pawl prints
// and by the sub-agents that it sends: the first diffs miss an error path, the review says so, the second ones pass, and
// the executor applies them. What they did and left behind is in examples/skills/planner.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Scene, StepWork } from '../../examples/skills/agent.ts';
import { gitIn } from '../../examples/skills/project.ts';
import { FollowedSkill } from '../cli/followed-skill.ts';
import { CliRig } from '../cli/rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const FILES = ['test/sum.test.js', 'src/sum.js', 'test/cli.test.js', 'src/cli.js', 'README.md'];
const diffOf = (number: number): string => `notes/planner/diffs/0${number}-C-${number}.diff`;
const jsonIn = (folder: string, path: string) => JSON.parse(readFileSync(join(folder, path), 'utf8'));

/** The developer writes the diffs and enters them in the plan; in round 2 only those that the review named. */
const writeDiffs: StepWork = ({ round, folder, write, thought }) => {
  for (const number of round === 1 ? [1, 2, 3, 4, 5] : [3, 4]) write(diffOf(number), thought(diffOf(number)));
  const plan = jsonIn(folder, 'notes/planner/plan.json');
  const changes = FILES.map((file, index) => ({
    id: `C-${index + 1}`,
    intent: index < 2 ? 'I-1' : 'I-2',
    file,
    diff: diffOf(index + 1).replace('notes/planner/', ''),
  }));
  write('notes/planner/plan.json', `${JSON.stringify({ ...plan, revision: round, changes }, null, 2)}\n`);
  return undefined;
};

/** Runs a command in a copy of the project with the diffs of the plan, which is removed afterwards. */
const inCopy = ({ sh }: Scene, command: string) => {
  sh('git worktree add --quiet --detach ../copy && cat notes/planner/diffs/*.diff | git -C ../copy apply');
  const ended = sh(`cd ../copy && ${command}`);
  sh('git worktree remove --force ../copy');
  return ended;
};

/** The reviewer of the diffs runs the error path that I-2 names. */
const verifyDiffs: StepWork = (scene) => {
  const { status } = inCopy(scene, "echo '2026-03-02 45m mail' > w.log && node src/cli.js w.log --since 2026-02-30");
  expect(status).toBe(scene.round === 1 ? 0 : 2);
  return undefined;
};

/** The verdict of a reviewer follows from the file with its verdicts. */
const verdictOf =
  (file: string): StepWork =>
  ({ folder }) => {
    const { verdicts } = jsonIn(folder, file) as { verdicts: { id: string; status: string }[] };
    const failed = verdicts.filter(({ status }) => status === 'fail').map(({ id }) => id);
    return { status: failed.length === 0 ? 'pass' : 'fail', failed };
  };

const PLANNER: Readonly<Record<string, StepWork>> = {
  'planner/context': ({ sh }) => void expect(sh('node --test').printed).toContain('tests 11'),
  'qr-plan-completeness/verdict': verdictOf('notes/planner/qr/completeness-verdicts.json'),
  'dev-fill-diffs/write': writeDiffs,
  'dev-fill-diffs/try': (scene) => void expect(inCopy(scene, 'node --test').printed).toContain(scene.round === 1 ? 'tests 14' : 'tests 15'),
  'dev-fill-diffs/report': () => ({ diffs: 5, checked: 2, open: [] }),
  'qr-plan-code/verify': verifyDiffs,
  'qr-plan-code/verdict': verdictOf('notes/planner/qr/plan-code-verdicts.json'),
  'tw-plan-scrub/rewrite': ({ write, thought }) => void write(diffOf(2), thought(diffOf(2))),
  'tw-plan-scrub/report': () => ({ rewritten: 1, kept: 4, open: [] }),
  'qr-plan-docs/verdict': verdictOf('notes/planner/qr/plan-docs-verdicts.json'),
};

/** Applies the diffs of a milestone, tests first, and commits it. */
function carryOutMilestone({ sh }: Scene, { tests, rest, message }: { tests: number; rest: readonly number[]; message: string }): void {
  expect(sh(`git apply ${diffOf(tests)}`).status).toBe(0);
  expect(sh('node --test').status).toBe(1);
  expect(sh(`git apply ${rest.map(diffOf).join(' ')}`).status).toBe(0);
  expect(sh('node --test').status).toBe(0);
  gitIn(rig.project, ['commit', '--quiet', '--message', message, '--', 'src', 'test', 'README.md']);
}

const EXECUTOR: Readonly<Record<string, StepWork>> = {
  'planner-executor/intake': ({ sh }) => void expect(sh('cat notes/planner/diffs/*.diff | git apply --check').status).toBe(0),
  'planner-executor/baseline': ({ sh }) => void expect(sh('node --test').status).toBe(0),
  'planner-executor/implement': (scene) => {
    carryOutMilestone(scene, { tests: 1, rest: [2], message: 'Limit entries to a day and later' });
    carryOutMilestone(scene, { tests: 3, rest: [4, 5], message: 'Count from a day on with --since' });
    return undefined;
  },
  'qr-post-impl-code/verify': ({ sh }) => {
    for (const day of ['2026-02-30', 'soon']) expect(sh(`node src/cli.js README.md --since ${day}`).status).toBe(2);
    return undefined;
  },
  'qr-post-impl-code/verdict': verdictOf('notes/planner-executor/qr/implementation-verdicts.json'),
  'tw-post-impl/write': ({ write, thought }) => void write('README.md', thought('README.md')),
  'tw-post-impl/report': () => ({ documents: ['README.md'], open: [] }),
  'qr-post-impl-docs/verdict': verdictOf('notes/planner-executor/qr/documentation-verdicts.json'),
  'planner-executor/report': ({ sh }) => {
    gitIn(rig.project, ['commit', '--quiet', '--message', 'Say what --since counts', '--', 'README.md']);
    expect(sh('node --test').status).toBe(0);
    return undefined;
  },
};

test('planner and planner-executor: a request becomes a plan, reviewed diffs, and commits whose tests pass', async () => {
  const followed = new FollowedSkill(rig, 'planner', { ...PLANNER, ...EXECUTOR });
  const request = 'request=tally takes --since DATE and counts only entries from that day on';
  await followed.follow(['run', 'planner', '--attended', '-p', request], { forgetsAfter: 3 });
  expect(await followed.goOn()).toMatch(/is completed/);
  expect(gitIn(rig.project, ['status', '--short']).trim()).toBe('?? notes/');
  const words = ['-p', 'plan=notes/planner/plan.json', '-p', 'test=node --test', '-p', 'code=src/**'];
  await followed.follow(['run', 'planner-executor', '--attended', ...words], { forgetsAfter: 2 });
  expect(await followed.goOn()).toMatch(/is completed/);
  followed.expectAsShown();
  expect(gitIn(rig.project, ['log', '--format=%s', '-3']).trim().split('\n')).toEqual([
    'Say what --since counts',
    'Count from a day on with --since',
    'Limit entries to a day and later',
  ]);
});
