// Owns the editing workflow. It keeps the text of the design document that it comes from, except for the imports and the type
// of the context (`define.ts` adds the protected database). A test compares the two.

import type { BookContext } from './context.ts';
import { defineWorkflow } from './define.ts';

/** Plan, copy, improve in parallel, have it reviewed three times, let a person decide, publish. */
// biome-ignore format: kept as in the design document.
export const W1EditingWorkflow = defineWorkflow<BookContext>({
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
});
