// The examples under attack: hostile agents at every step that an agent does. The report says what is enforced and what
// is only advised; nobody gets away with a step that is enforced.

import { describe, expect, test } from 'vitest';
import { investigation } from '../../examples/patterns/confidence.ts';
import { WORKFLOW as decisionCritic } from '../../examples/patterns/decision-critic.ts';
import { deepthink } from '../../examples/patterns/hybrid.ts';
import { linear } from '../../examples/patterns/linear.ts';
import { branching } from '../../examples/patterns/mode.ts';
import { createPlanner, withReviewer } from '../../examples/patterns/qr-gate.ts';
import type { AgentDriver } from '../../src/agents/driver.ts';
import { runHostile } from '../../src/proof/index.ts';
import { judged } from './judged.ts';

describe('patterns', () => {
  test.each([linear, investigation, branching, deepthink, decisionCritic])('$name is done by code alone', async (workflow) => {
    expect(judged(await runHostile(workflow))).toEqual({ enforced: [], advised: [] });
  });

  test('a reviewer that reports PASS without looking is believed: its review is advised', async () => {
    const reviewer = (cwd: string): AgentDriver | undefined => withReviewer(cwd).drivers?.scripted;
    const result = await runHostile(createPlanner, {
      honest: async (request) => (await reviewer(request.cwd)?.ask(request)) ?? [],
    });
    expect(judged(result)).toEqual({ enforced: [], advised: ['qr_completeness'] });
  });
});
