import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { standInHarness } from '../../../test/programs/stand-in-harness.ts';
import { tempFolder } from '../../../test/temp-folder.ts';
import { createAgentRequest, describeDriver } from '../../proof/driver-suite.ts';
import type { AgentEvent, AgentRequest } from '../driver.ts';
import { createClaudeCodeDriver } from './claude-code.ts';
import { startArguments } from './start.ts';

describeDriver(
  'claude-code',
  standInHarness('claude-code', ['repair', 'sessions', 'permissions', 'program'], ({ argv, env }) =>
    createClaudeCodeDriver({ program: argv, env }),
  ),
);

const cwd = tempFolder();

const INIT = '{"type":"system","subtype":"init","session_id":"s1"}';
const RESULT = '{"type":"result","subtype":"success","is_error":false,"result":"{\\"success\\":true}"}';

/** Runs a program that prints these lines and then runs the script. */
function ask(lines: readonly string[], fields: Partial<AgentRequest> = {}, script = ':') {
  const program = ['sh', '-c', `read prompt; printf '%s\\n' "$0"; ${script}`, lines.join('\n')];
  return createClaudeCodeDriver({ program }).ask(createAgentRequest({ cwd, ...fields }));
}

describe('program', () => {
  test('Claude Code is started with the sub-agents of its role', () => {
    const agents = [{ name: 'critic', description: 'Finds faults.', prompt: 'Find faults.', model: 'haiku' }];
    const argv = startArguments({ agents }, createAgentRequest({ cwd }));
    const { name: _, ...critic } = agents[0] as (typeof agents)[0];
    expect(JSON.parse(argv[argv.indexOf('--agents') + 1] as string)).toEqual({ critic });
  });

  test('Claude Code that is not installed is a crash with a clear message', async () => {
    const answer = await createClaudeCodeDriver({ program: 'no-such-claude' }).ask(createAgentRequest({ cwd }));
    expect(answer).toMatchObject({ failure: 'crash', message: expect.stringMatching(/no-such-claude.*installed/) });
  });

  test('Claude Code that ends without a result is a crash with its last output and its session', async () => {
    const answer = await ask([INIT], {}, "echo 'out of memory' >&2; exit 137");
    expect(answer).toMatchObject({ failure: 'crash', message: expect.stringMatching(/exit code 137.*out of memory/), session: 's1' });
  });

  test('Claude Code that closes its output early and does not end is silent', async () => {
    const answer = await ask([INIT], { watchdogs: { idleMs: 2000 } }, 'exec >&-; exec sleep 100');
    expect(answer).toMatchObject({ failure: 'timeout', message: expect.stringContaining('silent'), session: 's1' });
  });

  test('Claude Code that ends with an error after its result still counts as answered', async () => {
    expect(await ask([INIT, RESULT], {}, 'exit 1')).toMatchObject({ kind: 'answered', success: true, session: 's1' });
  });

  test('Claude Code is understood despite banners, noise and unknown messages', async () => {
    const noise = [
      'Update available! Run: npm i',
      '{"type":"assistant"}',
      '{"type":"user","message":{"content":7}}',
      '{"type":"new"}',
      '[]',
    ];
    const odd = [
      '{"type":"control_request","request_id":"1","request":{"subtype":"tomorrow"}}',
      '{"type":"system"}',
      '{"type":"rate_limit_event"}',
    ];
    expect(await ask([...noise, INIT, ...odd, RESULT])).toMatchObject({ kind: 'answered', success: true });
  });

  test('Claude Code emits its text, thoughts and tool calls as they happen', async () => {
    const events: AgentEvent[] = [];
    const block = (type: string, content: object): string => JSON.stringify({ type, message: { content: [content] } });
    const lines = [
      block('assistant', { type: 'thinking', thinking: 'hm' }),
      block('assistant', { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }),
      block('user', { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'a.txt' }] }),
      block('assistant', { type: 'text', text: 'one file' }),
    ];
    await ask([INIT, ...lines, RESULT], { onEvent: (event) => events.push(event) });
    expect(events).toEqual([
      { kind: 'thought', text: 'hm' },
      { kind: 'tool', id: 't1', name: 'Bash', input: { command: 'ls' } },
      { kind: 'tool-result', id: 't1', ok: true, text: 'a.txt' },
      { kind: 'text', text: 'one file' },
    ]);
  });

  test('Claude Code is never started with a session id that could be read as an argument', async () => {
    const session = { id: '--dangerously-skip-permissions', handover: 'before' };
    const program = [
      'sh',
      '-c',
      `read prompt; echo "$@" >> args.txt; printf '%s\\n' '${INIT}' '${RESULT.replaceAll('\\', '\\\\')}'`,
      'claude',
    ];
    const answer = await createClaudeCodeDriver({ program }).ask(createAgentRequest({ cwd, session }));
    expect(answer).toMatchObject({ sessionLost: true });
    expect(readFileSync(join(cwd, 'args.txt'), 'utf8')).not.toContain(session.id);
  });

  test('Claude Code that denied a use by a rule reports the denial', async () => {
    const denials = [{ tool_name: 'Bash', tool_use_id: 't1', tool_input: { command: 'rm -r .' } }];
    const answer = await ask([INIT, JSON.stringify({ ...JSON.parse(RESULT), permission_denials: denials })]);
    expect(answer).toMatchObject({ kind: 'answered', refusals: [{ tool: 'Bash', action: 'execute', why: 'a rule forbids it' }] });
  });

  test('Claude Code can ask the person it works for', async () => {
    const question = { question: 'Which?', options: [{ label: 'a' }, { label: 'b' }] };
    const result = `<needs_user_input>${JSON.stringify([question])}</needs_user_input>`;
    expect(await ask([INIT, JSON.stringify({ type: 'result', subtype: 'success', result })])).toMatchObject({
      kind: 'asks',
      questions: [question],
      session: 's1',
    });
  });
});

describe('arguments', () => {
  const request = createAgentRequest({ cwd });
  const argv = (fields: Partial<AgentRequest>, settings = {}): string => startArguments(settings, { ...request, ...fields }).join(' ');

  test('the arguments of Claude Code prefer the model of the role to that of the driver', () => {
    expect(argv({ model: 'theirs' }, { model: 'ours' })).toContain('--model theirs');
    expect(argv({}, { model: 'ours' })).toContain('--model ours');
    expect(argv({})).not.toContain('--model');
  });

  test('the arguments of Claude Code limit the attempt to its budget', () => {
    expect(argv({ budget: { turns: 3, costUsd: 0.5 } })).toMatch(/--max-turns 3 --max-budget-usd 0.5/);
  });

  test('the arguments of Claude Code do not read settings of the workspace unless requested', () => {
    expect(argv({})).toContain('--setting-sources user --');
    expect(argv({}, { settingSources: ['user', 'project'] })).toContain('--setting-sources user,project --');
  });
});
