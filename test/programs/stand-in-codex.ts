// A stand-in for Codex: the same events as the real program prints, for behaviour that the real one cannot be made to show.

import { randomUUID } from 'node:crypto';
import { behaviour, hang, note, readInput, recall, remember, wordsFor } from './stand-in.ts';

const print = (event: object): void => void process.stdout.write(`${JSON.stringify(event)}\n`);
const flag = process.argv.indexOf('resume');
const resumed = flag === -1 ? undefined : process.argv[flag + 1];
const prompts = resumed === undefined ? [] : recall(resumed);
const thread = resumed ?? randomUUID();

note(process.pid);
if (prompts === undefined) {
  process.stderr.write('Error: thread/resume failed: no rollout found\n');
  process.exit(1);
}
const prompt = await readInput();
remember(thread, [...prompts, prompt]);
process.stdout.write('A new version is available!\n');
print({ type: 'thread.started', thread_id: thread });
print({ type: 'an.event.of.tomorrow', data: [1] });
print({ type: 'turn.started' });
const words = behaviour.agent === 'fetches' ? fetched() : await wordsFor(prompt, [...prompts, prompt]);
print({ type: 'item.completed', item: { id: 'item_1', type: 'agent_message', text: words } });
print({ type: 'turn.completed' });
if (behaviour.agent === 'lingers') await hang();

function fetched(): string {
  const allowed = process.argv.includes('web_search="live"');
  const status = allowed ? 'completed' : 'declined';
  print({ type: 'item.completed', item: { id: 'item_0', type: 'web_search', query: 'pawl', status } });
  return JSON.stringify({ success: true, output: { allowed } });
}
