import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { drawScreen, readScreen } from '../../scripts/terminal-picture.js';
import { styled } from '../../src/cli/terminal.ts';

const LOOK = { isTerminal: true, hasColor: true, hasUnicode: true, columns: 80 };
const STYLE_NAMES = ['bold', 'dim', 'red', 'green', 'yellow', 'blue', 'cyan'] as const;

function textOf(sent: string): string[] {
  return readScreen(sent).map((line) => line.map(({ text }) => text).join(''));
}

test('every style of the command line is drawn in the picture from its start to its end', () => {
  const looks = STYLE_NAMES.map((name) => {
    const [line = []] = readScreen(`${styled(LOOK, name, 'a')}b`);
    expect(line[1]?.style).toEqual({ bold: false, dim: false, color: undefined });
    return JSON.stringify(line[0]?.style);
  });
  expect(new Set(looks).size).toBe(STYLE_NAMES.length);
});

test('overwritten or erased text is not in the picture', () => {
  expect(textOf('one\r\ntwo\u001b[2K\rnew\r\n\u001b[1Athree\u001b[0J')).toEqual(['one', 'three']);
  expect(textOf('abcdef\u001b[3GX\u001b[K')).toEqual(['abX']);
});

test('an unknown control sequence is an error, not a wrong picture', () => {
  expect(() => readScreen('\u001b[5L')).toThrow('the picture cannot follow ESC[5L');
  expect(() => readScreen('\u001b[95m')).toThrow('the picture has no style for ESC[95m');
});

test('markup in the text is text in the picture', () => {
  expect(drawScreen(readScreen('a < b & <script>'), 80)).toContain('>a &lt; b &amp; &lt;script&gt;</text>');
});

const IMAGES = new URL('../../docs/images/', import.meta.url);

test.each(readdirSync(IMAGES))('%s is small and names no folder of the machine that drew it', (name) => {
  const picture = readFileSync(new URL(name, IMAGES), 'utf8');
  expect(picture.length).toBeLessThan(name.endsWith('.png') ? 120_000 : 40_000);
  expect(picture).not.toMatch(/pawl-demo-|pawl-pictures-|\/tmp\//);
});

test('a line that is longer than the terminal is wrapped in the picture as well', () => {
  expect(readScreen('abcdef', 4).map((line) => line.map(({ text }) => text).join(''))).toEqual(['abcd', 'ef']);
});
