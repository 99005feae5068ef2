import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AcceptedDocument, type ContractScene, contractFaults, documentDigest } from './contract-faults.ts';
import { contractProblems } from './contract-problems.ts';
import { isPlaceholder, placeholderFaults } from './placeholder.ts';
import { commandLine, type DocumentContract, filledContract, namesIn } from './step-contract.ts';
import { itemsIn, quotationsIn, sectionsOf } from './written-text.ts';

const SOURCE = 'export function parse(text) {\n  return text.trim();\n}\n';
const TEXT = [
  '# Notes',
  '## Scope',
  'The parser trims what it reads and keeps nothing between two calls, so that every call stands for itself.',
  '## 2. Findings:',
  '- F-1 it never sees an empty line',
  '- F-2 it drops a line break at the end',
  '',
  '> export function parse(text) {',
  '>   return text.trim();',
  '> — src/parse.ts:1',
].join('\n');

interface Given {
  readonly files?: Readonly<Record<string, string>>;
  readonly before?: Readonly<Record<string, string>>;
  readonly accepted?: Readonly<Record<string, AcceptedDocument>>;
  readonly changed?: readonly string[];
  readonly written?: readonly string[];
}

function scene({ files = {}, before = {}, accepted = {}, changed = [], written = [] }: Given): ContractScene {
  const all: Record<string, string> = { 'src/parse.ts': SOURCE, ...files };
  return {
    read: (path) => all[posix.normalize(path)],
    fileOf: posix.normalize,
    before: (path) => (before[path] === undefined ? undefined : documentDigest(before[path])),
    accepted: new Map(Object.entries(accepted)),
    changed: () => changed,
    isWritten: (path) => written.includes(path),
  };
}

const faults = (document: Omit<DocumentContract, 'path'>, text: string | undefined, more: Given = {}): string[] =>
  contractFaults(
    { documents: [{ path: 'a.md', ...document }] },
    scene({ ...more, files: { ...more.files, ...(text === undefined ? {} : { 'a.md': text }) } }),
  );

test('a document that has everything has no faults', () => {
  const contract = {
    sections: ['Scope', { title: 'Findings', minItems: 2, minWords: 10 }],
    ids: { pattern: 'F-\\d+', min: 2, max: 2 },
    quotes: 1,
    references: [{ pattern: 'F-\\d+', to: 'b.md', all: true as const }],
  };
  expect(faults(contract, TEXT, { files: { 'b.md': 'F-1 and F-2' } })).toEqual([]);
});

test.each<[string, Omit<DocumentContract, 'path'>, string | undefined, string]>([
  ['is missing', {}, undefined, 'it is missing; write it'],
  ['is empty', {}, ' \n', 'it is empty; write its content'],
  ['is short', {}, '# A\nToo little.', 'it has 2 words (without quotations and code); at least 20 are required'],
  ['lacks a section', { sections: ['Risks'] }, TEXT, 'the section "Risks" is missing; add the heading "## Risks" with its content'],
  ['has an empty section', { sections: ['Risks'] }, `${TEXT}\n## Risks\n`, 'the section "Risks" is empty'],
  ['repeats a title', { sections: ['Risks'] }, `${TEXT}\n## Risks\nRisks.`, 'the section "Risks" only repeats its title'],
  [
    'has too few items',
    { sections: [{ title: 'Findings', minItems: 3 }] },
    TEXT,
    'the section "Findings" has 2 list items or table rows; at least 3 are required',
  ],
  ['defines too few names', { ids: { pattern: 'F-\\d+', min: 3 } }, TEXT, 'it has 2 different names like F-1; at least 3 are required'],
  [
    'defines too many names',
    { ids: { pattern: 'F-\\d+', min: 1, max: 1 } },
    TEXT,
    'it has 2 different names like F-1; at most 1 are allowed',
  ],
  [
    'has no quotation',
    { quotes: 2 },
    TEXT,
    'it has 1 quotations with a source; at least 2 are required, each a block quote that ends with "> — path:line"',
  ],
  ['holds a place', {}, `${TEXT}\n- TODO`, '"- TODO" is a placeholder; write the content'],
])('a document that %s is rejected', (...row) => {
  const [, contract, text, fault] = row;
  expect(faults(contract, text)).toEqual([`a.md: ${fault}`]);
});

test.each([
  ['is not in its file', '> return text.trimEnd();\n> — src/parse.ts:2', 'the quotation is not in src/parse.ts; quote it word for word'],
  [
    'names no file',
    '> return text.trim();\n> — src/other.ts:2',
    'the quotation names src/other.ts, which is not a text file of the project',
  ],
  ['is from the document itself', '> The parser trims\n> — a.md:3', 'a.md is a document of this work, not a source'],
  [
    'is from the document itself by a detour',
    '> The parser trims\n> — x/.././/a.md:3',
    'x/.././/a.md is a document of this work, not a source',
  ],
  ['is from another document of the run', '> The parser trims\n> — ./notes.md:3', './notes.md is a document of this work, not a source'],
  ['is only a bracket', '> }\n> — src/parse.ts:3', 'the quotation of src/parse.ts has fewer than 10 characters; quote more of it'],
])('a quotation that %s is rejected', (_, quotation, fault) => {
  const text = `${TEXT}\n\n${quotation}`;
  const accepted = { 'notes.md': { digest: 'x', step: 'one' } };
  expect(faults({ quotes: 1 }, text, { accepted, files: { 'notes.md': 'The parser trims' } })).toEqual([
    expect.stringMatching(new RegExp(`^a\\.md: line \\d+: ${fault.replaceAll(/[.()]/g, '\\$&')}$`)),
  ]);
});

test('a document of nothing but quotations is rejected before each is searched for', () => {
  const many = Array.from({ length: 501 }, (_, at) => `> return text.trim(); ${at}\n> — src/parse.ts:2\n`).join('\n');
  expect(faults({ quotes: 1 }, `${TEXT.split('>')[0]}\n${many}`)).toEqual([
    'a.md: it has 501 quotations; at most 500 are allowed; remove some',
  ]);
});

test('a quotation may be indented and broken otherwise than its source', () => {
  expect(
    faults({ quotes: 1 }, `${TEXT.split('>')[0]}> export function parse(text) { return\n> text.trim(); }\n> -- \`src/parse.ts:1-3\``),
  ).toEqual([]);
});

test('a name that the other document lacks is rejected, and so is a missing one where all are required', () => {
  const references = [{ pattern: 'F-\\d+', to: 'b.md', all: true as const }];
  expect(faults({ references }, TEXT, { files: { 'b.md': 'F-1 F-3' } })).toEqual([
    'a.md: F-2 is not in b.md',
    'a.md: it does not mention F-3 of b.md',
  ]);
});

describe('a document that is not the work of its step is refused', () => {
  test('a document that is unchanged since before its step is rejected', () => {
    expect(faults({}, TEXT.replaceAll(' ', '  '), { before: { 'a.md': TEXT } })).toEqual([
      'a.md: it is unchanged since before this step; add the work of this step',
    ]);
  });

  test('a copy of another document is rejected, even with another heading', () => {
    const long = Array.from({ length: 6 }, (_, at) => `Line ${at} says something of its own that is long enough.`).join('\n');
    const more = { files: { 'b.md': `# B\n${long}` }, accepted: { 'b.md': { digest: 'x', step: 'one' } } };
    expect(faults({}, `# A\n${long}`, more)).toEqual(['a.md: it is a copy of b.md; write what this step asks for']);
  });

  test('a frozen document that any step changed is rejected', () => {
    const accepted = { 'a.md': { digest: documentDigest(TEXT), step: 'split', frozen: true as const } };
    const fault = 'a.md: it is frozen since step "split" but has changed; restore the accepted version';
    expect(faults({ frozen: true }, TEXT, { accepted, before: { 'a.md': TEXT } })).toEqual([]);
    expect(faults({ frozen: true }, `${TEXT} more`, { accepted })).toEqual([fault]);
    expect(contractFaults({}, scene({ accepted, files: { 'a.md': 'other' } }))).toEqual([fault]);
  });
});

test('a JSON document must match its schema and have no placeholders', () => {
  const json = { type: 'object', properties: { why: { type: 'string' } }, required: ['why'] };
  expect(faults({ json }, '{"why": "it is slow"}')).toEqual([]);
  expect(faults({ json }, '{')).toEqual([expect.stringContaining('a.md: it is not JSON')]);
  expect(faults({ json }, '{}')).toEqual(['a.md: the document.why is missing']);
  expect(faults({ json }, '{"why": "TBD"}')).toEqual(['a.md: the document.why is a placeholder; write the content']);
  expect(faults({ json }, '{"why": "why"}')).toEqual(['a.md: the document.why is a placeholder; write the content']);
});

test('changed files count, but not those that are documents', () => {
  const contract = { documents: [{ path: 'a.md' }], changes: ['**'] };
  const text = { 'a.md': TEXT };
  expect(contractFaults(contract, scene({ files: text, changed: ['a.md'] }))).toEqual(['no file that matches ** changed in this step']);
  expect(contractFaults(contract, scene({ files: text, changed: ['a.md', 'src/x.ts'] }))).toEqual([]);
});

test.each([
  'TODO',
  '- TBD',
  '* [ ] todo: later',
  '...',
  '…',
  '**Owner:** TBD',
  'Lorem ipsum dolor',
  '<fill in>',
  '[your findings here]',
  '| TODO |',
  'To be determined.',
])('%j is a placeholder', (line) => expect(isPlaceholder(line)).toBe(true));

test.each([
  'The TODO comments in src/a.ts are old.',
  'A todo list app.',
  'n/a',
  'none found in src',
  '- Use <input> for it.',
  'Wait ... then go.',
])('%j is not a placeholder', (line) => expect(isPlaceholder(line)).toBe(false));

test('a text that repeats a line, or few words, is rejected; quotations and code are ignored', () => {
  expect(placeholderFaults('The parser is fine.\n'.repeat(5))).toEqual([
    'the line "the parser is fine." is repeated 5 times; write real content',
  ]);
  expect(placeholderFaults(Array.from({ length: 9 }, (_, at) => `word word word word ${at % 3}`).join('\n'))).toEqual([
    expect.stringContaining('the text is repetitive'),
  ]);
  expect(placeholderFaults('> TODO\n\n```\nTODO\n```')).toEqual([]);
});

test('headings in code are none, items and rows count once, and quotations have a source', () => {
  expect(sectionsOf('```\n# no\n```\n# yes\n## inner\nx\n# last').map(({ title, lines }) => [title, lines])).toEqual([
    ['yes', ['## inner', 'x']],
    ['inner', ['x']],
    ['last', []],
  ]);
  expect(itemsIn(['- a', '- A', '1. b', '| h | i |', '|---|---|', '| c | d |'])).toEqual(['a', 'b', 'c | d']);
  expect(quotationsIn('> a\n\n> b\n> — x.ts:3')).toEqual([{ text: 'b', path: 'x.ts', line: 4 }]);
});

test('no line of a document takes more than one look, however long it is', () => {
  const long = (text: string) => text.repeat(200_000);
  const lines = [`# ${long('0')}`, `# a${long(' ')}${long('#')}${long(' ')}x`, `- ${long(' ')}x\u2028`, `# ${long(' ')}\u2028x`];
  const [found] = faults({ sections: ['Scope', 'Risks'] }, [TEXT, ...lines].join('\n'));
  expect(found).toContain('the section "Risks" is missing');
  expect(itemsIn(lines)).toEqual(['x']);
  expect(faults({ json: {} }, JSON.stringify({ commit: long('0') }))).toEqual([]);
  expect(sectionsOf('## Scope ##  \n## C#\n## 1.2) Risks').map(({ title }) => title)).toEqual(['Scope', 'C', '1.2) Risks']);
});

test('parameters are filled in, but a value never becomes a separate command', () => {
  const values = { folder: 'out', test: 'npm test', name: 'a; rm -rf /' };
  expect(filledContract({ documents: [{ path: '{folder}/a.md' }], changes: ['{folder}/*.{ts,js}'] }, values)).toEqual({
    documents: [{ path: 'out/a.md' }],
    changes: ['out/*.{ts,js}'],
  });
  expect(namesIn('{folder}/*.{ts,js}')).toEqual(['folder']);
  expect([commandLine('{test}', values), commandLine('run {name}', values), commandLine('{other}', values)]).toEqual([
    'npm test',
    "run 'a; rm -rf /'",
    undefined,
  ]);
});

test.each([
  ['run "{name}"', 'name'],
  ["run '{name}'", 'name'],
  ["sh -c 'run {name}; stop'", 'name'],
  ['run \\{name}', 'name'],
  ['cat <<EOF\n{name}\nEOF', 'name'],
  ['echo "it\'s {name}"', 'name'],
  ['echo "$(ls) {name}"', 'name'],
  ['echo "\\"{name}"', 'name'],
  ["echo $'a\\'{name}'", 'name'],
])('a value is not inserted where the shell would interpret it: %s', (command, name) => {
  expect(contractProblems({ command })).toEqual([expect.stringContaining(`{${name}} `)]);
  expect(() => commandLine(command, { name: '$(touch x)' })).toThrow(`{${name}} `);
  expect(contractProblems({ command: 'run {name} --x="a b" {other}' })).toEqual([]);
  expect(contractProblems({ command: 'test "$(ls {name}/*.md | wc -l)" -ge 2 && echo \\"{name}' })).toEqual([]);
});

const ZERO = '\u200b';

test.each([
  ['numbers only', Array.from({ length: 40 }, (_, n) => `${n * 7919}`).join(' '), 'it has 0 words (without'],
  ['signs that nobody sees', `# A\n${ZERO.repeat(400)}`, 'it has 0 words (without'],
  ['nothing but such signs', `${ZERO}\u2060 \ufeff`, 'it is empty; write its content'],
  ['one word cut into many', `# A\n${'word'.split('').join(ZERO).repeat(20)}`, 'it has 1 words (without'],
  ['a hidden placeholder', `${TEXT}\nTO${ZERO}DO: write the rest`, 'is a placeholder'],
])('a document of %s is rejected', (_, text, fault) => {
  expect(faults({}, text).join('\n')).toContain(fault);
});

test('a copy with invisible characters is a copy', () => {
  expect(
    faults({}, TEXT.replaceAll(' ', ` ${ZERO}`), {
      files: { 'b.md': TEXT },
      accepted: { 'b.md': { digest: documentDigest(TEXT), step: 'b' } },
    }),
  ).toEqual(['a.md: it is a copy of b.md; write what this step asks for']);
  expect(faults({}, `${TEXT}${ZERO}`, { before: { 'a.md': TEXT } })).toEqual([
    expect.stringContaining('it is unchanged since before this step'),
  ]);
});

test('a file that the step created cannot be quoted, unless the step is to change files', () => {
  const written = ['src/parse.ts'];
  expect(faults({ quotes: 1 }, TEXT, { written })).toEqual([
    'a.md: line 10: src/parse.ts was created in this step, so it cannot be quoted as a source; quote what was there before',
  ]);
  const contract = { documents: [{ path: 'a.md', quotes: 1 }], changes: ['src/**'] };
  expect(contractFaults(contract, scene({ files: { 'a.md': TEXT }, written, changed: written }))).toEqual([]);
});
