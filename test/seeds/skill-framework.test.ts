// Every code sample of seed 000, in its order, in TypeScript: compiled, run, and held to what the text around it says.
//
// Not here, because they come with skills and agents:
// - sample 12, its call of discover_workflows (line 229): discovery of skills
// - sample 18 (498-504), QUESTION_RELAY_HANDLER, and sample 19 (508-513), SUB_AGENT_QUESTION_FORMAT: the question relay
// - sample 23 (608-620), command lines of pytest: the command that runs generated tests

import { describe, expect, test } from 'vitest';
import { investigation, stepInvestigate } from '../../examples/patterns/confidence.ts';
import { WORKFLOW as decisionCritic } from '../../examples/patterns/decision-critic.ts';
import { deepthink, formatOutput } from '../../examples/patterns/hybrid.ts';
import { linear } from '../../examples/patterns/linear.ts';
import { branching, stepPlanning } from '../../examples/patterns/mode.ts';
import { createPlanner, withReviewer } from '../../examples/patterns/qr-gate.ts';
import { AgentRole, Dispatch, type GraphContext, Outcome, StepDef, Workflow } from '../../src/compat/index.ts';
import { BoundedInt, ChoiceSet, Constant, extractSchema } from '../../src/definition/param/domain.ts';
import { arg, createScriptedDriver, type EngineOptions, type WorkflowResult } from '../../src/index.ts';
import { tempFolder } from '../temp-folder.ts';

const names = ({ stepResults }: WorkflowResult<unknown>) => stepResults.map(({ name }) => name);

describe('outcomes', () => {
  test('sample 1 (48-55): the outcomes are words, and DEFAULT is a key of tables', () => {
    expect([Outcome.OK, Outcome.FAIL, Outcome.SKIP, Outcome.ITERATE, Outcome.DEFAULT]).toEqual([
      'ok',
      'fail',
      'skip',
      'iterate',
      '_default',
    ]);
    const bySkip = new Workflow(
      'fallback',
      StepDef({ id: 'a', handler: () => Outcome.FAIL, next: { [Outcome.OK]: 'b', [Outcome.DEFAULT]: 'c' } }),
      StepDef({ id: 'b', next: null }),
      StepDef({ id: 'c', next: null }),
    );
    return expect(bySkip.run().then(names)).resolves.toEqual(['a', 'c']);
  });

  test('sample 2 (61-66): without outcomes the way is buried in code; a step id that a handler returns leads nowhere', async () => {
    const buried = ({ workflowParams: { mode } }: GraphContext) => (mode === 'quick' ? 'step_11' : 'step_5');
    const wf = new Workflow(
      'buried',
      StepDef({ id: 'choose', handler: buried, next: { [Outcome.OK]: 'step_5', [Outcome.SKIP]: 'step_11' } }),
      StepDef({ id: 'step_5', next: null }),
      StepDef({ id: 'step_11', next: null }),
      { params: { mode: arg({ choices: ['quick', 'full'], default: 'full' }) } },
    );
    const result = await wf.run({ mode: 'quick' });
    expect([names(result), result.stepResults[0]?.output]).toEqual([['choose', 'step_5'], 'step_11']);
  });

  test('sample 3 (70-80): with outcomes the handler says what happened and the graph, as data, where that leads', async () => {
    expect(branching.definition.steps[0]?.next).toEqual({
      ok: { to: { step: 'subagent_design' } },
      skip: { to: { step: 'initial_synthesis' } },
    });
    expect(names(await branching.run({ mode: 'quick' }))).toEqual(['planning', 'initial_synthesis']);
    expect(names(await branching.run({ mode: 'full' }))).toEqual(['planning', 'subagent_design', 'initial_synthesis']);
  });
});

describe('handlers and their context', () => {
  const probe = (handler: (ctx: GraphContext) => unknown) =>
    new Workflow(
      'probe',
      StepDef({ id: 'first', handler: () => ({ iteration: 2 }), next: 'second' }),
      StepDef({ id: 'second', handler, next: null }),
      { params: { mode: arg({ default: 'full' }) } },
    );

  test('sample 4 (88-94): the context has the step, the parameters and the state, and the two never mix', async () => {
    const seen = await probe(({ stepId, workflowParams, stepState }) => ({ stepId, workflowParams, stepState })).run({ mode: 'quick' });
    expect(seen.finalOutput).toEqual({
      stepId: 'second',
      workflowParams: { mode: 'quick' },
      stepState: { mode: 'quick', iteration: 2 },
    });
    const frozen = probe((ctx) => {
      Object.assign(ctx.workflowParams, { mode: 'changed' });
    });
    const refused = await frozen.run();
    expect([refused.success, refused.error]).toEqual([false, expect.stringContaining("Cannot assign to read only property 'mode'")]);
  });

  test('sample 5 (103-117): state carries the iteration from visit to visit, until confidence or the cap', async () => {
    const capped = await investigation.run({ confidence: 'exploring' });
    expect([names(capped).filter((name) => name === 'investigate').length, capped.finalOutput]).toEqual([
      5,
      { answer: 'confidence: capped' },
    ]);
    expect(names(await investigation.run({ confidence: 'high' }))).toEqual(['investigate', 'formulate']);
  });

  test('sample 6 (123-135): a handler is a pure function of its context: what it returns is merged into the state', async () => {
    const handler = (ctx: GraphContext): readonly [Outcome, object] => {
      const mode = ctx.workflowParams.mode ?? 'full';
      const iteration = Number(ctx.stepState.iteration ?? 1);
      return [Outcome.OK, { mode, iteration: iteration + 1 }];
    };
    expect((await probe(handler).run()).finalOutput).toEqual({ mode: 'full', iteration: 3 });
  });

  test('sample 7 (141-144): a handler that does nothing is enough for a step with instructions', async () => {
    const stepHandler = (): readonly [Outcome, object] => [Outcome.OK, {}];
    const wf = new Workflow('words', StepDef({ id: 'say', title: 'Say', actions: ['Say it.'], handler: stepHandler, next: null }));
    expect(wf.run('say')).toEqual({ title: 'Say', actions: ['Say it.'], nextCommand: null });
    expect((await wf.run()).success).toBe(true);
  });
});

describe('arguments and dispatch', () => {
  test('sample 8 (150-159): a parameter says what it is for, and all of it is optional', () => {
    expect(arg({})).toEqual({ description: '', required: false });
    expect(arg({ description: 'How often', default: 1, min: 1, max: 5 })).toMatchObject({ default: 1, min: 1, max: 5, required: false });
    expect(arg({ choices: ['quick', 'full'], required: true })).toMatchObject({ choices: ['quick', 'full'], required: true });
    expect(Object.isFrozen(arg({}))).toBe(true);
  });

  test('sample 9 (163-171): what a step says about its arguments is taken out when the workflow is validated', () => {
    const wf = new Workflow(
      'annotated',
      StepDef({
        id: 'step',
        args: { mode: arg({ description: 'Workflow mode', choices: ['quick', 'full'], default: 'full' }) },
        handler: () => [Outcome.OK, {}],
        next: null,
      }),
    );
    expect(wf.definition.steps[0]?.args.mode).toMatchObject({ description: 'Workflow mode', choices: ['quick', 'full'], default: 'full' });
    expect([...(extractSchema(wf.definition).step?.mode ?? [])]).toEqual(['quick', 'full']);
  });

  test('sample 10 (179-185): a handler that is a function is called in place', async () => {
    const stepAnalyze = (ctx: GraphContext): readonly [Outcome, object] => [Outcome.OK, { analysed: ctx.stepId }];
    const wf = new Workflow('analysis', StepDef({ id: 'analyze', handler: stepAnalyze, next: null }));
    expect((await wf.run()).finalOutput).toEqual({ analysed: 'analyze' });
  });

  test('sample 11 (189-200): a dispatch launches the agent with the script, waits, and maps its report to an outcome', async () => {
    const asked: unknown[] = [];
    const reporting = (status: string): EngineOptions => ({
      roles: { 'quality-reviewer': { driver: 'scripted' } },
      drivers: {
        scripted: createScriptedDriver(({ role, script }) => {
          asked.push({ role, script });
          return [{ do: 'answer', output: { status } }];
        }),
      },
    });
    const wf = new Workflow(
      'reviewed',
      StepDef({
        id: 'qr_completeness',
        handler: Dispatch({ agent: AgentRole.QUALITY_REVIEWER, script: 'skills.planner.qr.plan_completeness' }),
        next: { [Outcome.OK]: 'implementation', [Outcome.FAIL]: 'revise_plan' },
      }),
      StepDef({ id: 'implementation', next: null }),
      StepDef({ id: 'revise_plan', next: null }),
    );
    expect(names(await wf.run({}, reporting('PASS')))).toEqual(['qr_completeness', 'implementation']);
    expect(names(await wf.run({}, reporting('FAIL')))).toEqual(['qr_completeness', 'revise_plan']);
    expect(asked[0]).toEqual({ role: 'quality-reviewer', script: 'skills.planner.qr.plan_completeness' });
  });
});

describe('the workflow example and the five patterns', () => {
  test('sample 12 (228-260): decision-critic has its steps and transitions together, and can be looked into', async () => {
    expect(decisionCritic).toMatchObject({ name: 'decision-critic', description: 'Structured decision criticism workflow', totalSteps: 3 });
    expect(decisionCritic.stepOrder).toEqual(['extract_structure', 'classify_verifiability', 'generate_questions']);
    expect(decisionCritic.stepOutput('extract_structure')).toMatchObject({
      title: 'Extract Structure',
      nextCommand: 'next: classify_verifiability',
    });
    expect(names(await decisionCritic.run())).toEqual(decisionCritic.stepOrder);
  });

  test('sample 13 (299-309), pattern 1: a linear workflow goes from the first step to the terminal one', async () => {
    expect(names(await linear.run())).toEqual(['step1', 'step2', 'step3']);
  });

  test('sample 14 (313-330), pattern 2: the handler of the loop, on its own, is a function of params and state', () => {
    const at = (confidence: string, iteration: number) => stepInvestigate({ params: { confidence }, checkpoint: { iteration } });
    expect(at('high', 1)).toEqual([Outcome.OK, { confidence: 'high' }]);
    expect(at('exploring', 4)).toEqual([Outcome.ITERATE, { iteration: 5 }]);
    expect(at('exploring', 5)).toEqual([Outcome.OK, { confidence: 'capped' }]);
  });

  test('sample 15 (334-346), pattern 3: the quick mode skips, and the default is the full one', async () => {
    expect(stepPlanning({ params: { mode: 'quick' } })).toEqual([Outcome.SKIP, {}]);
    expect(stepPlanning({ params: {} })).toEqual([Outcome.OK, {}]);
    expect((await branching.run({})).finalOutput).toEqual({ designed: true });
  });

  test('sample 16 (350-366), pattern 4: the reviewer sends the plan back until it is complete', async () => {
    const directory = tempFolder();
    const result = await createPlanner(directory).run({}, withReviewer(directory));
    const review = ['qr_completeness', 'revise_plan'];
    expect(names(result)).toEqual(['write_plan', ...review, ...review, 'qr_completeness', 'implementation']);
    expect(result.finalOutput).toEqual({ implemented: ['goal', 'steps', 'risks'] });
  });

  test('sample 17 (372-431), pattern 5: static steps are looked up, dynamic ones built, others refused', async () => {
    const params = { mode: 'full', confidence: 'exploring', iteration: 2 };
    expect(formatOutput(1, params)).toMatch(/^WORKFLOW - Context Clarification\n.*NEXT: --step 2 --mode full/s);
    expect(formatOutput(9, params)).toContain('WORKFLOW - Dispatch\n');
    expect(formatOutput(13, params)).toMatch(/^WORKFLOW - Iterative Refinement \(Iteration 2\)\n.*round 2 of at most 5/s);
    expect(formatOutput(13, { ...params, confidence: 'certain' })).toMatch(
      /^WORKFLOW - Iterative Refinement \(Iteration 2\) -> Complete\n/,
    );
    expect(formatOutput(7, params)).toBe('ERROR: Invalid step 7');
    expect(deepthink.stepOutput('refine', { iteration: 3 })).toMatchObject({ title: 'Iterative Refinement (Iteration 3)' });
    expect((await deepthink.run()).finalOutput).toEqual({ iteration: 5 });
  });
});

describe('domains', () => {
  test('sample 20 (586-588): a bounded int lists both bounds and all between', () => {
    expect([...BoundedInt(1, 5)]).toEqual([1, 2, 3, 4, 5]);
  });

  test('sample 21 (592-594): a choice set lists its choices in their order', () => {
    expect([...ChoiceSet(['full', 'quick'])]).toEqual(['full', 'quick']);
  });

  test('sample 22 (598-600): a constant lists one value; equal domains have equal keys', () => {
    expect([...Constant(42)]).toEqual([42]);
    expect(Constant(42).key).toBe(Constant(42).key);
    expect(Constant(42).key).not.toBe(Constant(43).key);
  });
});
