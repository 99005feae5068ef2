// Transcripts: what an agent said and did in one attempt, in a plain file beside the database.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentDriver, AgentEvent } from '../../src/agents/driver.ts';
import { readTranscript, removeTranscripts, transcriptsOf } from '../../src/engine/transcript/transcripts.ts';
import { defineWorkflow } from './library.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const one = defineWorkflow({ name: 'one', steps: [{ id: 'work', agent: 'worker', prompt: 'Work.', next: null }] });

/** Runs a step whose agent does this; gives the lines of its transcript, without their times. */
async function transcribed(events: readonly AgentEvent[], secrets: Record<string, string> = {}) {
  const driver: AgentDriver = {
    name: 'talking',
    ask: async ({ onEvent }) => {
      for (const event of events) onEvent?.(event);
      return { kind: 'answered', success: true, output: null };
    },
  };
  const engine = await rig.open({ roles: { worker: { driver: 'talking' } }, drivers: { talking: driver }, secrets });
  const run = await engine.start(one);
  await run.wait();
  const lines = readTranscript(transcriptsOf(rig.db), { run: run.id, path: 'work#1', attempt: 1 });
  return { run: run.id, lines: lines?.map(({ at: _, ...line }) => line) };
}

const said = (text: string): AgentEvent => ({ kind: 'text', text });

describe('a transcript', () => {
  test('a transcript has the agent’s messages, actions and denied requests, in order', async () => {
    const events: AgentEvent[] = [
      said('I look.'),
      { kind: 'tool', id: '1', name: 'Bash', input: { command: 'ls' } },
      { kind: 'tool-result', id: '1', ok: true, text: 'a.txt' },
      { kind: 'refused', tool: 'Web', action: 'fetch', why: 'not allowed' },
      { kind: 'thought', text: 'Hm.' },
    ];
    expect((await transcribed(events)).lines).toEqual(events);
  });

  test('a transcript is one file per attempt, for its user only', async () => {
    const { run } = await transcribed([said('x')]);
    const folder = join(transcriptsOf(rig.db), run);
    expect(readdirSync(folder)).toEqual(['work%231.1.jsonl']);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'work%231.1.jsonl')).mode & 0o777).toBe(0o600);
  });

  test('a transcript has no secret in it, not even one that came in two pieces', async () => {
    const { run, lines } = await transcribed(
      [said('the key is hush-'), said('hush-1 and\nthat is it'), { kind: 'tool', id: '1', name: 'Bash', input: ['hush-hush-1'] }],
      { KEY: 'hush-hush-1' },
    );
    expect(lines).toEqual([
      said('the key is [redacted:KEY] and\n'),
      said('that is it'),
      { kind: 'tool', id: '1', name: 'Bash', input: ['[redacted:KEY]'] },
    ]);
    const raw = readFileSync(join(transcriptsOf(rig.db), run, 'work%231.1.jsonl'), 'utf8');
    expect(raw).not.toContain('hush-hush-1');
  });

  test('a transcript is bounded, and says where it was cut', async () => {
    const long = 'x'.repeat(100_000);
    const { lines, run } = await transcribed(
      Array.from({ length: 200 }, (_, id) => ({ kind: 'tool-result', id: String(id), ok: true, text: long })),
    );
    expect(lines?.[0]).toMatchObject({ text: expect.stringMatching(/^x{65536}… \(34464 more characters were cut\)$/) });
    expect(lines?.at(-1)).toEqual({ kind: 'notice', text: 'the transcript was cut here: it has reached 8 MiB' });
    expect(statSync(join(transcriptsOf(rig.db), run, 'work%231.1.jsonl')).size).toBeLessThan(8.1 * 1024 * 1024);
  });

  test('a transcript cannot leave its folder, whatever the name of a run or path, and is removed with its run', async () => {
    const { run } = await transcribed([said('x')]);
    const folder = transcriptsOf(rig.db);
    removeTranscripts(folder, ['..', '../..', '.']);
    expect(existsSync(rig.db)).toBe(true);
    expect(existsSync(join(folder, run))).toBe(true);
    removeTranscripts(folder, [run]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a transcript that cannot be written blocks nothing', async () => {
    const blocked = await rig.open({});
    await blocked.close();
    const { writeFileSync } = await import('node:fs');
    writeFileSync(transcriptsOf(rig.db), 'in the way');
    expect((await transcribed([said('x')])).lines).toBeUndefined();
    expect(rig.warnings).toHaveLength(1);
  });
});

test('the output of a command is kept as it comes, without secrets, also those it printed in two pieces', async () => {
  const line = 'printf "token hunter2"; printf "hunter2\\n"; echo done >&2';
  const engine = await rig.open({ secrets: { TOKEN: 'hunter2hunter2' } });
  const run = await engine.start(defineWorkflow({ name: 'prints', steps: [{ id: 'work', command: line, next: null }] }));
  await run.wait();
  const lines = readTranscript(transcriptsOf(rig.db), { run: run.id, path: 'work#1', attempt: 1 }) ?? [];
  expect(lines.every(({ kind }) => kind === 'output')).toBe(true);
  const text = lines.map((one) => ('text' in one ? one.text : '')).join('');
  expect(text).toContain('token [redacted:TOKEN]\n');
  expect(text).toContain('done\n');
  expect(text).not.toContain('hunter2');
});

test.each(['pipe', 'link'])(
  'a %s that an agent put in place of what is written next neither holds up the run nor is written through',
  async (what) => {
    const victim = join(rig.directory, 'victim');
    writeFileSync(victim, 'mine');
    const put = (file: string): unknown => (what === 'pipe' ? execFileSync('/usr/bin/env', ['mkfifo', file]) : symlinkSync(victim, file));
    const two = defineWorkflow({
      name: 'two',
      steps: [
        { id: 'first', agent: 'worker', prompt: 'Work.', next: 'second' },
        { id: 'second', agent: 'worker', prompt: 'Work.', context: () => ({ text: 'long '.repeat(2000) }), next: null },
      ],
    });
    const driver: AgentDriver = {
      name: 'planting',
      ask: async ({ onEvent, runId, step }) => {
        onEvent?.(said('I write.'));
        const folder = join(transcriptsOf(rig.db), runId);
        if (step === 'first') for (const name of ['jsonl', 'context.txt']) put(join(folder, `second%231.1.${name}`));
        return { kind: 'answered', success: true, output: null };
      },
    };
    const engine = await rig.open({ roles: { worker: { driver: 'planting' } }, drivers: { planting: driver } });
    const run = await engine.start(two);
    expect((await run.wait()).status).toBe('completed');
    expect(readFileSync(victim, 'utf8')).toBe('mine');
    if (what === 'pipe') expect(readTranscript(transcriptsOf(rig.db), { run: run.id, path: 'second#1', attempt: 1 })).toBeUndefined();
  },
);
