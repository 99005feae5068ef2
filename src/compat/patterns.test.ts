// biome-ignore-all lint/suspicious/noThenProperty: the `then` of an edge is a target and no function.
// The five patterns of seed 000, in camelCase.

import { describe, expect, test } from 'vitest';
import { stepOrder, stepOutput } from '../authoring/graph/output.ts';
import { arg } from '../definition/param/arg.ts';
import { extractSchema } from '../definition/param/domain.ts';
import { AgentRole, Dispatch, type GraphContext, Outcome, StepDef, Workflow } from './index.ts';

const contextWith = (fields: Partial<GraphContext>) => ({ workflowParams: {}, stepState: {}, ...fields }) as GraphContext;

describe('the patterns of seed 000', () => {
  test('linear: the entry is the first step, and a step without a handler does nothing', async () => {
    const linear = new Workflow(
      'skill-name',
      StepDef({ id: 'step1', title: 'One', actions: ['read'], handler: () => [Outcome.OK, {}], next: { [Outcome.OK]: 'step2' } }),
      StepDef({ id: 'step2', title: 'Two', actions: ['write'], next: { [Outcome.OK]: null } }),
      { description: 'Two steps' },
    ).compiled;
    expect(linear.definition).toMatchObject({ entry: 'step1', description: 'Two steps' });
    expect(linear.definition.steps[1]?.next).toEqual({ ok: { to: { end: 'complete' } } });
    expect(await linear.code.get('step2')?.run?.(contextWith({}))).toEqual({ outcome: 'ok', output: null });
    expect(stepOrder(linear)).toEqual(['step1', 'step2']);
  });

  test('confidence iteration: a step that iterates into itself is bounded', async () => {
    const MAX_ITERATIONS = 5;
    const investigation = new Workflow(
      'investigation',
      StepDef({
        id: 'investigate',
        handler: (ctx) => {
          const iteration = Number(ctx.stepState.iteration ?? 1);
          if (ctx.stepState.confidence === 'high') return [Outcome.OK, { confidence: 'high' }];
          if (iteration >= MAX_ITERATIONS) return [Outcome.OK, { confidence: 'capped' }];
          return [Outcome.ITERATE, { iteration: iteration + 1 }];
        },
        next: { [Outcome.OK]: 'formulate', [Outcome.ITERATE]: 'investigate' },
      }),
      StepDef({ id: 'formulate', next: null }),
    ).compiled;
    const { run } = investigation.code.get('investigate') ?? {};
    expect(await run?.(contextWith({}))).toEqual({ outcome: 'iterate', output: { iteration: 2 } });
    expect(await run?.(contextWith({ stepState: { iteration: 5 } }))).toEqual({ outcome: 'ok', output: { confidence: 'capped' } });
    expect(investigation.definition.steps[0]?.next.iterate).toEqual({ to: { step: 'investigate' }, max: 10, then: { end: 'escalate' } });
  });

  test('mode branching: the mode is a parameter with a domain at every step, and a bare outcome is an empty patch', async () => {
    const branching = new Workflow(
      'deepthink',
      StepDef({
        id: 'planning',
        handler: (ctx) => (ctx.workflowParams.mode === 'quick' ? Outcome.SKIP : Outcome.OK),
        next: { [Outcome.OK]: 'subagent_design', [Outcome.SKIP]: 'initial_synthesis' },
      }),
      StepDef({ id: 'subagent_design', next: { [Outcome.DEFAULT]: 'initial_synthesis' } }),
      StepDef({ id: 'initial_synthesis', next: null }),
      { params: { mode: arg({ choices: ['quick', 'full'], default: 'full' }) } },
    ).compiled;
    const { run } = branching.code.get('planning') ?? {};
    expect(await run?.(contextWith({ workflowParams: { mode: 'quick' } }))).toEqual({ outcome: 'skip', output: null });
    expect([...(extractSchema(branching.definition).planning?.mode ?? [])]).toEqual(['quick', 'full']);
  });

  test('QR gate: a dispatch is an agent step with a role and a script', () => {
    const reviewed = new Workflow(
      'planner',
      StepDef({
        id: 'qr_completeness',
        handler: Dispatch({ agent: AgentRole.QUALITY_REVIEWER, script: 'skills.planner.qr.plan_completeness' }),
        supportsQuestions: true,
        next: { [Outcome.OK]: 'implementation', [Outcome.FAIL]: 'revise_plan' },
      }),
      StepDef({ id: 'revise_plan', next: { [Outcome.OK]: 'qr_completeness' } }),
      StepDef({ id: 'implementation', next: null }),
    ).compiled;
    expect(reviewed.definition.steps[0]).toMatchObject({
      kind: 'agent',
      config: { role: 'quality-reviewer', script: 'skills.planner.qr.plan_completeness' },
      supportsQuestions: true,
    });
    expect(reviewed.definition.steps[1]?.next.ok).toMatchObject({ max: 10 });
  });

  test('hybrid: static instructions are data, dynamic ones are built from the parameters', () => {
    const hybrid = new Workflow(
      'deepthink',
      StepDef({ id: 'clarify', title: 'Context Clarification', actions: ['Clarify the context.'], next: 'refine' }),
      StepDef({
        id: 'refine',
        args: { iteration: arg({ min: 1, max: 5, default: 1 }) },
        actions: ({ iteration }) => ({ title: `Iterative Refinement (Iteration ${iteration})`, actions: [`Round ${iteration} of 5`] }),
        next: { [Outcome.OK]: null, [Outcome.ITERATE]: 'refine' },
      }),
    ).compiled;
    expect(stepOutput(hybrid, 'clarify')).toEqual({
      title: 'Context Clarification',
      actions: ['Clarify the context.'],
      nextCommand: 'next: refine',
    });
    expect(stepOutput(hybrid, 'refine', { iteration: 3 })).toEqual({
      title: 'Iterative Refinement (Iteration 3)',
      actions: ['Round 3 of 5'],
      nextCommand: null,
    });
  });
});
