// Owns clients of `pawl mcp`: the real one of the SDK, and a raw one that can say anything.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { ClientCapabilities } from '@modelcontextprotocol/sdk/types.js';
import type { CliRig } from './rig.ts';

const START = join(import.meta.dirname, 'start.js');

/** What a tool answered. */
export interface Told {
  readonly text: string;
  readonly isError: boolean;
}

/** A client that is connected to a server of its own. */
export interface ConnectedClient {
  readonly client: Client;
  call(tool: string, args?: Record<string, unknown>): Promise<Told>;
  close(): Promise<void>;
}

interface ConnectOptions {
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly capabilities?: ClientCapabilities;
}

/** Starts `pawl mcp` in the project of a rig, and connects to it with the client of the SDK. */
export async function connect(
  rig: CliRig,
  { words = [], env = {}, cwd = rig.project, capabilities = {} }: ConnectOptions = {},
): Promise<ConnectedClient> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [START, 'mcp', ...words],
    cwd,
    env: rig.env(env),
    stderr: 'ignore',
  });
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities });
  await client.connect(transport);
  return {
    client,
    call: async (name, args = {}) => {
      const { content, isError } = await client.callTool({ name, arguments: args });
      const texts = (content as readonly { readonly text?: string }[]).map(({ text }) => text ?? '');
      return { text: texts.join('\n'), isError: isError === true };
    },
    close: () => client.close(),
  };
}

/** The tokens in what an agent was told, in order. */
export function tokensIn({ text }: Told): string[] {
  return [...text.matchAll(/^Token: (\S+)$/gm)].map(([, token]) => token as string);
}

/** The id of the run that an agent was told of. */
export function runIn({ text }: Told): string {
  return /Run ([0-9a-z]{16})/.exec(text)?.[1] ?? '';
}

/** A workflow of three steps for an agent: the first two have to leave a file, the last one has only to be done. */
export const THREE_STEPS = `apiVersion: pawl.dev/v1
kind: Workflow
metadata:
  name: three-steps
  title: Three steps
stages:
  - id: plan
    type: agent
    agent: developer
    prompt: Write the plan.
    outputs:
      - { name: plan, type: file, pattern: plan.md, required: true }
  - id: build
    type: agent
    agent: developer
    prompt: Build what the plan says.
    outputs:
      - { name: code, type: file, pattern: code.txt, required: true }
  - id: review
    type: agent
    agent: developer
    prompt: Review the code.
`;

/** A process of `pawl mcp` that is told anything, line by line. */
export interface RawClient {
  readonly process: ChildProcessWithoutNullStreams;
  say(message: object): void;
  write(text: string): void;
  end(): void;
  /** The answer to a request, when it has come. */
  heard(id: number): Promise<object>;
  /** All lines of stdout so far. */
  lines(): string[];
  stderr(): string;
}

/** Starts `pawl mcp` without a client that knows how to behave. */
export function startRaw(rig: CliRig, words: readonly string[] = []): RawClient {
  const child = spawn(process.execPath, [START, 'mcp', ...words], { cwd: rig.project, env: rig.env() });
  const said = { out: '', err: '' };
  const watchers = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
    for (const look of watchers) look();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text;
  });
  child.stdin.on('error', () => undefined);
  const lines = (): string[] => said.out.split('\n').filter((line) => line !== '');
  const answer = (id: number): object | undefined =>
    said.out
      .slice(0, said.out.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { readonly id?: number })
      .find((one) => one.id === id);
  return {
    process: child,
    say: (message) => child.stdin.write(`${JSON.stringify(message)}\n`),
    write: (text) => child.stdin.write(text),
    end: () => child.stdin.end(),
    heard: (id) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = answer(id);
          if (found !== undefined) resolve(found);
        };
        watchers.add(look);
        child.once('close', () => reject(new Error(`the server ended before it answered ${id}: ${said.out}${said.err}`)));
        look();
      }),
    lines,
    stderr: () => said.err,
  };
}
