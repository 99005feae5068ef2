import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuTimeMs } from '../../test/cpu-time.ts';
import { disarm } from './outgoing-text.ts';

const GAP = '\u200B';

describe('mentions', () => {
  test.each([
    ['@everyone', `@${GAP}everyone`],
    ['thanks @ann, @org/team!', `thanks @${GAP}ann, @${GAP}org/team!`],
    ['_@ann_ (@bob)', `_@${GAP}ann_ (@${GAP}bob)`],
    ['é@ann', `é@${GAP}ann`],
    ['@@ann', `@${GAP}@${GAP}ann`],
    ['```\n@ann\n```', `\`\`\`\n@${GAP}ann\n\`\`\``],
    ['&#64;ann', `&${GAP}#64;ann`],
    ['&commat;ann', `&${GAP}commat;ann`],
    ['@&#101;veryone', `@${GAP}&${GAP}#101;veryone`],
  ])('O1, O3: %j mentions no one', (text, expected) => {
    expect(disarm(text)).toBe(expected);
  });

  test.each(['mail ann@example.org', 'at @ noon', 'x @', 'a &lt; b &amp; c'])('O4: %j is not changed', (text) => {
    expect(disarm(text)).toBe(text);
  });

  test('O4: a declared person is mentioned, and no one else whose name starts the same', () => {
    expect(disarm('@ann @anna @org/team', { mentions: ['ann', 'org/team'] })).toBe(`@ann @${GAP}anna @org/team`);
  });
});

describe('closing keywords', () => {
  test.each([
    'Closes #1',
    'fixes: #12',
    'RESOLVED   #3',
    'close octo/repo#4',
    'Fix https://github.com/octo/repo/issues/5',
    'resolves GH-6',
    'Closing #7',
    'fixes **#8**',
    'fixes\n#9',
    'Closes <!-- --> #10',
    '(closes #11)',
    `closes${' '.repeat(200)}#12`,
    `fixes ${'-.'.repeat(100)}\n\n#13`,
  ])('O2: %j closes nothing', (text) => {
    const safe = disarm(text);
    expect(safe).not.toMatch(/(clos|fix|resolv)\w*[^\w#]*(#|GH-|https|octo)/i);
    expect(safe.replaceAll(GAP, '')).toBe(text);
  });

  test('O3: a keyword spelled with character references closes nothing', () => {
    expect(disarm('Clos&#101;s #12')).toBe(`Clos&${GAP}#101;s #12`);
    expect(disarm('Closes &#35;13, closes&nbsp;#1')).toBe(`C${GAP}loses &${GAP}#35;13, closes&${GAP}nbsp;#1`);
  });

  test('O2: the reference stays a link', () => {
    expect(disarm('Closes #1')).toBe(`C${GAP}loses #1`);
  });

  test.each(['see #1', 'the fix is in the prefixes #1', 'closes the door', 'enclosed #1', 'Fixed in 12 files'])(
    'O4: %j is not changed',
    (text) => {
      expect(disarm(text)).toBe(text);
    },
  );

  test('O4: a declared issue is closed, in this repository only', () => {
    const text = 'Closes #1, closes #12, closes octo/repo#1';
    expect(disarm(text, { closes: [1] })).toBe(`Closes #1, c${GAP}loses #12, c${GAP}loses octo/repo#1`);
  });
});

describe('any text', () => {
  const alphabet = fc.constantFrom('@', '#', '1', 'ann', 'Closes', ' ', '\n', '&', '&#64;', 'fix', '*', GAP, 'é', '/', 'x');
  const texts = fc.array(alphabet, { maxLength: 30 }).map((parts) => parts.join(''));

  test('O4: a reader sees the same text, and disarming it again changes nothing', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const safe = disarm(text);
        expect(safe.replaceAll(GAP, '')).toBe(text.replaceAll(GAP, ''));
        expect(disarm(safe)).toBe(safe);
        expect(safe).not.toMatch(/(?<![A-Za-z0-9])@[A-Za-z0-9]|\b(closes|fix)[\s*]*#\d/i);
      }),
    );
  });

  test('long text that almost matches is processed quickly', () => {
    const started = cpuTimeMs();
    for (const part of ['@', 'closes ', 'closes https://', '&#', 'fix******']) disarm(part.repeat(10_000));
    expect(cpuTimeMs() - started).toBeLessThan(1000);
  });
});
