// biome-ignore-all lint/suspicious/noThenProperty: the `then` of an edge is a target and no function.
// The editing workflow of seed 004 as it is written there, apart from the import and the application's types. That it
// compiles is half of the test: the other half looks at what it became.

import { describe, expect, test } from 'vitest';
import { membersOf, type StepModel } from '../../definition/model.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { compileGraph as defineWorkflow } from './graph.ts';

interface BookContext {
  readonly book: { readonly title: string } | null;
  readonly analysisPath: string | null;
  readonly previousVersionId: string;
  readonly db: {
    strategicPlanExists(runId: string): Promise<boolean>;
    versionExists(versionId: string): Promise<boolean>;
    artifactsExist(runId: string): boolean;
    workflowStatus(runId: string): string;
  };
}

// biome-ignore format: kept as in the seed.
const W1EditingWorkflow = defineWorkflow<BookContext>({
  type: 'w1_editing',
  name: 'Iterative Editing Workflow',
  initialStep: 'strategic-planning',
  steps: [
    {
      name: 'strategic-planning',
      command: 'w1:strategic',
      preconditions: [
        { name: 'book_exists', check: ctx => ctx.book !== null, error: 'Book not found' },
        { name: 'analysis_exists', check: ctx => ctx.analysisPath !== null, error: 'No analysis file' },
      ],
      postconditions: [
        { name: 'plan_created', check: ctx => ctx.db.strategicPlanExists(ctx.runId), error: 'Strategic plan not saved to DB' },
      ],
      next: 'create-version',
    },
    {
      name: 'create-version',
      command: 'w1:create-version',
      preconditions: [
        { name: 'plan_exists', check: ctx => ctx.checkpoint.completedSteps.includes('strategic-planning'), error: 'Planning not complete' },
      ],
      postconditions: [
        { name: 'version_created', check: ctx => ctx.result.versionId !== ctx.previousVersionId, error: 'New version not created (modified in place)' },
        { name: 'version_persisted', check: ctx => ctx.db.versionExists(ctx.result.versionId), error: 'Version not saved to DB' },
      ],
      next: 'writer',
    },
    {
      name: 'writer',
      command: 'w1:write',
      parallel: true,
      parallelKey: 'improvementAreas',
      postconditions: [
        { name: 'chapters_modified', check: ctx => ctx.result.modifiedChapters.length > 0, error: 'No chapters were modified' },
      ],
      next: 'editor-review',
    },
    {
      name: 'editor-review',
      command: 'w1:editor-review',
      postconditions: [
        { name: 'review_complete', check: ctx => ctx.result.decision !== null, error: 'Editor did not provide decision' },
      ],
      next: {
        condition: 'result.decision === "approved"',
        onTrue: 'domain-expert-review',
        onFalse: 'writer',
        maxIterations: 3,
      },
    },
    {
      name: 'domain-expert-review',
      command: 'w1:domain-review',
      postconditions: [
        { name: 'review_complete', check: ctx => ctx.result.decision !== null, error: 'Domain expert did not provide decision' },
      ],
      next: {
        condition: 'result.decision === "approved"',
        onTrue: 'chapter-review',
        onFalse: 'writer',
        maxIterations: 3,
      },
    },
    {
      name: 'chapter-review',
      command: 'review:chapters',
      postconditions: [
        { name: 'metrics_calculated', check: ctx => ctx.result.metrics !== null, error: 'Metrics not calculated' },
      ],
      next: {
        condition: 'result.metrics.delta >= checkpoint.threshold',
        onTrue: 'human-gate',
        onFalse: 'strategic-planning',
        maxIterations: 3,
      },
    },
    {
      name: 'human-gate',
      command: 'w1:human-gate',
      humanGate: {
        prompt: 'Review the changes and metrics. How would you like to proceed?',
        context: ['metrics.baseline', 'metrics.current', 'metrics.delta', 'modifiedChapters'],
        options: [
          { label: 'Approve and finalize', nextStep: 'finalize' },
          { label: 'Request more improvements', nextStep: 'strategic-planning', requiresInput: true },
          { label: 'Reject and stop', nextStep: null },
        ],
      },
      next: 'finalize',  // Default if not using gate options
    },
    {
      name: 'finalize',
      command: 'w1:finalize',
      postconditions: [
        { name: 'artifacts_registered', check: ctx => ctx.db.artifactsExist(ctx.runId), error: 'Artifacts not registered' },
        { name: 'workflow_completed', check: ctx => ctx.db.workflowStatus(ctx.runId) === 'completed', error: 'Workflow not marked complete' },
      ],
      next: null,  // End of workflow
    },
  ],
}, REGISTRY);

const { definition, code } = W1EditingWorkflow;
const stepCalled = (id: string) => definition.steps.find((step) => step.id === id) as StepModel;

describe("seed 004's editing workflow", () => {
  test('its type is its name, its name its title, its initial step its entry', () => {
    expect(definition).toMatchObject({ name: 'w1_editing', title: 'Iterative Editing Workflow', entry: 'strategic-planning' });
    expect(definition.steps.map(({ id }) => id)).toEqual([
      'strategic-planning',
      'create-version',
      'writer',
      'editor-review',
      'domain-expert-review',
      'chapter-review',
      'human-gate',
      'finalize',
    ]);
  });

  test('a command is kept verbatim and its conditions keep their checks beside their words', async () => {
    expect(stepCalled('create-version')).toMatchObject({ kind: 'command', config: { run: 'w1:create-version' }, recovery: 'ask' });
    const [created] = code.get('create-version')?.postconditions ?? [];
    const ctx = { result: { versionId: 'v1' }, previousVersionId: 'v1' };
    expect(await created?.(ctx as never)).toBe(false);
    expect(await created?.({ ...ctx, previousVersionId: 'v0' } as never)).toBe(true);
  });

  test('a parallel step is a group over its key whose body carries the contract', () => {
    const writer = stepCalled('writer');
    expect(writer).toMatchObject({ kind: 'each', items: 'improvementAreas', join: { rule: 'all' }, postconditions: [] });
    expect(writer.next).toEqual({ ok: { to: { step: 'editor-review' } }, skip: { to: { step: 'editor-review' } } });
    expect(membersOf(writer)[0]).toMatchObject({
      id: 'writer',
      kind: 'command',
      next: {},
      postconditions: [{ name: 'chapters_modified' }],
    });
    expect(code.get('writer')?.members.writer?.postconditions).toHaveLength(1);
  });

  test('a conditional next bounds the transition that leads back, and escalates when the bound is used up', () => {
    const choice = {
      condition: 'result.decision === "approved"',
      onTrue: { to: { step: 'domain-expert-review' } },
      onFalse: { to: { step: 'writer' }, max: 3, then: { end: 'escalate' } },
    };
    expect(stepCalled('editor-review').next).toEqual({ ok: choice, skip: choice });
  });

  test('the options of the human gate lead where they say, and the last one rejects', () => {
    expect(stepCalled('human-gate').question).toEqual({
      prompt: 'Review the changes and metrics. How would you like to proceed?',
      show: ['metrics.baseline', 'metrics.current', 'metrics.delta', 'modifiedChapters'],
      options: [
        { label: 'Approve and finalize', outcome: 'ok', requiresInput: false, to: { step: 'finalize' } },
        { label: 'Request more improvements', outcome: 'ok', requiresInput: true, to: { step: 'strategic-planning' } },
        { label: 'Reject and stop', outcome: 'reject', requiresInput: false, to: { end: 'reject' } },
      ],
    });
  });
});
