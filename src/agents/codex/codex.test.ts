import { describe, expect, test } from 'vitest';
import { standInHarness } from '../../../test/programs/stand-in-harness.ts';
import { tempFolder } from '../../../test/temp-folder.ts';
import { createAgentRequest, describeDriver } from '../../proof/driver-suite.ts';
import { type AgentPermissions, type AgentRequest, type ToolAction, WORK_IN_PLACE } from '../driver.ts';
import { createCodexDriver } from './codex.ts';
import { startArguments } from './start.ts';

describeDriver(
  'codex',
  standInHarness('codex', ['repair', 'sessions', 'permissions', 'program'], ({ argv, env }) => createCodexDriver({ program: argv, env })),
);

const cwd = tempFolder();

describe('sandbox', () => {
  const sandbox = (allow: readonly ToolAction[]): string[] =>
    startArguments({}, createAgentRequest({ cwd, permissions: { allow } }), undefined);

  test('the sandbox of Codex allows file changes only if the role permits them', () => {
    expect(sandbox(['read', 'search', 'execute', 'think', 'fetch', 'other'])).toContain('read-only');
    for (const action of ['edit', 'delete', 'move'] as const) expect(sandbox([action])).toContain('workspace-write');
  });

  test('the sandbox of Codex allows the network only if the role permits it', () => {
    expect(sandbox(WORK_IN_PLACE.allow)).toEqual(
      expect.arrayContaining(['sandbox_workspace_write.network_access=false', 'web_search="disabled"']),
    );
    expect(sandbox(['edit', 'fetch'])).toEqual(
      expect.arrayContaining(['sandbox_workspace_write.network_access=true', 'web_search="live"']),
    );
  });

  test.each<[string, AgentPermissions]>([
    ['a forbidden single tool', { allow: ['edit'], deny: ['apply_patch'] }],
    ['the network without files', { allow: ['read', 'fetch'] }],
  ])('the sandbox of Codex rejects permissions that it cannot enforce: %s', async (_what, permissions) => {
    const answer = await createCodexDriver({ program: 'no-such-program' }).ask(createAgentRequest({ cwd, permissions }));
    expect(answer).toMatchObject({ kind: 'failed', failure: 'refused', message: expect.stringContaining('another driver') });
  });
});

describe('program', () => {
  const ask = (script: string, fields: Partial<AgentRequest> = {}) =>
    createCodexDriver({ program: ['sh', '-c', script] }).ask(createAgentRequest({ cwd, ...fields }));
  const started = `cat > /dev/null; echo '{"type":"thread.started","thread_id":"t1"}'`;

  test('Codex that is not installed is a crash with a clear message', async () => {
    const answer = await createCodexDriver({ program: 'no-such-codex' }).ask(createAgentRequest({ cwd }));
    expect(answer).toMatchObject({ failure: 'crash', message: expect.stringMatching(/no-such-codex.*installed/) });
  });

  test('Codex that ends without a result is a crash with its last output and its session', async () => {
    expect(await ask(`${started}; echo 'out of memory' >&2`)).toMatchObject({
      failure: 'crash',
      message: expect.stringMatching(/exit code 0 without an answer.*out of memory/),
      session: 't1',
    });
  });

  test('Codex that closes its output early and does not end is silent', async () => {
    const answer = await ask(`${started}; exec >&-; exec sleep 100`, { watchdogs: { idleMs: 2000 } });
    expect(answer).toMatchObject({ failure: 'timeout', message: expect.stringContaining('silent'), session: 't1' });
  });

  test("Codex prefers the role's model over the driver's", () => {
    const request = createAgentRequest({ cwd });
    expect(startArguments({ model: 'ours' }, { ...request, model: 'theirs' }, undefined).join(' ')).toContain('--model theirs');
    expect(startArguments({ model: 'ours' }, request, undefined).join(' ')).toContain('--model ours');
    expect(startArguments({}, request, undefined)).not.toContain('--model');
  });
});
