// The four workflows of seed 002, byte for byte, from a label to a merge through `pawl serve`, all at once, while the server is
// killed at random moments. `SEED=7` repeats one, `SEEDS=20` tries so many, `KILLS=0` kills none.

import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createChance, SeedFleet } from './seed-fleet.ts';

const { SEED, SEEDS = '1', KILLS = '3' } = process.env;
const first = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
/** A kill comes after so many things happened at most, and up to so much later. */
const KILL_WITHIN = 12;
const KILL_AFTER_MS = 400;
const LOOK_MS = 50;
const WAIT_MS = 500_000;

/** Lets everything happen until no run is open, with a kill now and then. */
async function play(fleet: SeedFleet, chance: () => number): Promise<void> {
  const end = Date.now() + WAIT_MS;
  let killAt = fleet.progress() + Math.ceil(chance() * KILL_WITHIN);
  for (let turn = 0; ; turn += 1) {
    if (fleet.kills < Number(KILLS) && fleet.progress() >= killAt) {
      await pause(chance() * KILL_AFTER_MS);
      await fleet.kill();
      await fleet.serve();
      killAt = fleet.progress() + Math.ceil(chance() * KILL_WITHIN);
    }
    await pause(LOOK_MS);
    // People look less often than kills do.
    if (turn % 20 !== 0) continue;
    const runs = await fleet.runs();
    if (runs.length === 4 && runs.every(({ status }) => ENDED.has(status))) return;
    if (Date.now() > end) throw new Error(`still open: ${JSON.stringify(runs)}, refused: ${fleet.refused.join('\n')}`);
    await fleet.look();
  }
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'rejected', 'cancelled', 'overridden']);

test.each(Array.from({ length: Number(SEEDS) }, (_, index) => first + index))(
  'the same end, one pull request, one merge, no comment twice: SEED=%d',
  async (seed) => {
    const fleet = await SeedFleet.open();
    try {
      const began = performance.now();
      await fleet.serve();
      await fleet.begin();
      await play(fleet, createChance(seed));
      await judge(fleet);
      console.log(
        `SEED=${seed}: ${fleet.kills} kills, ${fleet.reruns.length} interrupted steps, ${Math.round((performance.now() - began) / 1000)} s`,
      );
    } finally {
      await fleet.close();
    }
  },
  WAIT_MS + 60_000,
);

async function judge(fleet: SeedFleet): Promise<void> {
  const { state, log } = fleet.stage.hub;
  const runs = (await fleet.runs()).toSorted((a, b) => (a.workflow < b.workflow ? -1 : 1));
  for (const { id, status } of runs.filter((run) => run.status !== 'completed'))
    console.log(`run ${id} is ${status}: ${await fleet.error(id)}`);
  expect(runs.map(({ workflow, status }) => `${workflow} ${status}`)).toEqual([
    'bug-fix-workflow completed',
    'feature-development completed',
    'security-feature completed',
    'simple-review completed',
  ]);
  const [bug, feature, security] = runs.map(({ id }) => id);
  const pulls = [...state.items.values()].flatMap(({ pull, open }) =>
    pull === undefined ? [] : [`${pull.head} ${pull.merged ? 'merged' : open ? 'open' : 'closed'}`],
  );
  expect(pulls.toSorted()).toEqual([`pawl/${bug} open`, `pawl/${feature} merged`, `pawl/${security} merged`, 'topic open'].toSorted());
  expect([1, 2, 3].map((number) => state.items.get(number)?.open)).toEqual([false, true, true]);
  // A merge whose response was lost may be asked for again; GitHub does it once.
  expect(log.filter((line) => /^PUT .*\/merge 200$/.test(line))).toHaveLength(2);
  expect((await fleet.stage.repository.git('log', '--format=%s', 'main')).trim().split('\n')).toHaveLength(4);
  const written = state.comments.map(({ number, body }) => `${number} ${body.replace(/<!--[\s\S]*?-->/g, '').trim()}`);
  expect(new Set(written).size).toBe(written.length);
  // With more than three kills an attempt can be interrupted four times, which stops the run until a person lets it go on.
  const steps = (await fleet.steps(feature as string)).filter((step) => !/^on_error\.| error$/.test(step));
  expect(steps.toSorted()).toEqual(FEATURE_STEPS);
  expect((await fleet.steps(bug as string)).toSorted()).toEqual(BUG_STEPS);
  // Every attempt began once, and once more for each interruption that a person answered.
  const begun = fleet.begun().map((key) => key.slice(0, key.lastIndexOf('/')));
  const extra = begun.filter((path, index) => begun.indexOf(path) !== index);
  expect(extra.filter((path) => !fleet.reruns.includes(path))).toEqual([]);
}

/** What each visit of a step came to; the reviews are in no order. */
const FEATURE_STEPS = [
  ...['research#1 ok', 'implement#1 ok', 'test#1 ok', 'documentation#1 ok', 'pull_request#1 ok', 'pull_request.on_complete.delay#1 ok'],
  ...['review_pipeline#1/security_review skip', 'review_pipeline#1/test_review ok', 'review_pipeline#1/code_review reject'],
  ...['review_pipeline#1 reject', 'implement#2 ok', 'test#2 ok', 'documentation#2 ok', 'pull_request#2 ok'],
  ...['pull_request.on_complete.delay#2 ok', 'review_pipeline#2/security_review skip', 'review_pipeline#2/test_review ok'],
  ...['review_pipeline#2/code_review ok', 'review_pipeline#2 ok', 'human_approval.enter#1 ok', 'human_approval#1 ok', 'merge#1 ok'],
  ...['on_complete.1#1 ok', 'on_complete.2#1 ok'],
].toSorted();
const BUG_STEPS = ['diagnose#1 ok', 'implement#1 ok', 'implement#2 ok', 'open_pr#1 ok', 'verify#1 fail', 'verify#2 ok'];
