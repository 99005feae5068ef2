import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../test/temp-folder.ts';
import { describeNotifier, type NotifierHarness, type ReceiverBehaviour } from '../proof/notifier-suite.ts';
import { cleanLine, cleanText } from './clean-text.ts';
import { createCommandNotifier } from './command.ts';
import { createWebhookNotifier, type NoticeShape } from './webhook.ts';

const STATUS: Readonly<Record<string, number>> = { accepts: 204, busy: 503, rejects: 404 };

const webhook =
  (shape: NoticeShape) =>
  async (behaviour: ReceiverBehaviour): Promise<NotifierHarness> => {
    const received: string[] = [];
    const server = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      // The text as the receiver shows it.
      received.push(text.replaceAll('\\"', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&'));
      if (behaviour !== 'silent') response.writeHead(STATUS[behaviour] ?? 200).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    if (behaviour === 'unavailable') server.close();
    return {
      notifier: createWebhookNotifier({ url: async () => `http://${host}/hook`, shape, allow: [host], now: Date.now }),
      received: () => received,
      close: () => {
        server.closeAllConnections();
        server.close();
      },
    };
  };

for (const shape of ['json', 'slack', 'teams', 'discord'] as const) describeNotifier(`webhook ${shape}`, webhook(shape));

const PROGRAM = `
const { appendFileSync, readFileSync } = require('node:fs');
appendFileSync(process.argv[2], readFileSync(0, 'utf8').replaceAll('\\\\"', '"'));
if (process.argv[3] === 'busy') process.exit(75);
if (process.argv[3] === 'silent') setInterval(() => undefined, 1000);
`;

describeNotifier(
  'command',
  async (behaviour) => {
    const folder = tempFolder();
    const [program, log] = [join(folder, 'program.cjs'), join(folder, 'log')];
    writeFileSync(program, PROGRAM);
    const argv = behaviour === 'unavailable' ? [join(folder, 'nothing')] : [process.execPath, program, log, behaviour];
    return {
      notifier: createCommandNotifier(argv),
      received: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').filter(Boolean) : []),
      close: () => undefined,
    };
  },
  ['accepts', 'unavailable', 'busy', 'silent'],
);

describe('text', () => {
  test('the text of a notice has no control, invisible or reordering characters, and no mentions', () => {
    const text = '\u001B[31mred\u001B[0m \u202Eabc\u202C @everyone ann@x.org\u200B\r\nnext\u0007\n\n\n\nlast';
    expect(cleanText(text, 100)).toBe('red abc ＠everyone ann＠x.org\nnext\n\nlast');
    expect(cleanLine('a\n  b', 100)).toBe('a b');
    expect(cleanText('x'.repeat(20), 10)).toHaveLength(10);
  });

  test('the text of a notice cannot become a mention of Slack or Discord', async () => {
    const { notifier, received, close } = await webhook('slack')('accepts');
    const base = { id: 'n', event: 'waiting', run: 'r', workflow: 'w', command: 'c', at: '' };
    await notifier.send({ ...base, title: '<!channel>', text: '<@U123>' }, new AbortController().signal);
    // The receiver of these tests shows the escaped text.
    expect(received()[0]).toBe('{"text":"*<!channel&gt;*\\n<@U123&gt;\\n`c`"}');
    await close();
    const discord = await webhook('discord')('accepts');
    await discord.notifier.send({ ...base, title: 't', text: 'x' }, new AbortController().signal);
    expect(JSON.parse(discord.received()[0] as string)).toMatchObject({ allowed_mentions: { parse: [] } });
    await discord.close();
  });

  test.each([
    ['slack', { text: '*release waits*\nShip it?\n<https://pawl.example/r|Open>' }],
    ['discord', { content: 'release waits\nShip it?\nhttps://pawl.example/r', allowed_mentions: { parse: [] } }],
    [
      'teams',
      {
        type: 'message',
        attachments: [
          {
            contentType: 'application/vnd.microsoft.card.adaptive',
            content: {
              $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
              type: 'AdaptiveCard',
              version: '1.4',
              body: [
                { type: 'TextBlock', text: 'release waits', wrap: true, weight: 'Bolder' },
                { type: 'TextBlock', text: 'Ship it?', wrap: true },
              ],
              actions: [{ type: 'Action.OpenUrl', title: 'Open', url: 'https://pawl.example/r' }],
            },
          },
        ],
      },
    ],
  ] as const)('has the format of %s, with a link to the decision', async (shape, body) => {
    const { notifier, received, close } = await webhook(shape)('accepts');
    const notice = { id: 'n', event: 'waiting', run: 'r', workflow: 'w', command: 'c', at: '', title: 'release waits', text: 'Ship it?' };
    await notifier.send({ ...notice, link: 'https://pawl.example/r' }, new AbortController().signal);
    expect(JSON.parse(received()[0] as string)).toEqual(body);
    await close();
  });

  test('a host that is not public is rejected unless it is allowed', async () => {
    const notifier = createWebhookNotifier({ url: async () => 'http://127.0.0.1:9/x', now: Date.now });
    const base = { id: 'n', event: 'waiting', run: 'r', workflow: 'w', command: 'c', at: '', title: '', text: '' };
    expect(await notifier.send(base, new AbortController().signal)).toMatchObject({ kind: 'failed', isFinal: true });
  });
});
