// The hooks of Claude Code, and what `pawl init --claude` writes for it.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Hold, writeTrusted } from './blocking.ts';
import { type ConnectedClient, connect, runIn, THREE_STEPS, type Told, tokensIn } from './mcp-client.ts';
import { CliRig, type Ended } from './rig.ts';

let rig: CliRig;
let agent: ConnectedClient;
let db: string;
beforeEach(async () => {
  rig = new CliRig();
  db = join(rig.folder, 'runs.db');
  rig.settings.PAWL_DB = db;
  rig.write('.pawl/workflows/three-steps.yaml', THREE_STEPS);
  rig.write('.pawl/workflows/approval.yaml', APPROVAL);
  await rig.run(['trust', '--yes']);
  agent = await connect(rig, { env: { CLAUDE_CODE_SESSION_ID: 'mine' } });
});
afterEach(async () => {
  await agent.close();
  await rig.close();
});

const APPROVAL = `apiVersion: pawl.dev/v1
kind: Workflow
metadata:
  name: approval
stages:
  - { id: plan, type: agent, agent: developer, prompt: Plan it. }
  - { id: ask, type: human, prompt: "Ship it?", options: [{ label: Ship it }] }
`;

const heldBy = (hold: Hold): string => `apiVersion: pawl.dev/v1
kind: Workflow
metadata:
  name: held
stages:
  - { id: test, type: command, run: ${JSON.stringify(hold.line)} }
  - { id: fix, type: agent, agent: developer, prompt: Fix it. }
`;

/** What the hook says when the agent of a session stops. */
function stop(session: unknown = 'mine', more: object = {}): Promise<Ended> {
  const input = JSON.stringify({ session_id: session, hook_event_name: 'Stop', stop_hook_active: false, ...more });
  // Another folder than that of the project: agents go to other folders.
  return rig.run(['hook', 'stop'], { input, cwd: rig.folder });
}

const MAY_STOP = { code: 0, stdout: '', stderr: '' };

async function begin(workflow = 'three-steps'): Promise<Told> {
  return agent.call('pawl_start', { workflow });
}

describe('an agent whose run has a step open', () => {
  test('an agent with an open step is not allowed to stop, and the reason says what to do', async () => {
    const run = runIn(await begin());
    const { code, stdout } = await stop();
    const said = JSON.parse(stdout) as { decision: string; reason: string };
    expect([code, Object.keys(said), said.decision]).toEqual([0, ['decision', 'reason'], 'block']);
    expect(said.reason).toContain(`Run ${run} has a step open for you: "plan". Call pawl_next`);
  });

  test.each([
    ['in a turn that hooks prolong', true, 'systemMessage'],
    ['and a turn that somebody began is reminded anew', false, 'decision'],
  ])('an agent may stop after three reminders without progress, and the person is told; %s', async (_, active, fifth) => {
    await begin();
    const answers: string[] = [];
    for (let round = 0; round < 5; round += 1) answers.push((await stop('mine', { stop_hook_active: active })).stdout);
    const kinds = answers.map((answer) => Object.keys(JSON.parse(answer) as object)[0]);
    expect(kinds).toEqual(['decision', 'decision', 'decision', 'systemMessage', fifth]);
    expect(answers[3]).toContain('after 3 reminders');
  });

  test('an agent is reminded again after progress, even if its report was not accepted', async () => {
    const first = await begin();
    for (let round = 0; round < 4; round += 1) await stop();
    const again = await agent.call('pawl_report', { token: tokensIn(first)[0] });
    expect(again.text).toContain('NOT accepted');
    expect((await stop()).stdout).toContain('"decision":"block"');
    rig.write('plan.md', 'x');
    await agent.call('pawl_report', { token: tokensIn(again)[0] });
    expect((await stop()).stdout).toContain('\\"build\\"');
  });

  test('an agent is not allowed to stop while the engine works on its run, because its next step may open', async () => {
    const hold = new Hold(rig);
    await writeTrusted(rig, '.pawl/workflows/held.yaml', heldBy(hold));
    const starting = begin('held');
    await hold.pid();
    // The session knows of the run a moment after its first step began.
    await expect.poll(async () => (await stop()).stdout, { timeout: 30_000 }).toContain('is executing. Call pawl_next');
    await hold.release();
    expect((await starting).text).toContain('Fix it.');
  });

  test('an open step does not keep another session from stopping', async () => {
    await begin();
    expect(await stop('another')).toEqual(MAY_STOP);
  });
});

describe('an agent may stop', () => {
  test('an agent whose session has no run may stop', async () => {
    expect(await stop()).toEqual(MAY_STOP);
  });

  test('an agent whose run waits for a person may stop', async () => {
    const { text } = await agent.call('pawl_report', { token: tokensIn(await begin('approval'))[0] });
    expect(text).toContain('waiting for a person to decide');
    expect(await stop()).toEqual(MAY_STOP);
  });

  test('an agent whose run is paused, has ended or was deleted may stop', async () => {
    const run = runIn(await begin());
    await rig.run(['pause', run]);
    expect(await stop()).toEqual(MAY_STOP);
    await rig.run(['cancel', run]);
    expect(await stop()).toEqual(MAY_STOP);
    await begin();
    await agent.close();
    rmSync(db);
    expect(await stop()).toEqual(MAY_STOP);
  });

  test.each(['', 'no json', '[]', '{}', '{"session_id": 7}', `{"session_id": "${'x'.repeat(300)}"}`])(
    'invalid input of the Stop hook blocks nothing: %s',
    async (input) => {
      await begin();
      const { code, stdout, stderr } = await rig.run(['hook', 'stop'], { input });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('the agent may stop');
    },
  );

  test('an agent may stop when the database of its run is damaged', async () => {
    await begin();
    await agent.close();
    writeFileSync(db, 'garbage');
    expect(await stop()).toMatchObject({ code: 1, stdout: '' });
  });
});

/** What an agent is told when its session begins. A process of its own, since the agent that started it counts. */
async function begun(session: string, source: string): Promise<string> {
  const input = JSON.stringify({ session_id: session, hook_event_name: 'SessionStart', source, cwd: rig.project });
  const { code, stdout, stderr } = await rig.start(['hook', 'session-start'], { input, env: { CLAUDE_CODE_SESSION_ID: session } }).ended;
  expect([code, stderr]).toEqual([0, '']);
  if (stdout === '') return '';
  const { hookSpecificOutput } = JSON.parse(stdout) as { hookSpecificOutput: { hookEventName: string; additionalContext: string } };
  expect(hookSpecificOutput.hookEventName).toBe('SessionStart');
  return hookSpecificOutput.additionalContext;
}

describe('a session that begins', () => {
  test('a session is told its run, its step and how to continue after a compaction or a resume', async () => {
    const run = runIn(await begin());
    const line = `You are working on run ${run} of the Pawl workflow "three-steps": step "plan" is open. Call pawl_next with "run": "${run}"`;
    expect(await begun('mine', 'compact')).toContain(line);
    expect(await begun('mine', 'resume')).toContain(line);
  });

  test('after /clear the new session has the runs of the previous one, and a server with the old id binds to the new one', async () => {
    const run = runIn(await begin());
    expect(await begun('cleared', 'clear')).toContain(`You are working on run ${run}`);
    expect((await stop('cleared')).stdout).toContain('"decision":"block"');
    expect(await stop('mine')).toEqual(MAY_STOP);
    const second = runIn(await begin());
    expect((await stop('cleared')).stdout).toContain(second);
  });

  test('a new session is told of an open run only if no live session works on it, and need not take it', async () => {
    expect(await begun('new', 'startup')).toBe('');
    const run = runIn(await begin());
    expect(await begun('new', 'startup')).toBe('');
    await agent.close();
    expect(await begun('new', 'startup')).toContain(
      `Run ${run} of the Pawl workflow "three-steps" is open in this project, and no session works on it`,
    );
    expect(await stop('new')).toEqual(MAY_STOP);
  });

  test('a session takes a run with "pawl next", which the Stop hook then knows; an agent inside a run takes none', async () => {
    const run = runIn(await begin());
    await agent.close();
    const next = (env: Record<string, string>): Promise<Ended> => rig.run(['next'], { env: { CLAUDE_CODE_SESSION_ID: 'new', ...env } });
    expect((await next({ PAWL_RUN: run })).stdout).toContain('Write the plan.');
    expect(await stop('new')).toEqual(MAY_STOP);
    expect((await next({})).stdout).toContain('Write the plan.');
    expect((await stop('new')).stdout).toContain(run);
  });

  test('a session without a run, without a project or with invalid input is told nothing, and nothing is blocked', async () => {
    expect(await begun('mine', 'startup')).toBe('');
    const { code, stdout, stderr } = await rig.run(['hook', 'session-start'], { input: '{}' });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('is not told about open runs');
  });
});

describe('pawl init --claude', () => {
  const files = ['.claude/skills/pawl/SKILL.md', '.mcp.json', '.claude/settings.json'];
  const read = (path: string): string => readFileSync(join(rig.project, path), 'utf8');

  test('"pawl init --claude" writes a skill, the server and the hooks; a second time it changes nothing', async () => {
    const { code, stdout } = await rig.run(['init', '--claude']);
    expect([code, stdout.split('\n').slice(0, 3)]).toEqual([0, files.map((file) => `wrote       ${file}`)]);
    expect(JSON.parse(read('.mcp.json'))).toEqual({ mcpServers: { pawl: { command: 'pawl', args: ['mcp'], alwaysLoad: true } } });
    const hook = (event: string) => [{ type: 'command', command: `pawl hook ${event}`, timeout: 30 }];
    expect(JSON.parse(read('.claude/settings.json'))).toEqual({
      hooks: {
        SessionStart: [{ hooks: hook('session-start') }],
        PreToolUse: [{ matcher: 'Bash|Edit|MultiEdit|Write|NotebookEdit|mcp__.*__pawl_(next|report|ask)', hooks: hook('pre-tool-use') }],
        Stop: [{ hooks: hook('stop') }],
      },
    });
    expect(read('.claude/skills/pawl/SKILL.md')).toMatch(/^---\nname: pawl\ndescription: .{20,}\nargument-hint: NAME .*\n---\n/);
    expect(read('.claude/skills/pawl/SKILL.md')).toContain('`pawl next RUN`');
    const again = await rig.json<{ written: string[]; left: string[]; missing: unknown[] }>(['init', '--claude']);
    expect([again.written, again.left.length, again.missing]).toEqual([[], 3, []]);
  });

  test('"pawl init --claude" writes commands that call Pawl as it was called', async () => {
    await rig.run(['init', '--claude'], { env: { npm_command: 'exec' } });
    expect(JSON.parse(read('.mcp.json'))).toEqual({ mcpServers: { pawl: { command: 'npx', args: ['pawl', 'mcp'], alwaysLoad: true } } });
    expect(read('.claude/settings.json')).toContain('"npx pawl hook stop"');
    expect(read('.claude/skills/pawl/SKILL.md')).toContain('`npx pawl next RUN`');
  });

  test('"pawl init --claude" does not change existing files, and says what to add to them', async () => {
    rig.write('.claude/settings.json', '{"hooks": {}}');
    rig.write('.mcp.json', 'not json');
    const { stdout } = await rig.run(['init', '--claude']);
    expect(stdout).toContain('unchanged   .mcp.json\n');
    expect(stdout).toContain('.claude/settings.json already exists and was not changed; add this to it:\n{\n  "hooks"');
    expect(stdout).toContain('.mcp.json already exists and was not changed; add this to it:\n{\n  "mcpServers"');
    expect([read('.claude/settings.json'), read('.mcp.json')]).toEqual(['{"hooks": {}}', 'not json']);
  });

  test('"pawl init --claude --yes" adds what is missing to existing settings, and removes nothing', async () => {
    const mine = { permissions: { allow: ['Bash(ls)'] }, hooks: { Stop: [{ hooks: [{ type: 'command', command: 'say done' }] }] } };
    rig.write('.claude/settings.json', JSON.stringify(mine));
    rig.write('.codex/config.toml', 'model = "m"\n');
    rig.write('.mcp.json', 'not json');
    const { stdout } = await rig.run(['init', '--claude', '--codex', '--yes']);
    expect(stdout).toContain('extended    .claude/settings.json\nextended    .codex/config.toml\n');
    expect(stdout).toContain('.mcp.json already exists and was not changed (Pawl adds to plain JSON only); add this to it:\n');
    const { permissions, hooks } = JSON.parse(read('.claude/settings.json')) as { permissions: unknown; hooks: Record<string, unknown[]> };
    expect([permissions, hooks.Stop?.[0], hooks.Stop?.length, hooks.PreToolUse?.length]).toEqual([
      mine.permissions,
      mine.hooks.Stop[0],
      2,
      1,
    ]);
    expect(read('.codex/config.toml')).toMatch(/^model = "m"\n\n\[mcp_servers\.pawl\]\ncommand = "pawl"\n/);
    const again = await rig.json<{ extended: string[]; missing: { file: string }[] }>(['init', '--claude', '--codex', '--yes']);
    expect([again.extended, again.missing.length]).toEqual([[], 1]);
  });

  test('"pawl init --claude --dry-run" writes nothing', async () => {
    const { stdout } = await rig.run(['init', '--claude', '--dry-run']);
    expect(stdout.split('\n').slice(0, 3)).toEqual(files.map((file) => `would write ${file}`));
    expect(() => read('.mcp.json')).toThrow('ENOENT');
    expect((await rig.run(['init', 'fresh', '--dry-run'])).stdout).toContain('would write .pawl/workflows/fresh.ts');
    expect(() => read('.pawl/workflows/fresh.ts')).toThrow('ENOENT');
  });

  test('"pawl init --claude" rejects the name and the format of a workflow', async () => {
    for (const words of [['x'], ['--yaml'], ['--js']]) expect((await rig.run(['init', '--claude', ...words])).code).toBe(2);
  });
});
