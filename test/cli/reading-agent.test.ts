// An agent that knows nothing but what Pawl prints: it reads the text of its step with a few rules of language, does
// what the text says in the folder that the text names, and runs the command that the text prints. It carries a run
// through two failed gates, a rejection, a person's word and a lost context. If the text lacked any of that, it would
// be stuck.

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { digestOf, tokenOf } from './decision-runs.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const WORKFLOW = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: notes, description: Write the release notes in NOTES.md. }
params: { product: { description: the product, default: Pawl } }
stages:
  - { id: write, type: agent, agent: writer, prompt: Write one line about the product into NOTES.md. }
  - id: changes
    type: gate
    conditions: [{ check: command, run: sh checks/changes.sh }]
    on_fail: { goto: write, max_iterations: 5 }
  - id: thanks
    type: gate
    conditions: [{ check: command, run: sh checks/thanks.sh }]
    on_fail: { goto: write, max_iterations: 5 }
  - id: review
    type: agent
    agent: reviewer
    prompt: Reject unless NOTES.md names the product and has an upgrade hint.
    on_reject: { goto: write, max_iterations: 3 }
  - id: approve
    type: human
    prompt: Publish?
    options: [{ label: publish, goto: complete }, { label: rework, goto: write, requires_input: true }]
`;

/** What the agent makes of a text; it returns the command that the text told it to run. */
function act(text: string): string {
  const folder = /Work in the folder (\S+)/.exec(text)?.[1] ?? '';
  const notes = join(folder, 'NOTES.md');
  const product = /Parameters: \{"product":"(\w+)"\}/.exec(text)?.[1] ?? '';
  const done = /^ {2}(pawl done .*)$/m.exec(text)?.[1] ?? '';
  if (text.includes('"verdict": "approve"')) {
    const content = readFileSync(notes, 'utf8');
    const missing = [product, 'Upgrade'].filter((word) => !content.includes(word));
    const result = missing.length === 0 ? { verdict: 'approve' } : { verdict: 'reject', feedback: `add the word: ${missing[0]}` };
    writeFileSync(join(folder, 'result.json'), JSON.stringify(result));
    return done;
  }
  // What is asked for in the evidence and by people is added; nothing else is.
  const wanted = [...text.matchAll(/(?:lacks|add) the word: (\w+)/gi)].map(([, word = '']) => word);
  appendFileSync(notes, `${[text.includes('one line about the product') ? product : '', ...wanted].join(' ')}\n`);
  return done;
}

async function perform(command: string): Promise<string> {
  const [, ...words] = command.split(' ');
  return (await rig.run(words)).stdout;
}

test('an agent that reads only what Pawl says gets through two failed gates, a rejection, a rework and a lost context', async () => {
  rig.write('.pawl/workflows/notes.yaml', WORKFLOW);
  for (const word of ['Changes', 'Thanks'])
    rig.write(`checks/${word.toLowerCase()}.sh`, `grep -q ${word} NOTES.md || { echo "NOTES.md lacks the word: ${word}" >&2; exit 1; }\n`);
  await rig.run(['trust', '--folder', '--yes']);
  let text = (await rig.run(['run', 'notes', '--attended'])).stdout;
  const visits: string[] = [];
  const work = async (): Promise<void> => {
    for (let turn = 0; turn < 12 && /^ {2}pawl done /m.test(text); turn += 1) {
      visits.push(/^Step \d of 5, "(\w+)"/m.exec(text)?.[1] ?? '?');
      const command = act(text);
      // After each step its context is gone: all it knows is that there is Pawl.
      await perform(command);
      text = (await rig.run(['next'])).stdout;
    }
  };
  await work();
  // One word a gate, then the hint that the reviewer missed: each went to the writer, with the evidence.
  expect(visits).toEqual(['write', 'write', 'write', 'review', 'write', 'review']);
  expect(text).toContain('Publish?');
  const [run] = (await rig.json<{ runs: { id: string }[] }>(['runs'])).runs;
  const id = run?.id ?? '';
  const digest = await digestOf(rig);
  const PAWL_TOKEN = await tokenOf(rig, 'ann');
  const words = ['decide', id, '--option', 'rework', '--input', 'Please add the word: Soon', '--digest', digest];
  expect((await rig.run(words, { env: { PAWL_TOKEN } })).code).toBe(3);
  text = (await rig.run(['next'])).stdout;
  await work();
  expect(visits.slice(6)).toEqual(['write', 'review']);
  expect(readFileSync(join(rig.project, 'NOTES.md'), 'utf8')).toContain('Soon');
});
