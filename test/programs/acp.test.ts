// A real agent that speaks the Agent Client Protocol, installed by npm, driven through whole runs against a stub of its
// model on loopback.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAcpDriver } from '../../src/agents/acp.ts';
import type { AgentDriver, AgentEvent } from '../../src/agents/driver.ts';
import { startAnthropicStub } from './anthropic-stub.ts';
import { installPrograms } from './install.ts';
import type { ModelCall, ModelStub, ModelTurn } from './model-stub.ts';
import { askOnce, leftRunning, type Place, runThreeSteps, withStub } from './real-program.ts';

const installed = await installPrograms(join(import.meta.dirname, 'acp'));

if ('missing' in installed) {
  console.warn(`The real claude-agent-acp could not be installed, so nothing here was tested: ${installed.missing}`);
  describe('claude-agent-acp', () => {
    test('is not tested: npm could not install it', (context) => context.skip());
  });
} else {
  describe('the real claude-agent-acp', () => describeAgent(installed.modules));
}

const DONE: ModelTurn = { text: 'Done.\n{"success": true, "output": {"n": 1}}' };
const LOGIN = { ANTHROPIC_API_KEY: 'sk-ant-stub' };

type DriverFor = (stub: ModelStub, place: Place) => AgentDriver;

function describeAgent(modules: string): void {
  const argv = [process.execPath, join(modules, '@agentclientprotocol/claude-agent-acp/dist/index.js')];
  const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1', CLAUDE_CODE_MAX_RETRIES: '0' };
  const driverFor: DriverFor = (stub, { home }) =>
    createAcpDriver({
      argv,
      env: { HOME: home, CLAUDE_CONFIG_DIR: join(home, '.claude'), ANTHROPIC_BASE_URL: stub.url, ...quiet, ...LOGIN },
    });
  describeWork(driverFor);
  describeFailures(driverFor);
}

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
      expect(view.steps[0]?.evidence).toMatchObject({ usage: { inputTokens: 230, outputTokens: 40, costUsd: expect.any(Number) } });
      expect(leftRunning(place)).toEqual([]);
    });
  });

  test('a session goes on, and a lost one begins afresh', async () => {
    await withStub(
      startAnthropicStub(() => DONE),
      async (stub, place) => {
        const driver = driverFor(stub, place);
        const first = await askOnce(driver, place, { prompt: 'The first.' });
        const session = { id: first.session as string, handover: 'What came before.' };
        const second = await askOnce(driver, place, { prompt: 'The second.', session });
        expect(second).toMatchObject({ kind: 'answered', session: session.id });
        expect(second).not.toHaveProperty('sessionLost');
        expect(callWith(stub, 'The second.')?.all).toMatch(/The first\.[\s\S]*The second\./);
        const lost = await askOnce(driver, place, {
          prompt: 'The third.',
          session: { ...session, id: '0199a213-81c0-7800-8aa1-bbab2a035a53' },
        });
        expect(lost).toMatchObject({ kind: 'answered', sessionLost: true });
        expect(callWith(stub, 'The third.')?.last).toContain('What came before.');
      },
    );
  });

  test('what is not permitted is refused and told, though the model calls it', async () => {
    const wanted: ModelTurn = { tool: 'Write', input: { file_path: 'stray.txt', content: 'x' } };
    await withStub(
      startAnthropicStub(({ toolResults }) => (toolResults > 0 ? DONE : wanted)),
      async (stub, place) => {
        const events: AgentEvent[] = [];
        const permissions = { deeds: ['read', 'search', 'think'] as const };
        const answer = await askOnce(driverFor(stub, place), place, { permissions, onEvent: (event) => events.push(event) });
        expect(answer).toMatchObject({ kind: 'answered', refusals: [{ tool: 'Write', deed: 'edit' }] });
        expect(events).toContainEqual(expect.objectContaining({ kind: 'tool', name: 'Write' }));
        expect(events).toContainEqual(expect.objectContaining({ kind: 'tool-result', ok: false }));
        expect(existsSync(join(place.cwd, 'stray.txt'))).toBe(false);
      },
    );
  });

  test('a file outside the workspace is not written', async () => {
    const wanted: ModelTurn = { tool: 'Write', input: { file_path: '../stray.txt', content: 'x' } };
    await withStub(
      startAnthropicStub(({ toolResults }) => (toolResults > 0 ? DONE : wanted)),
      async (stub, place) => {
        const answer = await askOnce(driverFor(stub, place), place);
        expect(answer).toMatchObject({ refusals: [{ tool: 'Write', why: expect.stringContaining('outside the workspace') }] });
        expect(existsSync(join(place.cwd, '../stray.txt'))).toBe(false);
      },
    );
  });

  test('a model is chosen among those that the agent has', async () => {
    await withStub(
      startAnthropicStub(() => DONE),
      async (stub, place) => {
        const driver = driverFor(stub, place);
        const refused = await askOnce(driver, place, { model: 'no-such-model' });
        expect(refused).toMatchObject({ kind: 'failed', failure: 'refused', message: expect.stringMatching(/it has .*haiku/) });
        expect(await askOnce(driver, place, { model: 'haiku' })).toMatchObject({ kind: 'answered' });
      },
    );
  });

  test('an answer that does not pass is mended in the same session', async () => {
    const model = (call: ModelCall): ModelTurn => (call.last.includes('too small') ? { text: '{"success": true, "output": 7}' } : DONE);
    await withStub(startAnthropicStub(model), async (stub, place) => {
      const answer = await askOnce(driverFor(stub, place), place, { check: ({ output }) => (output === 7 ? undefined : 'too small') });
      expect(answer).toMatchObject({ kind: 'answered', output: 7 });
    });
  });
}

/** The call that answers this prompt; the agent also makes calls of its own. */
function callWith({ calls }: ModelStub, words: string): ModelCall | undefined {
  return calls.find(({ last }) => last.includes(words));
}

function describeFailures(driverFor: DriverFor): void {
  const errorOf = (status: number, type: string): ModelTurn => ({ status, body: { type: 'error', error: { type, message: 'no' } } });

  test.each([
    ['quota', 429, 'rate_limit_error'],
    ['auth', 401, 'authentication_error'],
  ])('an error of the model is told by its class: %s', async (failure, status, type) => {
    await withStub(
      startAnthropicStub(() => errorOf(status, type)),
      async (stub, place) => {
        expect(await askOnce(driverFor(stub, place), place)).toMatchObject({ kind: 'failed', failure });
        expect(leftRunning(place)).toEqual([]);
      },
    );
  });

  test('an attempt that is stopped leaves nothing running', async () => {
    const controller = new AbortController();
    const silence = (): ModelTurn => {
      controller.abort();
      return 'silence';
    };
    await withStub(startAnthropicStub(silence), async (stub, place) => {
      const answer = await askOnce(driverFor(stub, place), place, { signal: controller.signal });
      expect(answer).toMatchObject({ kind: 'failed', failure: 'aborted' });
      expect(leftRunning(place)).toEqual([]);
    });
  });
}
