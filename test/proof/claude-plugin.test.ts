// What `pawl init --claude` writes, in the real Claude Code against a stub of its model: the agent cannot stop while a
// step of its run is open, and stops when nothing is.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { THREE_STEPS } from '../cli/mcp-client.ts';
import { CliRig } from '../cli/rig.ts';
import { startAnthropicStub } from '../programs/anthropic-stub.ts';
import { installPrograms } from '../programs/install.ts';
import type { ModelCall, ModelStub, ModelTurn } from '../programs/model-stub.ts';

const PROGRAMS = join(import.meta.dirname, '../programs');
const installed = await installPrograms(PROGRAMS);

if ('missing' in installed) {
  console.warn(`The real Claude Code could not be installed, so its plugin was not tested: ${installed.missing}`);
  describe('the plugin of Claude Code', () => {
    test('the plugin of Claude Code is not tested: npm could not install the program', (context) => context.skip());
  });
} else describe('the plugin of Claude Code', () => describePlugin(installed.modules));

function describePlugin(modules: string): void {
  let rig: CliRig;
  let stub: ModelStub | undefined;
  beforeEach(async () => {
    rig = new CliRig();
    rig.write('.pawl/workflows/three-steps.yaml', THREE_STEPS);
    await rig.run(['trust', '--yes']);
    await rig.run(['init', '--claude']);
    putOnPath(rig);
  });
  afterEach(async () => {
    await stub?.close();
    await rig.close();
  });

  test.each([
    ['2025-11-25', { MCP_PROTOCOL_NEGOTIATION: 'legacy' }],
    ['2026-07-28', { MCP_PROTOCOL_NEGOTIATION: 'auto' }],
  ])('an agent that tries to stop at an open step is kept working until the run is done (protocol %s)', async (version, env) => {
    stub = await startAnthropicStub(lazyModel);
    const { code, said } = await runClaude(rig, { modules, stub, env });
    expect([code, said]).toEqual([0, 'Now it is done.']);
    expect(stub.calls.filter(isReminder)).toHaveLength(3);
    expect(await statusesOf(rig)).toEqual(['completed']);
    const heard = readFileSync(join(rig.folder, 'heard.log'), 'utf8').split('\n');
    expect(heard.find((line) => line.includes('"initialize"') || line.includes('"tools/call"'))).toContain(version);
  });

  test('an agent that does nothing may stop after three reminders', async () => {
    stub = await startAnthropicStub(({ all }) => (all.includes('Token: ') ? { text: 'I am done.' } : START));
    const { code, said } = await runClaude(rig, { modules, stub });
    expect([code, said]).toEqual([0, 'I am done.']);
    expect(stub.calls.filter(isReminder)).toHaveLength(3);
    expect(await statusesOf(rig)).toEqual(['waiting']);
  });

  test('a session without a run stops at once, though a run of another one is open', async () => {
    stub = await startAnthropicStub(({ all }) => (all.includes('Token: ') ? { text: 'Later.' } : START));
    await runClaude(rig, { modules, stub });
    await stub.close();
    stub = await startAnthropicStub(() => ({ text: 'Hello.' }));
    expect(await runClaude(rig, { modules, stub })).toMatchObject({ code: 0, said: 'Hello.' });
    expect(stub.calls).toHaveLength(1);
  });

  test('a resumed session continues its run, and is kept from stopping again', async () => {
    stub = await startAnthropicStub(({ all }) => (all.includes('Token: ') ? { text: 'Later.' } : START));
    const { session } = await runClaude(rig, { modules, stub });
    await stub.close();
    const next: ModelTurn = { tool: 'mcp__pawl__pawl_next', input: {} };
    stub = await startAnthropicStub((call) => (call.last.includes('Go on.') ? next : lazyModel(call)));
    const { said } = await runClaude(rig, { modules, stub, words: ['--resume', session], prompt: 'Go on.' });
    expect(said).toBe('Now it is done.');
    expect(stub.calls.filter(isReminder)).toHaveLength(3);
    expect(await statusesOf(rig)).toEqual(['completed']);
  });
}

const START: ModelTurn = { tool: 'mcp__pawl__pawl_start', input: { workflow: 'three-steps' } };
const FILES: Readonly<Record<string, string>> = { plan: 'plan.md', build: 'code.txt' };

/** Tries to stop at each step that is open, and does it when it is told to go on. */
function lazyModel({ last, all }: ModelCall): ModelTurn {
  if (!all.includes('Token: ')) return START;
  const token = [...all.matchAll(/^Token: (\S+)$/gm)].at(-1)?.[1] ?? '';
  const step = [...all.matchAll(/^## Step "(\w+)"/gm)].at(-1)?.[1] ?? '';
  const file = FILES[step];
  if (last.includes('There is nothing left to do')) return { text: 'Now it is done.' };
  if (last.includes('has a step open for you') && file !== undefined) return { tool: 'Write', input: { file_path: file, content: 'x\n' } };
  if (last.includes('Token: ')) return { text: 'All done!' };
  return { tool: 'mcp__pawl__pawl_report', input: { token, result: { ok: true } } };
}

const isReminder = ({ last }: ModelCall): boolean => last.includes('has a step open for you');

async function statusesOf(rig: CliRig): Promise<string[]> {
  return (await rig.json<{ runs: { status: string }[] }>(['runs'])).runs.map(({ status }) => status);
}

/** Lets "pawl" be found as it is on the machine of a user; what its server hears is kept. */
function putOnPath(rig: CliRig): void {
  const bin = join(rig.folder, 'bin');
  const pawl = `'${process.execPath}' '${join(import.meta.dirname, '../cli/start.js')}'`;
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'pawl'),
    `#!/bin/sh\nif [ "$1" = mcp ]; then tee -a '${rig.folder}/heard.log' | ${pawl} mcp; else exec ${pawl} "$@"; fi\n`,
  );
  chmodSync(join(bin, 'pawl'), 0o755);
}

/** How the program is started. */
interface ClaudeStart {
  readonly modules: string;
  readonly stub: ModelStub;
  readonly env?: Readonly<Record<string, string>>;
  readonly words?: readonly string[];
  readonly prompt?: string;
}

/** How the program ended. */
interface ClaudeEnd {
  readonly code: number;
  readonly said: string;
  readonly session: string;
}

/** Runs the real program in the project to its end. */
async function runClaude(
  rig: CliRig,
  { modules, stub, env = {}, words = [], prompt = 'Run the workflow.' }: ClaudeStart,
): Promise<ClaudeEnd> {
  const asked = ['-p', prompt, '--output-format', 'json', '--allowedTools', 'mcp__pawl', 'Write', ...words];
  const program = join(modules, '@anthropic-ai/claude-code/cli-wrapper.cjs');
  const child = spawn(process.execPath, [program, ...asked], {
    cwd: rig.project,
    env: rig.env({ ...claudeEnv(rig, stub), ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed.err += text;
  });
  const [code] = (await once(child, 'close')) as [number];
  if (!printed.out.startsWith('{')) throw new Error(`Claude Code ended with ${code}: ${printed.out}\n${printed.err}`);
  const { result, session_id } = JSON.parse(printed.out) as { readonly result: string; readonly session_id: string };
  return { code, said: result, session: session_id };
}

/** The environment of the program: a home of its own, in which the person has allowed the server of the project. */
function claudeEnv(rig: CliRig, stub: ModelStub): Record<string, string> {
  const home = join(rig.folder, 'home');
  const config = join(home, '.claude');
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'settings.json'), JSON.stringify({ enabledMcpjsonServers: ['pawl'] }));
  return {
    PATH: [join(rig.folder, 'bin'), process.env.PATH].join(delimiter),
    HOME: home,
    CLAUDE_CONFIG_DIR: config,
    ANTHROPIC_BASE_URL: stub.url,
    ANTHROPIC_API_KEY: 'sk-ant-stub',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
  };
}
