import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { traitsIn } from '../../../../../test/gate-rig.ts';
import { describeCheck } from '../../../../proof/check-suite.ts';
import { webhookCheck } from './check.ts';

const server = createServer(({ url }, response) => response.writeHead(url === '/yes' ? 200 : 409).end());
await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
afterAll(() => new Promise((done) => server.close(done)));
const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
const asking = (path: string, allow = [host]) => ({ config: { url: `http://${host}${path}` }, services: { webhooks: { allow } } });

describeCheck(webhookCheck, { passes: asking('/yes'), fails: asking('/no'), cannotDecide: asking('/yes', []) });

test('webhook declares its traits', () => {
  expect(traitsIn(webhookCheck)).toEqual({ readsFiles: false });
});
