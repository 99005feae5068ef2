// Owns attended runs that tests play the agent of: their workflows, and what is printed for the agent, taken apart.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliRig, Ended } from './rig.ts';

/** The id of the run that tests start. */
export const RUN = 'aaaaaaaaaaaaaaa1';

/** A plan that has to be in a file, then a build; a person decides in between. */
export const PLANNED = `
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineWorkflow } from 'pawl/compat';

const at = (name) => join(import.meta.dirname, '../..', name);

export default defineWorkflow({
  name: 'planned',
  steps: [
    {
      id: 'plan',
      agent: 'planner',
      prompt: 'Write plan.md.\\n\\n  Keep \\'quotes\\', $dollars and \\u001b[31mcolours\\u001b[0m.',
      postconditions: [{ name: 'written', check: () => existsSync(at('plan.md')), error: 'plan.md is not there' }],
      next: 'build',
    },
    {
      id: 'build',
      agent: 'builder',
      prompt: 'Build it.',
      supportsQuestions: true,
      schema: { type: 'object', required: ['tests'], properties: { tests: { type: 'integer' } } },
      retry: 1,
      next: 'ask',
    },
    { id: 'ask', human: { prompt: 'Good?', options: [{ label: 'yes', nextStep: 'tell' }, { label: 'again', nextStep: 'build' }] } },
    { id: 'tell', command: 'echo told >> told', next: null },
  ],
});
`;

/** A chapter each, at the same time, then their index. */
export const CHAPTERS = `
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineWorkflow } from 'pawl/compat';

const at = (name) => join(import.meta.dirname, '../..', name);

export default defineWorkflow({
  name: 'chapters',
  params: { chapters: { description: 'which', type: 'json', default: ['one', 'two', 'three'] } },
  steps: [
    {
      id: 'write',
      parallel: true,
      parallelKey: 'chapters',
      agent: 'writer',
      prompt: 'Write the chapter.',
      postconditions: [{ name: 'written', check: (ctx) => existsSync(at(ctx.item)), error: 'the chapter is not there' }],
      next: 'index',
    },
    { id: 'index', agent: 'writer', prompt: 'Write the index.', next: null },
  ],
});
`;

/** A step whose verification goes on until there is a file "go", and says that it has begun. */
export const SLOW = `
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineWorkflow } from 'pawl/compat';

const go = join(import.meta.dirname, '../../go');
const check = async () => {
  process.stderr.write('checking\\n');
  while (!existsSync(go)) await new Promise((resolve) => setTimeout(resolve, 10));
  return true;
};

export default defineWorkflow({
  name: 'slow',
  steps: [{ id: 'work', agent: 'worker', prompt: 'Work.', postconditions: [{ name: 'checked', check, error: 'no' }], next: null }],
});
`;

/** A pause of some length, then a step of the agent. */
export const patient = (span: string): string => `
import { defineWorkflow } from 'pawl/compat';

export default defineWorkflow({
  name: 'patient',
  steps: [
    { id: 'pause', delay: '${span}', next: 'work' },
    { id: 'work', agent: 'worker', prompt: 'Work.', next: null },
  ],
});
`;

/** A run that starts another, whose agent is the one that called. */
export const NESTED = `
import { defineWorkflow } from 'pawl/compat';

const inner = defineWorkflow({ name: 'inner', steps: [{ id: 'work', agent: 'worker', prompt: 'Work.', next: null }] });
export default defineWorkflow({
  name: 'nested',
  steps: [
    { id: 'below', workflow: inner, next: 'tell' },
    { id: 'tell', command: 'echo told >> told', next: null },
  ],
});
`;

/** A step that says that it has begun, and never ends. */
export const ENDLESS = `
import { defineWorkflow } from 'pawl/compat';

const handler = () => {
  process.stderr.write('begun\\n');
  return new Promise(() => undefined);
};

export default defineWorkflow({ name: 'endless', steps: [{ id: 'turn', handler, next: null }] });
`;

/** Writes a workflow into the project and trusts the project's folder. */
export function writeTrusted(rig: CliRig, path: string, source: string): string {
  mkdirSync(rig.state, { recursive: true });
  writeFileSync(join(rig.state, 'trust.json'), JSON.stringify({ folders: { [rig.project]: new Date(0).toISOString() }, files: {} }));
  return rig.write(path, source);
}

/** Starts an attended run of a workflow. */
export function beginAttended(
  rig: CliRig,
  source: string,
  { words = [], env = {} }: { readonly words?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Ended> {
  const name = /default defineWorkflow\(\{\s+name: '(\w+)'/.exec(source)?.[1] ?? '';
  writeTrusted(rig, `.pawl/workflows/${name}.ts`, source);
  return rig.run(['run', name, '--attended', '--id', RUN, ...words], { env });
}

/** The tokens that were printed, in their order, each once. */
export function tokensIn(text: string): string[] {
  return [...new Set([...text.matchAll(/pawl done \S+ --token=([\w-]+)/g)].map(([, token = '']) => token))];
}

/** The only token that was printed. */
export function tokenIn(text: string): string {
  const [token, ...more] = tokensIn(text);
  if (token === undefined || more.length > 0) throw new Error(`one token should be printed, not ${more.length + 1}:\n${text}`);
  return token;
}

/** What commands for agents print with --json. */
export interface AgentJson {
  readonly run: { readonly id: string; readonly status: string };
  readonly steps: readonly { readonly path: string; readonly attempt: number; readonly outcome: string | null }[];
  readonly openSteps: readonly {
    readonly path: string;
    readonly step: string;
    readonly attempt: number;
    readonly token: string;
    readonly prompt: string;
    readonly item?: string;
    readonly schema?: object;
  }[];
  readonly verdict?: { readonly accepted: boolean; readonly repeated: boolean; readonly message?: string };
}

/** Runs a line as it was printed, in a POSIX shell that finds `pawl`. */
export function asPrinted(rig: CliRig, line: string): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const bin = join(rig.folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'pawl'), `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dirname, 'start.js')}' "$@"\n`);
  chmodSync(join(bin, 'pawl'), 0o755);
  return spawnSync('sh', ['-c', line], {
    cwd: rig.project,
    env: rig.env({ PATH: `${bin}:${process.env.PATH}` }),
    encoding: 'utf8',
    timeout: 60_000,
  });
}
