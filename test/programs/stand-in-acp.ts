// Owns the stand-in of agents that speak the Agent Client Protocol, through the protocol's own library: it behaves as
// the driver suite asks. Run as a program.

import { randomUUID } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { type AgentContext, agent, ndJsonStream, type PromptRequest, type PromptResponse, RequestError } from '@agentclientprotocol/sdk';
import { behaviour, note, recall, remember, wordsFor } from './stand-in.ts';

note(process.pid);
if (behaviour.agent === 'lingers') setInterval(() => {}, 1000);

agent({ name: 'stand-in' })
  .onRequest('initialize', () => ({ protocolVersion: 1, agentCapabilities: { loadSession: true } }))
  .onRequest('session/new', () => {
    const sessionId = randomUUID();
    remember(sessionId, []);
    return { sessionId };
  })
  .onRequest('session/load', async ({ params: { sessionId }, client }) => {
    const prompts = recall(sessionId);
    if (prompts === undefined) throw RequestError.sessionNotFound(sessionId);
    await say(client, sessionId, `{"success": true, "output": ${JSON.stringify(prompts)}}`);
    return {};
  })
  .onRequest('session/prompt', ({ params, client }) => takeTurn(params, client))
  .connect(
    ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as unknown as ReadableStream<Uint8Array>,
    ),
  );

async function takeTurn({ sessionId, prompt }: PromptRequest, client: AgentContext): Promise<PromptResponse> {
  const text = prompt.map((block) => (block.type === 'text' ? block.text : '')).join('\n\n');
  const prompts = [...(recall(sessionId) ?? []), text];
  remember(sessionId, prompts);
  const words = behaviour.agent === 'fetches' ? await fetchWords(client, sessionId) : await wordsFor(text, prompts);
  await say(client, sessionId, words);
  return { stopReason: 'end_turn' };
}

async function fetchWords(client: AgentContext, sessionId: string): Promise<string> {
  const { outcome } = await client.request('session/request_permission', {
    sessionId,
    toolCall: { toolCallId: 'fetch-1', title: 'https://example.com', kind: 'fetch', status: 'pending' },
    options: [
      { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
      { optionId: 'no', name: 'Reject', kind: 'reject_once' },
    ],
  });
  const allowed = outcome.outcome === 'selected' && outcome.optionId === 'yes';
  return JSON.stringify({ success: true, output: { allowed } });
}

// In pieces, as real agents speak.
async function say(client: AgentContext, sessionId: string, text: string): Promise<void> {
  for (const piece of [text.slice(0, 7), text.slice(7)]) {
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: piece } } as const;
    await client.notify('session/update', { sessionId, update });
  }
}
