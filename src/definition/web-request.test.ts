import { expect, test } from 'vitest';
import { parseTemplate } from '../expr/template.ts';
import { hasLiteralHost } from './web-request.ts';

test.each<[string, boolean]>([
  ['https://api.example.com/{{ a }}', true],
  ['https://api.example.com?x={{ a }}', true],
  ['https://api.example.com', true],
  ['https://api.example.com{{ a }}', false],
  ['https://api.example.com:{{ a }}/', false],
  ['https://{{ a }}.example.com/', false],
  ['https://user@{{ a }}/', false],
  ['https://a.example@b.example/{{ a }}', false],
  ['{{ a }}', false],
  ['{{ a }}/x', false],
])('the host of %s is written out: %s', (text, literal) => {
  expect(hasLiteralHost(parseTemplate(text))).toBe(literal);
});
