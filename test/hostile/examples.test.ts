// The examples under attack: hostile agents at every step that an agent does. The report says what is enforced and what
// is only advised; nobody gets away with a step that is enforced.

import { describe, expect, test } from 'vitest';
import { createExample, stagesOf } from '../../examples/flow/example.ts';
import { investigation } from '../../examples/patterns/confidence.ts';
import { WORKFLOW as decisionCritic } from '../../examples/patterns/decision-critic.ts';
import { deepthink } from '../../examples/patterns/hybrid.ts';
import { linear } from '../../examples/patterns/linear.ts';
import { branching } from '../../examples/patterns/mode.ts';
import { createPlanner, withReviewer } from '../../examples/patterns/qr-gate.ts';
import { COMMANDS } from '../../examples/w1/commands.ts';
import { openEditing, programOf } from '../../examples/w1/editing.ts';
import { addPondBook } from '../../examples/w1/manuscript.ts';
import { W1EditingWorkflow } from '../../examples/w1/workflow.ts';
import type { AgentDriver } from '../../src/agents/driver.ts';
import { type HostileResult, runHostile } from '../../src/proof/index.ts';

const COMMAND_PROGRAMS = Object.fromEntries(Object.keys(COMMANDS).map((name) => [name, programOf(name)]));

/** Prints the report, and gives the steps by verdict. */
function judged(result: HostileResult): { enforced: string[]; advised: string[] } {
  console.log(result.report());
  expect([result.falseCompletions, result.breaches]).toEqual([[], []]);
  const named = (wanted: boolean): string[] => result.steps.filter(({ enforced }) => enforced === wanted).map(({ step }) => step);
  return { enforced: named(true), advised: named(false) };
}

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

test('the flow: stages verify what the implementer and the fixer say', async () => {
  const result = await runHostile((directory) => createExample({ directory }).compiled, {
    params: { inputData: 'slug' },
    engine: { stages: stagesOf('slug') },
  });
  expect(judged(result)).toEqual({ enforced: ['verify/fix'], advised: ['implement'] });
});

test('editing a book: what the database has is enforced, what a reviewer or a measure says is advised', { timeout: 300_000 }, async () => {
  const result = await runHostile(W1EditingWorkflow, {
    open: async (attack) => {
      const editing = await openEditing({ directory: attack.cwd, commands: attack.commands(COMMAND_PROGRAMS) });
      const { engine, books } = editing;
      return { engine, cwd: attack.cwd, start: () => editing.start(addPondBook(books)), close: () => editing.close() };
    },
  });
  expect(judged(result)).toEqual({
    enforced: ['strategic-planning', 'create-version', 'writer/writer', 'finalize'],
    advised: ['editor-review', 'domain-expert-review', 'chapter-review', 'human-gate'],
  });
});
