// Owns the tests of the driver `claude-code` with the real program, against a stub of its model.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createClaudeCodeDriver } from '../../src/agents/claude-code.ts';
import type { AgentDriver, AgentEvent } from '../../src/agents/driver.ts';
import { startAnthropicStub } from './anthropic-stub.ts';
import type { ModelCall, ModelStub, ModelTurn } from './model-stub.ts';
import { askOnce, leftRunning, type Place, runThreeSteps, withStub } from './real-program.ts';

const DONE: ModelTurn = { text: 'Done.\n{"success": true, "output": {"n": 1}}' };
const HOUR_MS = 3_600_000;

/** Tests the real Claude Code among these modules. */
export function describeClaudeCode(modules: string): void {
  const program = [process.execPath, join(modules, '@anthropic-ai/claude-code/cli-wrapper.cjs')];
  const driverFor = (
    stub: ModelStub,
    { home }: Place,
    login: Record<string, string> = { ANTHROPIC_API_KEY: 'sk-ant-stub' },
  ): AgentDriver => {
    const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1' };
    const env = { HOME: home, CLAUDE_CONFIG_DIR: join(home, '.claude'), ANTHROPIC_BASE_URL: stub.url, ...quiet, ...login };
    return createClaudeCodeDriver({ program, env });
  };
  describeWork(driverFor);
  describePermission(driverFor);
  describeFailures(driverFor);
}

type DriverFor = (stub: ModelStub, place: Place, login?: Record<string, string>) => AgentDriver;

function describeWork(driverFor: DriverFor): void {
  test('three steps are done, and the one that was only claimed is done at the second attempt', async () => {
    const model = (call: ModelCall): ModelTurn => {
      if (call.toolResults > 0) return DONE;
      if (call.last.includes('Write the plan')) return { tool: 'Write', input: { file_path: 'plan.md', content: '# Plan\n' } };
      if (call.last.includes('Previous attempt failed')) return { tool: 'Bash', input: { command: 'echo built > code.txt' } };
      return DONE;
    };
    await withStub(startAnthropicStub(model), async (stub, place) => {
      const view = await runThreeSteps(driverFor(stub, place), place);
      expect(view.status).toBe('completed');
      expect(readFileSync(join(place.cwd, 'plan.md'), 'utf8')).toBe('# Plan\n');
      expect(readFileSync(join(place.cwd, 'code.txt'), 'utf8')).toBe('built\n');
      expect(view.steps.map(({ path, attempt, outcome }) => [path, attempt, outcome])).toEqual([
        ['plan#1', 1, 'ok'],
        ['build#1', 1, undefined],
        ['build#1', 2, 'ok'],
        ['review#1', 1, 'ok'],
      ]);
      expect(view.steps[0]?.evidence).toMatchObject({
        usage: { inputTokens: 230, outputTokens: 40, costUsd: expect.any(Number), turns: 2 },
      });
      expect(leftRunning(place)).toEqual([]);
    });
  });

  test('a session goes on, its cost is that of the new turn, and a lost one begins afresh', async () => {
    await withStub(
      startAnthropicStub(() => DONE),
      async (stub, place) => {
        const driver = driverFor(stub, place);
        const first = await askOnce(driver, place, { prompt: 'The first.' });
        const session = { id: first.session as string, handover: 'What came before.' };
        const second = await askOnce(driver, place, { prompt: 'The second.', session, model: 'claude-opus-5-5' });
        expect(second).toMatchObject({ kind: 'answered', session: session.id });
        expect(stub.calls.at(-1)?.all).toMatch(/The first\.(.|\n)*The second\./);
        expect(first.usage?.costUsd).toBeGreaterThan(0);
        expect(second.usage).toEqual(first.usage);
        const lost = await askOnce(driver, place, { session: { ...session, id: '0199a213-81c0-7800-8aa1-bbab2a035a53' } });
        expect(lost).toMatchObject({ kind: 'answered', sessionLost: true });
        expect(stub.calls.at(-1)?.all).toContain('What came before.');
      },
    );
  });

  test('an answer that does not pass is mended in the same session', async () => {
    const model = (call: ModelCall): ModelTurn => (call.last.includes('too small') ? { text: '{"success": true, "output": 7}' } : DONE);
    await withStub(startAnthropicStub(model), async (stub, place) => {
      const answer = await askOnce(driverFor(stub, place), place, { check: ({ output }) => (output === 7 ? undefined : 'too small') });
      expect(answer).toMatchObject({ kind: 'answered', output: 7, usage: { inputTokens: 230 } });
      expect(stub.calls).toHaveLength(2);
    });
  });
}

function describePermission(driverFor: DriverFor): void {
  test.each<[string, ModelTurn, { readonly tool: string; readonly deed: string }]>([
    ['the network', { tool: 'WebFetch', input: { url: 'https://example.com', prompt: 'look' } }, { tool: 'WebFetch', deed: 'fetch' }],
    ['a command', { tool: 'Bash', input: { command: 'ls' } }, { tool: 'Bash', deed: 'execute' }],
    ['a change of files', { tool: 'Write', input: { file_path: 'stray.txt', content: 'x' } }, { tool: 'Write', deed: 'edit' }],
  ])('what is not permitted is refused and told, though the model calls it: %s', async (_what, wanted, refusal) => {
    const model = ({ toolResults }: ModelCall): ModelTurn => (toolResults > 0 ? DONE : wanted);
    await withStub(startAnthropicStub(model), async (stub, place) => {
      const events: AgentEvent[] = [];
      const permissions = { deeds: ['read', 'search', 'think'] as const };
      const answer = await askOnce(driverFor(stub, place), place, { permissions, onEvent: (event) => events.push(event) });
      expect(answer).toMatchObject({ kind: 'answered', refusals: [refusal] });
      expect(events).toContainEqual(expect.objectContaining({ kind: 'tool', name: refusal.tool }));
      expect(events).toContainEqual(expect.objectContaining({ kind: 'tool-result', ok: false }));
      expect(existsSync(join(place.cwd, 'stray.txt'))).toBe(false);
    });
  });

  test('a file outside the workspace is not written, and that is told once', async () => {
    const wanted: ModelTurn = { tool: 'Write', input: { file_path: '../stray.txt', content: 'x' } };
    await withStub(
      startAnthropicStub(({ toolResults }) => (toolResults > 0 ? DONE : wanted)),
      async (stub, place) => {
        const events: AgentEvent[] = [];
        const answer = await askOnce(driverFor(stub, place), place, { onEvent: (event) => events.push(event) });
        expect(answer).toMatchObject({ refusals: [{ tool: 'Write', why: expect.stringContaining('outside the workspace') }] });
        expect(events.filter(({ kind }) => kind === 'refused')).toHaveLength(1);
        expect(existsSync(join(place.cwd, '../stray.txt'))).toBe(false);
      },
    );
  });

  test('a single command is permitted by its rule, and others are not', async () => {
    const run = (command: string): ModelTurn => ({ tool: 'Bash', input: { command } });
    for (const [command, refused] of [
      ['touch yes.txt', 0],
      ['touch no.txt', 1],
    ] as const) {
      await withStub(
        startAnthropicStub(({ toolResults }) => (toolResults > 0 ? DONE : run(command))),
        async (stub, place) => {
          const permissions = { deeds: ['read'] as const, tools: ['Bash(touch yes.txt)'] };
          const answer = await askOnce(driverFor(stub, place), place, { permissions });
          expect(answer.refusals ?? []).toHaveLength(refused);
          expect(existsSync(join(place.cwd, command.slice(6)))).toBe(refused === 0);
        },
      );
    }
  });
}

function describeFailures(driverFor: DriverFor): void {
  test('an account that is used up is quota, with the time when it is not', async () => {
    const resetsAt = Math.floor(Date.now() / 1000) * 1000 + HOUR_MS;
    const headers = {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(resetsAt / 1000),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    };
    const turn = { status: 429, headers, body: { type: 'error', error: { type: 'rate_limit_error', message: 'used up' } } };
    await withStub(
      startAnthropicStub(() => turn),
      async (stub, place) => {
        const answer = await askOnce(driverFor(stub, place, { CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-stub' }), place);
        expect(answer).toMatchObject({ kind: 'failed', failure: 'quota', resumeAt: resetsAt });
        expect(answer.usage).toBeUndefined();
      },
    );
  });

  test('a long wait that the API asks for is not waited out; when it ends is not told', async () => {
    const body = { type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } };
    const turn = { status: 429, headers: { 'retry-after': '90' }, body };
    await withStub(
      startAnthropicStub(() => turn),
      async (stub, place) => {
        const answer = await askOnce(driverFor(stub, place), place);
        expect(answer).toMatchObject({ kind: 'failed', failure: 'quota' });
        expect(answer).not.toHaveProperty('resumeAt');
      },
    );
  });

  test('a login that is not taken is auth', async () => {
    const body = { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } };
    await withStub(
      startAnthropicStub(() => ({ status: 401, body })),
      async (stub, place) => {
        expect(await askOnce(driverFor(stub, place), place)).toMatchObject({ kind: 'failed', failure: 'auth' });
        expect(stub.calls.length).toBeLessThan(4);
      },
    );
  });

  test('no login at all is auth', async () => {
    await withStub(
      startAnthropicStub(() => DONE),
      async (stub, place) => {
        expect(await askOnce(driverFor(stub, place, {}), place)).toMatchObject({ kind: 'failed', failure: 'auth' });
      },
    );
  });

  test('an endpoint that never answers is silence, and nothing is left running', async () => {
    await withStub(
      startAnthropicStub(() => 'silence'),
      async (stub, place) => {
        const answer = await askOnce(driverFor(stub, place), place, { watchdogs: { idleMs: 3000 } });
        expect(answer).toMatchObject({ kind: 'failed', failure: 'timeout', message: expect.stringContaining('silent') });
        expect(stub.calls).not.toEqual([]);
        expect(leftRunning(place)).toEqual([]);
      },
    );
  });

  test('turns that are used up are budget', async () => {
    await withStub(
      startAnthropicStub(() => ({ tool: 'Bash', input: { command: 'echo again' } })),
      async (stub, place) => {
        const answer = await askOnce(driverFor(stub, place), place, { budget: { turns: 2 } });
        expect(answer).toMatchObject({ kind: 'failed', failure: 'budget', usage: { inputTokens: 230 } });
      },
    );
  });

  test('tokens that are used up are budget', async () => {
    await withStub(
      startAnthropicStub(() => ({ tool: 'Bash', input: { command: 'echo again' } })),
      async (stub, place) => {
        const answer = await askOnce(driverFor(stub, place), place, { budget: { tokens: 300 } });
        expect(answer).toMatchObject({ kind: 'failed', failure: 'budget' });
        // The call after the one that was too much may be on its way when the program is ended.
        expect(stub.calls.length).toBeLessThan(5);
      },
    );
  });
}
