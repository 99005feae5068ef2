import { describe, expect, expectTypeOf, test } from 'vitest';
import { createProgressEvent, createStepResult, createWorkflowResult, type ProgressEvent } from './result.ts';

const done = { name: 'build', stepType: 'task', success: true, output: { files: ['a.ts'] }, durationMs: 12 } as const;
const broken = { name: 'lint', stepType: 'validate', success: false, output: null, durationMs: 3, error: 'two warnings' } as const;

describe('a step result', () => {
  test('rejects a negative duration and one that is not a number', () => {
    expect(() => createStepResult({ ...done, durationMs: -1 })).toThrow('R1: the duration of step "build" is -1');
    expect(() => createStepResult({ ...done, durationMs: Number.NaN })).toThrow('R1');
    expect(createStepResult({ ...done, durationMs: 0 }).durationMs).toBe(0);
  });

  test('the result of a failed step has an error message', () => {
    const { error: _, ...silent } = broken;
    expect(() => createStepResult(silent)).toThrow('R2: the failed step "lint" has no error message');
  });

  test('the result of a successful step cannot be a handled failure', () => {
    expect(() => createStepResult({ ...done, handled: true })).toThrow('R2');
  });

  test('a step result is deeply frozen and independent of the original output', () => {
    const output = { files: ['a.ts'] };
    const result = createStepResult({ ...done, output });
    output.files.push('b.ts');
    expect(result.output).toEqual({ files: ['a.ts'] });
    expect(() => (result.output as { files: string[] }).files.push('c.ts')).toThrow(TypeError);
    expect(() => Object.assign(result, { success: false })).toThrow(TypeError);
  });

  test('survives JSON unchanged', () => {
    const result = createStepResult({ ...broken, handled: true, output: { at: new Date(0), gone: undefined } });
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
    expect(result).toEqual({ ...broken, handled: true, output: { at: '1970-01-01T00:00:00.000Z' } });
  });

  test('rejects an output without a JSON form, with its path', () => {
    expect(() => createStepResult({ ...done, output: { a: [1, () => 2] } })).toThrow(
      'the output of step "build" is not plain JSON: a[1] is a function',
    );
  });
});

describe('a workflow result', () => {
  const base = { workflowName: 'ship', success: true, totalDurationMs: 15 } as const;

  test('without steps is a success with a null output', () => {
    expect(createWorkflowResult({ ...base, stepResults: [], finalOutput: undefined })).toEqual({
      ...base,
      stepResults: [],
      finalOutput: null,
    });
  });

  test('a workflow with an unhandled failure cannot be a success', () => {
    const failed = createStepResult(broken);
    expect(() => createWorkflowResult({ ...base, stepResults: [failed], finalOutput: 1 })).toThrow(
      'R3: workflow "ship" succeeded although step "lint" failed unhandled',
    );
    const handled = createStepResult({ ...broken, handled: true });
    expect(createWorkflowResult({ ...base, stepResults: [handled], finalOutput: 1 }).success).toBe(true);
  });

  test('keeps the order of its steps, is frozen, and rejects a negative duration', () => {
    const stepResults = [createStepResult({ ...broken, handled: true }), createStepResult(done)];
    const result = createWorkflowResult({ ...base, stepResults, finalOutput: 'x' });
    stepResults.pop();
    expect(result.stepResults.map(({ name }) => name)).toEqual(['lint', 'build']);
    expect(Object.isFrozen(result.stepResults)).toBe(true);
    expect(() => createWorkflowResult({ ...base, totalDurationMs: -2, stepResults: [], finalOutput: 1 })).toThrow('R1');
  });
});

describe('a progress event', () => {
  test('a progress event is an immutable member of a union discriminated by `type`', () => {
    const event = createProgressEvent({
      type: 'StepCompleted',
      stepName: 'a',
      stepType: 'task',
      success: true,
      durationMs: 1,
      timestamp: 5,
    });
    expect(() => Object.assign(event, { success: false })).toThrow(TypeError);
    expectTypeOf<Extract<ProgressEvent, { type: 'StepCompleted' }>['durationMs']>().toEqualTypeOf<number>();
    expectTypeOf<ProgressEvent['type']>().toEqualTypeOf<'WorkflowStarted' | 'StepStarted' | 'StepCompleted' | 'WorkflowCompleted'>();
  });

  test('rejects a negative duration', () => {
    expect(() =>
      createProgressEvent({ type: 'WorkflowCompleted', workflowName: 'w', success: true, durationMs: -1, timestamp: 5 }),
    ).toThrow('R1');
  });
});
