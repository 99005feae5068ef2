// Owns how the real agent programs are started in a project that `pawl init` prepared, each against a stub of its model.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startAnthropicStub } from './anthropic-stub.ts';
import { startGeminiStub } from './gemini-stub.ts';
import type { ModelCall, ModelStub, ModelTurn } from './model-stub.ts';
import { startOpenaiStub } from './openai-stub.ts';

/** How a program is started: its words, and the variables that lead it to the stub. */
export interface ProgramStart {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A real program that works on a run by itself. */
export interface SetUpProgram {
  readonly option: 'claude' | 'codex' | 'gemini' | 'opencode';
  /** Whether its stop hook keeps it at work. */
  readonly isKept: boolean;
  /** Whether the model sees the tools of Pawl without a search. */
  readonly seesTools: boolean;
  /** Whether `/pawl NAME` can be given without a terminal. */
  readonly hasCommand: boolean;
  startStub(model: (call: ModelCall) => ModelTurn): Promise<ModelStub>;
  /** A call of one of Pawl's tools. */
  tool(name: string, input: Readonly<Record<string, unknown>>): ModelTurn & { readonly tool: string };
  shell(command: string): ModelTurn;
  /** Writes what the person has in their home, and says how the program is started. */
  start(place: { readonly home: string; readonly project: string }, stub: ModelStub): ProgramStart;
}

/** Writes a file of a home. */
function keep(file: string, text: string): void {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
}

const claude = (modules: string): SetUpProgram => ({
  option: 'claude',
  isKept: true,
  seesTools: true,
  hasCommand: true,
  startStub: startAnthropicStub,
  tool: (name, input) => ({ tool: `mcp__pawl__${name}`, input }),
  shell: (command) => ({ tool: 'Bash', input: { command } }),
  start: ({ home }, { url }) => {
    const config = join(home, '.claude');
    keep(join(config, 'settings.json'), JSON.stringify({ enabledMcpjsonServers: ['pawl'] }));
    const program = join(modules, '@anthropic-ai/claude-code/cli-wrapper.cjs');
    return {
      argv: [process.execPath, program, '-p', '/pawl three-steps', '--allowedTools', 'mcp__pawl', 'Bash'],
      env: {
        CLAUDE_CONFIG_DIR: config,
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: 'sk-ant-stub',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_TELEMETRY: '1',
      },
    };
  },
});

// Codex runs hooks only after the person trusted them in its own screen, for which there is no terminal here.
const codex = (modules: string): SetUpProgram => ({
  option: 'codex',
  isKept: true,
  seesTools: false,
  hasCommand: false,
  startStub: startOpenaiStub,
  tool: (name, input) => ({ tool: name, namespace: 'mcp__pawl', input }),
  shell: (cmd) => ({ tool: 'exec_command', input: { cmd } }),
  start: ({ home, project }, { url }) => {
    const config = `model = "gpt-5.5"
model_provider = "stub"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.stub]
name = "stub"
base_url = "${url}/v1"
wire_api = "responses"
requires_openai_auth = false
[projects.${JSON.stringify(project)}]
trust_level = "trusted"
`;
    keep(join(home, '.codex', 'config.toml'), config);
    const words = ['exec', '--json', '--skip-git-repo-check', '--sandbox', 'workspace-write', '--dangerously-bypass-hook-trust'];
    return {
      argv: [
        process.execPath,
        join(modules, '@openai/codex/bin/codex.js'),
        ...words,
        '-c',
        'approval_policy="never"',
        'Pawl run: three-steps',
      ],
      env: { CODEX_HOME: join(home, '.codex') },
    };
  },
});

const gemini = (modules: string): SetUpProgram => ({
  option: 'gemini',
  isKept: true,
  seesTools: true,
  hasCommand: true,
  startStub: startGeminiStub,
  tool: (name, input) => ({ tool: `mcp_pawl_${name}`, input }),
  shell: (command) => ({ tool: 'run_shell_command', input: { command } }),
  start: ({ home }, { url }) => {
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true },
    };
    keep(join(home, '.gemini', 'settings.json'), JSON.stringify(settings));
    const program = join(modules, '@google/gemini-cli/bundle/gemini.js');
    return {
      argv: [process.execPath, program, '--model', 'gemini-2.5-flash', '--approval-mode', 'yolo', '-p', '/pawl three-steps'],
      env: { GEMINI_API_KEY: 'stub', GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    };
  },
});

const opencode = (modules: string): SetUpProgram => ({
  option: 'opencode',
  isKept: false,
  seesTools: true,
  hasCommand: true,
  startStub: startAnthropicStub,
  tool: (name, input) => ({ tool: `pawl_${name}`, input }),
  shell: (command) => ({ tool: 'bash', input: { command, description: 'work' } }),
  start: ({ home }, { url }) => {
    const provider = {
      anthropic: { options: { baseURL: `${url}/v1`, apiKey: 'stub' }, models: { stub: { name: 'stub', tool_call: true } } },
    };
    const settings = { autoupdate: false, share: 'disabled', model: 'anthropic/stub', small_model: 'anthropic/stub', provider };
    keep(join(home, '.config', 'opencode', 'opencode.json'), JSON.stringify(settings));
    return {
      argv: [join(modules, 'opencode-linux-x64/bin/opencode'), 'run', '--command', 'pawl', 'three-steps'],
      env: { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' },
    };
  },
});

/** The programs among these modules: Claude Code and Codex. */
export const programsOf = (modules: string): readonly SetUpProgram[] => [claude(modules), codex(modules)];

/** The programs among these modules: Gemini CLI and OpenCode. */
export const otherProgramsOf = (modules: string): readonly SetUpProgram[] => [gemini(modules), opencode(modules)];
