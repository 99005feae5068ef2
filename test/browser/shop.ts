// Owns the project of the tests and of the pictures in the documents: a small shop whose release builds, tests in parallel
// and asks a person, with workflows that fail, fan out, have parameters, call an agent, wait for each other and have child
// runs.

const HEAD = 'apiVersion: pawl.dev/v1\nkind: Workflow\n';

/**
 * Speaks as Claude Code does. It writes the page only when its notes are told to be long, and claims to have done so either way;
 * told that nothing is left, it has used up its account.
 */
const WRITER = `import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const say = (line) => console.log(JSON.stringify(line));
say({ type: 'system', subtype: 'init', session_id: '0199a213-81c0-7800-8aa1-bbab2a035a53' });
createInterface({ input: process.stdin }).on('line', (line) => {
  if (line.includes('no credit')) {
    say({ type: 'result', subtype: 'success', is_error: true, result: 'Claude AI usage limit reached|' + (Math.floor(Date.now() / 1000) + 7200) });
    return;
  }
  const isLong = line.includes('long notes');
  say({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'I read CHANGES.md and wrote the notes.' }] } });
  if (isLong) writeFileSync('NOTES.md', '# Notes\\n\\nThe total counts every item.\\n');
  const result = JSON.stringify({ success: true, output: { file: 'NOTES.md', words: isLong ? 640 : 80 } });
  const usage = { input_tokens: isLong ? 48200 : 9100, output_tokens: isLong ? 3900 : 700 };
  say({ type: 'result', subtype: 'success', is_error: false, result, usage, total_cost_usd: isLong ? 0.42 : 0.07, num_turns: 3 });
});
`;

/** The files of the shop. */
export const SHOP: Readonly<Record<string, string>> = {
  'src/cart.js': `export function total(items) {
  return items.reduce((sum, item) => sum + item.price, 0);
}
`,
  'CHANGES.md': '# Changes\n',
  '.gitignore': 'go\n',
  // A step waits until the file "go" is there, so that a test sees it at work.
  'slow.sh': 'for line in "$@"; do echo "$line"; done\nwhile [ ! -e go ]; do sleep 0.05; done\n',
  '.pawl/workflows/release.yaml': `${HEAD}metadata: { name: release, description: "Builds the shop, tests it and asks before it is published." }
params:
  version: { type: string, required: true }
stages:
  - id: build
    type: command
    run: |
      sed -i 's/item.price,/item.price * item.count,/' src/cart.js
      echo "- The total counts every item." >> CHANGES.md
      echo "built 24 modules"
    on_complete: tests
  - id: tests
    type: parallel
    branches:
      - { id: unit, type: command, run: "sh slow.sh 'unit: 41 of 64 tests passed' 'unit: 64 of 64 tests passed'" }
      - { id: browser, type: command, run: "sh slow.sh 'opening the cart page' 'cart page: total is 30.00'" }
      - { id: lint, type: command, run: "sh slow.sh 'checking src/cart.js'" }
    on_complete: approve
  - id: approve
    type: human
    prompt: |
      Release this version?

      - The **total** now counts every item.
      - Prices are not changed.
    subjects: ["src/**", "CHANGES.md"]
    options:
      - { label: release, goto: publish }
      - { label: rework, goto: build, requires_input: true }
  - { id: publish, type: command, run: "echo published", on_complete: complete }
`,
  '.pawl/workflows/nightly.yaml': `${HEAD}metadata: { name: nightly, description: "Reads the orders of the day and mails a report." }
stages:
  - { id: fetch, type: command, run: "echo 1200 orders", on_complete: report }
  - id: report
    type: command
    run: "echo 'reading orders.csv'; test -e orders.csv || { echo 'orders.csv: no such file' >&2; exit 2; }"
    on_complete: mail
  - { id: mail, type: command, run: "echo sent", on_complete: complete }
`,
  '.pawl/workflows/audit.yaml': `${HEAD}metadata: { name: audit, description: "Two people look at the books." }
stages:
  - id: sign
    type: human
    prompt: Are the books right?
    options: [{ label: approve }, { label: reject, outcome: reject }]
`,
  '.pawl/writer.mjs': WRITER,
  '.pawl/agents/writer.md': `---
driver: claude-code
argv: [node, .pawl/writer.mjs]
---
You write for the customers of the shop.
`,
  '.pawl/workflows/notes.yaml': `${HEAD}metadata: { name: notes, description: "An agent writes the notes of a release." }
params:
  wish: { type: string, required: true }
stages:
  - id: write
    type: agent
    agent: writer
    prompt: "Write {{ params.wish }} of this release to NOTES.md."
    outputs: [{ name: page, type: file, pattern: NOTES.md, required: true }]
`,
  '.pawl/workflows/sync.yaml': `${HEAD}metadata: { name: sync, description: "Asks the warehouse for its stock, again and again." }
stages:
  - id: ask
    type: command
    run: "echo 'the warehouse does not answer' >&2; exit 7"
    on_error: { retry: 3, backoff: { initial: 2h, max: 6h } }
`,
  '.pawl/workflows/deliver.yaml': `${HEAD}metadata: { name: deliver, description: "Loads a van; there is one dock." }
concurrency: { max: 1, key: dock }
stages: [{ id: load, type: command, run: "sh slow.sh loading", on_complete: complete }]
`,
  '.pawl/workflows/evening.yaml': `${HEAD}metadata: { name: evening, description: "The nightly report, and the books." }
stages:
  - { id: books, type: workflow, workflow: audit }
`,
  '.pawl/workflows/translate.ts': `import { defineWorkflow } from 'pawl';

export default defineWorkflow({
  name: 'translate',
  title: 'Translate every text',
  steps: {
    list: { handler: () => ({ files: Array.from({ length: 40 }, (_, n) => \`text-\${n + 1}.md\`) }), next: 'each-text' },
    'each-text': {
      each: { items: 'files', concurrency: 8, step: { handler: ({ item }: { item: string }) => ({ words: item.length * 100 }) } },
      next: 'index',
    },
    index: { handler: () => ({ done: true }), next: null },
  },
});
`,
};
