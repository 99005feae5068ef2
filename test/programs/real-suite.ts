// Owns the tests that real programs pass, whatever their driver: whole runs, sessions and answers that are mended, for
// some a model that says nothing, and for those whose tools are Claude Code's what they are let do.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AgentEvent } from '../../src/agents/driver.ts';
import type { ModelCall, ModelStub, ModelTurn } from './model-stub.ts';
import { callsOnce, DONE, leftRunning, type RealProgram, runThreeSteps, withModel } from './real-program.ts';

/** A real program, with what differs from one to the next. */
export interface SuiteProgram extends RealProgram {
  /** How its model writes the plan, and the code. */
  readonly writes: { readonly plan: ModelTurn; readonly code: ModelTurn };
  /** What two calls of its model use, as far as its driver knows: in one turn, and for an answer that was mended. */
  readonly usage: { readonly oneTurn: object; readonly mended: object };
}

const NO_SESSION = '0199a213-81c0-7800-8aa1-bbab2a035a53';

/** Tests what every program does. */
export function describeProgram(program: SuiteProgram): void {
  const { writes, usage } = program;

  test('three steps are done, and the one that was only claimed is done at the second attempt', async () => {
    const model = ({ toolResults, last }: ModelCall): ModelTurn => {
      if (toolResults > 0) return DONE;
      if (last.includes('Write the plan')) return writes.plan;
      return last.includes('Previous attempt failed') ? writes.code : DONE;
    };
    await withModel(program, model, async ({ driver, place }) => {
      const view = await runThreeSteps(driver, place);
      expect(view.status).toBe('completed');
      expect(readFileSync(join(place.cwd, 'plan.md'), 'utf8')).toBe('# Plan\n');
      expect(readFileSync(join(place.cwd, 'code.txt'), 'utf8')).toBe('built\n');
      expect(view.steps.map(({ path, attempt, outcome }) => [path, attempt, outcome])).toEqual([
        ['plan#1', 1, 'ok'],
        ['build#1', 1, undefined],
        ['build#1', 2, 'ok'],
        ['review#1', 1, 'ok'],
      ]);
      expect(view.steps[0]?.evidence).toMatchObject({ usage: usage.oneTurn });
      expect(leftRunning(place)).toEqual([]);
    });
  });

  test('a session goes on, and a lost one begins afresh', async () => {
    await withModel(program, DONE, async ({ ask, stub }) => {
      const first = await ask({ prompt: 'The first.' });
      const session = { id: first.session as string, handover: 'What came before.' };
      const second = await ask({ prompt: 'The second.', session });
      expect(second).toMatchObject({ kind: 'answered', session: session.id });
      expect(second).not.toHaveProperty('sessionLost');
      expect(callsWith(stub, 'The second.')).toMatchObject([{ all: expect.stringMatching(/The first\.[\s\S]*The second\./) }]);
      const lost = await ask({ prompt: 'The third.', session: { ...session, id: NO_SESSION } });
      expect(lost).toMatchObject({ kind: 'answered', sessionLost: true });
      expect(callsWith(stub, 'The third.')).toMatchObject([{ last: expect.stringContaining('What came before.') }]);
    });
  });

  test('an answer that does not pass is mended in the same session', async () => {
    const model = ({ last }: ModelCall): ModelTurn => (last.includes('too small') ? { text: '{"success": true, "output": 7}' } : DONE);
    await withModel(program, model, async ({ ask, stub }) => {
      const answer = await ask({ prompt: 'The first.', check: ({ output }) => (output === 7 ? undefined : 'too small') });
      expect(answer).toMatchObject({ kind: 'answered', output: 7, usage: usage.mended });
      expect(callsWith(stub, 'too small')).toMatchObject([{ all: expect.stringContaining('The first.') }]);
    });
  });
}

/** The calls whose last message has these words; a program may also make calls of its own. */
function callsWith({ calls }: ModelStub, words: string): readonly ModelCall[] {
  return calls.filter(({ last }) => last.includes(words));
}

/** Tests what becomes of a program whose model says nothing. */
export function describeSilence(program: RealProgram): void {
  test('an endpoint that never answers is silence, and nothing is left running', async () => {
    await withModel(program, 'silence', async ({ ask, stub, place }) => {
      const answer = await ask({ watchdogs: { idleMs: 3000 } });
      expect(answer).toMatchObject({ kind: 'failed', failure: 'timeout', message: expect.stringContaining('silent') });
      expect(stub.calls).not.toEqual([]);
      expect(leftRunning(place)).toEqual([]);
    });
  });
}

/** A call of a tool that the role does not permit: what it is about, the call, and how its refusal is told. */
type Forbidden = readonly [string, ModelTurn, { readonly tool: string; readonly action: string }];

const FORBIDDEN: readonly Forbidden[] = [
  ['the network', { tool: 'WebFetch', input: { url: 'https://example.com', prompt: 'look' } }, { tool: 'WebFetch', action: 'fetch' }],
  ['a command', { tool: 'Bash', input: { command: 'touch stray.txt' } }, { tool: 'Bash', action: 'execute' }],
  ['a change of files', { tool: 'Write', input: { file_path: 'stray.txt', content: 'x' } }, { tool: 'Write', action: 'edit' }],
];

/** Tests what a program with the tools of Claude Code is let do; `more` are calls that only this one refuses. */
export function describePermissions(program: RealProgram, more: readonly Forbidden[] = []): void {
  test.each([...FORBIDDEN, ...more])(
    'what is not permitted is refused and told, though the model calls it: %s',
    async (_what, wanted, refusal) => {
      await withModel(program, callsOnce(wanted), async ({ ask, place }) => {
        const events: AgentEvent[] = [];
        const permissions = { allow: ['read', 'search', 'think'] as const };
        const answer = await ask({ permissions, onEvent: (event) => events.push(event) });
        expect(answer).toMatchObject({ kind: 'answered', refusals: [refusal] });
        expect(events).toContainEqual(expect.objectContaining({ kind: 'tool', name: refusal.tool }));
        expect(events).toContainEqual(expect.objectContaining({ kind: 'tool-result', ok: false }));
        expect(existsSync(join(place.cwd, 'stray.txt'))).toBe(false);
      });
    },
  );

  test('a file outside the workspace is not written, and that is told once', async () => {
    const wanted: ModelTurn = { tool: 'Write', input: { file_path: '../stray.txt', content: 'x' } };
    await withModel(program, callsOnce(wanted), async ({ ask, place }) => {
      const events: AgentEvent[] = [];
      const answer = await ask({ onEvent: (event) => events.push(event) });
      expect(answer).toMatchObject({ refusals: [{ tool: 'Write', why: expect.stringContaining('outside the workspace') }] });
      expect(events.filter(({ kind }) => kind === 'refused')).toHaveLength(1);
      expect(existsSync(join(place.cwd, '../stray.txt'))).toBe(false);
    });
  });
}
