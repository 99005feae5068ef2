import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { tempFolder } from '../../test/temp-folder.ts';
import { PageFiles } from './pages.ts';

const TEXT = '<p>Runs</p>'.repeat(1000);

function files(): PageFiles {
  const folder = tempFolder();
  writeFileSync(join(folder, 'index.html'), TEXT);
  writeFileSync(join(folder, 'picture.png'), TEXT);
  return new PageFiles(folder);
}

test('a file is compressed only for a browser that accepts it', async () => {
  const pages = files();
  const small = await pages.response('/index.html', 'gzip, deflate, br');
  expect(small?.headers.get('content-encoding')).toBe('gzip');
  expect(small?.headers.get('vary')).toBe('accept-encoding');
  const body = Buffer.from((await small?.arrayBuffer()) ?? new ArrayBuffer());
  expect(body.length).toBeLessThan(TEXT.length / 10);
  expect(gunzipSync(body).toString()).toBe(TEXT);
  for (const accepted of [undefined, 'br', 'gzip;q=0', 'gzip; q=0.0, br']) {
    const plain = await pages.response('/index.html', accepted);
    expect(plain?.headers.get('content-encoding')).toBeNull();
    expect(await plain?.text()).toBe(TEXT);
  }
  expect((await pages.response('/index.html', 'gzip;q=0.5'))?.headers.get('content-encoding')).toBe('gzip');
});

test('a file that is compressed already is sent unchanged, and a missing file is undefined', async () => {
  const pages = files();
  expect((await pages.response('/picture.png', 'gzip'))?.headers.get('content-encoding')).toBeNull();
  expect(await pages.response('/../index.html', 'gzip')).toBeUndefined();
});
