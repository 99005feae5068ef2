// Owns the warning about flows that a replay would run differently. A flow is replayed after every restart, so what it
// reads from the clock, from chance or from outside must come through a step, whose result is recorded.
//
// This reads the text of one function and nothing that it calls: it finds the common slips early. What it cannot see,
// the replay itself notices by comparing what is yielded with the record. It warns; it does not refuse.
//
// L1. Comments and texts are not code.
// L2. A function handed to a builder of a step runs inside that step, where everything is allowed.

interface Slip {
  readonly pattern: RegExp;
  readonly name: string;
  readonly reads: string;
}

const SLIPS: readonly Slip[] = [
  { pattern: /(?<![\w$.])Date\s*\.\s*now\s*\(/g, name: 'Date.now()', reads: 'reads the clock' },
  { pattern: /(?<![\w$.])new\s+Date\b(?!\s*\(\s*[^\s)])/g, name: 'new Date()', reads: 'reads the clock' },
  { pattern: /(?<![\w$.])performance\s*\.\s*now\s*\(/g, name: 'performance.now()', reads: 'reads the clock' },
  { pattern: /(?<![\w$.])Math\s*\.\s*random\s*\(/g, name: 'Math.random()', reads: 'draws a random number' },
  { pattern: /(?<![\w$])randomUUID\s*\(/g, name: 'crypto.randomUUID()', reads: 'draws a random id' },
  { pattern: /(?<![\w$])getRandomValues\s*\(/g, name: 'crypto.getRandomValues()', reads: 'draws random bytes' },
  { pattern: /(?<![\w$.])(?:globalThis\s*\.\s*)?fetch\s*\(/g, name: 'fetch()', reads: 'talks to the network' },
  { pattern: /(?<![\w$.])process\s*\.\s*env\b/g, name: 'process.env', reads: 'reads the environment' },
];

const BUILDERS = 'task|agent|generate|delay|recovery|preconditions|postconditions|subworkflow|workflow';
const BUILDER_BEFORE = new RegExp(`\\.\\s*(?:${BUILDERS})\\s*$`);
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|(?<=[(,=:[!&|?{};\n]\s*|\breturn\s+)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*|`/g;

/** What in a flow's own text would differ in a replay, each with a way out; empty when nothing is seen. */
export function lintFlow(body: (...args: never[]) => unknown): string[] {
  const code = withoutStepFunctions(withoutTexts(body.toString()));
  const found = SLIPS.flatMap((slip) => [...code.matchAll(slip.pattern)].map((match) => ({ slip, index: match.index })));
  return found.sort((a, b) => a.index - b.index).map(({ slip, index }) => warning(slip, lineAt(code, index)));
}

function warning({ name, reads }: Slip, line: number): string {
  return `${name} in line ${line} of the flow ${reads}, so a replay would go another way; do it in a step, whose result is recorded: yield* step("…").task(() => …)`;
}

function lineAt(code: string, index: number): number {
  return code.slice(0, index).split('\n').length;
}

// Blanks keep every position, so that lines can be named.
function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

function withoutTexts(source: string): string {
  let code = '';
  let at = 0;
  for (TOKEN.lastIndex = 0; ; ) {
    const match = TOKEN.exec(source);
    if (match === null) return code + source.slice(at);
    const end = match[0] === '`' ? templateEnd(source, match.index) : TOKEN.lastIndex;
    const text = source.slice(match.index, end);
    code += source.slice(at, match.index) + (match[0] === '`' ? withoutTemplateText(text) : blank(text));
    at = end;
    TOKEN.lastIndex = end;
  }
}

function templateEnd(source: string, start: number): number {
  let depth = 0;
  for (let at = start + 1; at < source.length; at += 1) {
    const char = source[at];
    if (char === '\\') at += 1;
    else if (char === '`' && depth === 0) return at + 1;
    else if (char === '`') at = templateEnd(source, at) - 1;
    else if (depth === 0 ? source.startsWith('${', at) : char === '{') {
      if (depth === 0) at += 1;
      depth += 1;
    } else if (char === '}' && depth > 0) depth -= 1;
  }
  return source.length;
}

// What stands in `${…}` is code and stays; a template inside a template is kept whole, which can only warn too much.
function withoutTemplateText(template: string): string {
  let code = '';
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf('${', at);
    if (open === -1) return code + blank(template.slice(at));
    const close = closingIndex(template, open + 1);
    code += `${blank(template.slice(at, open + 2))}${template.slice(open + 2, close)} `;
    at = close + 1;
  }
  return code;
}

function withoutStepFunctions(code: string): string {
  let rest = code;
  for (let at = rest.indexOf('('); at !== -1; at = rest.indexOf('(', at + 1)) {
    if (!BUILDER_BEFORE.test(rest.slice(Math.max(0, at - 40), at))) continue;
    const end = closingIndex(rest, at);
    rest = rest.slice(0, at) + withoutFunctions(rest.slice(at, end)) + rest.slice(end);
  }
  return rest;
}

function withoutFunctions(args: string): string {
  let rest = args;
  const start = /=>\s*|(?<![\w$])function\b[^{]*/g;
  for (let match = start.exec(rest); match !== null; match = start.exec(rest)) {
    const from = start.lastIndex;
    const end = rest[from] === '{' ? closingIndex(rest, from) : expressionEnd(rest, from);
    rest = rest.slice(0, from) + blank(rest.slice(from, end)) + rest.slice(end);
    start.lastIndex = end;
  }
  return rest;
}

const CLOSES: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Where the bracket at `open` is closed; the end of the text when it is not. */
function closingIndex(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    const char = code[at] as string;
    if (char in CLOSES) depth += 1;
    else if (Object.values(CLOSES).includes(char)) depth -= 1;
    if (depth === 0) return at;
  }
  return code.length;
}

function expressionEnd(code: string, from: number): number {
  for (let at = from; at < code.length; at += 1) {
    const char = code[at] as string;
    if (char in CLOSES) at = closingIndex(code, at);
    else if (char === ',' || Object.values(CLOSES).includes(char)) return at;
  }
  return code.length;
}
