// A stand-in for Claude Code: the same stream as the real program prints, for behaviour that the real one cannot be made to show.

import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { behaviour, hang, note, recall, remember, wordsFor } from './stand-in.ts';

interface Said {
  readonly type: string;
  readonly message?: { readonly content: string };
  readonly response?: { readonly response?: { readonly behavior?: string } };
}

const print = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`);
const flag = process.argv.indexOf('--resume');
const resumed = flag === -1 ? undefined : process.argv[flag + 1];
const prompts = resumed === undefined ? [] : recall(resumed);
const session = resumed ?? randomUUID();
let asked = 0;

note(process.pid);
if (prompts === undefined) {
  print({ type: 'result', subtype: 'error_during_execution', is_error: true, num_turns: 0, errors: ['No conversation found'] });
  process.exit(1);
}
process.stdout.write('A new version is available!\n');
print({ type: 'an_event_of_tomorrow', data: [1] });
for await (const line of createInterface({ input: process.stdin })) await hear(JSON.parse(line) as Said, prompts);

async function hear(said: Said, before: readonly string[]): Promise<void> {
  if (said.type === 'control_response') {
    const allowed = said.response?.response?.behavior === 'allow';
    return finish(`{"success": true, "output": {"allowed": ${allowed}}}`);
  }
  print({ type: 'system', subtype: 'init', session_id: session });
  const prompt = said.message?.content ?? '';
  const all = [...before, prompt];
  remember(session, all);
  if (behaviour.agent === 'fetches') return askToFetch();
  const words = await wordsFor(prompt, all);
  print({ type: 'assistant', message: { id: 'm1', content: [{ type: 'text', text: words }] } });
  finish(words);
  if (behaviour.agent === 'lingers') await hang();
}

function askToFetch(): void {
  asked += 1;
  const input = { url: 'https://example.com', prompt: 'look' };
  print({ type: 'assistant', message: { id: 'm0', content: [{ type: 'tool_use', id: `t${asked}`, name: 'WebFetch', input }] } });
  const request = { subtype: 'can_use_tool', tool_name: 'WebFetch', input, tool_use_id: `t${asked}` };
  print({ type: 'control_request', request_id: `r${asked}`, request });
}

function finish(result: string): void {
  print({ type: 'result', subtype: 'success', is_error: false, result, session_id: session, permission_denials: [] });
}
