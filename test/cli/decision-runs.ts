// Owns runs that wait for a person, started by the command line from a workflow file of the rig's project.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliRig, Terminal } from './rig.ts';

/** A draft, a question about it with three answers, and a command behind it that leaves a mark. */
export const REVIEW = `
import { arg } from 'pawl';
import { defineWorkflow } from 'pawl/compat';

export default defineWorkflow({
  name: 'review',
  params: { text: arg({ default: 'hello' }) },
  steps: [
    { id: 'draft', handler: (ctx) => ({ text: ctx.workflowParams.text, round: (ctx.checkpoint.iterationCounts.draft ?? 0) + 0 }), next: 'ask' },
    {
      id: 'ask',
      human: {
        prompt: 'Publish?',
        context: ['text', 'round'],
        options: [
          { label: 'yes', nextStep: 'publish' },
          { label: 'no', nextStep: null },
          { label: 'rework', nextStep: 'draft', requiresInput: true },
        ],
      },
    },
    { id: 'publish', command: 'echo published >> marks', next: null },
  ],
});
`;

/** The id of the run that tests start. */
export const RUN = 'aaaaaaaaaaaaaaa1';

/** What `pawl inbox --json` prints. */
export interface InboxJson {
  readonly approvals: readonly {
    readonly run: string;
    readonly approval: string;
    readonly digest: string;
    readonly shown: Record<string, unknown>;
  }[];
  readonly stuck: readonly { readonly run: string; readonly kind: string; readonly command: string }[];
}

/** Writes a workflow into the project and trusts the project's folder. */
export function writeWorkflow(rig: CliRig, source: string = REVIEW, name = 'review'): string {
  mkdirSync(rig.state, { recursive: true });
  writeFileSync(join(rig.state, 'trust.json'), JSON.stringify({ folders: { [rig.project]: new Date(0).toISOString() }, files: {} }));
  return rig.write(`.pawl/workflows/${name}.ts`, source);
}

/** Starts a run that comes to its approval and is left there. */
export async function parkRun(rig: CliRig, words: readonly string[] = []): Promise<void> {
  writeWorkflow(rig);
  const { code, stderr } = await rig.run(['run', 'review', '--id', RUN, ...words]);
  if (code !== 3) throw new Error(`the run should wait (exit 3), but: ${code} ${stderr}`);
}

/** The digest that an approval shows now. */
export async function digestOf(rig: CliRig): Promise<string> {
  const { approvals } = await rig.json<InboxJson>(['inbox']);
  return approvals[0]?.digest ?? '';
}

/** Creates a token at a terminal and gives its secret. */
export async function tokenOf(rig: CliRig, name: string, words: readonly string[] = []): Promise<string> {
  const terminal: Terminal = rig.terminal(['token', 'create', name, ...words]);
  await terminal.ended;
  return /pawl_[\w-]{20,}/.exec(terminal.text())?.[0] ?? '';
}
