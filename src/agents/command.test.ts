import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { standInHarness } from '../../test/programs/stand-in-harness.ts';
import { removeFolder } from '../process/remove-folder.ts';
import { createAgentRequest, describeDriver } from '../proof/driver-suite.ts';
import { createCommandDriver } from './command.ts';
import type { AgentEvent, AgentRequest } from './driver.ts';

describeDriver(
  'command',
  standInHarness('command', ['repair', 'program'], ({ argv, env }) => createCommandDriver({ argv, env })),
);

describe('driver `command`', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'pawl-command-'));
  afterAll(() => removeFolder(cwd));
  const ask = (script: string, fields: Partial<AgentRequest> = {}) =>
    createCommandDriver({ argv: ['sh', '-c', script] }).ask(createAgentRequest({ cwd, ...fields }));

  test('a command can read its run, step and attempt from the environment', async () => {
    const script = `printf '{"success": true, "output": ["%s", "%s", "%s", "%s"]}' "$PAWL_RUN" "$PAWL_STEP" "$PAWL_ATTEMPT" "$PAWL_KEY"`;
    expect(await ask(script, { attempt: 2 })).toMatchObject({ output: ['run1', 'work', '2', 'run1/work#1/1'] });
  });

  test("a command gets instructions on how to answer, with the output's schema", async () => {
    const script = `grep -q 'end your answer with one JSON object' && echo '{"success": true}' || exit 1`;
    expect(await ask(script)).toMatchObject({ kind: 'answered' });
    expect(await ask(`grep -q '"maximum":7' && echo '{"success": true}' || exit 1`, { schema: { maximum: 7 } })).toMatchObject({
      kind: 'answered',
    });
  });

  test('a command can ask the person it works for', async () => {
    const question = { question: 'Which?', options: [{ label: 'a' }, { label: 'b' }] };
    const script = `echo '<needs_user_input>'; echo '${JSON.stringify([question])}'; echo '</needs_user_input>'`;
    expect(await ask(script)).toEqual({ kind: 'asks', questions: [question] });
  });

  test('a command receives its previous answer when it must correct it', async () => {
    const script = `grep -q 'first try' && echo '{"success": true, "output": 2}' || echo 'first try'`;
    expect(await ask(script, { schema: { type: 'integer' } })).toMatchObject({ kind: 'answered', output: 2 });
  });

  test('a command may reply with plain text if no schema requires JSON', async () => {
    const text = 'The parser is in src/parse.ts.\n{ it has braces } and ends here.';
    const script = `printf '%s\\n' '${text}'`;
    expect(await ask(script)).toMatchObject({ kind: 'answered', success: true, output: text });
    expect(await ask(script, { schema: { type: 'string' } })).toMatchObject({ kind: 'answered', output: text });
    expect(await ask(script, { schema: { type: 'object' } })).toMatchObject({ kind: 'failed', failure: 'invalid-output' });
  });

  test.each([
    ['nothing', ''],
    ['a truncated object', 'Here it is:\n{"success": tr'],
    ['two replies', '{"success": true}\n{"success": false}'],
    ['a reply with text after it', '{"success": false}\nDone.'],
    ['an object that is not a reply', '{"ok": true}'],
  ])('a command does not reply with plain text when it prints %s', async (_what, text) => {
    expect(await ask(`cat > /dev/null; printf '%s' '${text}'`)).toMatchObject({ kind: 'failed', failure: 'invalid-output' });
  });

  test('a command that replies with plain text must pass the check of its step', async () => {
    const check = () => 'a review needs "verdict": "approve" or "verdict": "reject"';
    expect(await ask('echo "Looks good to me."', { check })).toMatchObject({
      kind: 'failed',
      failure: 'invalid-output',
      message: expect.stringContaining('a review needs'),
    });
  });

  test('a command is parsed quickly, whatever the layout of a large output', async () => {
    const began = performance.now();
    expect(await ask(`echo '{'; yes '}' | head -n 300000`, { schema: { type: 'object' } })).toMatchObject({
      kind: 'failed',
      failure: 'invalid-output',
    });
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  test('a command that ends with an error is a crash with its last output', async () => {
    const answer = await ask('echo "no such model" >&2; exit 7');
    expect(answer).toMatchObject({ failure: 'crash', message: expect.stringMatching(/exit code 7.*no such model/) });
  });

  test('a command that crashes is quoted with its last five lines, without control characters; the transcript has all', async () => {
    const events: AgentEvent[] = [];
    const script = `i=0; while [ $i -lt 300 ]; do printf '\\033[31mat frame %s\\033[0m\\r\\n' $i >&2; i=$((i+1)); done; exit 1`;
    const answer = await ask(script, { onEvent: (event) => events.push(event) });
    expect(answer.kind === 'failed' && answer.message).toMatch(
      /printed: at frame 295\nat frame 296\nat frame 297\nat frame 298\nat frame 299$/,
    );
    expect(events).toContainEqual({ kind: 'notice', text: expect.stringContaining('at frame 7') });
  });

  test('a command that throws is quoted with its error, which is above the stack', async () => {
    const answer = await ask(`node -e 'function f(n) { if (n === 0) throw new TypeError("no model named x"); f(n - 1) } f(20)'`);
    expect(answer).toMatchObject({ failure: 'crash', message: expect.stringMatching(/printed: TypeError: no model named x\n…\nat /) });
  });

  test('a command that closes its output early and does not end is silent', async () => {
    const answer = await ask('exec >&-; exec sleep 100', { watchdogs: { idleMs: 50 } });
    expect(answer).toMatchObject({ failure: 'timeout', message: expect.stringContaining('silent') });
  });

  test('a command shares the time limit of one attempt between both rounds', async () => {
    const script = `sleep 0.6; grep -q 'first try' && echo '{"success": true}' || echo 'first try'`;
    expect(await ask(script, { timeoutMs: 1000, schema: { type: 'object' } })).toMatchObject({ failure: 'timeout' });
  });

  test('a command that prints without end is ended by the time limit', async () => {
    expect(await ask('yes', { timeoutMs: 500 })).toMatchObject({ failure: 'timeout' });
  });
});
